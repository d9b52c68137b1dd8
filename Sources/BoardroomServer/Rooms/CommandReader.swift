import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Takes a message of commands apart, so that one that cannot be read is refused by its number and does not
/// take the others with it.
enum CommandReader {
  /// `u8 type` of a message of commands (docs/PROTOCOL.md, section 3).
  private static let commandsType: UInt8 = 2

  /// Nil if the message is not one of commands. Throws what ends the connection: bytes in which not even the
  /// commands' numbers can be found.
  static func read(
    _ payload: [UInt8], _ subprotocol: Subprotocol, limits: WireLimits
  ) throws(Refusal) -> [Submission]? {
    guard payload.count <= limits.message else {
      throw Refusal(.tooLarge, actual: payload.count, allowed: limits.message)
    }
    switch subprotocol {
    case .binary:
      guard payload.first == commandsType else { return nil }
      return try readBinary(payload, limits)
    case .json: return try readJSON(payload, limits)
    }
  }

  private static func readBinary(
    _ payload: [UInt8], _ limits: WireLimits
  ) throws(Refusal) -> [Submission] {
    var found: [Submission] = []
    var position = 1
    while position < payload.count {
      let (kind, body) = try cut(payload, at: &position, limits)
      found.append(try submission(kind, body, limits))
    }
    guard !found.isEmpty else { throw Refusal(.malformed, cause: "A message of no commands came.") }
    return found
  }

  /// `uv body length | u8 kind | body`.
  private static func cut(
    _ payload: [UInt8], at position: inout Int, _ limits: WireLimits
  ) throws(Refusal) -> (UInt8, ArraySlice<UInt8>) {
    let start = position
    let header = payload.withUnsafeBytes { bytes -> Result<(Int, UInt8, Int), WireError> in
      var reader = ByteReader(bytes, at: start)
      do throws(WireError) {
        let length = try reader.count("body length", limit: limits.message)
        let kind = try reader.byte()
        let body = reader.position
        _ = try reader.take(length)
        return .success((length, kind, body))
      } catch {
        return .failure(error)
      }
    }
    do throws(WireError) {
      let (length, kind, body) = try header.get()
      position = body + length
      return (kind, payload[body..<position])
    } catch {
      throw CodecError.wire(error).refusal
    }
  }

  private static func submission(
    _ kind: UInt8, _ body: ArraySlice<UInt8>, _ limits: WireLimits
  ) throws(Refusal) -> Submission {
    do throws(CodecError) {
      return .command(try CommandCodec.decode(kind: kind, body: body, limits: limits), raw: body)
    } catch {
      guard let counter = try? EventCodec.counter(of: body), counter > 0 else { throw error.refusal }
      return .broken(kind: kind, counter: counter, error.refusal)
    }
  }

  // MARK: JSON

  private static func readJSON(
    _ payload: [UInt8], _ limits: WireLimits
  ) throws(Refusal) -> [Submission]? {
    let codec = WireCodec(.json, limits: limits)
    do throws(CodecError) {
      guard case .commands(let commands) = try codec.decodeClient(payload) else { return nil }
      return commands.map { .command($0, raw: nil) }
    } catch {
      guard let one = try? JSONValue.parse(payload, limits: JSONLimits(limits)),
        let commands = one["commands"]?.array, !commands.isEmpty
      else { throw error.refusal }
      return try readOneByOne(commands, codec)
    }
  }

  /// The way for a message with a bad command in it: each is read as if it had come alone.
  private static func readOneByOne(
    _ commands: [JSONValue], _ codec: WireCodec
  ) throws(Refusal) -> [Submission] {
    var found: [Submission] = []
    for command in commands {
      let alone = JSONValue.object([("m", .string("commands")), ("commands", .array([command]))])
      do throws(CodecError) {
        guard case .commands(let read) = try codec.decodeClient(alone.encoded) else { continue }
        found += read.map { .command($0, raw: nil) }
      } catch {
        guard let counter = command["n"]?.unsigned, counter > 0 else { throw error.refusal }
        let kind = command["kind"]?.string.flatMap { name in
          EventKind.allCases.first { $0.name == name }?.rawValue
        }
        found.append(.broken(kind: kind ?? 0, counter: counter, error.refusal))
      }
    }
    return found
  }
}
