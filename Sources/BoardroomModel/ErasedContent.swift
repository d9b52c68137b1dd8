/// What is left of an event whose content was erased.
public struct ErasedContent: Sendable, Hashable {
  /// The number of the kind that it had.
  public var kind: UInt8
  /// HMAC-SHA-256 of its record's body, 64 hexadecimal digits. The key stands in the erasure's certificate alone, so
  /// that nobody finds out by trying what a short text was.
  public var hash: String
  public init(kind: UInt8, hash: String) {
    self.kind = kind
    self.hash = hash
  }
}
