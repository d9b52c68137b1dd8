import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

extension SpaceHost {
  /// Time went by: graces, heartbeats, positions held back, catch-ups that could go on.
  func tick(at now: Timestamp) {
    // While the log is being given up nobody's silence is judged: what it would record has no log any more.
    guard !isClosed, !isGivenUp, now >= restsUntil else { return }
    deliverGathered(at: now)
    recordDeferred(at: now)
    // In the order of their numbers, so that a simulation is the same every time.
    let overdue = sessions.all.filter { session in
      session.machine.deadline.map { $0 <= now } ?? false
    }
    for session in overdue.sorted(by: { $0.member < $1.member }) where !isClosed { pass(session, at: now) }
    behaviour?.tick(at: now)
    recordDue(at: now)
    behaviour?.recordDue(at: now)
    sweep(at: now)
    guard !isClosed else { return }
    performDue(at: now)
    showHeld(at: now)
    keepAlive(at: now)
    dispatch()
    closeIfIdle(at: now)
    rest()
  }

  /// A room in which everyone is live and nothing is under way has nothing to do until the next grace ends or
  /// the next heartbeat is due. Whatever happens to it before then ends its rest: `LoopRooms.host`.
  private func rest() {
    guard !isClosed, deliveries.live.count == sessions.connections, !deliveries.isGathering, awaited.isEmpty,
      deferredEvents.isEmpty
    else {
      return
    }
    awaited.releaseSpace()
    let ends = sessions.all.lazy.compactMap(\.machine.deadline).min()
    let silence = deliveries.live.lazy.map { [self] in heartbeatDue(of: $0) }.min()
    let idle = sessions.count == 0 ? sessions.emptySince.map { $0 + policy.idleClose } : nil
    let dues = [ends, silence, idle, room.nextDue, room.nextSweep, behaviour?.nextDue]
    restsUntil = dues.compactMap(\.self).min() ?? .zero
  }

  func pass(_ session: MemberSession, at now: Timestamp) {
    switch session.machine.tick(at: now) {
    case .nothing: break
    case .suspected: recordOrDefer(.phase, of: session.member, at: now)
    case .gone(let cause): recordLeave(of: session, cause, at: now)
    }
  }

  /// A room whose members do nothing for too long sends them away, and closes.
  private func sweep(at now: Timestamp) {
    guard !isClosed, let due = room.nextSweep, due <= now else { return }
    expel(.roomZombie, at: now) {}
  }

  // MARK: Heartbeats

  private func keepAlive(at now: Timestamp) {
    if deliveries.live.count < sessions.connections {
      let behind = sessions.connected.filter { now >= heartbeatDue(of: $0) && !$0.isLive }
      for session in behind.sorted(by: { $0.member < $1.member }) { goOn(session, at: now) }
    }
    guard deliveries.live.contains(where: { now >= heartbeatDue(of: $0) }) else { return }
    beat(at: now)
  }

  private func heartbeatDue(of session: MemberSession) -> Timestamp {
    session.lastSent + heartbeatInterval(of: session)
  }

  private func heartbeatInterval(of session: MemberSession) -> Duration {
    guard session.knowsQuiet, !session.hasSpokenSince, let interval = policy.quietInterval else {
      return policy.timings.heartbeat
    }
    return interval
  }

  /// How long nothing may be said from now on; nil: something has happened a short time ago.
  private func quietInterval(at now: Timestamp) -> Duration? {
    now >= lastActive + policy.quietAfter ? policy.quietInterval : nil
  }

  private func goOn(_ session: MemberSession, at now: Timestamp) {
    switch session.stage {
    case .away, .entering, .live: return
    case .behind: advance(session, at: now)
    }
    guard now >= heartbeatDue(of: session), let line = session.line, !line.isFull else { return }
    line.send(wire.bytes(of: .heartbeat(durable, now), in: line.subprotocol))
    session.lastSent = now
  }

  /// One encoding for all. Who would be due within half a usual interval gets it along with the others, so that a
  /// room soon has one beat, and can rest between two.
  private func beat(at now: Timestamp) {
    beat(deliveries.live.filter { now + policy.timings.heartbeat / 2 >= heartbeatDue(of: $0) }[...], at: now)
  }

  /// As many as this turn of the loop allows, then the others. Who is about to be handed events needs none, and must
  /// not be told of them before.
  private func beat(_ sessions: ArraySlice<MemberSession>, at now: Timestamp) {
    guard !isClosed, !deliveries.isUnderWay else { return }
    let (wire, durable) = (wire, durable)
    let interval = quietInterval(at: now)
    var usual = EncodedOnce { wire.bytes(of: .heartbeat(durable, now), in: $0) }
    var rare = EncodedOnce { wire.bytes(of: .quiet(durable, now, interval ?? .zero), in: $0) }
    var rest = sessions
    while !turns.isSpent, let session = rest.popFirst() {
      guard session.isLive, session.lastSent < now, let line = session.line, !line.isFull else { continue }
      session.knowsQuiet = interval != nil && session.acceptsQuiet
      session.hasSpokenSince = false
      let bytes = session.knowsQuiet ? rare.bytes(in: line.subprotocol) : usual.bytes(in: line.subprotocol)
      line.send(bytes)
      turns.spend(bytes.count)
      session.lastSent = now
    }
    dispatch()
    guard !rest.isEmpty else { return }
    turns.later { [weak self, rest] in
      guard let self else { return }
      beat(rest, at: clock())
    }
  }
}

extension MemberSession {
  fileprivate var isLive: Bool {
    switch stage {
    case .live: true
    case .away, .entering, .behind: false
    }
  }
}
