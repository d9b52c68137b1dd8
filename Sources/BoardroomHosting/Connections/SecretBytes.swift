/// Bytes that prove something, such as a ticket or a signature.
package enum SecretBytes {
  /// In a time that does not tell where they differ.
  package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
