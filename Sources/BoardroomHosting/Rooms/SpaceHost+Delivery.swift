import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// A run on its way to all who were live when it began.
struct RunDelivery {
  let run: Run
  let memberSessions: [MemberSession]
  var message: EncodedOnce
  /// The first of `memberSessions` that has not had its turn.
  var place = 0
  var sum = FanOut()

  init(_ run: Run, to memberSessions: [MemberSession], _ wire: WireMessages) {
    self.run = run
    self.memberSessions = memberSessions
    message = EncodedOnce { wire.run(run, in: $0) }
  }
}

extension SpaceHost {
  /// These events are on disk. In a large room they may wait for others for a moment; then the answer is how
  /// long, and `deliverGathered` is to be called after that.
  func noteCommitted(_ run: Run, at now: Timestamp) -> Duration? {
    switch deliveries.admit(run, at: now, policy) {
    case .deliver: committed(run, at: now)
    case .deliverGathered: deliverGathered(at: now)
    case .gathered: break
    case .wait(let wait): return wait
    }
    return nil
  }

  func deliverGathered(at now: Timestamp) {
    if let run = deliveries.takeGathered() { committed(run, at: now) }
  }

  /// These events are on disk: now, and not before, members see them.
  func committed(_ run: Run, at now: Timestamp) {
    guard !isClosed else { return }
    tail.append(run)
    ledger.add(run.records.count, through: run.lastRevision)
    durable = run.lastRevision
    stateRequests.logAnswered()
    lastActive = now
    deliveries.begin(run, wire, at: now)
    deliver(at: now)
  }

  /// Goes on with the delivery under way: to all, or to as many as this turn of the loop allows.
  private func deliver(at now: Timestamp) {
    guard !isClosed, var delivery = deliveries.takeUnderWay() else { return }
    while delivery.place < delivery.memberSessions.count {
      guard !turns.isSpent else { return pause(delivery) }
      hand(&delivery, at: now)
    }
    traffic.sum += delivery.sum
    tellPresences()
    promoteSnapshot()
    performDue(at: now)
    dispatch()
    snapshotIfDue()
    deliverGathered(at: now)
  }

  private func pause(_ delivery: RunDelivery) {
    deliveries.pause(delivery)
    dispatch()
    turns.later { [weak self] in
      guard let self else { return }
      deliver(at: clock())
    }
  }

  /// Hands the run to the next member. Who went live since the delivery began has it from its catch-up.
  private func hand(_ delivery: inout RunDelivery, at now: Timestamp) {
    let session = delivery.memberSessions[delivery.place]
    delivery.place += 1
    guard case .live = session.stage, session.handed < delivery.run.first else { return }
    session.endQuiet(at: now)
    guard let line = session.line, !line.isFull else {
      delivery.sum += FanOut(deliveries: 0, bytes: 0, leftBehind: 1)
      return fallBehind(session, at: delivery.run.first.previous)
    }
    let encoded = delivery.message.bytes(in: line.subprotocol)
    line.send(encoded)
    session.handed = delivery.run.lastRevision
    session.lastSent = now
    turns.spend(encoded.count)
    delivery.sum += FanOut(deliveries: 1, bytes: encoded.count, leftBehind: 0)
  }

  /// The outbox of a live member is full: it gets no more until it has room, and then reads from the log.
  private func fallBehind(_ session: MemberSession, at cursor: Revision) {
    deliveries.removeLive(session)
    session.stage = .behind(CatchUp(cursor: cursor))
  }

  func goLive(_ session: MemberSession) {
    deliveries.goLive(session, from: durable)
    session.line?.connection.isLive()
  }

  /// Carries out what was waiting for the durable revision.
  ///
  /// Not while a delivery is under way: no receipt comes before its event.
  func performDue(at now: Timestamp) {
    guard !deliveries.isUnderWay else { return }
    while !isClosed, let (revision, consequence) = awaited.take(upTo: durable) {
      perform(consequence, at: revision, now)
    }
    owed.pay(now: now)
  }

  private func perform(_ consequence: PostCommitAction, at revision: Revision, _ now: Timestamp) {
    switch consequence {
    case .receipt(let session, let counter):
      owed.owe(Receipt(counter: counter, revision: revision), to: session)
    case .again(let session, let receipt, nil): owed.owe(receipt, to: session)
    case .again(let session, let receipt, let refusal?):
      owed.refuse(session, receipt.counter, refusal, at: receipt.revision, now: now)
    case .refused(let session, let counter, let refusal):
      owed.refuse(session, counter, refusal, at: revision, now: now)
    case .admit(let session, let connection, let resumed):
      admit(session, connection, resumed: resumed, at: now)
    case .part(let connection, let farewell, let code):
      owed.pay(now: now)
      release(connection)
      part(from: connection, farewell, code: code)
    case .tell(let answer): answer(.success(revision))
    case .show(let request): request.showAll()
    }
  }
}
