/// A stored piece of a log in which some records were replaced by records with less content.
public struct ErasedBlock: Sendable, Hashable {
  public let first: Revision
  public let last: Revision
  /// SHA-256 of the records before the erasure. The hash chain uses this value.
  public let before: [UInt8]
  /// SHA-256 of the records that are stored now.
  public let after: [UInt8]

  public init(first: Revision, last: Revision, before: [UInt8], after: [UInt8]) {
    self.first = first
    self.last = last
    self.before = before
    self.after = after
  }
}

/// A store in which records can be replaced in place by records with less content.
public protocol ErasingStore: LogStore {
  /// Replaces records of a log: revisions, times and the hash chain stay.
  ///
  /// The log gets another epoch, so that readers read it again, and every appender of it is fenced off. All
  /// snapshots are removed except the one at `base`. For a log whose beginning was removed, put a snapshot
  /// without the erased content at `base` before the call; make the others again afterwards. The replaced
  /// bytes stay in other files until `clearRemains`.
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
