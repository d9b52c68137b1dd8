import BoardroomCore
import BoardroomModel
import EventLogModel

// How watchers get to the place that is shown: a stored snapshot, then the records after it, as they lie in the
// log; each at its own speed.

extension ReplayHost {
  /// Sends a watcher on its way to what is shown now: from the snapshot, or from the empty state.
  func begin(_ watcher: Watcher, from snapshot: SnapshotMessages?, at now: Timestamp) {
    let start = snapshot?.snapshot.revision ?? .zero
    let bytes = (snapshot?.byteCount ?? 0) + (shown - start) * eventBytes
    let plan = CatchUpPlan(
      mode: snapshot == nil ? .delta : .snapshot, reason: snapshot == nil ? .wholeLog : .snapshotSmaller,
      from: .zero, to: shown, bytes: bytes)
    watcher.send(wire.bytes(of: .catchUp(plan), in: watcher.line.subprotocol), at: now)
    watcher.turn += 1
    watcher.stage = .behind(
      CatchUp(
        cursor: start, announcedEnd: shown,
        snapshot: snapshot.map { SnapshotSending(messages: $0) }))
    advance(watcher, at: now)
  }

  func drained(_ connection: ConnectionID, at now: Timestamp) {
    guard !isClosed, let watcher = watchers[connection] else { return }
    advance(watcher, at: now)
    payStatus(watcher, at: now)
    dispatch()
  }

  /// Sends one piece to a watcher that is behind, then waits until it has gone out.
  func advance(_ watcher: Watcher, at now: Timestamp) {
    guard case .behind(var catchUp) = watcher.stage, !catchUp.isBusy, !watcher.line.isFull else { return }
    let line = watcher.line
    var budget = policy.piece
    while budget > 0 {
      guard !turns.isSpent else { return wait(watcher, catchUp) }
      if var sending = catchUp.snapshot {
        let message = sending.messages.message(sending.sent, in: line.subprotocol)
        watcher.send(message, at: now)
        turns.spend(message.count)
        sending.sent += 1
        budget -= message.count
        catchUp.snapshot = sending.sent < sending.messages.count ? sending : nil
      } else if let end = catchUp.announcedEnd, catchUp.cursor >= end {
        watcher.send(wire.bytes(of: .live(end), in: line.subprotocol), at: now)
        catchUp.announcedEnd = nil
      } else if catchUp.announcedEnd == nil, catchUp.cursor >= shown {
        watcher.stage = .live
        return
      } else if let run = tail.piece(
        after: catchUp.cursor, through: catchUp.announcedEnd ?? shown, limit: policy.piece)
      {
        let message = wire.run(run, in: line.subprotocol)
        watcher.send(message, at: now)
        turns.spend(message.count)
        catchUp.cursor = run.lastRevision
        budget -= message.count
      } else {
        catchUp.isBusy = true
        watcher.stage = .behind(catchUp)
        return readLog(for: watcher, after: catchUp.cursor)
      }
    }
    pause(watcher, catchUp)
  }

  private func pause(_ watcher: Watcher, _ catchUp: CatchUp) {
    var catchUp = catchUp
    catchUp.isBusy = true
    watcher.stage = .behind(catchUp)
    let me = Confined((host: self, watcher: watcher), to: loop)
    let turn = watcher.turn
    watcher.line.loopOutbox.whenWritten { me.value.host.resume(me.value.watcher, turn) }
  }

  /// The loop has sent enough for this turn.
  private func wait(_ watcher: Watcher, _ catchUp: CatchUp) {
    var catchUp = catchUp
    catchUp.isBusy = true
    watcher.stage = .behind(catchUp)
    let turn = watcher.turn
    turns.later { [weak self] in self?.resume(watcher, turn) }
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
    if reads[key] != nil {
      reads[key]?.append((watcher, watcher.turn))
      return
    }
    reads[key] = [(watcher, watcher.turn)]
    let (room, limit) = (room, policy.piece)
    storeQueue.ask { store throws(LogError) in
      try await StoredPiece.read(room, key, from: store, limit: limit)
    } then: { [weak self] result in
      self?.hasRead(key, result)
    }
  }

  private func hasRead(_ key: ReadKey, _ result: Result<[StoredPiece], LogError>) {
    let waiting = reads.removeValue(forKey: key) ?? []
    guard !isClosed else { return }
    let (wire, now) = (wire, clock())
    switch result {
    case .failure(let error):
      // Of an earlier place: nobody waits for it any more.
      guard waiting.contains(where: { $0.0.turn == $0.turn }) else { return }
      return skip(error, at: now)
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
    let through = catchUp.announcedEnd ?? shown
    for index in messages.indices {
      let piece = messages[index].0
      guard piece.last > through else {
        watcher.send(messages[index].1.bytes(in: watcher.line.subprotocol), at: now)
        catchUp.cursor = piece.last
        continue
      }
      // The rest has not been shown yet.
      if let run = piece.run(of: room, through: through, in: storeQueue.store) {
        watcher.send(wire.run(run, in: watcher.line.subprotocol), at: now)
        catchUp.cursor = through
      }
      break
    }
    guard catchUp.cursor > cursor else {
      return part(from: watcher, Farewell(Refusal(.internalFailure), comeBack: true), at: now)
    }
    pause(watcher, catchUp)
  }
}
