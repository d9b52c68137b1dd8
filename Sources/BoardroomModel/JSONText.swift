/// One JSON value, already checked, as the bytes in which it came. It is never written anew: what a client
/// sent is what the log holds and what everybody receives.
public struct JSONText: Hashable, Sendable {
  public let bytes: [UInt8]

  /// Takes bytes that are known to be one valid JSON value (BoardroomCodec's scanner has passed them).
  @inlinable public init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  public init(unchecked text: String) { bytes = Array(text.utf8) }

  public static let null = JSONText(unchecked: "null")
  public var isNull: Bool { bytes == [0x6e, 0x75, 0x6c, 0x6c] }
  public var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// A JSON object as a patch of top-level keys: a key whose value is null is removed (spec RS-1).
public struct JSONPatch: Hashable, Sendable {
  /// The object as it came.
  public let raw: JSONText
  /// Its members in order; the value of a key to be removed is nil.
  public let fields: [(key: String, value: JSONText?)]

  public init(raw: JSONText, fields: [(key: String, value: JSONText?)]) {
    self.raw = raw
    self.fields = fields
  }

  /// Writes the object: for patches that Boardroom itself makes.
  public init(fields: [(key: String, value: JSONText?)]) {
    var text: [UInt8] = [UInt8(ascii: "{")]
    for field in fields {
      if text.count > 1 { text.append(UInt8(ascii: ",")) }
      text.append(contentsOf: Self.quoted(field.key).utf8)
      text.append(UInt8(ascii: ":"))
      text.append(contentsOf: (field.value ?? .null).bytes)
    }
    text.append(UInt8(ascii: "}"))
    self.init(raw: JSONText(unchecked: text), fields: fields)
  }

  private static func quoted(_ key: String) -> String {
    var text = "\""
    for scalar in key.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case _ where scalar.value < 32:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }

  public static func == (left: JSONPatch, right: JSONPatch) -> Bool { left.raw == right.raw }
  public func hash(into hasher: inout Hasher) { hasher.combine(raw) }
}
