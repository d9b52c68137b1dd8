import EventLogModel

/// The source of a copy: a store that is opened for reading (FILE-5), or a server on another machine
/// (FILE-7).
public protocol FollowedLogs: Sendable {
  /// Logs in order of their names, for paging.
  func logs(after: LogID?, limit: Int) async throws -> [LogInfo]
  /// Durable events right after a revision, about `limit` bytes as stored but at least one run if there is one.
  func runs(of log: LogID, after: Revision, limit: Int) async throws -> [Run]
  /// The snapshots that are kept, oldest first.
  func snapshots(of log: LogID) async throws -> [SnapshotInfo]
  /// The newest snapshot not after a revision; nil also if it cannot be read, since it can be made again.
  func snapshot(of log: LogID, notAfter revision: Revision) async throws -> Snapshot?
  /// The stored pieces of a log in which some records were erased, in order (LOG-29).
  func erasedPieces(of log: LogID) async throws -> [ClosedRange<Revision>]
}

/// The source cannot be read at all at present. It is not an error of one log, and it ends the pass.
public struct SourceFailure: Error, Sendable {
  public let cause: any Error & Sendable
  public init(_ cause: any Error & Sendable) { self.cause = cause }
}

/// The logs of a store.
public struct StoredLogs: FollowedLogs {
  private let store: any LogStore

  public init(_ store: any LogStore) { self.store = store }

  public func logs(after: LogID?, limit: Int) async throws -> [LogInfo] {
    try await store.logs(after: after, limit: limit)
  }

  public func runs(of log: LogID, after: Revision, limit: Int) async throws -> [Run] {
    try await store.runs(of: log, after: after, limit: limit)
  }

  public func snapshots(of log: LogID) async throws -> [SnapshotInfo] {
    try await store.snapshots(of: log)
  }

  public func snapshot(of log: LogID, notAfter revision: Revision) async throws -> Snapshot? {
    try await Recording.open(log, in: store).snapshot(notAfter: revision)
  }

  public func erasedPieces(of log: LogID) async throws -> [ClosedRange<Revision>] {
    try await (store as? any ErasingStore)?.erasedBlocks(of: log).map { $0.first...$0.last } ?? []
  }
}
