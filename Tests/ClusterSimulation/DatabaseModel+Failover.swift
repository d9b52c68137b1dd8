// A standby becomes the primary, by the steps of docs/CLUSTER.md, and what becomes of the old primary.

extension DatabaseModel {
  /// The primary is lost, or stands still; a standby is promoted. The old one goes on, or is started again as a primary by a
  /// supervisor, before the promotion or after it, and at some time it comes back as a standby, or never does.
  func failOver(stopping: Bool, after milliseconds: Int, then: @escaping () -> Void) {
    let old = acting
    life.note("the primary \(old.number) \(stopping ? "stands still" : "is killed")")
    if stopping { old.process.standStill() } else { old.crash() }
    if life.dice.isLucky(2, in: 3) { startAgain(old, within: milliseconds + 3_000) }
    life.after(milliseconds) { [self] in
      let others = servers.filter { $0 !== old && $0.isUp && $0.role == .standby }
      guard others.count == 2 else {
        life.note("one standby cannot be asked: nobody is promoted")
        if stopping { old.process.goOn() }
        if !old.isUp { old.start(as: .primary) }
        return then()
      }
      // Both hear the old one no more, and are asked; then one is promoted, and the other follows it.
      for other in others {
        other.upstream = nil
        other.isPaused = false
      }
      let pause = life.dice.isLucky(1, in: 3) ? 0 : life.dice.number(50...7_000)
      life.after(pause) { [self] in
        promote(of: others)
        if stopping { life.after(life.dice.number(100...2_000)) { old.process.goOn() } }
        life.after(life.dice.number(2_100...4_000)) { [self] in
          comeBack(old)
          then()
        }
      }
    }
  }

  /// A supervisor knows nothing of promotions.
  private func startAgain(_ old: DatabaseServer, within milliseconds: Int) {
    life.after(life.dice.number(50...milliseconds)) { [self] in
      guard !old.isUp else { return }
      life.note("\(old.number) is started again as a primary")
      old.start(as: .primary)
    }
  }

  private func promote(of others: [DatabaseServer]) {
    let ordered = others.sorted { ($0.received, $0.number) < ($1.received, $1.number) }
    let isUnasked = [.promotedUnasked, .lastNotAsked].contains(life.planted)
    let (behind, ahead) = isUnasked ? (ordered[1], ordered[0]) : (ordered[0], ordered[1])
    life.note(
      "\(ahead.number) is promoted with \(ahead.received) records, \(behind.number) has \(behind.received)")
    acting = ahead
    life.trouble(8_000_000)
    ahead.promote()
    behind.follow(ahead)
  }

  /// As a standby now; or it stays a primary beside the new one, for a while or for good.
  private func comeBack(_ old: DatabaseServer) {
    guard life.dice.isLucky(1, in: 2) else { return becomeStandby(old) }
    life.note("\(old.number) stays a primary beside the new one")
    startAgain(old, within: 2_000)
    guard life.dice.isLucky(2, in: 3) else { return }
    life.after(life.dice.number(5_000...150_000)) { [self] in becomeStandbyInPeace(old) }
  }

  /// Not while another one is promoted: whoever is promoted must have been compared with all standbys.
  private func becomeStandbyInPeace(_ old: DatabaseServer) {
    guard !isBusy else { return life.after(1_000) { [self] in becomeStandbyInPeace(old) } }
    becomeStandby(old)
  }

  private func becomeStandby(_ old: DatabaseServer) {
    old.crash()
    old.start(as: .standby, following: acting)
    life.note("\(old.number) is a standby")
  }
}
