// How a token's map of texts is written (PARITY rows TK), to the byte as the published issuers write it:
//
//   message = JSON.stringify of the map without `sig`, keys sorted
//   query   = key=value&…, keys sorted, both through encodeURIComponent
//   token   = prefix | base64url(query) without padding
//
// Tokens of this server have the field `type`: the signed part then says the same as the prefix.

/// The functions of JavaScript by which tokens are written.
package enum TokenText {
  private static let lowerHex = Array("0123456789abcdef".utf8)
  private static let upperHex = Array("0123456789ABCDEF".utf8)

  /// `JSON.stringify` of an object whose values are strings: keys in the order of their UTF-16 units, no spaces.
  static func json(_ fields: [String: String]) -> [UInt8] {
    var bytes = Array("{".utf8)
    for (place, key) in sortedKeys(fields).enumerated() {
      if place > 0 { bytes.append(UInt8(ascii: ",")) }
      append(quoted: key, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      append(quoted: fields[key] ?? "", to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  private static func append(quoted text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x08: bytes += Array("\\b".utf8)
      case 0x09: bytes += Array("\\t".utf8)
      case 0x0A: bytes += Array("\\n".utf8)
      case 0x0C: bytes += Array("\\f".utf8)
      case 0x0D: bytes += Array("\\r".utf8)
      case ..<0x20: bytes += Array("\\u00".utf8) + [lowerHex[Int(byte >> 4)], lowerHex[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// The map as a query string, keys sorted.
  static func query(_ fields: [String: String]) -> [UInt8] {
    let pairs = sortedKeys(fields).map { percentEncoded($0) + "=" + percentEncoded(fields[$0] ?? "") }
    return Array(pairs.joined(separator: "&").utf8)
  }

  /// `encodeURIComponent`: everything but letters, digits and `-_.!~*'()` as `%XX`.
  static func percentEncoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if isUnreserved(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), upperHex[Int(byte >> 4)], upperHex[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-_.!~*'()".utf8.contains(byte)
    }
  }

  /// The map of a query string; nil if it is not one, or names a key twice.
  static func fields(ofQuery bytes: [UInt8]) -> [String: String]? {
    var fields: [String: String] = [:]
    for pair in bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
      let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2, let key = percentDecoded(sides[0]), let value = percentDecoded(sides[1]),
        !key.isEmpty, fields.updateValue(value, forKey: key) == nil
      else { return nil }
    }
    return fields
  }

  /// Whether a query is written as a published issuer writes it: characters that need an escape have one, in
  /// upper case, and letters, digits and `-_.` have none. Issuers differ in the order of the fields, and in
  /// whether `!~*'()` are escaped.
  static func isPlain(query bytes: [UInt8]) -> Bool {
    var (place, isPlain) = (0, true)
    while place < bytes.count, isPlain {
      let byte = bytes[place]
      guard byte == UInt8(ascii: "%") else {
        isPlain = isUnreserved(byte) || byte == UInt8(ascii: "=") || byte == UInt8(ascii: "&")
        place += 1
        continue
      }
      guard place + 2 < bytes.count, let high = hexDigit(bytes[place + 1]),
        let low = hexDigit(bytes[place + 2])
      else { return false }
      let (value, digits) = (high << 4 | low, bytes[place + 1...place + 2])
      let isUpper = !digits.contains { (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
      isPlain = isUpper && (!isUnreserved(value) || "!~*'()".utf8.contains(value))
      place += 3
    }
    return isPlain
  }

  /// `decodeURIComponent`: nil for a stray `%` or bytes that are not UTF-8.
  package static func percentDecoded(_ bytes: some Collection<UInt8>) -> String? {
    var plain: [UInt8] = []
    var rest = bytes.makeIterator()
    while let byte = rest.next() {
      guard byte == UInt8(ascii: "%") else {
        plain.append(byte)
        continue
      }
      guard let high = rest.next().flatMap(hexDigit), let low = rest.next().flatMap(hexDigit) else {
        return nil
      }
      plain.append(high << 4 | low)
    }
    return String(validating: plain, as: UTF8.self)
  }

  /// The value of a hexadecimal digit of either case.
  static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  package static func hex(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.flatMap { [lowerHex[Int($0 >> 4)], lowerHex[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// JavaScript sorts by UTF-16 units, which differs from Unicode order above U+FFFF.
  private static func sortedKeys(_ fields: [String: String]) -> [String] {
    fields.keys.sorted { $0.utf16.lexicographicallyPrecedes($1.utf16) }
  }
}
