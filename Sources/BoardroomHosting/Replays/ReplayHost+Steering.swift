import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

// What watchers say.

extension ReplayHost {
  /// What was recorded cannot be changed, and a watcher is no account's login, which alone may ask (ASK-1).
  static let refusals = (
    command: Refusal(
      .notWritable, cause: "This is a replay: nothing in it can be changed.",
      cure: "Join the room itself, with a hello without replay."),
    ask: Refusal(
      .unknownKind, cause: "This is a replay: nobody is asked anything in it.",
      cure: "Ask over the connection of an account that is signed in.")
  )

  func steer(_ control: ReplayControl, _ watcher: Watcher, at now: Timestamp) {
    guard maySteer(watcher) else {
      let refusal = Refusal(
        .forbidden, cause: "Among several watchers a reader's token may not steer the replay.",
        cure: "Use a writer's or administrator's token, or watch alone.")
      if !watcher.line.isFull { tell(watcher, refusal, at: now) }
      return
    }
    carryOut(machine.apply(control, at: now), at: now)
  }

  private func maySteer(_ watcher: Watcher) -> Bool {
    switch watcher.entry.admission.role {
    case .admin, .writer: true
    case .reader: watchers.count == 1
    }
  }

  // MARK: Seeking

  func find(_ place: ReplayPlace, _ search: Int) {
    let room = room
    storeQueue.ask { store throws(LogError) in
      try await ReplayOpening.find(place, of: room, in: store)
    } then: { [weak self] result in
      self?.found(result, search)
    }
  }

  private func found(_ result: Result<FoundPlace, LogError>, _ search: Int) {
    guard !isClosed else { return }
    let now = clock()
    switch result {
    case .failure(let error): close(with: Farewell(Refusal(error), comeBack: true))
    case .success(let found):
      guard machine.arrived(search, place: found.time, end: found.info.lastTime, at: now) else { return }
      arrive(found, at: now)
    }
  }

  /// What cannot be read is passed over: the replay goes on at the next snapshot and says what is missing (RP-65).
  func skip(_ error: LogError, at now: Timestamp) {
    guard case .damaged(let damage) = error, let lost = damage.lost else {
      return close(with: Farewell(Refusal(error), comeBack: true))
    }
    let room = room
    storeQueue.ask { store throws(LogError) in
      try await store.snapshots(of: room).first { $0.revision.rawValue >= lost.upperBound }
    } then: { [weak self] result in
      self?.goOn(behind: lost, (try? result.get()) ?? nil)
    }
  }

  private func goOn(behind lost: ClosedRange<UInt64>, _ snapshot: SnapshotInfo?) {
    guard !isClosed else { return }
    let now = clock()
    let gap = "Revisions \(lost.lowerBound) to \(lost.upperBound) cannot be read"
    guard let snapshot else {
      let refusal = Refusal(
        .internalFailure, cause: "\(gap), and no snapshot lies behind them.",
        cure: "Tell the operator; what lies before them can be watched.")
      return close(with: Farewell(refusal, comeBack: false))
    }
    let refusal = Refusal(
      .internalFailure, cause: "\(gap): the replay goes on at revision \(snapshot.revision).",
      cure: "Tell the operator to verify the log.")
    for watcher in watchers.values.sorted(by: { $0.id < $1.id })
    where !watcher.isEntering && !watcher.line.isFull {
      tell(watcher, refusal, at: now)
    }
    carryOut(machine.apply(.seek(.revision(snapshot.revision)), at: now), at: now)
    dispatch()
  }

  /// Everyone begins anew from there; what was on its way is let go of.
  private func arrive(_ found: FoundPlace, at now: Timestamp) {
    turn += 1
    isReading = false
    ahead = []
    last = max(last, found.info.last)
    shown = found.revision
    tail = RecentRuns(after: shown, limit: policy.tail)
    let snapshot = found.snapshot.map { SnapshotMessages($0, wire: wire) }
    for watcher in watchers.values.sorted(by: { $0.id < $1.id }) where !watcher.isEntering {
      begin(watcher, from: snapshot, at: now)
    }
    tellAll(at: now)
    dispatch()
    readAhead()
    pulse(at: now)
  }
}
