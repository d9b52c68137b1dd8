import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel

/// Removes a room's oldest events, for rounds of retention (LOG-28) and for an operator's call. A snapshot
/// stands at the begin of what is left.
package struct HistoryTrim: Sendable {
  let engine: RoomServerEngine
  let registry: RoomRegistry

  private var store: any LogStore { engine.store }

  package init(engine: RoomServerEngine, registry: RoomRegistry) {
    self.engine = engine
    self.registry = registry
  }

  /// Returns the first revision that is left. Nil if nothing was removed: no whole piece is before
  /// `revision`, a moment of the room is kept, or another caller is just marking moments.
  ///
  /// - Parameter isHeld: the caller has the room from `RoomRegistry.hold`.
  package func remove(
    below revision: Revision, of info: LogInfo, isHeld: Bool = false
  ) async throws(LogError) -> Revision? {
    guard info.low <= info.last,
      let first = try await store.spans(of: info.log, after: info.low.previous, limit: 1).first,
      isWorthwhile(revision, first, info)
    else { return nil }
    // A moment that is marked at this time is either kept, or refused because its events are gone.
    guard isHeld || registry.hold(info.log) else { return nil }
    defer { if !isHeld { registry.release(info.log) } }
    let marks = try await registry.facts(of: info).map { KeptMoment.all(in: $0.limits) } ?? []
    let kept = RetentionRule.firstKept(revision, marks)
    guard isWorthwhile(kept, first, info) else { return nil }
    try await keepState(at: kept.previous, of: info.log)
    let low = try await store.trim(info.log, below: kept)
    guard low > info.low else { return nil }
    await engine.historyBegins(at: low, in: info.log)
    return low
  }

  private func isWorthwhile(_ revision: Revision, _ first: StoredSpan, _ info: LogInfo) -> Bool {
    revision > info.low && RetentionRule.isWorthwhile(revision, first: first, last: info.last)
  }

  /// Stores a snapshot at this event: without one, no event before it can be removed. Behind lost events that a later
  /// snapshot knows there is none to store: what is left begins with an older one then.
  private func keepState(at revision: Revision, of room: RoomID) async throws(LogError) {
    if try await store.snapshots(of: room).contains(where: { $0.revision == revision }) { return }
    guard let state = try await RoomHistory(store: store).beginning(of: room, at: revision) else { return }
    var encoder = StateEncoder()
    try await store.put(encoder.snapshot(of: state), for: room)
  }
}
