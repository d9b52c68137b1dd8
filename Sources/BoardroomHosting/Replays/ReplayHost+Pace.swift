import BoardroomCore
import BoardroomModel
import EventLogModel

// What the machine says is carried out here.

extension ReplayHost {
  /// Records are handed out this far apart at least. 20 ms: finer than anyone sees a pen move.
  private static let step = Duration.milliseconds(20)

  /// Does what is due now, and sees to it that it is done again when the next thing is.
  func pulse(at now: Timestamp) {
    guard !isClosed else { return }
    carryOut(machine.tick(at: now, isComplete: shown == last), at: now)
    guard !isClosed else { return }
    dispatch()
    sleep(at: now)
  }

  func carryOut(_ answers: [ReplayMachine.Instruction], at now: Timestamp) {
    for answer in answers where !isClosed {
      switch answer {
      case .show(let time): show(through: time, at: now)
      case .find(let place, let search): find(place, search)
      case .look: look()
      case .tell: tellAll(at: now)
      }
    }
  }

  private func sleep(at now: Timestamp) {
    guard let wake = machine.wake(next: ahead.first?.firstTime) else { return }
    let due = max(wake, now + Self.step)
    guard timer.map({ due < $0 || $0 <= now }) ?? true else { return }
    timer = due
    let me = Confined(Weakly(self), to: loop)
    loop.execute(after: due - now) { me.value.host?.woke() }
  }

  private func woke() {
    let now = clock()
    if let timer, timer <= now { self.timer = nil }
    pulse(at: now)
  }

  // MARK: Showing

  private func show(through time: Timestamp, at now: Timestamp) {
    while let run = ahead.first, let due = run.part(notAfter: time) {
      deliver(due, at: now)
      if let rest = run.suffix(after: due.lastRevision) {
        ahead[0] = rest
        break
      }
      ahead.removeFirst()
    }
    readAhead()
  }

  /// The records as they lie in the log, for all who have everything before them.
  private func deliver(_ run: Run, at now: Timestamp) {
    tail.append(run)
    shown = run.lastRevision
    let wire = wire
    var message = EncodedOnce { wire.run(run, in: $0) }
    for watcher in watchers.values {
      guard case .live = watcher.stage else { continue }
      if watcher.line.isFull {
        watcher.stage = .behind(CatchUp(cursor: run.first.previous))
      } else {
        watcher.send(message.bytes(in: watcher.line.subprotocol), at: now)
      }
    }
  }

  /// Keeps a piece of the log in memory ahead of what is shown.
  func readAhead() {
    let end = ahead.last?.lastRevision ?? shown
    let held = ahead.reduce(0) { $0 + $1.records.count }
    guard !isReading, !isClosed, end < last, held < policy.piece / 2 else { return }
    isReading = true
    let (room, limit, turn) = (room, policy.piece, turn)
    storeQueue.ask { store throws(LogError) in
      try await store.runs(of: room, after: end, limit: limit)
    } then: { [weak self] result in
      self?.hasRead(result, turn)
    }
  }

  private func hasRead(_ result: Result<[Run], LogError>, _ turn: Int) {
    guard !isClosed, turn == self.turn else { return }
    isReading = false
    switch result {
    case .success(let runs) where !runs.isEmpty:
      ahead += runs
      last = max(last, ahead.last?.lastRevision ?? last)
      pulse(at: clock())
    case .success: close(with: Farewell(Refusal(.internalFailure), comeBack: true))
    case .failure(let error): skip(error, at: clock())
    }
  }

  // MARK: The end

  private func look() {
    let room = room
    storeQueue.ask { store throws(LogError) in
      try await store.info(of: room)
    } then: { [weak self] result in
      self?.hasLooked(result)
    }
  }

  private func hasLooked(_ result: Result<LogInfo, LogError>) {
    guard !isClosed else { return }
    let now = clock()
    switch result {
    case .failure(let error): close(with: Farewell(Refusal(error), comeBack: true))
    case .success(let info):
      let goesOn = info.last > last
      last = max(last, info.last)
      carryOut(machine.looked(end: info.lastTime, goesOn: goesOn || shown < last, at: now), at: now)
      readAhead()
      pulse(at: now)
    }
  }

  // MARK: Telling

  func tellAll(at now: Timestamp) {
    let (wire, status) = (wire, machine.status(revision: shown, at: now))
    var message = EncodedOnce { wire.bytes(of: .replayed(status), in: $0) }
    for watcher in watchers.values where !watcher.isEntering {
      watcher.isOwedStatus = watcher.line.isFull
      if !watcher.isOwedStatus { watcher.send(message.bytes(in: watcher.line.subprotocol), at: now) }
    }
  }

  /// Who had no room for it is told where the replay stands.
  func payStatus(_ watcher: Watcher, at now: Timestamp) {
    guard watcher.isOwedStatus, !watcher.line.isFull else { return }
    watcher.isOwedStatus = false
    tell(watcher, at: now)
  }

  func tell(_ watcher: Watcher, _ refusal: Refusal? = nil, at now: Timestamp) {
    let status = machine.status(revision: shown, at: now, refusal: refusal)
    watcher.send(wire.bytes(of: .replayed(status), in: watcher.line.subprotocol), at: now)
  }
}

/// So that a timer keeps no replay alive.
private final class Weakly {
  private(set) weak var host: ReplayHost?
  init(_ host: ReplayHost) { self.host = host }
}

extension Run {
  /// The time of the first record.
  var firstTime: Timestamp {
    records.withUnsafeBytes { bytes in
      var walker = RecordWalker(bytes: bytes, first: first, base: base)
      return walker.next()?.time ?? base
    }
  }

  /// The records whose time is not after `time`; nil if there are none. Times never fall.
  func part(notAfter time: Timestamp) -> Run? {
    guard last > time else { return self }
    var count = 0
    records.withUnsafeBytes { bytes in
      var walker = RecordWalker(bytes: bytes, first: first, base: base)
      while let view = walker.next(), view.time <= time { count += 1 }
    }
    return count == 0 ? nil : prefix(through: first + (count - 1))
  }
}
