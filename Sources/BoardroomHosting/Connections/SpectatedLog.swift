import BoardroomModel
import EventLogModel
import Synchronization

/// What a log has gained.
package struct LogNews: Sendable, Hashable {
  package var epoch: Epoch
  /// The last revision of the log.
  package var last: Revision
  /// Whether the room may be seen: it is not banned.
  package var isOpen: Bool
  /// What comes after the revision that was asked about, or the first of it.
  package var runs: [StoredRun]

  package init(epoch: Epoch, last: Revision, isOpen: Bool, runs: [StoredRun]) {
    (self.epoch, self.last, self.isOpen, self.runs) = (epoch, last, isOpen, runs)
  }
}

/// Asks other nodes about rooms that they own. From any thread.
package protocol RoomFeed: Sendable {
  /// Whether newcomers with a reader's token come into a room as spectators; nil: no answer.
  func takesSpectators(_ room: RoomID, at node: NodeAddress) async -> Bool?
  /// What a room's log has gained. Nil: no answer, or the log is not that node's.
  func news(of room: RoomID, after revision: Revision, limit: Int, at node: NodeAddress) async -> LogNews?
}

/// The logs of rooms as spectators read them: this node's, those that other nodes own, and of these what is sealed from the
/// database.
final class SpectatedLog: ForwardingLogStore {
  let base: any LogStore
  private let owners: OwnerBook?
  private let feed: (any RoomFeed)?
  private let clock: @Sendable () -> Timestamp
  /// What owners have answered about rooms, and until when that is believed.
  private let answers = Mutex<[RoomID: (takesSpectators: Bool, until: Timestamp)]>([:])

  init(
    _ base: any LogStore, owners: OwnerBook?, feed: (any RoomFeed)?,
    clock: @escaping @Sendable () -> Timestamp
  ) {
    (self.base, self.owners, self.feed, self.clock) = (base, owners, feed, clock)
  }

  /// Whether newcomers come into another node's room as spectators, as it was a second ago at the earliest.
  func takesSpectators(_ room: RoomID, at node: NodeAddress) async -> Bool {
    guard let feed else { return false }
    let now = clock()
    if let kept = answers.withLock({ $0[room] }), now < kept.until { return kept.takesSpectators }
    let answer = await feed.takesSpectators(room, at: node) ?? false
    answers.withLock { answers in
      if answers.count >= OwnerBook.most { answers.removeAll() }
      answers[room] = (answer, now + OwnerBook.keeps)
    }
    return answer
  }

  /// What a log has gained, as its owner has it. Throws `changingOwner` while it has none, or that does not answer.
  func news(of room: RoomID, after revision: Revision, limit: Int) async throws(LogError) -> LogNews {
    guard let owners, let feed else { return try await newsHere(room, revision, limit) }
    switch await owners.settledOwner(of: room) {
    case .here: return try await newsHere(room, revision, limit)
    case .nobodyYet: throw .changingOwner(room)
    case .at(let node):
      if let news = await feed.news(of: room, after: revision, limit: limit, at: node) { return news }
      owners.forget(room)
      throw .changingOwner(room)
    }
  }

  func newsHere(_ room: RoomID, _ revision: Revision, _ limit: Int) async throws(LogError) -> LogNews {
    let info = try await base.info(of: room)
    let runs = info.last > revision ? try await base.read(room, after: revision, limit: limit) : []
    return LogNews(epoch: info.epoch, last: info.last, isOpen: true, runs: runs)
  }

  func info(of log: LogID) async throws(LogError) -> LogInfo {
    var info = try await base.info(of: log)
    guard !info.isComplete else { return info }
    let news = try await news(of: log, after: info.last, limit: 1)
    (info.epoch, info.last) = (news.epoch, news.last)
    return info
  }

  func read(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun] {
    let sealed = try await base.read(log, after: after, limit: limit)
    guard sealed.isEmpty else { return sealed }
    return try await news(of: log, after: after, limit: limit).runs
  }
}
