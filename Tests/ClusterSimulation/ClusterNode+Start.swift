// How a node starts and leaves: a model of `Incarnation` and of `PostgresLogStore.shutdown`.

extension ClusterNode {
  private static let standstill = 60_000_000
  private static let patience = 10_000_000

  func start() {
    life.note("node \(["a", "b", "c"][name]) starts")
    life.database.connect(process) { [self] connection in
      guard let connection else { return exit() }
      connection.session.idleLimit = Self.standstill
      findEarlier(connection)
    }
    process.after(3 * Self.patience) { [self] in if !isServing { exit() } }
  }

  private func step(_ connection: Connection, _ request: SessionRequest, _ next: @escaping () -> Void) {
    connection.ask(request, limit: nil) { [self] answer in
      guard case .carriedOut = meaning(answer) else { return exit() }
      next()
    }
  }

  private func findEarlier(_ connection: Connection) {
    let (life, name, server) = (life, name, connection.session.server)
    var earlier: [Int] = []
    let find = SessionRequest(
      tag: "start", wishes: [.alone(.start)],
      body: { tables in
        for (id, row) in tables.unrecovered {
          let isSilent = row.beat.map { life.database.clock - $0 >= ClusterLife.silence / 1_000 } ?? true
          let isAlone = !server.sessions.contains { $0.incarnation == id }
          let isOld = life.clock.now - server.isThereSince > ClusterLife.grace
          if row.node == name || (isSilent && isAlone && isOld) || life.planted == .startFencesAll {
            earlier.append(id)
          }
        }
        return .writes([])
      }, ends: false)
    step(connection, find) { [self] in
      fence(earlier, connection)
    }
  }

  private func fence(_ earlier: [Int], _ connection: Connection) {
    let (life, name, server) = (life, name, connection.session.server)
    var found: TablesModel?
    let ending = SessionRequest(
      tag: "start",
      body: { _ in
        for session in server.sessions where session.incarnation.map(earlier.contains) ?? false {
          server.signalEnd(session)
        }
        return .writes([])
      }, ends: false)
    let fencing = SessionRequest(
      tag: "start",
      wishes: earlier.flatMap { id in (0...2).map { LockWish.alone(.fence(id, purpose: $0)) } }
        + earlier.map { .alone(.incarnation($0)) },
      body: { tables in
        found = tables
        for id in earlier where tables.incarnations[id].map({ $0.node != name }) ?? false {
          life.check(id, fencedAt: server)
        }
        return .writes(earlier.map { .fence($0, purposes: 0...2) })
      }, ends: false)
    step(connection, ending) { [self] in
      step(connection, fencing) { [self] in
        guard let found else { return exit() }
        begin(earlier.filter { found.incarnations[$0]?.isRecovered == false }, found, connection)
      }
    }
  }

  private func begin(_ earlier: [Int], _ found: TablesModel, _ connection: Connection) {
    var writes: [TablesModel.Write] = []
    for id in earlier {
      guard case .success(let more) = Self.recovery(of: id, found) else {
        life.note("a start cannot recover incarnation \(id)")
        return exit()
      }
      writes += more
    }
    let (life, id, name, server) = (life, life.nextIncarnation(), name, connection.session.server)
    var slot = 0
    let making = SessionRequest(
      tag: "start", wishes: earlier.flatMap { Self.recoveryLocks(of: $0, found) },
      body: { tables in
        // What is recovered here is not there any more.
        var rows = tables.unrecovered.filter { !earlier.contains($0.id) }
        if life.planted == .slotTakenEarly {
          rows.removeAll { node in !server.sessions.contains { $0.incarnation == node.id } }
        }
        let taken = Set(rows.map(\.row.slot))
        slot = (0...).first { !taken.contains($0) } ?? 0
        return .writes(writes + [.start(id: id, node: name, slot: slot, beat: life.database.clock)])
      }, shown: { life.noteBeat(of: id, at: server) })
    step(connection, making) { [self] in
      (incarnation, self.slot) = (id, slot)
      connection.session.incarnation = id
      commits.connected(isPatient: true) { [self] _ in
        connection.drop()
        isServing = true
        life.note("\(self) serves, slot \(slot)")
        beatOn()
        sealOn()
      }
    }
  }

  /// SIGTERM: members are sent off, logs are released, and the node is recovered by itself.
  func drain(to heir: Int?) {
    guard isOpen else { return }
    isLeaving = true
    life.note("\(self) is drained")
    release(held.keys.sorted(), to: heir) { [self] in
      seal { [self] isDone in
        isServing = false
        guard isDone else { return exit() }
        connect { [self] connection in
          guard let connection else { return exit() }
          recover(incarnation, connection, own: true) { [self] _ in exit() }
        }
      }
    }
  }
}
