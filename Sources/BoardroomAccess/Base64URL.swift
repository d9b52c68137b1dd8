/// Base64 in the alphabet for addresses, without padding (RFC 4648, section 5).
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let values: [UInt8?] = {
    var values = [UInt8?](repeating: nil, count: 256)
    for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
    return values
  }()

  package static func encode(_ bytes: [UInt8]) -> String {
    var letters: [UInt8] = []
    letters.reserveCapacity(bytes.count * 4 / 3 + 3)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let word = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for place in 0...group.count { letters.append(alphabet[Int(word >> UInt32(18 - 6 * place) & 63)]) }
    }
    return String(decoding: letters, as: UTF8.self)
  }

  /// Nil unless the text is the only form of its bytes: no padding, no spaces, no left-over bits.
  package static func decode(_ text: Substring) -> [UInt8]? {
    let letters = Array(text.utf8)
    guard letters.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(letters.count * 3 / 4)
    for start in stride(from: 0, to: letters.count, by: 4) {
      let group = letters[start..<min(start + 4, letters.count)]
      var word: UInt32 = 0
      for letter in group {
        guard let value = values[Int(letter)] else { return nil }
        word = word << 6 | UInt32(value)
      }
      word <<= UInt32(6 * (4 - group.count))
      let count = group.count - 1
      guard word & (0xFF_FFFF >> UInt32(8 * count)) == 0 else { return nil }
      for place in 0..<count { bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(16 - 8 * place))) }
    }
    return bytes
  }

  /// The usual alphabet with padding (RFC 4648, section 4): what WebSocket handshakes use.
  package static func encodePadded(_ bytes: [UInt8]) -> String {
    let usual = encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
    return String(usual) + String(repeating: "=", count: (3 - bytes.count % 3) % 3)
  }

  /// Whether the text is 16 bytes in the usual alphabet with padding, in their only form.
  package static func isKey(_ text: String) -> Bool {
    let letters = Array(text.utf8)
    guard letters.count == 24, letters.suffix(2).elementsEqual("==".utf8) else { return false }
    guard !letters.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }) else {
      return false
    }
    let plain = letters.dropLast(2).map { letter in
      letter == UInt8(ascii: "+")
        ? UInt8(ascii: "-") : letter == UInt8(ascii: "/") ? UInt8(ascii: "_") : letter
    }
    return decode(String(decoding: plain, as: UTF8.self)[...])?.count == 16
  }
}
