/// A stored piece of a log some of whose records were replaced by ones that say less.
public struct ErasedBlock: Sendable, Hashable {
  public let first: Revision
  public let last: Revision
  /// SHA-256 of the records as they were: what the hash chain goes on from.
  public let before: [UInt8]
  /// SHA-256 of the records as they are.
  public let after: [UInt8]

  public init(first: Revision, last: Revision, before: [UInt8], after: [UInt8]) {
    self.first = first
    self.last = last
    self.before = before
    self.after = after
  }
}

/// A store whose records can be replaced by ones that say less, in their places.
public protocol ErasingStore: LogStore {
  /// Replaces records of a log: revisions, times and the hash chain stay.
  ///
  /// The log gets another epoch, so that whoever has read it reads it again, and every appender of it is fenced off.
  /// Snapshots go, but for the one at `base`: put one there before that holds nothing of what is erased, for a log whose
  /// beginning was removed, and the others again afterwards. What was replaced is still in other files until
  /// `clearRemains`.
  ///
  /// - Parameter replacing: gets the records of one stored piece and returns as many, with the same times, or `nil` to leave
  ///   it. Called from the log's last piece to its first, on the store's own thread, and more than once for a piece if a
  ///   write fails. An erasure that was cut short can therefore be done again: pieces before those done are as they were.
  /// - Returns: the log's new epoch.
  func erase(
    in log: LogID, keepingSnapshotAt base: Revision?,
    replacing: @escaping @Sendable (Run) throws(LogError) -> Run?
  ) async throws(LogError) -> Epoch
  /// The stored pieces of a log some of whose records were erased, in order.
  func erasedBlocks(of log: LogID) async throws(LogError) -> [ErasedBlock]
}
