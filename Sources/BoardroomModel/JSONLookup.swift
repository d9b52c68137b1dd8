// A look into JSON text that BoardroomCodec has checked, for the few fields that the layers above it read. What is
// not a JSON object has no members.

extension JSONText {
  /// The value of a top-level key; nil if it is not there, or this is no object.
  public func member(_ name: String) -> JSONText? {
    var reader = JSONLookup(bytes: bytes)
    return reader.value(of: name)
  }

  /// The text of a JSON string, without its escapes; nil for any other value.
  public var string: String? {
    var reader = JSONLookup(bytes: bytes)
    return reader.string()
  }

  /// A whole number below 10^15, written in digits alone; nil for any other value.
  public var wholeNumber: Int? {
    guard (1...15).contains(bytes.count), bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return bytes.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}

private struct JSONLookup {
  let bytes: [UInt8]
  var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func value(of name: String) -> JSONText? {
    guard consume("{") else { return nil }
    while next == UInt8(ascii: "\"") {
      guard let key = string(), consume(":") else { return nil }
      skipSpace()
      let start = position
      skipValue()
      if key == name { return JSONText(unchecked: Array(bytes[start..<position])) }
      guard consume(",") else { return nil }
      skipSpace()
    }
    return nil
  }

  /// Takes one character with the space around it.
  private mutating func consume(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    skipSpace()
    return true
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || (0x09...0x0d).contains(byte) { position += 1 }
  }

  private mutating func skipValue() {
    var depth = 0
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""): skipString()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard depth > 0 else { return }
        depth -= 1
        position += 1
      case UInt8(ascii: ","), 0x20, 0x09...0x0d:
        guard depth > 0 else { return }
        position += 1
      default: position += 1
      }
    }
  }

  private mutating func skipString() {
    position += 1
    while let byte = next, byte != UInt8(ascii: "\"") { position += byte == UInt8(ascii: "\\") ? 2 : 1 }
    position = min(position + 1, bytes.count)
  }

  mutating func string() -> String? {
    guard next == UInt8(ascii: "\"") else { return nil }
    let start = position + 1
    skipString()
    guard start < position else { return nil }
    return Self.plain(bytes[start..<(position - 1)])
  }

  /// Without escapes.
  private static func plain(_ text: ArraySlice<UInt8>) -> String {
    guard text.contains(UInt8(ascii: "\\")) else { return String(decoding: text, as: UTF8.self) }
    var units: [UInt16] = []
    var rest = Array(String(decoding: text, as: UTF8.self).utf16)[...]
    while let unit = rest.popFirst() {
      guard unit == 0x5c, let escaped = rest.popFirst() else {
        units.append(unit)
        continue
      }
      units.append(plain(escaped, &rest))
    }
    return String(decoding: units, as: UTF16.self)
  }

  private static func plain(_ escaped: UInt16, _ rest: inout ArraySlice<UInt16>) -> UInt16 {
    switch escaped {
    case 0x62: return 0x08
    case 0x66: return 0x0c
    case 0x6e: return 0x0a
    case 0x72: return 0x0d
    case 0x74: return 0x09
    case 0x75:
      let digits = rest.prefix(4)
      rest = rest.dropFirst(4)
      return UInt16(String(decoding: digits, as: UTF16.self), radix: 16) ?? 0xfffd
    default: return escaped
    }
  }
}
