/// A primary and two standbys, and who runs them.
final class DatabaseModel {
  let servers: [DatabaseServer]
  private let life: ClusterLife
  /// The server that whoever runs them takes for the primary.
  private(set) var acting: DatabaseServer
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
      server.followers = { [unowned self, unowned server] in servers.filter { $0.upstream === server } }
      if server !== servers[0] { server.upstream = servers[0] }
    }
  }

  /// The clock of the acting primary, in milliseconds.
  var clock: Int { life.clock.now / 1_000 + 1_000_000 + clockAhead }

  /// Connects to the first server of the list that takes writes.
  func connect(_ process: SimulatedProcess, from place: Int = 0, then: @escaping (Connection?) -> Void) {
    guard place < servers.count else { return process.after(5_000) { then(nil) } }
    guard !life.network.isCutOff(process) else { return process.after(2_000_000) { then(nil) } }
    let server = servers[place]
    let next = { [self] in connect(process, from: place + 1, then: then) }
    guard server.isUp else { return process.after(500, next) }
    guard server.process.condition == .runs else { return process.after(2_000_000, next) }
    guard server.role == .primary else { return process.after(1_000, next) }
    process.after(life.dice.number(800...3_000)) { [self] in
      guard server.isTakingWrites else { return then(nil) }
      then(Connection(process, life.network, server))
    }
  }

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

  /// The primary is lost, or stands still; a standby is promoted; the old one comes back as a standby.
  func failOver(stopping: Bool, after milliseconds: Int, then: @escaping () -> Void) {
    let old = acting
    life.note("the primary \(old.number) \(stopping ? "stands still" : "is killed")")
    if stopping { old.process.standStill() } else { old.crash() }
    life.after(milliseconds) { [self] in
      let others = servers.filter { $0 !== old && $0.isUp && $0.role == .standby }
      guard others.count == 2 else {
        life.note("one standby cannot be asked: nobody is promoted")
        if stopping { old.process.goOn() } else { old.start(as: .primary) }
        return then()
      }
      // Both hear the old one no more, and are asked; then one is promoted, and the other follows it.
      for other in others {
        other.upstream = nil
        other.isPaused = false
      }
      let ordered = others.sorted { ($0.received, $0.number) < ($1.received, $1.number) }
      let (behind, ahead) =
        life.planted == .promotedUnasked ? (ordered[1], ordered[0]) : (ordered[0], ordered[1])
      life.note(
        "\(ahead.number) is promoted with \(ahead.received) records, \(behind.number) has \(behind.received)")
      acting = ahead
      ahead.promote()
      behind.follow(ahead)
      if stopping { life.after(life.dice.number(100...2_000)) { old.process.goOn() } }
      life.after(life.dice.number(2_100...4_000)) { [self] in
        old.crash()
        old.start(as: .standby, following: acting)
        life.note("\(old.number) is a standby")
        then()
      }
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
