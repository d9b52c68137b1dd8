import BoardroomCore
import BoardroomModel
import EventLogModel

// How watchers get to the place that is shown: a stored snapshot, then the records after it, as they lie in the
// log; each at its own speed.

extension WatcherHost {
  /// Sends a watcher on its way to what is shown now: from the snapshot, or from the empty state.
  func begin(_ watcher: Watcher, from snapshot: SnapshotMessages?, at now: Timestamp) {
    let (plan, start, snapshot) = way(of: watcher, snapshot)
    watcher.send(wire.bytes(of: .catchUp(plan), in: watcher.line.subprotocol), at: now)
    watcher.turn += 1
    watcher.stage = .behind(
      CatchUp(
        cursor: start, announcedEnd: shown,
        snapshot: snapshot.map { SnapshotSending(messages: $0) }))
    advance(watcher, at: now)
  }

  /// A watcher that has something goes on from there, if that is less than a snapshot and what follows it.
  private func way(
    of watcher: Watcher, _ snapshot: SnapshotMessages?
  ) -> (plan: CatchUpPlan, start: Revision, snapshot: SnapshotMessages?) {
    let start = snapshot?.snapshot.revision ?? .zero
    let bytes = (snapshot?.byteCount ?? 0) + (shown - start) * eventBytes
    if let known = known(to: watcher), (shown - known) * eventBytes <= bytes {
      let isUpToDate = known == shown
      let plan = CatchUpPlan(
        mode: isUpToDate ? .none : .delta, reason: isUpToDate ? .upToDate : .deltaSmaller, from: known,
        to: shown, bytes: (shown - known) * eventBytes)
      return (plan, known, nil)
    }
    let plan = CatchUpPlan(
      mode: snapshot == nil ? .delta : .snapshot, reason: snapshot == nil ? .wholeLog : .snapshotSmaller,
      from: .zero, to: shown, bytes: bytes)
    return (plan, start, snapshot)
  }

  /// Sends one piece to a watcher that is behind, then waits until it has gone out.
  func advance(_ watcher: Watcher, at now: Timestamp) {
    guard case .behind(var catchUp) = watcher.stage, !catchUp.isBusy, !watcher.line.isFull else { return }
    let line = watcher.line
    let (halt, sent) = catchUp.advance(over: line, upTo: shown, piece: policy.piece, wire, turns) {
      guard let run = tail.piece(after: $0, through: $1, limit: policy.piece) else { return nil }
      return (run.lastRevision, wire.run(run, in: line.subprotocol))
    }
    watcher.stage = .behind(catchUp)
    if sent.pieces || sent.live { watcher.noteSent(at: now) }
    let turn = watcher.turn
    switch halt {
    case .arrived: (watcher.stage, watcher.handed) = (.live, catchUp.cursor)
    case .needsLog: readLog(for: watcher, after: catchUp.cursor)
    case .turnSpent: turns.later { [weak self] in self?.resume(watcher, turn) }
    case .sent: resumeWhenWritten(watcher)
    }
  }

  private func resumeWhenWritten(_ watcher: Watcher) {
    let me = Confined((host: self, watcher: watcher), to: loop)
    let turn = watcher.turn
    watcher.line.loopOutbox.whenWritten { me.value.host.resume(me.value.watcher, turn) }
  }

  private func resume(_ watcher: Watcher, _ turn: Int) {
    guard !isClosed, watchers[watcher.id] === watcher, watcher.turn == turn,
      case .behind(var catchUp) = watcher.stage
    else { return }
    catchUp.isBusy = false
    watcher.stage = .behind(catchUp)
    advance(watcher, at: clock())
    dispatch()
  }

  // MARK: Reading the log

  private func readLog(for watcher: Watcher, after cursor: Revision) {
    let key = ReadKey(after: cursor, acceptsBlocks: watcher.line.acceptsBlocks)
    reads.read(key, for: (watcher, watcher.turn)) { [weak self] in self?.hand($1, of: key, to: $0) }
  }

  private func hand(
    _ result: Result<[StoredPiece], LogError>, of key: ReadKey, to waiting: [(Watcher, turn: Int)]
  ) {
    guard !isClosed else { return }
    let (wire, now) = (wire, clock())
    switch result {
    case .failure(let error):
      let waiting = waiting.filter { $0.0.turn == $0.turn && watchers[$0.0.id] === $0.0 }
      // Of an earlier place: nobody waits for it any more.
      guard !waiting.isEmpty else { return }
      cannotRead(error, for: waiting.map(\.0), at: now) { [weak self] in
        for (watcher, turn) in waiting { self?.resume(watcher, turn) }
      }
    case .success(let pieces):
      var messages = pieces.map { piece in (piece, EncodedOnce { piece.message(wire, $0) }) }
      for (watcher, turn) in waiting where watcher.turn == turn && watchers[watcher.id] === watcher {
        send(&messages, to: watcher, after: key.after, at: now)
      }
    }
    dispatch()
  }

  private func send(
    _ messages: inout [(StoredPiece, EncodedOnce)], to watcher: Watcher, after cursor: Revision,
    at now: Timestamp
  ) {
    guard case .behind(var catchUp) = watcher.stage else { return }
    let wasSent = catchUp.send(
      &messages, of: room, over: watcher.line, upTo: shown, wire, turns, store: storeQueue.store)
    guard wasSent else {
      return part(from: watcher, Farewell(Refusal(.internalFailure), comeBack: true), at: now)
    }
    watcher.noteSent(at: now)
    watcher.failing = nil
    watcher.stage = .behind(catchUp)
    resumeWhenWritten(watcher)
  }
}
