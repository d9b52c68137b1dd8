import BoardroomModel
import EventLogModel
import Synchronization

/// Whether a room may be seen. The numbers stand in what nodes tell each other.
package enum RoomSight: UInt8, Sendable {
  case banned = 0
  case open = 1
  /// Deleted: its log is kept for a time, and nobody comes in.
  case deleted = 2

  init(of state: RoomState) {
    self = state.isDeleted ? .deleted : state.isBanned ? .banned : .open
  }
}

/// What spectators need to know of an open room, without a question to its log.
struct SpectatedRoom: Sendable {
  /// Whether newcomers with a reader's token come in as spectators.
  var takesSpectators: Bool
  var sight: RoomSight
  /// The last event that the log holds.
  var last: Revision
  var epoch: Epoch
}

/// What a log has gained.
package struct LogNews: Sendable, Hashable {
  package var epoch: Epoch
  /// The last revision of the log.
  package var last: Revision
  /// Whether the room may be seen.
  package var sight: RoomSight
  /// What comes after the revision that was asked about, or the first of it.
  package var runs: [StoredRun]

  package init(epoch: Epoch, last: Revision, sight: RoomSight, runs: [StoredRun]) {
    (self.epoch, self.last, self.sight, self.runs) = (epoch, last, sight, runs)
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
  private struct AskedRoom {
    /// What its owner has answered, and until when that is believed.
    var answer: (takesSpectators: Bool, until: Timestamp)?
    /// Under way: whoever comes meanwhile waits for it, too.
    var asking: Task<Bool?, Never>?
  }

  private let asked = Mutex<[RoomID: AskedRoom]>([:])

  init(
    _ base: any LogStore, owners: OwnerBook?, feed: (any RoomFeed)?,
    clock: @escaping @Sendable () -> Timestamp
  ) {
    (self.base, self.owners, self.feed, self.clock) = (base, owners, feed, clock)
  }

  /// Whether newcomers come into another node's room as spectators, as it was a second ago at the earliest. All who come at once
  /// ask once. No answer, such as of an owner that has not opened the room yet, is not kept.
  func takesSpectators(_ room: RoomID, at node: NodeAddress) async -> Bool {
    guard let feed else { return false }
    let now = clock()
    let found: (known: Bool?, asking: Task<Bool?, Never>?) = asked.withLock { asked in
      if let answer = asked[room]?.answer, now < answer.until { return (answer.takesSpectators, nil) }
      if let asking = asked[room]?.asking { return (nil, asking) }
      if asked.count >= OwnerBook.most { asked = asked.filter { $0.value.asking != nil } }
      let asking = Task { await feed.takesSpectators(room, at: node) }
      asked[room] = AskedRoom(asking: asking)
      return (nil, asking)
    }
    if let known = found.known { return known }
    guard let asking = found.asking else { return false }
    let answer = await asking.value
    asked.withLock { asked in
      guard asked[room]?.asking == asking else { return }
      asked[room] = answer.map { AskedRoom(answer: ($0, now + OwnerBook.keeps)) }
    }
    return answer ?? false
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
    return LogNews(epoch: info.epoch, last: info.last, sight: .open, runs: runs)
  }

  func info(of log: LogID) async throws(LogError) -> LogInfo {
    var info = try await base.info(of: log)
    guard !info.isComplete else { return info }
    let news = try await news(of: log, after: info.last, limit: 1)
    (info.epoch, info.last) = (news.epoch, news.last)
    return info
  }

  func read(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun] {
    let sealed: [StoredRun]
    do throws(LogError) {
      sealed = try await base.read(log, after: after, limit: limit)
    } catch {
      // Of another node's log the database has what is sealed: what follows may be there nevertheless.
      guard case .beyondEnd = error, owners != nil else { throw error }
      sealed = []
    }
    guard sealed.isEmpty else { return sealed }
    return try await news(of: log, after: after, limit: limit).runs
  }
}
