import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import EventLogModel

/// A duty that the kit checks in an app.
enum AppDuty: String, CaseIterable {
  case shortOutage = "APP-1"
  case rejoin = "APP-2"
  case rejoinAgain = "APP-3"
  case newRoom = "APP-4"
  case kick = "APP-5"
  case leave = "APP-6"
  case shows = "APP-7"

  var title: String {
    switch self {
    case .shortOutage: "A short outage: the SDK comes back by itself, the app joins nothing"
    case .rejoin: "A loss for good: one join, soon, and none besides while it is under way"
    case .rejoinAgain: "A second loss: one join again"
    case .newRoom: "After a rejoin the app works with the new room object"
    case .kick: "After a removal the app stays away"
    case .leave: "After leaving the app stays away"
    case .shows: "What the app shows is what any other app in the room shows"
    }
  }

  /// Why this app is not checked for it; nil if it is.
  func reasonToLeaveOut<App>(_ app: AppUnderTest<App>) -> String? {
    let rejoins = app.rejoinsWithin != nil
    switch self {
    case .shortOutage: return nil
    case .rejoin, .rejoinAgain: return rejoins ? nil : "it does not promise to rejoin"
    case .newRoom:
      guard rejoins else { return "it does not promise to rejoin" }
      return app.room == nil && app.act == nil ? "neither `room` nor `act` was given" : nil
    case .kick:
      return app.promises.contains(.staysAwayAfterKick) ? nil : "it does not promise to stay away"
    case .leave: return app.leave == nil ? "no `leave` was given" : nil
    case .shows: return app.visible == nil ? "no `visible` was given" : nil
    }
  }

  func check<App>(_ trial: AppTrial<App>) throws(AppFailure) {
    switch self {
    case .shortOutage: try trial.checkShortOutage()
    case .rejoin: try trial.checkRejoin()
    case .rejoinAgain:
      try trial.checkRejoin()
      try trial.checkRejoin()
    case .newRoom:
      try trial.checkRejoin()
      try trial.checkNewRoom()
    case .kick: try trial.checkKick()
    case .leave: try trial.checkLeave()
    case .shows: try trial.checkShown()
    }
  }
}

extension AppTrial {
  /// How long it takes until a room is given up: 4 s of silence, and the timeout of the room that the app
  /// joined.
  private var timeToGiveUp: Double {
    4 + Double((instance.joins.newest?.options.timeout ?? .seconds(45)).wholeMilliseconds) / 1_000
  }

  func checkShortOutage() throws(AppFailure) {
    play(.outage(from: 100, to: 120), until: 140)
    try expectNoJoins(after: 99, "in an outage that the SDK mends")
    let told = phases(from: 99).map(\.heard)
    guard told == [.phase(.reconnecting), .phase(.connected)] else {
      throw AppFailure("Its callbacks object heard \(told) of an outage, not reconnecting and connected.")
    }
  }

  /// Interrupts the network until the room is given up, and restores it 10 s after the app should have begun
  /// to join.
  func checkRejoin() throws(AppFailure) {
    let within = under.rejoinsWithin ?? 0
    let start = max(100, world.seconds + 20)
    let lost = start + timeToGiveUp
    let back = lost + within + 10
    play(.outage(from: start), until: back)
    let joins = instance.joins.after(start)
    guard let first = joins.first else {
      throw AppFailure(
        "The room was lost at \(lost.short); by \(back.short) nothing had joined again. "
          + "Join when the phase becomes disconnected.")
    }
    guard first.second <= lost + within + Expectation.tick else {
      throw AppFailure(
        "The room was lost at \(lost.short), the join came at \(first.second.short): later than promised.")
    }
    try expectOne(joins, lost)
    instance.network.become(.clear)
    // The attempts of one join are at most 9.6 s apart.
    world.run(to: back + 60)
    try expectOne(instance.joins.after(start), lost)
    guard let room = instance.joins.newest, room.phase == .connected else {
      throw AppFailure("60 s after the network was back the app was not in the room.")
    }
    let told = phases(from: first.second).map(\.heard).suffix(2)
    guard told == [.phase(.connecting), .phase(.connected)] else {
      throw AppFailure("Its callbacks object did not hear of the second join: it heard \(told).")
    }
  }

  private func expectOne(_ joins: [JoinList.Join], _ lost: Double) throws(AppFailure) {
    guard joins.count > 1 else { return }
    let seconds = joins.map { $0.second.short + ($0.isAccepted ? "" : " (refused as pending)") }
    throw AppFailure(
      "One loss, at \(lost.short), and \(joins.count) joins: at \(seconds.joined(separator: ", ")). "
        + "Remember that one is under way.")
  }

  private func expectNoJoins(after second: Double, _ when: String) throws(AppFailure) {
    guard let join = instance.joins.after(second).first else { return }
    throw AppFailure("It joined at \(join.second.short), \(when).")
  }

  func checkNewRoom() throws(AppFailure) {
    guard let newest = instance.joins.newest else { throw AppFailure("It is in no room.") }
    if let room = under.room {
      guard let own = room(instance.app) else {
        throw AppFailure("After the rejoin it holds no room object.")
      }
      guard own === newest else {
        throw AppFailure(
          "It still holds the room object of an earlier join, which is dead (phase \(own.phase.name)). "
            + "Take the one that the join gave.")
      }
    }
    guard let act = under.act, let member = newest.roomMemberId else { return }
    let before = events(of: member)
    act(instance.app)
    world.run(for: 5)
    guard events(of: member) > before else {
      throw AppFailure("What it did after the rejoin did not reach the room. Does it use an old room object?")
    }
  }

  private func events(of member: UInt64) -> Int {
    world.log.count { $0.actor == .member(MemberID(member)) }
  }

  func checkKick() throws(AppFailure) {
    play([Step(100, .server(.kick(.local)))], until: 220)
    try expectNoJoins(after: 99.9, "after it had been removed at 100")
  }

  func checkLeave() throws(AppFailure) {
    world.run(to: 100)
    under.leave?(instance.app)
    world.run(to: 220)
    try expectNoJoins(after: 99.9, "after its user had left at 100")
    guard instance.joins.newest.map({ $0.phase == .disconnected }) ?? true else {
      throw AppFailure("It was still in the room two minutes after its user had left.")
    }
  }

  // MARK: What it shows

  func checkShown() throws(AppFailure) {
    try compare("after others had changed the room", change: 1)
    instance.network.become(.cut)
    world.run(for: 1)
    remote.change(2)
    instance.network.become(.clear)
    world.run(for: 20)
    try compare("after an outage in which others changed the room", change: 3)
    guard under.rejoinsWithin != nil else { return }
    try checkRejoin()
    try compare("after it had joined again", change: 4)
  }

  /// Starts a second instance of the app, and compares what both show.
  private func compare(_ when: String, change: Int) throws(AppFailure) {
    guard let visible = under.visible else { return }
    remote.change(change)
    world.run(for: 2)
    let fresh = AppInstance(under, as: "fresh \(change)", in: world)
    world.run(for: 3)
    let (mine, theirs) = (visible(instance.app), visible(fresh.app))
    fresh.joins.newest?.disconnect(nil)
    world.run(for: 1)
    withExtendedLifetime(fresh) {}
    guard mine != theirs else { return }
    throw AppFailure("\(when.sentence) it showed “\(mine)”, and an app that had just come “\(theirs)”.")
  }
}

extension WhiteActor {
  /// Changes something in each part of the room that apps show.
  fileprivate func change(_ number: Int) {
    call(.setGlobalState("change", json: "\(number)"))
    call(.putScenes("/chapter\(number)", ["one", "two"]))
    call(.setScenePath("/chapter\(number)/two"))
  }
}

extension String {
  fileprivate var sentence: String { prefix(1).uppercased() + dropFirst() }
}
