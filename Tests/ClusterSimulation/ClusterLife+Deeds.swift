// What befalls a cluster.

extension ClusterLife {
  func trouble(_ microseconds: Int) {
    troubledUntil = max(troubledUntil, clock.now + microseconds)
  }

  func carry(_ deed: ClusterPlan.Deed, _ dice: Dice) {
    let serving = nodes.filter { $0.isServing && $0.isRunning }
    let node = dice.pick(serving)
    note("\(deed)")
    switch deed {
    case .wait: break
    case .kill: node.map { kill($0) }
    case .stop:
      guard let node else { return }
      stop(node, dice.isLucky(2, in: 3) ? dice.number(100...2_600) : dice.number(2_000...8_000))
    case .strike: node.map { strike($0, dice) }
    case .drain: if serving.count > 1 { node?.drain(to: heir(of: node, serving, dice)) }
    case .sleepAll: sleepAll(dice)
    case .jumpClock:
      jump {
        node?.clockAhead += dice.number(2...60) * 1_000_000; node?.jumped = clock.now
      }
    case .jumpDatabaseClock:
      jump {
        // While one node is slow, and not as slow as a dead one.
        let time = dice.number(300...1_300)
        node?.process.standStill()
        after(time) { node?.process.goOn() }
        after(time - 60) { [self] in database.clockAhead += dice.number(400...6_000) }
      }
    case .mute:
      guard let node else { return }
      note("the beats of \(node) do not get through")
      trouble(8_000_000)
      node.isMute = true
      after(dice.number(1_000...4_000)) { node.isMute = false }
    case .doubt:
      guard let node, serving.count > 1 else { return }
      for other in serving where other !== node { other.hesitates = dice.number(100...2_500) * 1_000 }
      stop(node, dice.number(1_500...2_800))
    case .move:
      guard let owner = dice.pick(serving.filter { !$0.held.isEmpty }) else { return }
      owner.release(
        owner.held.keys.sorted().filter { _ in dice.isLucky(2, in: 3) }, to: heir(of: owner, serving, dice))
    case .contend: contend(serving, dice)
    case .cut: node.map { cut($0, dice) }
    case .loseEmptying: node?.losesEmptying = true
    case .cutOff:
      guard let node else { return }
      let time = dice.number(200...5_000) * 1_000
      trouble(time + 4_000_000)
      network.cutOff(node.process, for: time, ofDatabaseOnly: dice.isLucky(1, in: 2))
    case .terminate:
      let session = dice.pick(database.acting.sessions.filter { $0.incarnation != nil })
      if dice.isLucky(1, in: 2) { session?.terminate() } else { session?.cancel() }
    case .look: look()
    case .trap, .outage, .failOver, .standby: carryOnServers(deed, dice)
    }
  }

  func carryOnServers(_ deed: ClusterPlan.Deed, _ dice: Dice) {
    guard !database.isBusy, database.acting.isUp else { return }
    trouble(8_000_000)
    switch deed {
    case .trap: database.trap(dice)
    case .outage:
      database.isBusy = true
      let time = dice.isLucky(1, in: 4) ? dice.number(6_000...20_000) : dice.number(100...6_000)
      trouble(time * 1_000 + 20_000_000)
      database.restart(after: time) { [self] in database.isBusy = false }
    case .failOver:
      database.isBusy = true
      if dice.isLucky(1, in: 2) { dice.pick(database.standbys)?.isPaused = true }
      after(dice.number(0...1_200)) { [self] in
        database.failOver(stopping: dice.isLucky(1, in: 3), after: dice.number(100...3_000)) { [self] in
          database.isBusy = false
        }
      }
    case .standby:
      database.isBusy = true
      let isAll = dice.isLucky(1, in: 2)
      let chosen = isAll ? database.standbys : [dice.pick(database.standbys)].compactMap { $0 }
      let crashes = dice.isLucky(1, in: 3)
      for one in chosen { if crashes { one.crash() } else { one.isPaused = true } }
      after(dice.number(100...4_000)) { [self] in
        for one in chosen {
          if crashes { one.start(as: .standby, following: database.acting) } else { one.isPaused = false }
        }
        database.isBusy = false
      }
    default: break
    }
  }

  private func heir(of node: ClusterNode?, _ serving: [ClusterNode], _ dice: Dice) -> Int? {
    dice.isLucky(1, in: 2) ? nil : dice.pick(serving.filter { $0 !== node })?.incarnation
  }

  private func kill(_ node: ClusterNode) {
    note("\(node) is killed")
    node.process.end()
    supervise(node.name)
  }

  func stop(_ node: ClusterNode, _ milliseconds: Int) {
    note("\(node) stands still for \(milliseconds) ms")
    trouble((milliseconds + 4_000) * 1_000)
    node.process.standStill()
    after(milliseconds) { node.process.goOn() }
    // Its supervisor takes it for dead, and starts another one.
    if milliseconds > 2_000, dice.isLucky(1, in: 4) {
      after(dice.number(500...1_900)) { [self] in if !node.isDead { start(node.name) } }
    }
  }

  /// At one of the next moments at which it hears something.
  private func strike(_ node: ClusterNode, _ dice: Dice) {
    let isKilled = dice.isLucky(1, in: 3)
    let time = dice.number(100...4_000)
    trouble(8_000_000)
    let act = { [self] in if isKilled { kill(node) } else { stop(node, time) } }
    if dice.isLucky(1, in: 2) {
      node.process.strikeInside = act
    } else {
      node.process.strike = (dice.number(0...40), act)
    }
  }

  private func sleepAll(_ dice: Dice) {
    let time = dice.number(1_600...6_000)
    note("all nodes stand still for \(time) ms")
    trouble(time * 1_000 + 8_000_000)
    for node in nodes where node.isRunning {
      node.process.standStill()
      after(time + dice.number(0...2_500)) { node.process.goOn() }
    }
  }

  /// A clock jumps, and nothing else happens for some seconds.
  private func jump(_ body: () -> Void) {
    guard clock.now >= troubledUntil, network.late == 0, !database.isBusy else { return }
    note("a clock jumps")
    body()
    quietUntil = clock.now + 4_000_000
  }

  /// Two nodes want one log at the same time, and one of them stands still in the middle of it.
  private func contend(_ serving: [ClusterNode], _ dice: Dice) {
    guard let owner = dice.pick(serving.filter { !$0.held.isEmpty }),
      let log = dice.pick(owner.held.keys.sorted()),
      let slow = dice.pick(serving.filter { $0 !== owner }),
      let other = dice.pick(serving.filter { $0 !== slow })
    else { return }
    trouble(6_000_000)
    owner.release([log], to: nil) { [self] in
      let time = dice.isLucky(2, in: 3) ? dice.number(300...1_300) : dice.number(1_500...3_500)
      slow.process.strike = (dice.number(0...4), { [self] in stop(slow, time) })
      for (place, client) in clients.filter({ $0.log == log }).enumerated()
      where client.visit?.isIn != true || client.visit?.node === owner {
        client.comeBack(to: place == 0 ? slow : other)
      }
      after(dice.number(2...20)) { [self] in
        if let client = clients.first(where: { $0.log == log }), !other.isDead { client.comeBack(to: other) }
      }
      after(dice.number(200...900)) { [self] in
        guard let holder = nodes.first(where: { $0.held[log] != nil && $0.isRunning }) else { return }
        holder.release([log], to: nil)
      }
    }
  }

  func cutAll(_ node: ClusterNode) {
    note("all connections of \(node) are cut")
    for connection in [node.commits.open, node.seals.open, node.catalog.open, node.beats] {
      connection?.cut(losing: false, silently: false)
    }
  }

  /// One of those whose commits are under way.
  func killCommitting(_ dice: Dice) {
    if let node = dice.pick(nodes.filter { $0.isCommitting && $0.isRunning }) { kill(node) }
  }

  private func cut(_ node: ClusterNode, _ dice: Dice) {
    let open = [node.commits.open, node.seals.open, node.catalog.open, node.beats].compactMap { $0 }
    guard let connection = dice.isLucky(1, in: 2) ? node.commits.open : dice.pick(open) else { return }
    let (losing, silently) = (dice.isLucky(1, in: 2), dice.isLucky(1, in: 3))
    note("a connection of \(node) is cut")
    if dice.isLucky(1, in: 3) {
      connection.holdsNext = dice.number(20...5_000) * 1_000
    } else if dice.isLucky(3, in: 4) {
      connection.cutsNext = (dice.number(0...1_500), losing, silently)
    } else {
      connection.cut(losing: losing, silently: silently)
    }
  }
}
