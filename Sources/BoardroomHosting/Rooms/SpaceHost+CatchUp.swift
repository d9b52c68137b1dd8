import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// The piece of the tail last sent, for those who come back together and lack the same.
struct PieceCache {
  private var after: Revision = .zero
  private(set) var run: Run?
  private var message: EncodedOnce?

  func piece(after revision: Revision, through: Revision) -> Run? {
    guard let run, after == revision, run.lastRevision <= through else { return nil }
    return run
  }

  mutating func keep(_ run: Run, after revision: Revision, wire: WireMessages) {
    after = revision
    self.run = run
    message = EncodedOnce { wire.run(run, in: $0) }
  }

  mutating func bytes(in subprotocol: Subprotocol) -> SharedBytes? { message?.bytes(in: subprotocol) }
}

extension SpaceHost {
  // MARK: The plan

  /// A catch-up this small is not worth a snapshot. 64 KiB: half a second of a 1 Mbit/s link.
  private static let smallCatchUp = 64 << 10

  /// Makes a fresh snapshot for someone who is about to be let in and lacks a lot, unless the last is near
  /// enough. It becomes durable together with the join itself.
  func prepareSnapshot(for cursor: Cursor?) {
    guard !isClosed, !snapshots.isComing else { return }
    let known = counts(cursor, upTo: room.state.revision)
    guard needsSnapshotOfOld(known) else { return }
    let needsOne = known == nil && (cursor != nil || low > 1)
    guard needsOne || ledger.bytes(after: known ?? .zero) > Self.smallCatchUp else { return }
    if let snapshot = snapshots.newest {
      let behind = ledger.bytes(after: snapshot.snapshot.revision)
      guard behind > max(Self.smallCatchUp, snapshot.byteCount / 4) else { return }
    }
    // Of a large board the log or an older snapshot is read meanwhile, if that is possible.
    guard isEncoded() || (needsOne && snapshots.newest == nil) else { return }
    makeSnapshot()
  }

  /// The cursor's revision, if it is one into this life of the log and what follows is still there.
  func counts(_ cursor: Cursor?, upTo last: Revision) -> Revision? {
    guard let cursor, cursor.epoch == appender.epoch, cursor.revision <= last,
      cursor.revision.next >= low
    else { return nil }
    return cursor.revision
  }

  func plan(for cursor: Cursor?) -> CatchUpPlan {
    let known = counts(cursor, upTo: durable)
    if known == durable {
      return CatchUpPlan(mode: .none, reason: .upToDate, from: durable, to: durable, bytes: 0)
    }
    let from = known ?? .zero
    let delta = ledger.bytes(after: from)
    guard let snapshot = snapshots.newest, snapshot.snapshot.revision > from else {
      let reason: CatchUpPlan.Reason =
        known != nil ? .deltaSmaller : cursor == nil ? .wholeLog : .otherEpoch
      return CatchUpPlan(mode: .delta, reason: reason, from: from, to: durable, bytes: delta)
    }
    let whole = snapshot.byteCount + ledger.bytes(after: snapshot.snapshot.revision)
    func bySnapshot(_ reason: CatchUpPlan.Reason) -> CatchUpPlan {
      CatchUpPlan(mode: .snapshot, reason: reason, from: from, to: durable, bytes: whole)
    }
    if known == nil, let cursor, cursor.epoch != appender.epoch || cursor.revision > durable {
      return bySnapshot(.otherEpoch)
    }
    if known == nil, low > 1 { return bySnapshot(.trimmed) }
    if whole < delta { return bySnapshot(.snapshotSmaller) }
    return CatchUpPlan(
      mode: .delta, reason: known == nil ? .wholeLog : .deltaSmaller, from: from, to: durable, bytes: delta)
  }

  /// The log holds the coming of this member: it is told who it is and what will come.
  func admit(_ session: MemberSession, _ connection: ConnectionID, resumed: Bool, at now: Timestamp) {
    guard let line = session.line, line.id == connection, case .entering(let cursor) = session.stage,
      let member = room.state.members[session.member],
      let (plan, snapshot) = way(of: session, from: cursor, over: connection, resumed: resumed)
    else { return }
    let welcome = Welcome(
      member: session.member, session: session.session, generation: session.machine.generation,
      ticket: gatekeeper.ticket(for: session.session, in: id), resumed: resumed, epoch: appender.epoch,
      revision: durable, time: now, lastCounter: member.lastCounter, writable: member.writable,
      timings: timings(of: member.uid), limits: room.announced,
      token: session.mayHost && member.role == .admin ? gatekeeper.hostToken(of: id, at: now) : nil,
      decided: session.decided > member.lastCounter ? session.decided : nil,
      acceptsLeaveChannel: behaviour?.owner != nil && room.service(of: session.member)?.hasLogins == true)
    line.send(wire.bytes(of: .welcome(welcome), in: line.subprotocol))
    line.send(wire.bytes(of: .catchUp(plan), in: line.subprotocol))
    turns.spend(0)
    session.lastSent = now
    var catchUp = CatchUp(cursor: plan.from, announcedEnd: plan.to)
    if plan.mode == .snapshot, let snapshot {
      catchUp.snapshot = SnapshotSending(messages: snapshot)
      catchUp.cursor = snapshot.snapshot.revision
    }
    session.stage = .behind(catchUp)
    advance(session, at: now)
  }

  // MARK: Moving on

  /// The transport has room again for this connection.
  func drained(_ connection: ConnectionID, at now: Timestamp) {
    guard !isClosed, let session = sessions[connection: connection] else { return }
    advance(session, at: now)
    dispatch()
  }

  /// Sends one piece to a member that is behind, then waits until it has gone out: others and heartbeats come
  /// in between. What fits into one piece goes out at once, up to live.
  func advance(_ session: MemberSession, at now: Timestamp) {
    guard let line = session.line, case .behind(var catchUp) = session.stage, !catchUp.isBusy, !line.isFull
    else { return }
    let (halt, sent) = catchUp.advance(over: line, upTo: durable, piece: policy.piece, wire, turns) {
      recentPiece(after: $0, through: $1, in: line.subprotocol)
    }
    session.stage = .behind(catchUp)
    if sent.pieces { session.lastSent = now }
    switch halt {
    case .arrived: goLive(session)
    case .needsLog: readLog(for: session, over: line, after: catchUp.cursor)
    case .turnSpent: turns.later { [weak self] in self?.resumeCatchUp(of: session, over: line.id) }
    case .sent: resumeWhenWritten(session, line)
    }
  }

  private func resumeWhenWritten(_ session: MemberSession, _ line: ConnectionOutput) {
    let me = Confined((host: self, session: session), to: loop)
    let connection = line.id
    line.loopOutbox.whenWritten { me.value.host.resumeCatchUp(of: me.value.session, over: connection) }
  }

  private func resumeCatchUp(of session: MemberSession, over connection: ConnectionID) {
    guard !isClosed, session.line?.id == connection, case .behind(var catchUp) = session.stage else { return }
    catchUp.isBusy = false
    session.stage = .behind(catchUp)
    advance(session, at: clock())
    dispatch()
  }

  /// From memory; those who come back together and lack the same share its encoding.
  private func recentPiece(
    after cursor: Revision, through end: Revision, in subprotocol: Subprotocol
  ) -> (last: Revision, bytes: SharedBytes)? {
    if pieces.piece(after: cursor, through: end) == nil {
      guard let run = tail.piece(after: cursor, through: end, limit: policy.piece) else { return nil }
      pieces.keep(run, after: cursor, wire: wire)
    }
    guard let run = pieces.run, let bytes = pieces.bytes(in: subprotocol) else { return nil }
    return (run.lastRevision, bytes)
  }

  // MARK: Reading the log

  private func readLog(for session: MemberSession, over line: ConnectionOutput, after cursor: Revision) {
    let key = ReadKey(after: cursor, acceptsBlocks: line.acceptsBlocks)
    reads.read(key, for: (session, line.id)) { [weak self] in self?.hand($1, of: key, to: $0) }
  }

  private func hand(
    _ result: Result<[StoredPiece], LogError>, of key: ReadKey, to waiting: [(MemberSession, ConnectionID)]
  ) {
    guard !isClosed else { return }
    let wire = wire
    switch result {
    case .success(let pieces):
      let messages = pieces.map { piece in (piece, EncodedOnce { piece.message(wire, $0) }) }
      hand(messages, to: waiting[...], after: key.after)
    case .failure(let error):
      if let gap = Gap(error, after: key.after) { historyBegins(at: gap.last.next) }
      if case .trimmed(_, let first) = error { historyBegins(at: first) }
      for (session, connection) in waiting where session.line?.id == connection {
        guard let line = session.line else { continue }
        sendAway(line.connection, Farewell(Refusal(error), comeBack: true), at: clock())
      }
    }
    dispatch()
  }

  /// Behind a gap that the opening did not meet, since it began with a snapshot behind it (LOG-23), or behind what retention
  /// has removed meanwhile (LOG-28). Who meets it comes back at once, and gets a snapshot as all do who come later.
  func historyBegins(at first: Revision) {
    low = max(low, first)
    snapshots.forget(before: low)
  }

  /// To all who waited for it, as many in one turn as the loop allows.
  private func hand(
    _ messages: [(StoredPiece, EncodedOnce)], to waiting: ArraySlice<(MemberSession, ConnectionID)>,
    after cursor: Revision
  ) {
    guard !isClosed else { return }
    var (messages, waiting) = (messages, waiting)
    while !turns.isSpent, let (session, connection) = waiting.popFirst() {
      send(&messages, to: session, over: connection, after: cursor)
    }
    dispatch()
    guard !waiting.isEmpty else { return }
    turns.later { [weak self, messages, waiting] in self?.hand(messages, to: waiting, after: cursor) }
  }

  private func send(
    _ messages: inout [(StoredPiece, EncodedOnce)], to session: MemberSession, over connection: ConnectionID,
    after cursor: Revision
  ) {
    guard let line = session.line, line.id == connection, case .behind(var catchUp) = session.stage,
      catchUp.cursor == cursor
    else { return }
    let wasSent = catchUp.send(
      &messages, of: id, over: line, upTo: durable, wire, turns, store: storeQueue.store)
    guard wasSent else {
      return sendAway(
        line.connection, Farewell(Refusal(.internalFailure), comeBack: true), at: clock())
    }
    session.stage = .behind(catchUp)
    resumeWhenWritten(session, line)
  }
}
