import BoardroomClient
import BoardroomHosting
import BoardroomLegacy
import BoardroomModel
import EventLogModel

/// One timeline of RTC, RTM or Signaling that is being played, in a world of its own, with Boardroom's server
/// and SDK in virtual time.
final class ServiceStage {
  let world: World
  private let timeline: GoldenTimeline
  private let gate = NamedGate()
  private let makeActor: (ServiceParty, _ isLocal: Bool) -> any ServiceActor
  private var actors: [Party: any ServiceActor] = [:]
  private var crowd: [any ServiceActor] = []

  /// - Parameter fault: what is wrong between nodes, where the timeline has several.
  init(
    _ timeline: GoldenTimeline, seed: UInt64, server: ServerPolicy, fault: WorldNodes.PlantedFault? = nil,
    makeActor: @escaping (ServiceParty, _ isLocal: Bool) -> any ServiceActor
  ) {
    (self.timeline, self.makeActor) = (timeline, makeActor)
    world = World(
      seed: seed, policy: server, gate: gate, canBeKilled: timeline.losesServer,
      apart: timeline.given.places.apart, fault: fault)
  }

  func perform() throws(ConformanceError) -> Transcript {
    for party in timeline.given.parties { try bringIn(party) }
    for step in timeline.steps {
      world.run(to: step.second)
      try perform(step)
    }
    world.run(to: timeline.until)
    return Transcript(actors.mapValues(\.party.log.lines))
  }

  private func bringIn(_ party: Party) throws(ConformanceError) {
    let actor = come(party)
    for entry in actor.entry {
      entry.call()
      guard world.run(atMost: 5, until: { actor.hasHeard(entry.sign) }) else {
        throw .notJoined(timeline: timeline.id, party, why: "It did not hear “\(entry.sign)” within 5 s.")
      }
    }
    world.run(for: 1)
  }

  private func come(_ party: Party) -> any ServiceActor {
    let actor = makeActor(makeParty(party.account, uid: party.uid), party == .local)
    actors[party] = actor
    return actor
  }

  private func makeParty(_ account: String, uid: UInt) -> ServiceParty {
    let world = world
    let network = world.network(latency: GoldenTimeline.latency)
    return ServiceParty(
      account: account, uid: uid, configuration: World.services(), context: world.loop,
      transport: PartyTransport(network), tasks: world.tasks,
      log: CallbackLog(clock: { world.seconds }, isHome: { world.loop.isCurrent }), token: token(of: account),
      freshToken: "another token of \(account)", setWeather: { network.become($0) })
  }

  private func token(of account: String) -> String { "token of \(account)" }

  private func perform(_ step: Step) throws(ConformanceError) {
    switch step.act {
    case .server(.tokenEnds(let party)): gate.refuse(token(of: party.account), with: .tokenExpired)
    case .server(.isKilled(let server, let seconds)): kill(server, for: seconds)
    case .crowd(let count, let seconds): come(count, over: seconds)
    case .network, .networkIsBack, .speaks, .look, .rtc, .rtm, .signaling, .server, .white, .replay:
      guard let party = step.act.party else {
        throw .foreignAct(timeline: timeline.id, second: step.second, act: "\(step.act)")
      }
      if actors[party] == nil, step.act.bringsParty { _ = come(party) }
      guard let actor = actors[party] else {
        throw .absent(timeline: timeline.id, party, second: step.second)
      }
      try actor.perform(step, of: timeline)
    }
  }

  private func kill(_ server: KilledServer, for seconds: Double) {
    switch (server, world.nodes) {
    case (.withAccount, let nodes?): nodes.kill(part: 0, for: seconds)
    case (.withChannel, let nodes?): nodes.kill(part: 1, for: seconds)
    case (.only, _), (_, nil): world.killServer(for: seconds)
    }
  }

  /// All sign in at once. Then they enter the channel one after the other, the last one at the end of the
  /// time.
  private func come(_ count: Int, over seconds: Double) {
    let start = world.loop.now
    for number in 1...max(count, 1) {
      let actor = makeActor(makeParty("guest\(number)", uid: UInt(100 + number)), false)
      crowd.append(actor)
      let entry = actor.entry
      entry.first?.call()
      let wait = seconds * Double(number) / Double(count)
      world.loop.schedule(at: start + .milliseconds(Int64(wait * 1_000))) {
        for entry in entry.dropFirst() { entry.call() }
      }
    }
  }
}

extension ServerPlaces {
  /// The logs of the second node; nil: there is none.
  var apart: Set<LogID>? {
    let channels = Service.allCases.map { SpaceName.channel($0, GoldenTimeline.channel).log }
    return switch self {
    case .together: nil
    case .channelApart: Set(channels)
    case .remoteApart: Set(channels + [SpaceName.account(Party.remote.account).log])
    }
  }
}
