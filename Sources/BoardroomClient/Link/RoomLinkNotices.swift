import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

// What the server says, and what it does to the mirror.

extension RoomLink {
  func handleNotice(_ notice: Notice) {
    if case .quiet(_, _, let interval) = notice { return noteQuiet(for: interval) }
    endQuiet()
    switch notice {
    case .welcome(let welcome): welcomed(welcome)
    case .catchUp(let plan): planned(plan)
    case .snapshotRoot(_, _, _, let parts, let bytes):
      connection?.snapshot = IncomingSnapshot(root: bytes, expected: parts)
      completeSnapshot()
    case .snapshotPart(let bytes):
      connection?.snapshot?.parts.append(bytes)
      completeSnapshot()
    case .run(let run): apply(run)
    case .block(let stored): apply(stored)
    case .live: goLive()
    case .receipts(let receipts):
      finishWithoutEvent(receipts.compactMap { outbox.receipt($0, reached: received) })
    case .refused(let counter, let refusal, _): refused(counter, refusal)
    case .heartbeat, .quiet, .replayed: break
    case .answer(let answer): answered(answer)
    case .farewell(let farewell): parted(farewell)
    }
  }

  private func parted(_ farewell: Farewell) {
    guard let connection else { return }
    let place = farewell.address.flatMap { settings.servers.place(of: $0) }
    // Who is sent on has failed at nothing.
    let isSentOn = connection.stage != .live && farewell.address != nil && machine.followsAddress
    if isSentOn { logSentOn() } else { noteFarewell(farewell) }
    let answer = machine.refused(
      farewell, on: connection.number, naming: place, chance: context.chance(), at: now)
    followLoss(answer)
    switch answer {
    case .retryLater, .reconnecting:
      attempt.passingRefusal = isSentOn ? nil : farewell.refusal.code
      if farewell.refusal.code == .tokenExpired, !farewell.comeBack { tokenHasExpired() }
    case .ignore, .over: break
    }
  }

  /// The server broke its word. What it has in its log is right, so we come back for it.
  func distrust() {
    guard let number = connection?.number else { return }
    noteClosed(nil, of: number)
    followLoss(machine.lost(number, chance: context.chance(), at: now))
  }

  private func refused(_ counter: CommandCounter, _ refusal: Refusal) {
    guard refusal.code == .outOfOrder, let expected = refusal.allowed else {
      mirror.takeBack(counter)
      return finishOnceShown(outbox.refused(counter, BoardroomError(refusal)))
    }
    let (before, again) = outbox.renumber(from: CommandCounter(clamping: expected))
    guard !again.isEmpty else { return }
    mirror.renumber(before, to: again.map(\.counter))
    outgoing.replace(with: again)
    flushCommands()
  }

  private func welcomed(_ welcome: Welcome) {
    connection?.welcome = welcome
    connection?.stage = .catchingUp
    mirror.limits = welcome.limits
    isMidway = true
    // The source systems' 4 s are for a server that speaks every second; one that speaks less often says so (FACE-9).
    let timings = settings.connection.timings(of: welcome.timings)
    if let due = connection?.heartbeatDue { connection?.heartbeatDue = due + (timings.heartbeat - heartbeat) }
    heartbeat = timings.heartbeat
    policy.suspectAfter = timings.suspectAfter
    applyPolicy()
    tokens.follow(serverTime: welcome.time, at: now)
  }

  private func planned(_ plan: CatchUpPlan) {
    // In a replay another one follows each seek, and leads elsewhere.
    connection?.welcome?.revision = plan.to
    switch plan.mode {
    case .none: break
    case .snapshot: connection?.sawEvents = false
    case .delta:
      // The whole log of another life, or the whole log because the cursor did not count.
      guard plan.from == .zero, received > .zero else { return }
      connection?.sawEvents = false
      delayed.clear()
      mirror.restart(isFirst: !told.hasJoined)
    }
  }

  private func completeSnapshot() {
    guard let snapshot = connection?.snapshot, snapshot.parts.count >= snapshot.expected else { return }
    connection?.snapshot = nil
    do throws(CodecError) {
      let state = try StateDecoder.state(root: snapshot.root, parts: snapshot.parts)
      delayed.clear()
      mirror.replace(with: state, isFirst: !told.hasJoined)
    } catch { distrust() }
  }

  private func apply(_ stored: StoredRun) {
    do throws(CodecError) { apply(try Run(unpacking: stored)) } catch { distrust() }
  }

  /// Events come once each and in order. What we have already is cut off; after a gap we come back for it.
  private func apply(_ run: Run) {
    guard run.first <= received.next else { return distrust() }
    guard let fresh = run.suffix(after: received) else { return }
    fresh.forEach { view, _ in receiveRecord(view, in: fresh.records) }
    if connection?.stage == .live { showState() }
    finishWithoutEvent(outbox.reached(received))
  }

  // MARK: Live

  private func goLive() {
    guard let connection, let welcome = connection.welcome else { return distrust() }
    guard connection.snapshot == nil, received >= welcome.revision else { return distrust() }
    let wasMending = machine.isMending
    switch machine.live(connection.number, at: now) {
    case .ignore:
      if connection.stage == .live { showState() }
      return
    case .connected: break
    }
    self.connection?.stage = .live
    isMidway = false
    attempt.failure = nil
    forgetPause()
    let goesOn = welcome.resumed && session?.id == welcome.session
    let settled = goOn(with: welcome, sawEvents: connection.sawEvents)
    keepStay()
    logEntry(goesOn: goesOn)
    // What waited is on its way now.
    notePending()
    // Who was told of a failure sends again when it is back: what arrived after all is told before that.
    finish(settled.late)
    tellBack(wasMending: wasMending)
    finish(settled.now)
    keepHistory(isNew: !goesOn)
    flushCommands()
    sendAsks()
    uploadPhases()
    sendDueMagix()
  }

  /// The session goes on, or a new one begins. Gives what that settles; what is to be sent again is queued.
  private func goOn(
    with welcome: Welcome, sawEvents: Bool
  ) -> (late: [Outbox.Settled], now: [Outbox.Settled]) {
    if welcome.resumed, session?.id == welcome.session {
      session?.generation = welcome.generation
      session?.ticket = welcome.ticket
      session?.epoch = welcome.epoch
      if mirror.me == nil { mirror.become(welcome.member) }
      let rest = outbox.resume(
        decidedThrough: welcome.lastCounter,
        takenThrough: max(welcome.decided ?? 0, welcome.lastCounter), at: received, sawEvents: sawEvents)
      mirror.renumber(rest.before, to: rest.again.map(\.counter))
      outgoing.replace(with: rest.again)
      mirror.takeBackWishes(but: Set(rest.again.map(\.counter)))
      return (rest.late, rest.settled)
    }
    releaseAllDelayed()
    // What was given while another socket was opened is of the stay that is over.
    outgoing.clear()
    let settled = outbox.abandon(sawEvents ? .notCarriedOut : .outcomeUnknown)
    session = Session(
      id: welcome.session, generation: welcome.generation, ticket: welcome.ticket, epoch: welcome.epoch,
      member: welcome.member)
    elements.beginStay()
    mirror.become(welcome.member)
    onUpdate(.admitted(welcome.member, welcome.session))
    return ([], settled)
  }

  /// The phase, then one state delta for all that changed, then the magix events of the gap (10.5).
  private func tellBack(wasMending: Bool) {
    let isFirst = !told.hasJoined
    told.hasJoined = true
    let news = mirror.flush()
    if let told = news.state {
      // The cache is right before any callback runs; what is told of it waits for the phase.
      onUpdate(.state(mirror.shown, told: WhiteRoomState()))
      announce(.connected)
      show(news)
      if !told.isEmpty { onUpdate(.state(mirror.shown, told: told)) }
    } else {
      announce(.connected)
      show(news)
    }
    if wasMending { onUpdate(.mended) }
    for (event, moment) in magix.takeLate() { tellMagix(event, moment) }
    if isFirst { onUpdate(.joined) }
  }

  /// The log shows both ends of an outage (`clientPhases`).
  private func uploadPhases() {
    let phases = told.takeSeen(at: now)
    guard !phases.isEmpty else { return }
    submit(.diagnostics(.clientPhases(phases))) { _ in }
  }
}
