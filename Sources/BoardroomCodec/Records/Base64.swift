// Base64 (RFC 4648, section 4) in its one strict form: padded, no line breaks, unused bits zero.

enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  static func encode(_ bytes: some Collection<UInt8>) -> String {
    var out: [UInt8] = []
    out.reserveCapacity((bytes.count + 2) / 3 * 4)
    var group: UInt32 = 0
    var held = 0
    for byte in bytes {
      group = group << 8 | UInt32(byte)
      held += 1
      guard held == 3 else { continue }
      append(group, digits: 4, to: &out)
      group = 0
      held = 0
    }
    if held > 0 {
      append(group << UInt32(8 * (3 - held)), digits: held + 1, to: &out)
      out.append(contentsOf: repeatElement(padding, count: 3 - held))
    }
    return String(decoding: out, as: UTF8.self)
  }

  private static func append(_ group: UInt32, digits: Int, to out: inout [UInt8]) {
    for place in 0..<digits { out.append(alphabet[Int(group >> UInt32(18 - 6 * place) & 63)]) }
  }

  /// The bytes, or nil if `text` is not the form that `encode` writes.
  static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 4 == 0 else { return nil }
    let padded = digits.suffix(2).count { $0 == padding }
    var out: [UInt8] = []
    out.reserveCapacity(digits.count / 4 * 3)
    var group: UInt32 = 0
    for (place, digit) in digits.dropLast(padded).enumerated() {
      guard let value = value(of: digit) else { return nil }
      group = group << 6 | UInt32(value)
      guard place % 4 == 3 else { continue }
      out.append(contentsOf: [UInt8(group >> 16 & 255), UInt8(group >> 8 & 255), UInt8(group & 255)])
      group = 0
    }
    return appendRest(group, padded: padded, to: out)
  }

  private static func appendRest(_ group: UInt32, padded: Int, to bytes: [UInt8]) -> [UInt8]? {
    switch padded {
    case 1: group & 3 == 0 ? bytes + [UInt8(group >> 10 & 255), UInt8(group >> 2 & 255)] : nil
    case 2: group & 15 == 0 ? bytes + [UInt8(group >> 4 & 255)] : nil
    default: bytes
    }
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
