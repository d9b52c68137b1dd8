/// Bytes as lower-case hexadecimal digits.
func hex(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef")
  return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}

/// The bytes of hexadecimal digits; spaces and line breaks are skipped.
func unhex(_ text: String) -> [UInt8] {
  let digits = text.compactMap { $0.hexDigitValue }
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

extension String {
  /// Every occurrence of `old` in place of which `new` stands.
  func replacing(_ old: String, with new: String) -> String {
    split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
  }
}
