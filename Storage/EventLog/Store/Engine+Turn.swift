import EventLogModel
import Synchronization

// A turn: a thread appends to several logs, and then commits all of it itself. Where the disk is fast, waking the commit
// thread and being told by it costs more than the commit. Only while the commit thread sleeps, and only for a small group:
// else the commit thread does it, as always.

extension EngineState {
  /// Whether a thread appends in order to commit that itself.
  enum Turn {
    case none
    /// It appends. The commit thread is not woken for what is appended meanwhile.
    case open
    /// It commits in the commit thread's place.
    case committing
  }

  /// A group of so many bytes is no small one: 64 KiB, which is written in a few hundredths of a millisecond.
  static let turnBytes = 64 << 10
  /// Above this the commit thread commits, so that whoever appends is not kept from its other work. 1 ms: a loop of rooms
  /// may be away for so long without anyone noticing.
  static let fastCommit: UInt64 = 1_000_000

  /// Notes how long the disk took, in nanoseconds. Half of the commits take less than `usualCommit` and half take more, in the
  /// long run: one that takes a hundred times as long says little of the next.
  mutating func noteCommit(took: UInt64) {
    guard let before = usualCommit else { return usualCommit = max(took, 8) }
    usualCommit = took > before ? before + before / 8 : max(before - before / 8, 8)
  }

  /// Whether the commit thread must be woken for what was just appended. Not if that is going to be committed without it, or
  /// by it once the group is no longer held.
  mutating func wakeCommitterForAppend() -> Bool {
    guard holders.isEmpty else { return false }
    if turn == .open {
      guard pendingEvents >= Committer.smallGroup || pendingBytes > Self.turnBytes else { return false }
      turn = .none
    }
    return wakeCommitter()
  }

  /// Whether nothing keeps a thread from committing a small group itself.
  fileprivate var isQuiet: Bool {
    guard isCommitterAsleep, stopped == nil, refusal == nil, !isStopping, !isAbandoned else { return false }
    return (usualCommit ?? .max) <= Self.fastCommit && segmentWaiters.isEmpty && blocked == 0
  }
}

extension Engine {
  /// More than a frame of a small group takes beside its runs, in bytes.
  private static let frameOverhead = 1 << 10

  private enum TurnEnd {
    case nothing
    case wake
    case commit(EngineState.Group, wakesAfter: Bool)
  }

  /// Keeps the commit thread asleep for what is appended until `endTurn`. False if that cannot be: then what is appended is
  /// committed as always, and `endTurn` is not to be called.
  func beginTurn() -> Bool {
    state.withLock { state in
      guard state.turn == .none, state.isQuiet, !state.hasWork, !state.isSwapWanted else { return false }
      state.turn = .open
      return true
    }
  }

  /// Commits what was appended since `beginTurn`, on this thread if the group is small, and else on the commit thread. Not to
  /// be called within `together`.
  func endTurn(_ committer: Committer) {
    switch state.withLock({ endTurn(committer, &$0) }) {
    case .nothing: return
    case .wake: commitSignal.raise()
    case .commit(let group, let wakesAfter):
      _ = committer.carryOut(group)
      let wake = state.withLock { state -> Bool in
        state.turn = .none
        state.committingSince = nil
        // It may have been woken meanwhile, and waits for this to be over.
        let isWaiting = !state.isCommitterAsleep
        let hasMore = state.hasWork || state.stopped != nil || state.isStopping || state.isAbandoned
        guard isWaiting || hasMore || wakesAfter else { return false }
        state.isCommitterAsleep = false
        return true
      }
      if wake { commitSignal.raise() }
    }
  }

  private func endTurn(_ committer: Committer, _ state: inout EngineState) -> TurnEnd {
    guard state.turn == .open else { return .nothing }
    state.turn = .none
    // Whoever holds the group wakes the commit thread at the end.
    guard state.hasWork, state.holders.isEmpty else { return .nothing }
    let now = MonotonicClock.now
    let isSmall =
      state.created.isEmpty && state.low.isEmpty && state.deleted.isEmpty && state.waiters.isEmpty
      && committer.takesSmallGroup(ofAtMost: state.pendingBytes + Self.frameOverhead, at: now)
    guard isSmall, state.isQuiet else {
      state.isCommitterAsleep = false
      return .wake
    }
    state.turn = .committing
    state.committingSince = now
    return .commit(state.takeGroup(), wakesAfter: committer.sleepsWithoutEnd)
  }
}
