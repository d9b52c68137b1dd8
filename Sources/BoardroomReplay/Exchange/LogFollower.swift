import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Keeps a copy of logs up to date with its source: each pass appends the events that are new. Whatever ends
/// a pass, each log of the copy is the beginning of the source's log, or of what the source had kept when the
/// log was first copied.
///
/// The copy's logs have epochs of their own, as the logs of a backup have.
public struct LogFollower: Sendable {
  /// What a pass did.
  public struct Pass: Sendable {
    /// Logs to which something was added.
    public var logs = 0
    public var events = 0
    /// Errors by log. All other logs are up to date.
    public var failures: [LogID: any Error] = [:]
    /// Logs of the copy that the source no longer has.
    public var gone: [LogID] = []
    /// Logs of the copy in which content was erased as at the source. The caller clears the remains (LOG-27)
    /// and removes images.
    public var erased: [LogID] = []
  }

  /// Why a log of the copy cannot be continued.
  public enum Obstacle: Error, Sendable, Hashable, CustomStringConvertible {
    /// The copy's events differ from the source's: a server used one of them, or one was restored, in the
    /// meantime.
    case otherLife(LogID, at: Revision)
    /// Retention has removed events of the source that the copy does not have.
    case removed(LogID, last: Revision, low: Revision)
    /// The copy has removed the log, and the source still has it.
    case removedFromCopy(LogID)
    /// Content was erased at the source, and the copy begins with a state that may hold it.
    case erased(LogID)

    public var description: String {
      switch self {
      case .otherLife(let log, let revision):
        "\(log) is another one in the copy: revision \(revision) differs, or is not in the source. Make a new copy."
      case .removed(let log, let last, let low):
        "\(log) was copied up to revision \(last), and the source begins at \(low) now: retention has removed what is between. Make a new copy."
      case .removedFromCopy(let log):
        "\(log) was removed from the copy, and the source has it: its name is not used again. Make a new copy."
      case .erased(let log):
        "\(log): content was erased at the source, and cannot be in the copy, which begins at a state. Make a new copy."
      }
    }
  }

  /// How far one log was copied, in both stores.
  public struct Life: Sendable, Hashable {
    public var source: Cursor
    public var copied: Cursor
  }

  /// The logs that were up to date with the source in the last pass.
  public private(set) var lives: [LogID: Life] = [:]

  /// Records in one append, and their bytes: as an import.
  private static let batchRecords = LogImport.batchRecords
  static let batchBytes = LogImport.batchBytes
  private static let page = 1_000

  public init() {}

  /// One pass from a store that is opened for reading.
  public mutating func pass(
    from store: any LogStore, into copy: any ImportStore, progress: (Pass) -> Void = { _ in }
  ) async throws -> Pass {
    try await pass(from: StoredLogs(store), into: copy, progress: progress)
  }

  /// One pass over all logs. Throws errors of reading the catalogs, `SourceFailure`, and `CancellationError`.
  ///
  /// - Parameters:
  ///   - source: the logs to copy.
  ///   - copy: the store that gets them.
  ///   - progress: called after each log with what was done so far.
  public mutating func pass(
    from source: any FollowedLogs, into copy: any ImportStore, progress: (Pass) -> Void = { _ in }
  ) async throws -> Pass {
    var (pass, after, there): (Pass, LogID?, Set<LogID>) = (Pass(), nil, [])
    while case let page = try await source.logs(after: after, limit: Self.page), let last = page.last {
      for info in page {
        try Task.checkCancellation()
        there.insert(info.log)
        let now = Cursor(epoch: info.epoch, revision: info.last)
        guard lives[info.log]?.source != now else { continue }
        do {
          if lives[info.log]?.source.epoch != info.epoch, try await erase(in: info, as: source, copy) {
            pass.erased.append(info.log)
          }
          let events = try await follow(info, from: source, into: copy)
          pass.logs += events > 0 ? 1 : 0
          pass.events += events
        } catch let error as CancellationError {
          throw error
        } catch let error as SourceFailure {
          throw error
        } catch LogError.deleted(info.log) {
          // The log was removed for good during the pass.
          there.remove(info.log)
        } catch LogError.stopped(let reason) {
          throw LogError.stopped(reason: reason)
        } catch {
          pass.failures[info.log] = error
        }
        progress(pass)
      }
      after = last.log
    }
    pass.gone = try await Self.names(of: copy).filter { !there.contains($0) }
    for log in pass.gone { lives[log] = nil }
    return pass
  }

  private static func names(of store: any LogStore) async throws(LogError) -> [LogID] {
    var (names, after): ([LogID], LogID?) = ([], nil)
    while case let page = try await store.logs(after: after, limit: Self.page), let last = page.last {
      names += page.map(\.log)
      after = last.log
    }
    return names
  }

  // MARK: One log

  private mutating func follow(
    _ info: LogInfo, from source: any FollowedLogs, into copy: any ImportStore
  ) async throws -> Int {
    let begun = try await begin(info, in: copy)
    guard begun.last <= info.last else { throw Obstacle.otherLife(info.log, at: begun.last) }
    if lives[info.log]?.source.epoch != info.epoch { try await prove(begun, info, source, copy) }
    guard info.low <= begun.last.next else {
      throw Obstacle.removed(info.log, last: begun.last, low: info.low)
    }
    try await append(after: begun.last, through: info.last, of: info.log, begun.epoch, source, copy)
    try await putSnapshots(of: info.log, through: info.last, source, copy)
    lives[info.log] = Life(
      source: Cursor(epoch: info.epoch, revision: info.last),
      copied: Cursor(epoch: begun.epoch, revision: info.last))
    return info.last - begun.last
  }

  /// The log in the copy. Makes it if it is missing.
  private func begin(_ info: LogInfo, in copy: any ImportStore) async throws -> LogInfo {
    do throws(LogError) { return try await copy.info(of: info.log) } catch {
      if case .deleted = error { throw Obstacle.removedFromCopy(info.log) }
      guard case .noSuchLog = error else { throw error }
    }
    if info.low <= 1 { return try await copy.create(info.log, at: info.created) }
    return try await copy.beginImport(
      info.log, epoch: nil, from: info.low, through: info.low.previous, at: info.created)
  }

  private func append(
    after first: Revision, through last: Revision, of log: LogID, _ epoch: Epoch, _ source: any FollowedLogs,
    _ copy: any ImportStore
  ) async throws {
    var (at, batch, bytes): (Revision, [Record], Int) = (first, [], 0)
    var read = first
    while read < last {
      try Task.checkCancellation()
      let runs = try await source.runs(of: log, after: read, limit: Self.batchBytes)
      guard let end = runs.last?.lastRevision else { break }
      for record in runs.compactMap({ $0.prefix(through: last) }).flatMap(\.unpacked) {
        batch.append(record)
        bytes += record.body.count
        guard batch.count >= Self.batchRecords || bytes >= Self.batchBytes else { continue }
        at = try await copy.append(batch, to: log, expecting: at, epoch: epoch)
        (batch, bytes) = ([], 0)
      }
      read = end
    }
    if !batch.isEmpty { _ = try await copy.append(batch, to: log, expecting: at, epoch: epoch) }
  }

  /// Stores the snapshots that the copy does not have, so that seeks are as fast as at the source, and a log
  /// that begins above revision 1 has its first state.
  private func putSnapshots(
    of log: LogID, through last: Revision, _ source: any FollowedLogs, _ copy: any ImportStore
  ) async throws {
    let there = Set(try await copy.snapshots(of: log).map(\.revision))
    let low = try await copy.info(of: log).low
    for info in try await source.snapshots(of: log)
    where info.revision <= last && info.revision.next >= low && !there.contains(info.revision) {
      try Task.checkCancellation()
      // A snapshot that cannot be read is left out, since the events are enough.
      let snapshot = try await source.snapshot(of: log, notAfter: info.revision)
      if let snapshot, snapshot.revision == info.revision { try await copy.put(snapshot, for: log) }
    }
  }

  // MARK: Proof

  /// Checks that the last event of the copy equals the source's event of that revision. If retention has
  /// removed that event, checks that the states after it are equal.
  private func prove(
    _ copied: LogInfo, _ info: LogInfo, _ source: any FollowedLogs, _ copy: any ImportStore
  ) async throws {
    // If the copy has no event, nothing can differ.
    guard copied.last >= copied.low else { return }
    let log = info.log
    if copied.last >= info.low {
      let before = copied.last.previous
      let (ours, theirs) = (
        try await copy.runs(of: log, after: before, limit: 1).first?.unpacked.first,
        try await source.runs(of: log, after: before, limit: 1).first?.unpacked.first
      )
      guard let ours, ours == theirs else { throw Obstacle.otherLife(log, at: copied.last) }
    } else if info.low == copied.last.next {
      let snapshot = try await source.snapshot(of: log, notAfter: copied.last)
      var replay = try await Replay.open(log, in: copy)
      try await replay.seek(to: copied.last)
      guard let snapshot, snapshot.revision == copied.last,
        snapshot.stateHash == StateEncoder.hash(of: replay.moment.state)
      else { throw Obstacle.otherLife(log, at: copied.last) }
    }
  }
}
