import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

extension SpaceHost {
  // MARK: Coming

  /// Members that the log knows at the opening: their connections ended with the last host, and they have a
  /// whole grace to come back.
  func restoreSessions(at now: Timestamp) {
    for member in room.state.roster {
      let machine = SessionMachine(restored: member.generation, at: now, timings: graces(of: member.uid))
      sessions.add(MemberSession(member: member.id, session: member.session, machine: machine, at: now))
    }
    for member in room.state.roster where !isClosed { recordOrDefer(.phase, of: member.id, at: now) }
  }

  /// A login of an account is told from others by its service; in a channel, members by their accounts.
  private static func uid(in place: Place) -> String {
    place.channel == nil ? place.service.rawValue : place.account
  }

  /// The clocks that a client is told.
  func timings(of uid: String?) -> Timings { behaviour?.timings(of: uid) ?? policy.timings }

  /// The clocks by which a stay is kept.
  private func graces(of uid: String?) -> Timings { behaviour?.graces(of: uid) ?? policy.timings }

  /// Someone comes in: by an old session if it is still there and theirs, otherwise as a new member.
  func enter(_ entry: JoinAttempt, at now: Timestamp) {
    defer { partIfClosed(entry.connection) }
    behaviour?.prepareEntrance(at: now)
    guard !isClosed else { return }
    // Nobody comes into an account as into a room, or the other way round.
    guard entry.hello.place?.space == room.state.space?.name else {
      return sendAway(entry.connection, Farewell(Refusal(.notFound), comeBack: false), at: now)
    }
    if let resume = entry.hello.resume, let session = sessions[session: resume.session], proves(resume) {
      resumeStay(session, resume.generation, entry, at: now)
    } else {
      join(entry, at: now)
    }
    performDue(at: now)
    dispatch()
  }

  /// Whether the client was welcomed to the session, and has not only read of it.
  private func proves(_ resume: Hello.Resume) -> Bool {
    let ticket = gatekeeper.ticket(for: resume.session, in: id)
    return SecretBytes.areEqual(Array(ticket.utf8), Array(resume.ticket.utf8))
  }

  private func resumeStay(
    _ session: MemberSession, _ generation: Generation, _ entry: JoinAttempt, at now: Timestamp
  ) {
    // A token with another role or user opens another stay: rights are fixed when a member joins.
    guard let member = room.state.members[session.member], entry.admission.continues(member) else {
      end(session, .replaced, at: now)
      return join(entry, at: now)
    }
    let earlier = session.machine
    var entry = entry
    // The log was set back under a client that may have seen more; how far it has come since says nothing.
    if generation > earlier.generation, entry.hello.cursor?.epoch == appender.epoch {
      entry.hello.cursor = nil
    }
    switch session.machine.resume(generation, on: entry.connection.id, at: now) {
    case .resumed(_, let fenced): goOn(session, earlier, fenced: fenced, entry, at: now)
    case .stale:
      let farewell = Farewell(Refusal(.replaced), comeBack: false)
      sendAway(entry.connection, farewell, at: now)
    case .gone(let ending):
      if let ending { recordLeave(of: session, ending, at: now) }
      join(entry, at: now)
    }
  }

  private func goOn(
    _ session: MemberSession, _ earlier: SessionMachine, fenced: ConnectionID?, _ entry: JoinAttempt,
    at now: Timestamp
  ) {
    let revision: Revision
    switch recordUnlessFull(room.resumed(session.member), at: now) {
    case .at(let recorded): revision = recorded
    case .full:
      // A generation counts only once the log holds it.
      session.machine = earlier
      return sendAway(entry.connection, Farewell(Refusal(.logFull), comeBack: true), at: now)
    case .failed: return
    }
    deferredEvents.remove(session.member)
    let old = fenced.flatMap { _ in detach(session) }
    attach(entry, to: session, at: now)
    if let old {
      afterCommit(
        .part(old, Farewell(Refusal(.replaced), comeBack: false), code: CloseCode.kicked), at: revision)
    }
    prepareSnapshot(for: entry.hello.cursor)
    afterCommit(.admit(session, entry.connection.id, resumed: true), at: revision)
  }

  private func join(_ entry: JoinAttempt, at now: Timestamp) {
    guard !isClosed else { return }
    guard !entry.admission.onlyResumes else {
      return sendAway(entry.connection, Farewell(Refusal(.banned), comeBack: false), at: now)
    }
    let hello = entry.hello
    let session = SessionID.random()
    let bound = hello.place == nil ? entry.admission.uid : nil
    let uid = hello.place.map { Self.uid(in: $0) } ?? entry.admission.uid ?? hello.uid
    let role = entry.admission.mayHost ? room.roleOfNextComer : entry.admission.role
    let request = JoinRequest(
      session: session, uid: uid, role: role,
      isWritable: hello.isWritable, payload: hello.payload, client: hello.client,
      token: hello.place == nil ? entry.admission.tokenHash : nil, isBound: bound != nil)
    do throws(Refusal) {
      if let place = hello.place { try behaviour?.checkEntrance(to: place, at: now) }
      let admitted = try room.join(request)
      if let refusal = joinRefusal(entry, now) { throw refusal }
      try welcome(admitted, session, entry, at: now)
    } catch {
      sendAway(entry.connection, Farewell(error, comeBack: error.isPassing), at: now)
    }
  }

  private func welcome(
    _ admitted: JoinDecision, _ session: SessionID, _ entry: JoinAttempt, at now: Timestamp
  ) throws(Refusal) {
    let replaced = admitted.replaces.flatMap { sessions[$0] }
    let before = room.state.revision
    let revision: Revision
    do throws(LogError) {
      revision = try appender.together { () throws(LogError) in
        try record(admitted.events, at: now)
      }
    } catch {
      guard case .full = error, room.state.revision == before else {
        fail(error)
        return
      }
      throw Refusal(.logFull)
    }
    if let replaced { giveWay(replaced, at: revision) }
    let machine = SessionMachine(
      joinedOn: entry.connection.id, at: now,
      timings: graces(of: room.state.members[admitted.member]?.uid))
    let session = MemberSession(member: admitted.member, session: session, machine: machine, at: now)
    session.first = revision
    sessions.add(session)
    attach(entry, to: session, at: now)
    prepareSnapshot(for: entry.hello.cursor)
    afterCommit(.admit(session, entry.connection.id, resumed: false), at: revision)
  }

  /// The same user came in elsewhere (PARITY rows KICK, replaceByOther).
  private func giveWay(_ session: MemberSession, at revision: Revision) {
    _ = session.machine.end(.replaced)
    forget(session)
    let farewell = Farewell(Refusal(.replaced), kick: .replaceByOther, comeBack: false)
    partLater(session, farewell, code: CloseCode.kicked, at: revision)
  }

  private func attach(_ entry: JoinAttempt, to session: MemberSession, at now: Timestamp) {
    let connection = entry.connection
    session.line = ConnectionOutput(
      connection: connection, loopOutbox: outboxes.outbox(to: connection.loop),
      acceptsBlocks: entry.hello.acceptsBlocks && connection.subprotocol == .binary)
    session.stage = .entering(cursor: entry.hello.cursor)
    session.lastSent = now
    session.acceptsQuiet = entry.hello.acceptsQuiet && entry.hello.place == nil
    session.knowsQuiet = false
    session.hasSpokenSince = false
    session.expires = entry.admission.expires
    session.note(entry.admission.tokenHash)
    session.mayHost = entry.admission.mayHost
    sessions.connect(connection.id, to: session)
  }

  /// Takes the connection from a member's session; nothing more is sent to it but a farewell.
  @discardableResult
  private func detach(_ session: MemberSession) -> ConnectionHandle? {
    deliveries.removeLive(session)
    session.stage = .away
    guard let line = session.line else { return nil }
    session.line = nil
    sessions.disconnect(line.id)
    return line.connection
  }

  func forget(_ session: MemberSession) {
    sessions.remove(session)
  }

  /// Refuses a connection on the spot.
  func sendAway(_ connection: ConnectionHandle, _ farewell: Farewell, at now: Timestamp) {
    if let session = sessions[connection: connection.id] {
      detach(session)
      if session.machine.closed(connection.id, at: now) == .reconnecting {
        recordOrDefer(.phase, of: session.member, at: now)
      }
    }
    part(from: connection, farewell, code: CloseCode.of(farewell))
  }

  // MARK: Being there

  /// Notes a sign of life; false if what was said no longer counts.
  func noteSignOfLife(of session: MemberSession, on connection: ConnectionID, at now: Timestamp) -> Bool {
    switch session.machine.noteSignOfLife(on: connection, at: now) {
    case .nothing: return true
    case .revived:
      recordOrDefer(.phase, of: session.member, at: now)
      return !isClosed
    case .ignored: return false
    case .tooLate(let cause):
      recordLeave(of: session, cause, at: now)
      performDue(at: now)
      dispatch()
      return false
    }
  }

  // MARK: Going

  /// A connection was closed by the other side, or broke.
  func closed(_ connection: ConnectionID, at now: Timestamp) {
    guard !isClosed, let session = sessions[connection: connection] else { return }
    detach(session)
    if session.machine.closed(connection, at: now) == .reconnecting {
      recordOrDefer(.phase, of: session.member, at: now)
    }
    sessions.noteIfEmpty(at: now)
  }

  func leave(_ session: MemberSession, over connection: ConnectionID, at now: Timestamp) {
    guard session.machine.leave(on: connection) else { return }
    recordLeave(of: session, .left, at: now)
  }

  /// Ends a stay and parts from its connection once the log holds it.
  func recordLeave(
    of session: MemberSession, _ cause: LeaveCause, saying last: Farewell? = nil, at now: Timestamp
  ) {
    forget(session)
    let (farewell, code) = (last ?? Self.farewell(cause), cause == .left ? CloseCode.left : nil)
    if let revision = recordOrDefer(.leave(cause), of: session.member, at: now) {
      partLater(session, farewell, code: code, at: revision)
    } else if !isClosed, let connection = detach(session) {
      part(from: connection, farewell, code: code ?? CloseCode.of(farewell))
    }
    sessions.noteIfEmpty(at: now)
    behaviour?.recordDue(at: now)
  }

  private func end(_ session: MemberSession, _ cause: LeaveCause, at now: Timestamp) {
    guard session.machine.end(cause) else { return }
    recordLeave(of: session, cause, at: now)
  }

  /// The connection stays in delivery until then: what comes before the end, it still gets.
  func partLater(
    _ session: MemberSession, _ farewell: Farewell, code: UInt16?, at revision: Revision
  ) {
    guard let line = session.line else { return }
    afterCommit(
      .part(line.connection, farewell, code: code ?? CloseCode.of(farewell)), at: revision)
  }

  private static func farewell(_ cause: LeaveCause) -> Farewell {
    switch cause {
    case .left:
      Farewell(
        Refusal(.notMember, cause: "The member has left the room.", cure: "Join again to come back."),
        comeBack: false)
    case .timeout, .serverRestart: Farewell(Refusal(.networkLost), comeBack: true)
    case .kicked: Farewell(Refusal(.kicked), kick: .kickByAdmin, comeBack: false)
    case .replaced: Farewell(Refusal(.replaced), kick: .replaceByOther, comeBack: false)
    }
  }

  /// Lets go of a connection that has been told farewell.
  func release(_ connection: ConnectionHandle) {
    if let session = sessions[connection: connection.id] { detach(session) }
  }

  func closeIfIdle(at now: Timestamp) {
    guard !isClosed, sessions.isEmpty, awaited.isEmpty, deferredEvents.isEmpty, behaviour?.isBusy != true
    else { return }
    guard let since = sessions.emptySince else { return sessions.noteIfEmpty(at: now) }
    guard now >= since + policy.idleClose, durable == room.state.revision else { return }
    keepSnapshot()
    close(with: Farewell(Refusal(.goingAway), kick: .GatewayAdjust, comeBack: true))
  }
}
