/// A primary and two standbys, and who runs them.
final class DatabaseModel {
  let servers: [DatabaseServer]
  let life: ClusterLife
  /// The server that whoever runs them takes for the primary.
  var acting: DatabaseServer
  /// Something is being done to the servers.
  var isBusy = false
  /// How far the servers' clock is ahead, in milliseconds.
  var clockAhead = 0

  init(_ life: ClusterLife, logs: Int) {
    self.life = life
    var empty = TablesModel()
    empty.logs = Array(repeating: .init(), count: logs)
    servers = (0..<3).map {
      DatabaseServer($0, life.clock, life.dice, empty: empty, role: $0 == 0 ? .primary : .standby)
    }
    acting = servers[0]
    for server in servers {
      server.isSlow = life.isSlow
      server.waitsForStandbys = life.planted != .noDurability
      server.whenLost = { [unowned life, unowned server] in life.crashed(server, losing: $0) }
      server.followers = { [unowned self, unowned server] in servers.filter { $0.upstream === server } }
      if server !== servers[0] { server.upstream = servers[0] }
    }
  }

  /// The clock of the acting primary, in milliseconds.
  var clock: Int { life.clock.now / 1_000 + 1_000_000 + clockAhead }

  /// How long servers are waited for that do not answer: if none takes writes, and if one does; microseconds.
  private static let connectPatience = 2_000_000
  private static let choiceGrace = 300_000

  /// Asks all servers at once, and takes the one with the highest timeline of those that take writes: a model of `ServerChoice`.
  /// One with a lower timeline than the process has seen is an old primary.
  func connect(_ process: SimulatedProcess, then: @escaping (Connection?) -> Void) {
    guard !life.network.isCutOff(process) else { return process.after(Self.connectPatience) { then(nil) } }
    let isSomeSilent = servers.contains { $0.process.condition == .standsStill }
    let found = servers.filter { $0.isTakingWrites && $0.process.condition == .runs }
    guard !found.isEmpty else {
      return process.after(isSomeSilent ? Self.connectPatience : 5_000) { then(nil) }
    }
    process.after(life.dice.number(800...3_000) + (isSomeSilent ? Self.choiceGrace : 0)) { [self] in
      let open = found.filter { $0.isTakingWrites && $0.process.condition == .runs }
      guard ![.firstServerTaken, .lossUnconfirmed].contains(life.planted) else {
        return then(open.first.map { Connection(process, life.network, $0) })
      }
      guard let server = open.max(by: { $0.timeline < $1.timeline }) else { return then(nil) }
      process.newestTimeline = max(process.newestTimeline, server.timeline)
      guard server.timeline == process.newestTimeline else { return then(nil) }
      let connection = Connection(process, life.network, server)
      connection.isUsedWhenOld = life.planted == .oldPrimaryKept
      then(connection)
    }
  }

  var hasOldPrimary: Bool { servers.contains { $0 !== acting && $0.isTakingWrites } }

  var standbys: [DatabaseServer] { servers.filter { $0 !== acting && $0.upstream === acting } }

  // MARK: What is done to servers

  /// The primary ends as by a crash, and starts again: it shows at once all that is on its disk.
  func restart(after milliseconds: Int, then: @escaping () -> Void = {}) {
    let server = acting
    life.note("the primary \(server.number) crashes, for \(milliseconds) ms")
    server.crash()
    life.after(milliseconds) { [self] in
      if server === acting, !server.isUp { server.start(as: .primary) }
      then()
    }
  }

  /// Both standbys receive nothing; what waits then is struck; and then the standbys are back, or the primary is lost.
  func trap(_ dice: Dice) {
    isBusy = true
    let both = standbys
    for one in both { one.isPaused = true }
    life.note("no standby receives anything")
    waitForWaiting(both, dice, tries: 150)
  }

  private func waitForWaiting(_ both: [DatabaseServer], _ dice: Dice, tries: Int) {
    let waiting = acting.sessions.filter { $0.stage == .waitsForStandby }
    guard !waiting.isEmpty, dice.isLucky(1, in: 3) || waiting.contains(where: { $0.current?.tag == "frame" })
    else {
      guard tries > 0 else { return endTrap(both, dice) }
      return life.after(10) { [self] in waitForWaiting(both, dice, tries: tries - 1) }
    }
    life.after(dice.number(0...40)) { [self] in
      let waiting = acting.sessions.filter { $0.stage == .waitsForStandby }
      switch dice.number(0...4) {
      case 0:
        life.note("\(waiting.count) waiting commits are cancelled")
        for session in waiting { session.cancel() }
      case 1:
        life.note("\(waiting.count) waiting commits are terminated")
        for session in waiting { session.terminate() }
      case 2, 3: restart(after: dice.number(50...400))
      default: break
      }
      if dice.isLucky(1, in: 2) { life.after(dice.number(1...450)) { [self] in life.look() } }
      if dice.isLucky(1, in: 3) { life.killCommitting(dice) }
      life.after(dice.isLucky(1, in: 2) ? dice.number(50...600) : dice.number(600...3_500)) { [self] in
        endTrap(both, dice)
      }
    }
  }

  private func endTrap(_ both: [DatabaseServer], _ dice: Dice) {
    if dice.isLucky(2, in: 3), acting.isUp {
      return failOver(stopping: dice.isLucky(1, in: 4), after: dice.number(50...700)) { [self] in
        isBusy = false
      }
    }
    life.note("the standbys are back")
    for one in both { one.isPaused = false }
    isBusy = false
  }
}
