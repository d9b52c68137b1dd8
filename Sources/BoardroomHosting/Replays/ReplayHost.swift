import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// One replay of a room and those who watch it: reads the log ahead, hands out its records when the machine says
/// that they are due, and carries out what watchers ask for. Synchronous; belongs to one loop. It writes nothing,
/// and the room need not be open.
final class ReplayHost: WatcherHost {
  let key: WatchKey
  var machine: ReplayMachine
  /// The last revision of the log, as far as known.
  var last: Revision
  /// What comes next.
  var ahead: [Run] = []
  var isReading = false
  private var emptySince: Timestamp?
  /// When a timer is set for.
  var timer: Timestamp?

  init(
    _ found: FoundPlace, key: WatchKey, speed: Double, loop: any RoomLoop, storeQueue: StoreQueue,
    turns: Turns,
    policy: ServerPolicy, wire: WireMessages, clock: @escaping @Sendable () -> Timestamp,
    whenGone: @escaping (ConnectionID) -> Void, whenClosed: @escaping () -> Void
  ) {
    self.key = key
    machine = ReplayMachine(
      begin: found.begin, end: found.info.lastTime, place: found.time, speed: speed, at: clock())
    last = found.info.last
    super.init(
      found.info, shown: found.revision, loop: loop, storeQueue: storeQueue, turns: turns, policy: policy,
      wire: wire, clock: clock, whenGone: whenGone, whenClosed: whenClosed)
    // It stands still until somebody is shown where it begins: what has the same time as that comes after it.
    machine.watched(false, at: clock())
    readAhead()
  }

  override func enter(_ entry: JoinAttempt, at now: Timestamp) {
    if !isClosed { emptySince = nil }
    super.enter(entry, at: now)
  }

  override func arrived(_ watcher: Watcher, at now: Timestamp) {
    machine.watched(true, at: now)
    tell(watcher, at: now)
    dispatch()
    pulse(at: now)
  }

  override func emptied(at now: Timestamp) {
    guard key.isShared else { return close(with: Farewell(Refusal(.goingAway), comeBack: true)) }
    emptySince = now
    machine.watched(false, at: now)
  }

  override func cannotRead(
    _ error: LogError, for waiting: [Watcher], at now: Timestamp, again: @escaping () -> Void
  ) {
    // A way that cannot be looked up leads nowhere.
    guard !waiting.contains(where: \.isEntering) else {
      return close(with: Farewell(Refusal(error), comeBack: true))
    }
    skip(error, at: now)
  }

  /// What is due is shown, too.
  override func tick(at now: Timestamp) {
    super.tick(at: now)
    guard !isClosed else { return }
    if let emptySince, now >= emptySince + policy.idleClose {
      close(with: Farewell(Refusal(.goingAway), comeBack: true))
    }
    pulse(at: now)
  }

  override func hasRoom(_ watcher: Watcher, at now: Timestamp) { payStatus(watcher, at: now) }

  override func receive(_ inbox: Inbox) {
    guard let watcher = listener(to: inbox) else { return }
    let now = inbox.at
    refuse(inbox, of: watcher, Self.refusals, at: now)
    for control in inbox.controls where !isClosed { steer(control, watcher, at: now) }
    guard !isClosed else { return }
    if inbox.leaves {
      let refusal = Refusal(
        .notMember, cause: "The watcher has left the replay.", cure: "Ask for it again to come back.")
      part(from: watcher, Farewell(refusal, comeBack: false), code: CloseCode.left, at: now)
    }
    dispatch()
    pulse(at: now)
  }
}
