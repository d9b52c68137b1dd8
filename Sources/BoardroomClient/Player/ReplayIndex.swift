import BoardroomCodec
import BoardroomModel
import EventLogModel

/// What a server says of a room's past: `GET /v5/rooms/{uuid}/replay`.
struct ReplayIndex: Sendable {
  struct IndexedBlock: Sendable, Hashable {
    var first: Revision
    var last: Revision
  }

  var outline: ReplayOutline
  var blocks: [IndexedBlock]
  /// Revisions, rising.
  var snapshots: [Revision]

  init(_ index: JSONValue) throws(ReplaySourceError) {
    guard let epoch = index["epoch"]?.string.flatMap({ Epoch($0) }) else { throw Self.unreadable("epoch") }
    let emptied = index["emptied"]?.int.map { Timestamp(milliseconds: Int64($0)) }
    guard let isRecord = index["isRecord"]?.bool else { throw Self.unreadable("isRecord") }
    outline = ReplayOutline(
      epoch: epoch, low: Revision(try Self.number(index, "low")),
      last: Revision(try Self.number(index, "last")),
      begin: try Self.time(index, "begin"), end: try Self.time(index, "end"), emptied: emptied,
      isRecord: isRecord)
    blocks = []
    for block in index["blocks"]?.array ?? [] {
      let (first, last) = (try Self.number(block, "first"), try Self.number(block, "last"))
      blocks.append(IndexedBlock(first: Revision(first), last: Revision(last)))
    }
    var snapshots: [Revision] = []
    for snapshot in index["snapshots"]?.array ?? [] {
      snapshots.append(Revision(try Self.number(snapshot, "revision")))
    }
    self.snapshots = snapshots.sorted()
  }

  static func object(_ body: [UInt8]) throws(ReplaySourceError) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue.parse(body, limits: JSONLimits(depth: 16, bytes: HTTPReplayDoor.mostBytes))
    } catch { throw .failed(BoardroomError(.malformed, cause: "The server's answer is no JSON.")) }
  }

  private static func number(_ value: JSONValue, _ key: String) throws(ReplaySourceError) -> UInt64 {
    guard let number = value[key]?.int, number >= 0 else { throw unreadable(key) }
    return UInt64(number)
  }

  private static func time(_ value: JSONValue, _ key: String) throws(ReplaySourceError) -> Timestamp {
    Timestamp(milliseconds: Int64(clamping: try number(value, key)))
  }

  static func unreadable(_ key: String) -> ReplaySourceError {
    .failed(BoardroomError(.malformed, cause: "The server's answer has no \(key), or one of another form."))
  }

  /// The server's own words, where it gave some (docs/HTTP.md, Errors).
  static func error(_ status: Int, _ body: [UInt8]) -> BoardroomError {
    if let answer = try? JSONValue.parse(body), let code = answer["code"]?.string.flatMap(RefusalCode.init) {
      return BoardroomError(code, cause: answer["cause"]?.string, cure: answer["cure"]?.string)
    }
    return switch status {
    case 401: BoardroomError(.tokenInvalid)
    case 403: BoardroomError(.forbidden)
    case 404: BoardroomError(.notFound)
    case 400...499: BoardroomError(.badParameter, cause: "The server answered with status \(status).")
    default: BoardroomError(.internalFailure, cause: "The server answered with status \(status).")
    }
  }
}

extension WireCodec {
  /// Messages of a server one after the other, each with its length as `uv` before it.
  package func decodeFramed(_ bytes: [UInt8]) throws(CodecError) -> [Notice] {
    var notices: [Notice] = []
    var at = 0
    while at < bytes.count {
      let message = try Self.message(in: bytes, at: &at)
      notices.append(try decodeServer(message))
    }
    return notices
  }

  private static func message(in bytes: [UInt8], at place: inout Int) throws(CodecError) -> [UInt8] {
    let start = place
    let taken = bytes.withUnsafeBytes { raw -> Result<([UInt8], Int), WireError> in
      var reader = ByteReader(raw, at: start)
      do throws(WireError) {
        let length = try reader.count("message length", limit: raw.count)
        return .success((Array(try reader.readBytes(length)), reader.position))
      } catch { return .failure(error) }
    }
    do throws(WireError) {
      let (message, end) = try taken.get()
      place = end
      return message
    } catch { throw .wire(error) }
  }
}
