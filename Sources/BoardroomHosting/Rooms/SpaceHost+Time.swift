import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

extension SpaceHost {
  /// Time went by: graces, heartbeats, positions held back, catch-ups that could go on.
  func tick(at now: Timestamp) {
    guard !isClosed, now >= restsUntil else { return }
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
    let ends = sessions.all.lazy.compactMap(\.machine.deadline).min()
    let silence = deliveries.live.lazy.map(\.lastSent).min().map { $0 + policy.timings.heartbeat }
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
      let behind = sessions.connected.filter { isQuiet($0, at: now) && !$0.isLive }
      for session in behind.sorted(by: { $0.member < $1.member }) { goOn(session, at: now) }
    }
    guard deliveries.live.contains(where: { isQuiet($0, at: now) }) else { return }
    beat(at: now)
  }

  private func isQuiet(_ session: MemberSession, at now: Timestamp) -> Bool {
    now >= session.lastSent + policy.timings.heartbeat
  }

  private func goOn(_ session: MemberSession, at now: Timestamp) {
    switch session.stage {
    case .away, .entering, .live: return
    case .behind: advance(session, at: now)
    }
    guard isQuiet(session, at: now), let line = session.line, !line.isFull else { return }
    line.send(wire.bytes(of: .heartbeat(durable, now), in: line.subprotocol))
    session.lastSent = now
  }

  /// One encoding for all. Who would be due within half an interval gets it along with the others, so that a
  /// room soon has one beat, and can rest between two.
  private func beat(at now: Timestamp) {
    beat(deliveries.live.filter { now >= $0.lastSent + policy.timings.heartbeat / 2 }[...], at: now)
  }

  /// As many as this turn of the loop allows, then the others. Who is about to be handed events needs none, and must
  /// not be told of them before.
  private func beat(_ quiet: ArraySlice<MemberSession>, at now: Timestamp) {
    guard !isClosed, !deliveries.isUnderWay else { return }
    let (wire, durable) = (wire, durable)
    var message = EncodedOnce { wire.bytes(of: .heartbeat(durable, now), in: $0) }
    var quiet = quiet
    while !turns.isSpent, let session = quiet.popFirst() {
      guard session.isLive, session.lastSent < now, let line = session.line, !line.isFull else { continue }
      let bytes = message.bytes(in: line.subprotocol)
      line.send(bytes)
      turns.spend(bytes.count)
      session.lastSent = now
    }
    dispatch()
    guard !quiet.isEmpty else { return }
    turns.later { [weak self, quiet] in
      guard let self else { return }
      beat(quiet, at: clock())
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
