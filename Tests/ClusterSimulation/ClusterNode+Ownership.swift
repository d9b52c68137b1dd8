import NodeCore

// Claims and releases, one after the other: a model of `Ownership`. What a look says of a log is `OwnershipObstacle`'s.

extension ClusterNode {
  private struct Sight {
    var owner: Int?
    var events: [ClientEvent]
    var isFenced: Bool
    var silence: Int64
  }

  /// `done` is told why the log cannot be this node's, and whether it is asked for in vain.
  func claim(_ log: Int, done: @escaping (OwnershipObstacle?, Bool) -> Void) {
    claims.append((log, done))
    guard claims.count == 1 else { return }
    onCatalog { [self] next in makeClaims(next) }
  }

  /// Does one thing after the other, as the thread of claims.
  private func onCatalog(_ job: @escaping (@escaping () -> Void) -> Void) {
    catalogJobs.append(job)
    runCatalog()
  }

  private func runCatalog() {
    guard !isCatalogBusy, !catalogJobs.isEmpty else { return }
    isCatalogBusy = true
    let job = catalogJobs.removeFirst()
    job { [self] in
      isCatalogBusy = false
      runCatalog()
    }
  }

  private func makeClaims(_ next: @escaping () -> Void) {
    let waiting = claims
    claims = []
    let due = Set(waiting.map(\.log)).filter { held[$0] == nil }.sorted()
    func finish(_ obstacles: [Int: OwnershipObstacle], _ isAnswered: Bool) {
      next()
      for claim in waiting {
        let isHeld = held[claim.log] != nil
        claim.done(isHeld ? nil : obstacles[claim.log], isHeld || isAnswered)
      }
    }
    guard !due.isEmpty else { return finish([:], true) }
    look(for: due) { [self] before in
      guard let before else { return finish([:], false) }
      var obstacles: [Int: OwnershipObstacle] = [:]
      for log in due { obstacles[log] = obstacle(before[log]) }
      let free = due.filter { obstacles[$0] == nil }
      guard !free.isEmpty else { return finish(obstacles, true) }
      writeClaims(free) { [self] after in
        // Only now: after a crash the server may show what no standby has, until this answer covers it.
        guard let after else { return finish([:], false) }
        for log in free {
          guard let found = after[log], found.owner == incarnation else {
            obstacles[log] = obstacle(after[log]) ?? .changingOwner
            continue
          }
          let events = life.planted == .readBeforeClaim ? before[log]?.events ?? [] : found.events
          held[log] = HeldLog(log, events, knowsCounters: life.planted != .countersForgotten)
        }
        finish(obstacles, true)
      }
    }
  }

  private func obstacle(_ sight: Sight?) -> OwnershipObstacle? {
    let isOthers = sight?.owner != nil && sight?.owner != incarnation
    if isOthers, life.planted == .claimOfOwned { return nil }
    return OwnershipObstacle(
      isLive: sight != nil,
      owner: isOthers ? sight.map { .init(isFenced: $0.isFenced, silence: $0.silence) } : nil,
      limit: Int64(ClusterLife.silence / 1_000))
  }

  private func look(for logs: [Int], _ done: @escaping ([Int: Sight]?) -> Void) {
    catalog.connected(isPatient: false) { [self] connection in
      guard let connection else { return done(nil) }
      var found: [Int: Sight] = [:]
      let clock = { [life] in life.database.clock }
      let request = SessionRequest(
        tag: "owners",
        body: { tables in
          found = Self.sights(of: logs, tables, at: Int64(clock()))
          return .writes([])
        })
      connection.ask(request, limit: ClusterLife.patience) { [self] answer in
        if case .carriedOut = meaning(answer) { return done(found) }
        catalog.drop()
        done(nil)
      }
    }
  }

  private static func sights(of logs: [Int], _ tables: TablesModel, at now: Int64) -> [Int: Sight] {
    var found: [Int: Sight] = [:]
    for log in logs {
      let owner = tables.logs[log].owner.flatMap { tables.incarnations[$0] }
      found[log] = Sight(
        owner: tables.logs[log].owner, events: tables.logs[log].events,
        isFenced: tables.logs[log].owner.map { tables.isFenced($0) } ?? false,
        silence: owner?.beat.map { now - Int64($0) } ?? 0)
    }
    return found
  }

  /// `done` is told what the transaction sees behind the claim; nothing, if that was not carried out.
  private func writeClaims(_ logs: [Int], _ done: @escaping ([Int: Sight]?) -> Void) {
    let (incarnation, takesOwned) = (incarnation, life.planted == .claimOfOwned)
    let clock = { [life] in life.database.clock }
    var found: [Int: Sight] = [:]
    transaction(
      catalog, purpose: 2, tag: "claim", reads: { _ in }, locks: { logs.map { .alone(.log($0)) } },
      writes: { tables in
        let taken = logs.filter { tables.logs[$0].owner == nil || takesOwned }
        found = Self.sights(of: logs, tables, at: Int64(clock()))
        for log in taken { found[log]?.owner = incarnation }
        return taken.map { .owner(log: $0, incarnation) }
      }, done: { done($0 ? found : nil) })
  }

  // MARK: Giving up

  /// Everything appended is committed and sealed, and then nobody owns the logs, or `heir` does. In the order of the engine's
  /// `handOver`: members stay, and are not heard, until the logs are another's to take; only then they are sent off.
  func release(_ logs: [Int], to heir: Int?, done: @escaping () -> Void = {}) {
    let own = logs.filter { held[$0]?.isReleasing == false }
    guard !own.isEmpty else { return done() }
    if life.planted == .releasedUnsealed { return writeRelease(own, heir, done) }
    seal { [self] _ in
      guard life.planted != .releasedWhileOpen else { return writeRelease(own, heir, done) }
      // Not one that is being given up already: when that is done, the log may be this node's anew.
      let given = own.filter { held[$0].map { !$0.isReleasing || life.planted == .releasedTwice } ?? false }
      for log in given { held[log]?.isReleasing = true }
      whenCommitted(given) { [self] in
        seal { [self] isDone in
          // What is not sealed stays this node's: it is tried again.
          guard isDone else {
            for log in given { held[log]?.isReleasing = false }
            return done()
          }
          writeRelease(given, heir, done)
        }
      }
    }
  }

  private func whenCommitted(_ logs: [Int], _ body: @escaping () -> Void) {
    guard logs.contains(where: { held[$0].map { $0.durable < $0.events.count } ?? false }) else {
      return body()
    }
    process.after(20_000) { [self] in whenCommitted(logs, body) }
  }

  private func writeRelease(_ logs: [Int], _ heir: Int?, _ done: @escaping () -> Void) {
    let dropsFirst = life.planted != .releasedWhileOpen
    onCatalog { [self] next in
      // Before the rows can say that they are another's.
      if dropsFirst { drop(logs) }
      let incarnation = incarnation
      transaction(
        catalog, purpose: 2, tag: "release", reads: { _ in },
        locks: { (heir.map { [.share(.incarnation($0))] } ?? []) + logs.map { .alone(.log($0)) } },
        writes: { tables in
          // The share of its row keeps the heir from being recovered before it has the logs.
          let isThere = heir.map { tables.incarnations[$0]?.isRecovered == false } ?? false
          return logs.filter { tables.logs[$0].owner == incarnation }
            .map { .owner(log: $0, isThere ? heir : nil) }
        },
        done: { [self] _ in
          drop(logs)
          for log in logs { givenUp.removeValue(forKey: log).map(sendOff) }
          next()
          done()
        })
    }
  }

  private func drop(_ logs: [Int]) {
    for log in logs {
      guard let gone = held.removeValue(forKey: log) else { continue }
      givenUp[log] = gone
      unsealed.removeAll { $0.part.log == log }
    }
  }
}
