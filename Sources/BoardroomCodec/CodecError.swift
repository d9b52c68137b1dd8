import BoardroomModel
import EventLogModel

/// Why bytes are not what docs/PROTOCOL.md describes. Names fields and positions; never holds what came.
public enum CodecError: Error, Sendable, Hashable {
  /// A binary field is cut off, overlong or outside its form. Positions count from the body's first byte.
  case wire(WireError)
  /// The text is not one strict JSON value.
  case json(JSONError)
  /// Well formed, but `field` has a value that is not allowed, or is missing.
  case invalid(field: String, reason: String)
  /// `field` is a name or a path of a form that is not allowed.
  case badName(field: String, reason: String)
  /// Larger than the limit; bytes, or a count where `what` says so.
  case tooLarge(what: String, actual: Int, allowed: Int)
  /// A command of a kind that clients cannot send.
  case unknownKind(UInt8)
}

extension CodecError {
  /// The refusal that a peer is answered with.
  public var refusal: Refusal {
    switch self {
    case .wire(let error): Refusal(.malformed, cause: "The bytes are malformed: \(error.sentence).")
    case .json(let error): Refusal(.malformed, cause: "The text is not strict JSON: \(error.sentence).")
    case .invalid(let field, let reason): Refusal(.badParameter, cause: "The field \(field) \(reason).")
    case .badName(let field, let reason): Refusal(.badName, cause: "The field \(field) \(reason).")
    case .tooLarge(let what, let actual, let allowed):
      Refusal(
        .tooLarge, cause: "The \(what) is larger than the limit.", actual: actual, allowed: allowed,
        limit: Self.limit(of: what))
    case .unknownKind: Refusal(.unknownKind)
    }
  }

  /// The name of the limit that something ran into; what no operator can set goes by its own name.
  private static func limit(of what: String) -> String {
    switch what {
    case "scene count": "limits.scenes"
    case "phase count": "limits.clientPhases"
    case "message", "uid", "payload": "limits.\(what)"
    default: EventKind(named: what).flatMap(WireLimits.name(forPayloadOf:)) ?? what
    }
  }
}

extension WireError {
  /// The error in words, without a full stop.
  public var sentence: String {
    switch self {
    case .truncated(let at): "they end inside the field at byte \(at)"
    case .overlongInteger(let at): "the integer ending at byte \(at) is longer than it needs to be"
    case .badField(let name, let at): "the \(name) at byte \(at) is out of range"
    case .trailingBytes(let at): "bytes are left over from byte \(at)"
    }
  }
}

extension ByteReader {
  /// A `uv` up to `limit`.
  mutating func number(_ field: StaticString, upTo limit: UInt64 = .max) throws(CodecError) -> UInt64 {
    let at = position
    do throws(WireError) {
      let value = try varint()
      guard value <= limit else { throw .badField(field.description, at: at) }
      return value
    } catch { throw .wire(error) }
  }

  /// A `zz` between `-limit` and `limit`.
  mutating func signed(_ field: StaticString, within limit: Int64) throws(CodecError) -> Int64 {
    let at = position
    do throws(WireError) {
      let value = try zigzag()
      guard value >= -limit, value <= limit else { throw .badField(field.description, at: at) }
      return value
    } catch { throw .wire(error) }
  }

  mutating func octet() throws(CodecError) -> UInt8 {
    do throws(WireError) { return try byte() } catch { throw .wire(error) }
  }

  mutating func bytes(_ count: Int) throws(CodecError) -> UnsafeRawBufferPointer {
    do throws(WireError) { return try readBytes(count) } catch { throw .wire(error) }
  }

  func end() throws(CodecError) {
    do throws(WireError) { try expectEnd() } catch { throw .wire(error) }
  }
}

extension ArraySlice<UInt8> {
  /// Reads these bytes from their beginning.
  @inline(__always)
  func reading<Value>(
    _ body: (inout ByteReader) throws(CodecError) -> Value
  ) throws(CodecError) -> Value {
    let result = withUnsafeBytes { bytes -> Result<Value, CodecError> in
      var reader = ByteReader(bytes)
      do throws(CodecError) { return .success(try body(&reader)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
