/// Where the hash chain over a log's sealed pieces begins and ends. Somebody who keeps these two values
/// elsewhere can prove later that nothing between them was changed.
public struct ChainEnds: Sendable, Hashable {
  /// The first revision whose piece is there.
  public let first: Revision
  /// 32 bytes: the value before that piece; empty where it cannot be known any more.
  public let before: [UInt8]
  /// The last revision that is sealed.
  public let last: Revision
  /// 32 bytes: the value after it.
  public let value: [UInt8]

  public init(first: Revision, before: [UInt8], last: Revision, value: [UInt8]) {
    (self.first, self.before, self.last, self.value) = (first, before, last, value)
  }
}

/// A store that chains the pieces of its logs.
public protocol ChainedStore: LogStore {
  /// The chain of a log; nil while nothing of it is sealed.
  func chain(of log: LogID) async throws(LogError) -> ChainEnds?
}
