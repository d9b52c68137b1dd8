import BoardroomModel
import Synchronization

/// Counts that all loops share.
final class Census: Sendable {
  private let rooms = Atomic<Int>(0)
  private let replays = Atomic<Int>(0)
  private let refused = Atomic<Int>(0)
  private let ended = Atomic<Int>(0)
  private let draining = Atomic<Bool>(false)
  private let over = Atomic<Bool>(false)
  let spaces: SpaceBudget
  let joins: JoinBudget
  let shares: ReplayShares

  init(spaces: SpaceBudget, joins: JoinBudget, shares: ReplayShares) {
    self.spaces = spaces
    self.joins = joins
    self.shares = shares
  }

  var refusedRooms: Int { refused.load(ordering: .relaxed) }
  var endedReplays: Int { ended.load(ordering: .relaxed) }
  var isDraining: Bool { draining.load(ordering: .acquiring) }
  func drain() { draining.store(true, ordering: .releasing) }
  /// Whether no space is served any more, as far as is known here.
  var isOver: Bool { over.load(ordering: .acquiring) }
  func end() { over.store(true, ordering: .releasing) }
  func roomOpened() { rooms.add(1, ordering: .relaxed) }
  func roomClosed() { rooms.subtract(1, ordering: .relaxed) }
  func replayOpened() { replays.add(1, ordering: .relaxed) }
  func replayClosed() {
    replays.subtract(1, ordering: .relaxed)
    ended.add(1, ordering: .relaxed)
  }

  /// Why no other replay may begin; nil if it may.
  func refusal(replays limit: Int) -> Refusal? {
    if isDraining { return Refusal(.goingAway) }
    let open = replays.load(ordering: .relaxed)
    guard open >= limit else { return nil }
    return Refusal(
      .roomsFull, cause: "The server has as many replays as its limit allows.", actual: open + 1,
      allowed: limit, limit: "replays")
  }

  /// Why no other room may be opened; nil if it may.
  func refusal(openRooms limit: Int) -> Refusal? {
    if isDraining { return Refusal(.goingAway) }
    let open = rooms.load(ordering: .relaxed)
    guard open >= limit else { return nil }
    refused.add(1, ordering: .relaxed)
    return Refusal(.roomsFull, actual: open + 1, allowed: limit)
  }
}
