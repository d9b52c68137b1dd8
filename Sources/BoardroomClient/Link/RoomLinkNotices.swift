import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

// What the server says, and what it does to the mirror.

extension RoomLink {
  func take(_ notice: Notice) {
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
      for receipt in receipts { finish(outbox.receipt(receipt, reached: mirror.state.revision)) }
    case .refused(let counter, let refusal, _): refused(counter, refusal)
    case .heartbeat: break
    case .farewell(let farewell):
      guard let number = connection?.number else { return }
      carryOut(machine.refused(farewell, on: number, chance: context.chance(), at: now))
    }
  }

  /// The server broke its word. What it has in its log is right, so we come back for it.
  private func distrust() {
    guard let number = connection?.number else { return }
    carryOut(machine.lost(number, chance: context.chance(), at: now))
  }

  private func refused(_ counter: CommandCounter, _ refusal: Refusal) {
    guard refusal.code == .outOfOrder, let expected = refusal.allowed else {
      return finish(outbox.refused(counter, BoardroomError(refusal)))
    }
    let again = outbox.renumber(from: CommandCounter(clamping: expected))
    guard !again.isEmpty else { return }
    outgoing = again
    flushCommands()
  }

  private func welcomed(_ welcome: Welcome) {
    connection?.welcome = welcome
    connection?.stage = .catchingUp
    limits = welcome.limits
    heartbeat = welcome.timings.heartbeat
  }

  private func planned(_ plan: CatchUpPlan) {
    switch plan.mode {
    case .none: break
    case .snapshot: connection?.sawEvents = false
    case .delta:
      // The whole log of another life, or the whole log because the cursor did not count.
      guard plan.from == .zero, mirror.state.revision > .zero else { return }
      connection?.sawEvents = false
      mirror.restart(isFirst: !hasJoined)
    }
  }

  private func completeSnapshot() {
    guard let snapshot = connection?.snapshot, snapshot.parts.count >= snapshot.expected else { return }
    connection?.snapshot = nil
    do throws(CodecError) {
      let state = try StateDecoder.state(root: snapshot.root, parts: snapshot.parts)
      mirror.replace(with: state, isFirst: !hasJoined)
    } catch { distrust() }
  }

  private func apply(_ stored: StoredRun) {
    do throws(WireError) {
      var records = stored.bytes
      if stored.coding == .lz4 {
        records = try LZ4Block.decompress(stored.bytes, count: stored.rawLength)
      }
      let last = records.withUnsafeBytes { bytes in
        Result { () throws(WireError) in try Run.check(bytes, count: stored.count, base: stored.base) }
      }
      apply(
        Run(
          first: stored.first, count: stored.count, base: stored.base, last: try last.get(),
          records: records))
    } catch { distrust() }
  }

  /// Events come once each and in order. What we have already is cut off; after a gap we come back for it.
  private func apply(_ run: Run) {
    guard run.first <= mirror.state.revision.next else { return distrust() }
    guard let fresh = run.suffix(after: mirror.state.revision) else { return }
    fresh.forEach { view, _ in apply(view, in: fresh.records) }
    if connection?.stage == .live { showState() }
    finish(outbox.reached(mirror.state.revision))
  }

  private func apply(_ view: RecordView, in records: [UInt8]) {
    var misfit: String?
    var event: RoomEvent
    do throws(CodecError) { event = try EventCodec.decode(view, in: records) } catch {
      misfit = error.refusal.cause
      event = RoomEvent(
        revision: view.revision, time: view.time, actor: Actor(code: view.actor), counter: 0,
        event: .unknown(kind: view.kind, payload: []))
    }
    if let anomaly = mirror.apply(event) { misfit = anomaly.what }
    settle(by: event)
    deliver(event, misfit)
  }

  private func settle(by event: RoomEvent) {
    guard event.counter > 0, let member = session?.member, event.actor == .member(member) else { return }
    switch event.event {
    case .refused(let refused): outbox.sawRefusal(event.counter, refused.code)
    case .stroke, .pointer, .camera, .roomCreated, .memberJoined, .memberLeft, .memberPhase,
      .memberWritable, .memberKicked, .memberReplaced, .globalState, .memberState, .viewMode, .scenesPut,
      .sceneSwitched, .erased, .elementPut, .magix, .clientPhases, .elementsChanged, .elementsCopied,
      .sceneCleaned, .scenesRemoved, .sceneMoved, .pptStepped, .storeSet, .storeDeleted, .historySet, .undone,
      .redone, .roomBanned, .limitsSet, .roomDeleted, .banSet, .banLifted, .unknown:
      finishOnceShown(outbox.sawEvent(event.counter, at: event.revision))
    }
  }

  /// Whoever waits for a receipt reads the new state: it is shown first.
  private func finishOnceShown(_ settled: Outbox.Settled?) {
    guard let settled else { return }
    if connection?.stage == .live { showState() }
    finish(settled)
  }

  private func deliver(_ event: RoomEvent, _ misfit: String?) {
    let isLive = connection?.stage == .live
    // A late joiner is not told what was before (ME-4); who comes back is told what was missed.
    guard isLive || hasJoined else { return }
    tell(.event(event))
    if let misfit {
      showState()
      tell(.misfit(author: event.actor.member?.rawValue ?? .max, what: misfit))
    }
    guard case .magix(let magix) = event.event else { return }
    let whiteEvent = WhiteEvent(
      eventName: magix.name, payload: magix.payload, uuid: settings.hello.room.description,
      scope: event.actor == .server ? .system : .custom, authorId: event.actor.member?.rawValue,
      isLate: !isLive)
    guard isLive else { return lateMagix.append(whiteEvent) }
    showState()
    tell(.magix(whiteEvent))
  }

  /// CB-4 and CB-5: the cache first, then the callback, and that only if there is something in it.
  func showState() {
    guard let told = mirror.flush() else { return }
    tell(.state(mirror.shown, told: told))
    announceCommittable()
  }

  // MARK: Live

  private func goLive() {
    guard let connection, let welcome = connection.welcome else { return distrust() }
    guard connection.snapshot == nil, mirror.state.revision >= welcome.revision else { return distrust() }
    switch machine.live(connection.number, at: now) {
    case .ignore: return
    case .connected: break
    }
    self.connection?.stage = .live
    let settled = goOn(with: welcome, sawEvents: connection.sawEvents)
    tellBack()
    finish(settled)
    flushCommands()
    uploadPhases()
    sendDueMagix()
  }

  /// The session goes on, or a new one begins. Gives what that settles; what is to be sent again is queued.
  private func goOn(with welcome: Welcome, sawEvents: Bool) -> [Outbox.Settled] {
    if welcome.resumed, session?.id == welcome.session {
      session?.generation = welcome.generation
      session?.ticket = welcome.ticket
      session?.epoch = welcome.epoch
      let rest = outbox.resume(
        decidedThrough: welcome.lastCounter, at: mirror.state.revision, sawEvents: sawEvents)
      outgoing = rest.again
      return rest.settled
    }
    let settled = outbox.abandon(sawEvents ? .notCarriedOut : .outcomeUnknown)
    session = Session(
      id: welcome.session, generation: welcome.generation, ticket: welcome.ticket, epoch: welcome.epoch,
      member: welcome.member)
    mirror.become(welcome.member)
    tell(.admitted(welcome.member, welcome.session))
    return settled
  }

  /// The phase, then one state delta for all that changed, then the magix events of the gap (10.5).
  private func tellBack() {
    let isFirst = !hasJoined
    hasJoined = true
    let told = mirror.flush()
    if let told {
      // The cache is right before any callback runs; what is told of it waits for the phase.
      tell(.state(mirror.shown, told: WhiteRoomState()))
      announce(.connected)
      if !told.isEmpty { tell(.state(mirror.shown, told: told)) }
    } else {
      announce(.connected)
    }
    let late = lateMagix
    lateMagix = []
    for event in late { tell(.magix(event)) }
    if isFirst { tell(.joined) }
  }

  /// Rule 5 of spec 10.3: the log shows both ends of an outage.
  private func uploadPhases() {
    guard !phasesSeen.isEmpty else { return }
    let now = now
    let phases = phasesSeen.map {
      ClientPhase(phase: $0.phase.name, ago: (now - $0.since).wholeMilliseconds)
    }
    phasesSeen = []
    submit(.clientPhases(phases)) { _ in }
  }
}
