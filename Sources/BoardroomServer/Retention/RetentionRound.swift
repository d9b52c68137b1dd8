import BoardroomCore
import BoardroomHTTP
import BoardroomHosting
import BoardroomModel
import EventLogModel
import Logging

/// One look at every room for what is not to be kept any more: logs of rooms that were deleted long enough ago, and history
/// that is older than the room or the server wants. Then all of it is cleared out of every file (LOG-27, LOG-28).
struct RetentionRound: Sendable {
  let engine: RoomServerEngine
  let registry: RoomRegistry
  let images: ImageStore
  let rule: RetentionRule
  let logger: Logger
  /// Looks for images that nothing names; nil: nobody does.
  var sweep: ImageSweep?
  /// Waits between two rooms that had to be read, for a time that grows with what reading took.
  var rest: @Sendable (Duration) async -> Void = { _ in }

  private var store: any LogStore { engine.store }

  /// What a round did.
  struct Outcome: Sendable, Hashable {
    var rooms = 0
    var events: UInt64 = 0
    var images = 0
  }

  /// Rooms at a revision at which there was nothing to say of them, so that they are not read again.
  typealias SeenRooms = [RoomID: SeenRoom]
  struct SeenRoom: Sendable, Hashable {
    var last: Revision
    var isDeleted: Bool
    var keeping: HistoryKeeping
  }

  /// Names of logs read at once.
  private static let page = 500
  /// Rest in proportion to reading: a round takes a fifth of one core at most.
  private static let restful = 4.0

  /// Throws what keeps it from going on at all. A room that cannot be read is left as it is and told.
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
          if case .stopped = error { throw error }
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

  /// What was found out of the room, unless it is gone now.
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
        // An account, a channel, or what has no first event: nothing is removed of these.
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

  /// Images whose room was removed, and which a kill left behind.
  private func removeImages() async throws(LogError) {
    for room in await images.rooms() where !Task.isCancelled {
      do throws(LogError) { _ = try await store.info(of: room) } catch {
        // Only what is known to be deleted: the images of a log that was lost may still be wanted.
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
