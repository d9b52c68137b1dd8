import BoardroomCore
import BoardroomHTTP
import BoardroomHosting
import BoardroomModel
import EventLogModel
import Logging

/// One round of retention over all rooms: removes the logs of rooms that were deleted long enough ago, and
/// history that is older than the room's or the server's limits allow. Then the removed bytes are cleared
/// from every file (LOG-27, LOG-28).
struct RetentionRound: Sendable {
  let engine: RoomServerEngine
  let registry: RoomRegistry
  let images: ImageStore
  let rule: RetentionRule
  let logger: Logger
  /// The search for images that nothing names; nil: none.
  var sweep: ImageSweep?
  /// Waits after a room that had to be read, for longer if reading took longer.
  var rest: @Sendable (Duration) async -> Void = { _ in }

  private var store: any LogStore { engine.store }

  /// What a round did.
  struct Outcome: Sendable, Hashable {
    var rooms = 0
    var events: UInt64 = 0
    var images = 0
  }

  /// Rooms and the revisions at which nothing was to be removed, so that they are not read again.
  typealias SeenRooms = [RoomID: SeenRoom]
  struct SeenRoom: Sendable, Hashable {
    var last: Revision
    var isDeleted: Bool
    var keeping: HistoryKeeping
  }

  /// Names of logs read at once.
  private static let page = 500
  /// How long to rest for each second of reading: a round takes at most a fifth of one core.
  private static let restful = 4.0

  /// Throws if the round cannot go on at all. A room that cannot be read is left as it is and reported.
  func run(_ seen: inout SeenRooms) async throws(LogError) -> Outcome {
    var (outcome, now): (Outcome, SeenRooms) = (Outcome(), [:])
    var after: LogID?
    while !Task.isCancelled {
      let page = try await store.logs(after: after, limit: Self.page)
      for info in page where info.log != .operators {
        if Task.isCancelled { return outcome }
        do throws(LogError) {
          now[info.log] = try await look(at: info, seen[info.log], &outcome)
        } catch {
          switch error {
          case .stopped: throw error
          // The node that owns the room does it.
          case .elsewhere, .changingOwner: continue
          // It was removed since the page was read, by another node or by an operator: nothing of it is left to be removed. Or its
          // history was: the next round reads it as it is now.
          case .deleted, .noSuchLog, .trimmed: continue
          default: break
          }
          logger.warning(
            "the history of a room cannot be removed", metadata: ["room": "\(info.log)", "what": "\(error)"])
        }
      }
      guard page.count == Self.page, let last = page.last else { break }
      after = last.log
    }
    seen = now
    try await removeImages()
    outcome.images += try await sweep?.round() ?? 0
    try await store.clearRemains()
    return outcome
  }

  /// What was found about the room; nil if it has been removed since.
  private func look(
    at info: LogInfo, _ before: SeenRoom?, _ outcome: inout Outcome
  ) async throws(LogError) -> SeenRoom? {
    let room: SeenRoom
    if let before, before.last == info.last {
      room = before
    } else {
      let begun = ContinuousClock.now
      let found = try await registry.facts(of: info)
      await rest((ContinuousClock.now - begun) * Self.restful)
      guard let facts = found else {
        // Nothing is removed of accounts, channels and logs without a first event.
        return SeenRoom(last: info.last, isDeleted: false, keeping: HistoryKeeping())
      }
      room = SeenRoom(
        last: info.last, isDeleted: facts.isDeleted, keeping: rule.keeping(with: facts.limits))
    }
    let now = engine.clock()
    if room.isDeleted, rule.isOver(deletedAt: info.lastTime, now: now) {
      try await RoomRemoval.remove(info.log, engine, images)
      outcome.rooms += 1
      logger.notice("a deleted room was removed for good", metadata: ["room": "\(info.log)"])
      return nil
    }
    if !room.keeping.isForEver { outcome.events += try await trim(info, room.keeping, at: now) }
    return room
  }

  /// Removes images of rooms that were removed; a kill can leave them behind.
  private func removeImages() async throws(LogError) {
    for room in await images.rooms() where !Task.isCancelled {
      do throws(LogError) { _ = try await store.info(of: room) } catch {
        // Only of rooms that are known to be deleted: images of a lost log may still be wanted.
        guard case .deleted = error else { continue }
        await images.removeAll(of: room)
      }
    }
  }

  // MARK: Old history

  private func trim(
    _ info: LogInfo, _ keeping: HistoryKeeping, at now: Timestamp
  ) async throws(LogError) -> UInt64 {
    guard info.low <= info.last else { return 0 }
    let kept = try await firstKept(info, keeping, at: now)
    guard let low = try await HistoryTrim(engine: engine, registry: registry).remove(below: kept, of: info)
    else { return 0 }
    let count = low.rawValue - info.low.rawValue
    logger.notice(
      "old history was removed", metadata: ["room": "\(info.log)", "events": "\(count)", "first": "\(low)"])
    return count
  }

  private func firstKept(
    _ info: LogInfo, _ keeping: HistoryKeeping, at now: Timestamp
  ) async throws(LogError) -> Revision {
    var first = RetentionRule.firstKept(of: info, events: keeping.events)
    if let limit = keeping.ageLimit(at: now) {
      first = max(first, try await store.revision(in: info.log, at: limit).next)
    }
    if keeping.bytes > 0, info.storedBytes > keeping.bytes {
      let spans = try await store.spans(of: info.log, after: info.low.previous, limit: .max)
      first = max(first, RetentionRule.firstKept(of: spans, bytes: keeping.bytes))
    }
    return min(first, info.last.next)
  }
}
