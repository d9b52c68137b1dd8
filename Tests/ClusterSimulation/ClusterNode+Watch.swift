import NodeCore

// Beats, judging, fences and recoveries: a model of `NodeWatch`, `NodeEnd` and `NodeRecovery`. Who is dead is said by
// `NodeSight` and `NodeJudge`.

extension ClusterNode {
  /// Microseconds between two beats.
  private static let beat = 500_000
  /// The least between two choices of a server for the beats, while none of its standbys is there.
  private static let choicePause = 1_000_000
  /// After which the server ends a recovery whose node stands still.
  private static let standstill = 20_000_000
  private static let recoverySilence = 60_000_000
  /// After so long a fence that has no answer is left to itself, and tried again.
  private static let fenceSilence = 2_000_000

  func beatOn() {
    guard isServing else { return }
    guard !isMute else { return pauseBeating() }
    guard let beats else {
      judge.lostConnection()
      watchingSince = nil
      return connect { [self] fresh in
        beats = fresh
        if fresh == nil { pauseBeating() } else { beatOnce() }
      }
    }
    if beats.isOpen { return beatOnce() }
    self.beats = nil
    beatOn()
  }

  private func pauseBeating() { process.after(Self.beat) { [self] in beatOn() } }

  private func beatOnce() {
    guard let beats else { return pauseBeating() }
    let (incarnation, life, server) = (incarnation, life, beats.session.server)
    var (seen, now, truth): ([NodeSight.SeenNode], Int, LookTruth?) = ([], 0, nil)
    var isLeft = false
    let request = SessionRequest(
      tag: "beat",
      body: { tables in
        now = life.database.clock
        isLeft = server.waitsForStandbys && !server.hasFollower
        seen = tables.unrecovered.map { id, _ in
          .init(
            incarnation: Int64(id), beat: Int64(tables.incarnations[id]?.beat ?? 0),
            isFenced: tables.incarnations[id]?.fences.contains(where: \.isFenced) ?? false)
        }
        truth = LookTruth(
          time: life.clock.now, beats: life.lastBeats, isActing: server === life.database.acting)
        return .writes([.beat(incarnation, now)])
      }, isSync: false, shown: { life.noteBeat(of: incarnation, at: server) })
    beats.ask(request, limit: ClusterLife.silence) { [self] answer in
      guard case .carriedOut = meaning(answer), let truth else {
        self.beats?.drop()
        self.beats = nil
        return pauseBeating()
      }
      if isLeft { leaveServer() }
      take(NodeSight(seen, now: Int64(now), own: Int64(incarnation)), truth)
    }
  }

  /// A beat waits for no standby, and so an old primary answers it for ever: all servers are asked anew.
  private func leaveServer() {
    guard life.planted != .oldPrimaryKept,
      life.clock.now - movedBeats >= Self.choicePause
    else { return }
    movedBeats = life.clock.now
    beats?.drop()
    beats = nil
  }

  private func take(_ sight: NodeSight, _ truth: LookTruth) {
    guard let look = sight.look else { return end(.fenced) }
    if watchingSince == nil { (watchingSince, firstLook) = (truth.time, life.clock.now) }
    let reachable = life.reachable(from: self)
    let dead = judge.dead(look, at: Int64(clock / 1_000), reachable: Set(reachable.map { Int64($0) })).map {
      Int($0)
    }
    for victim in dead { life.check(victim, judgedBy: self, truth, reachable: reachable) }
    due = Set(dead + sight.fenced.map { Int($0) }).sorted()
    endOthers()
    pauseBeating()
  }

  // MARK: Ending others

  private func endOthers() {
    guard !isEnding, isServing, !isDead else { return }
    guard !due.isEmpty else { return }
    let victim = due.removeFirst()
    if let before = failed[victim], life.clock.now < before.next { return endOthers() }
    isEnding = true
    end(victim) { [self] outcome in
      isEnding = false
      if outcome == .failed {
        let pause = failed[victim].map { min(2 * $0.pause, 30_000_000) } ?? 500_000
        failed[victim] = (life.clock.now + pause, pause)
      } else {
        failed[victim] = nil
      }
      endOthers()
    }
  }

  enum EndOutcome { case recovered, nothingToDo, failed }

  private func end(_ victim: Int, _ done: @escaping (EndOutcome) -> Void) {
    life.note("\(self) ends incarnation \(victim)")
    connect { [self] connection in
      guard let connection else { return done(.failed) }
      connection.session.idleLimit = Self.standstill
      if hesitates > 0 {
        life.stop(self, hesitates / 1_000)
        hesitates = 0
      }
      process.run { [self] in endVictim(victim, connection, done) }
    }
  }

  private func endVictim(_ victim: Int, _ connection: Connection, _ done: @escaping (EndOutcome) -> Void) {
    fence(victim, connection) { [self] isFenced in
      guard isFenced else {
        connection.drop()
        return done(.failed)
      }
      if life.planted == .recoveredInPieces { return recoverInPieces(victim, connection, done) }
      recover(victim, connection, own: false) { outcome in
        connection.drop()
        done(outcome)
      }
    }
  }

  private func fence(_ victim: Int, _ connection: Connection, _ done: @escaping (Bool) -> Void) {
    guard life.planted != .recoveredUnfenced else { return done(true) }
    let (incarnation, life, server) = (incarnation, life, connection.session.server)
    // Both beats are asked for once more: this node may have stood still since it judged.
    func mayFence(_ tables: TablesModel) -> Bool {
      if tables.incarnations[victim]?.fences.contains(where: \.isFenced) ?? true { return true }
      if life.planted == .noSecondLook { return true }
      func isFresh(_ node: Int) -> Bool {
        tables.incarnations[node]?.beat.map { $0 > life.database.clock - ClusterLife.silence / 1_000 }
          ?? false
      }
      return isFresh(incarnation) && !isFresh(victim)
    }
    var isUnderWay = false
    let ending = SessionRequest(
      tag: "end",
      body: { tables in
        isUnderWay = server.sessions.contains { $0.incarnation == incarnation && $0.current?.tag == "fence" }
        // First, because an earlier fence may wait for one of these connections.
        guard life.planted != .connectionsLeft, mayFence(tables) else { return .writes([]) }
        for session in server.sessions where session.incarnation == victim { server.signalEnd(session) }
        return .writes([])
      })
    let purposes = life.planted == .onlyCommitsFenced ? 0...0 : 0...2
    let fencing = SessionRequest(
      tag: "fence",
      condition: { tables in
        guard mayFence(tables) else { return false }
        if tables.incarnations[victim]?.fences.contains(where: \.isFenced) == false {
          life.check(victim, fencedAt: server)
        }
        return true
      },
      wishes: purposes.map { .alone(.fence(victim, purpose: $0)) },
      body: { _ in .writes([.fence(victim, purposes: purposes)]) })
    connection.ask(ending, limit: Self.recoverySilence) { [self] answer in
      guard case .carriedOut = meaning(answer), !isUnderWay else { return done(false) }
      connection.ask(fencing, limit: Self.fenceSilence) { [self] answer in
        guard case .carriedOut = meaning(answer) else { return done(false) }
        done(true)
      }
    }
  }

  /// What a recovery writes, by what it has read.
  static func recovery(of victim: Int, _ tables: TablesModel, sealsOnly: Set<Int>? = nil) -> Result<
    [TablesModel.Write], RecoveryDamage
  > {
    let slot = tables.incarnations[victim]?.slot ?? 0
    let own = sealsOnly ?? Set(tables.logs.indices.filter { tables.logs[$0].owner == victim })
    let fold = FrameFold(tables.frames(of: victim, slot: slot), over: tables, logs: own)
    if let damage = fold.damage { return .failure(RecoveryDamage(what: damage)) }
    var writes: [TablesModel.Write] = []
    for log in own.sorted() {
      if let fresh = fold.fresh[log] {
        writes.append(.blocks(log: log, after: tables.logs[log].events.count, fresh))
      }
    }
    if sealsOnly == nil { writes += own.sorted().map { .owner(log: $0, nil) } }
    writes += TablesModel.tables(slot: slot).map { .truncate(table: $0) }
    return .success(writes + [.recovered(victim), .noBeat(victim)])
  }

  static func recoveryLocks(of victim: Int, _ tables: TablesModel) -> [LockWish] {
    tables.logs.indices.filter { tables.logs[$0].owner == victim }.map { .alone(.log($0)) }
      + TablesModel.tables(slot: tables.incarnations[victim]?.slot ?? 0).map { .alone(.table($0)) }
  }

  /// - Parameter own: fences this node itself, in the same transaction.
  func recover(
    _ victim: Int, _ connection: Connection, own: Bool, sealsOnly: Set<Int>? = nil,
    _ done: @escaping (EndOutcome) -> Void
  ) {
    var found: TablesModel?
    let asksFence = !own && ![.recoveredUnfenced, .onlyCommitsFenced].contains(life.planted)
    let begin = SessionRequest(
      tag: "recover",
      wishes: (own ? (0...2).map { .alone(.fence(victim, purpose: $0)) } : [])
        + [LockWish(name: .incarnation(victim), isExclusive: true, skips: true)],
      body: { tables in
        guard let row = tables.incarnations[victim], !row.isRecovered else { return .writes([]) }
        guard !asksFence || row.fences.allSatisfy(\.isFenced) else { return .writes([]) }
        found = tables
        return .writes(own ? [.fence(victim, purposes: 0...2)] : [])
      }, ends: false)
    connection.ask(begin, limit: Self.recoverySilence) { [self] answer in
      guard case .carriedOut = meaning(answer) else { return done(.failed) }
      guard let found else { return done(.nothingToDo) }
      guard case .success(let writes) = Self.recovery(of: victim, found, sealsOnly: sealsOnly) else {
        life.note("\(self) cannot recover incarnation \(victim)")
        return done(.failed)
      }
      let finish = SessionRequest(
        tag: "recover", wishes: Self.recoveryLocks(of: victim, found), body: { _ in .writes(writes) })
      connection.ask(finish, limit: Self.recoverySilence) { [self] answer in
        guard case .carriedOut = meaning(answer) else { return done(.failed) }
        life.note("\(self) has recovered incarnation \(victim)")
        done(.recovered)
      }
    }
  }

  /// The planted fault: first the logs are nobody's, and then they are sealed.
  private func recoverInPieces(
    _ victim: Int, _ connection: Connection, _ done: @escaping (EndOutcome) -> Void
  ) {
    var own: Set<Int> = []
    let freeing = SessionRequest(
      tag: "recover",
      body: { tables in
        own = Set(tables.logs.indices.filter { tables.logs[$0].owner == victim })
        return .writes(own.sorted().map { .owner(log: $0, nil) })
      })
    connection.ask(freeing, limit: Self.recoverySilence) { [self] answer in
      guard case .carriedOut = meaning(answer) else { return done(.failed) }
      recover(victim, connection, own: false, sealsOnly: own) { outcome in
        connection.drop()
        done(outcome)
      }
    }
  }
}

struct RecoveryDamage: Error { var what: String }
