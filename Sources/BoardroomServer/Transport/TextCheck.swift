/// Checks piece by piece whether bytes are UTF-8 (RFC 3629). A character may be in two pieces; an error is
/// found with the first byte that cannot follow.
struct TextCheck: Sendable {
  /// Bytes that the character under way still needs.
  private var left = 0
  /// Which values its next byte may have.
  private var next: ClosedRange<UInt8> = 0x80...0xBF

  /// Whether no character is unfinished.
  var isWhole: Bool { left == 0 }

  /// Takes the next piece; false once the bytes cannot be UTF-8 any more.
  mutating func check(_ bytes: some Sequence<UInt8>) -> Bool {
    for byte in bytes {
      if left == 0, byte < 0x80 { continue }
      guard left == 0 ? begins(byte) : goesOn(byte) else { return false }
    }
    return true
  }

  private mutating func goesOn(_ byte: UInt8) -> Bool {
    guard next.contains(byte) else { return false }
    next = 0x80...0xBF
    left -= 1
    return true
  }

  /// No overlong forms, no surrogates, nothing above U+10FFFF.
  private mutating func begins(_ byte: UInt8) -> Bool {
    switch byte {
    case 0xC2...0xDF: expect(1)
    case 0xE0: expect(2, 0xA0...0xBF)
    case 0xED: expect(2, 0x80...0x9F)
    case 0xE1...0xEF: expect(2)
    case 0xF0: expect(3, 0x90...0xBF)
    case 0xF1...0xF3: expect(3)
    case 0xF4: expect(3, 0x80...0x8F)
    default: return false
    }
    return true
  }

  private mutating func expect(_ count: Int, _ next: ClosedRange<UInt8> = 0x80...0xBF) {
    left = count
    self.next = next
  }
}
