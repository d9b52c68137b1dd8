import NodeCore

/// When a look at the beats was made, and what was true then.
struct LookTruth {
  var time: Int
  /// When each incarnation beat last, on the life's clock.
  var beats: [Int: Int]
  var isActing: Bool
}

// What must hold on the way, what readers see, and how a life ends.

extension ClusterLife {
  // MARK: Checks on the way

  func noteBeat(of incarnation: Int, at server: DatabaseServer) {
    if server === database.acting { lastBeats[incarnation] = clock.now }
  }

  /// Beats wait for no disk, so that a crash may lose the last ones. Then nobody can know of them.
  func crashed(_ server: DatabaseServer, losing lost: [TablesModel.Write]) {
    guard server === database?.acting else { return }
    for case .beat(let incarnation, _) in lost { lastBeats[incarnation] = nil }
  }

  func shown(_ count: Int, of log: Int) { seen[log] = max(seen[log], count) }

  private func isTooEarly(_ time: Int, _ limit: Int) -> Bool { time < limit * Self.nearly / 100 }

  /// A node with a fresh beat is never taken for dead, nor one that the judge has not watched for so long.
  func check(_ victim: Int, judgedBy judge: ClusterNode, _ truth: LookTruth, reachable: Set<Int>) {
    note("\(judge) takes incarnation \(victim) for dead")
    guard truth.isActing else { return }
    if reachable.contains(victim) { fault("judge: \(judge) takes \(victim) for dead, which it reaches") }
    let last = truth.beats[victim]
    if let last, isTooEarly(truth.time - last, Self.silence) {
      fault("judge: \(judge) takes \(victim) for dead \((truth.time - last) / 1_000) ms after its beat")
    }
    let process = judge.process
    // What it looked at before it stood still may count.
    let hasSlept = process.wentOn - process.stopped >= Self.silence && truth.time >= process.wentOn
    if hasSlept, isTooEarly(clock.now - process.wentOn, Self.silence), judge.jumped < process.wentOn {
      fault(
        "judge: \(judge) takes \(victim) for dead, and stood still itself \((clock.now - process.wentOn) / 1_000) ms ago"
      )
    }
    if let since = judge.watchingSince, let last, last < since, judge.jumped < since,
      isTooEarly(clock.now - judge.firstLook, Self.grace)
    {
      fault("judge: \(judge) takes \(victim) for dead, and has not seen it beat since it is connected")
    }
  }

  /// The same where the fence is set.
  func check(_ victim: Int, fencedAt server: DatabaseServer) {
    guard server === database.acting, let last = lastBeats[victim] else { return }
    if isTooEarly(clock.now - last, Self.silence) {
      fault("judge: \(victim) is fenced \((clock.now - last) / 1_000) ms after its beat")
    }
    if network.late == 0, !database.isBusy, clock.now >= troubledUntil + Self.recovered,
      let node = nodes.first(where: { $0.incarnation == victim }), node.isServing, node.isRunning,
      !node.isMute
    {
      fault("judge: \(node) is fenced, and has been well for long, as has the database")
    }
  }

  // MARK: Readers

  /// Somebody opens the store to read it as it is at one moment.
  func look() {
    let process = SimulatedProcess(clock)
    database.connect(process) { [self] connection in
      guard let connection else { return }
      let known = seen
      let server = connection.session.server
      var found: [(log: Int, events: [ClientEvent])] = []
      let read = SessionRequest(
        tag: "read",
        body: { [self] tables in
          let fold = FrameFold(
            tables.unrecovered.flatMap { tables.frames(of: $0.id, slot: $0.row.slot) }, over: tables)
          if let damage = fold.damage { fault("read: \(damage)") }
          for log in tables.logs.indices {
            let events = tables.logs[log].events + (fold.fresh[log] ?? [])
            found.append((log, events))
            if server === database?.acting, events.count < known[log] {
              fault(
                "read: a reader finds \(events.count) events of log \(log), of which \(known[log]) were acknowledged"
              )
            }
          }
          note("a reader has read")
          return .writes([])
        })
      guard planted != .readerDoesNotWait else {
        return connection.ask(read, limit: nil) { [self] _ in
          views += found
          connection.drop()
        }
      }
      let record = SessionRequest(tag: "record", body: { _ in .writes([.message]) })
      // Before it reads, as each connection that reads does, and after it, before anything is shown.
      connection.ask(record, limit: Self.patience) { [self] answer in
        guard case .done(let warnings) = answer, !reading.isOpen(warnings: warnings) else {
          return connection.drop()
        }
        connection.ask(read, limit: nil) { [self] _ in
          connection.ask(record, limit: Self.patience) { [self] answer in
            if case .done(let warnings) = answer, !reading.isOpen(warnings: warnings) { views += found }
            connection.drop()
          }
        }
      }
    }
  }

  // MARK: The end

  /// All is well again, but for what stays lost: everything must be answered and recovered in a bounded time.
  func settle() {
    let end = clock.now + 40_000_000
    while database.isBusy, clock.now < end { clock.run(until: clock.now + 100_000) }
    isProducing = false
    network.heal()
    network.late = 0
    for standby in database.standbys { standby.isPaused = false }
    note("from here on nothing happens any more")
    let spared = dice.number(0...2)
    for node in nodes where node.process.condition == .standsStill {
      if node.name == spared || dice.isLucky(1, in: 2) { node.process.goOn() }
    }
    for name in 0..<3 where name != spared && dice.isLucky(1, in: 3) { gone.insert(name) }
    for node in nodes where node.name != spared && dice.isLucky(1, in: 4) {
      // For ever, in the middle of a transaction.
      node.process.strikeInside = { [self] in
        note("\(node) stands still")
        node.process.standStill()
      }
    }
    let limit = clock.now + Self.bound
    while faults.isEmpty, !isSettled, clock.now < limit { clock.run(until: clock.now + 250_000) }
    // Who has nothing to say stays with an old primary without being noticed, until others take it for dead.
    if isSettled, database.hasOldPrimary { return clock.run(until: clock.now + Self.oldPrimaryWatched) }
    guard faults.isEmpty, !isSettled else { return }
    let unanswered = clients.filter { !$0.unanswered.isEmpty }.map { "\($0) of log \($0.log)" }
    fault(
      "late: \(Self.bound / 1_000_000) s after all was well without an answer: \(unanswered), not recovered: \(unrecovered)"
    )
  }

  private var unrecovered: [Int] {
    let serving = Set(nodes.filter { $0.isServing && $0.isRunning }.map(\.incarnation))
    return database.acting.shown.unrecovered.map(\.id).filter { !serving.contains($0) }
  }

  private var isSettled: Bool { clients.allSatisfy { $0.unanswered.isEmpty } && unrecovered.isEmpty }

  /// What is in the log, against what everybody was told.
  func reckon() {
    let tables = database.acting.shown
    let fold = FrameFold(
      tables.unrecovered.flatMap { tables.frames(of: $0.id, slot: $0.row.slot) }, over: tables)
    if let damage = fold.damage { return fault("log: \(damage)") }
    let logs = tables.logs.indices.map { tables.logs[$0].events + (fold.fresh[$0] ?? []) }
    for (log, events) in logs.enumerated() {
      var last: [Int: Int] = [:]
      for event in events {
        let before = last[event.client] ?? 0
        if event.counter <= before {
          fault("twice: command \(event.counter) of client \(event.client) in log \(log)")
        }
        if event.counter > before + 1 {
          fault("order: command \(event.counter) of client \(event.client) follows \(before)")
        }
        last[event.client] = event.counter
      }
    }
    for client in clients where !logs[client.log].starts(with: client.mirror) {
      fault(
        "seen: \(client) was shown \(client.mirror.count) events of log \(client.log), which has others or fewer (\(logs[client.log].count))"
      )
    }
    for view in views where !logs[view.log].starts(with: view.events) {
      fault(
        "seen: a reader was shown \(view.events.count) events of log \(view.log), which has others or fewer (\(logs[view.log].count))"
      )
    }
  }
}
