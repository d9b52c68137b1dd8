import BoardroomClient
import BoardroomHosting
import BoardroomLegacy
import BoardroomModel
import EventLogModel

/// Plays the whiteboard's timelines in a world of its own, with Boardroom's server and SDK in virtual time.
public struct WhitePerformer: Performer {
  public let face = Face.white
  private let seed: UInt64
  private let server: ServerPolicy

  /// - Parameters:
  ///   - seed: gives latencies and the spread of retries.
  ///   - server: the server's limits and times.
  public init(seed: UInt64 = 7, server: ServerPolicy = ServerPolicy()) {
    self.seed = seed
    self.server = server
  }

  public func play(_ timeline: GoldenTimeline) async throws -> Transcript { try perform(timeline) }

  /// Plays the timeline on the caller's thread.
  func perform(_ timeline: GoldenTimeline) throws -> Transcript {
    let world = World(seed: seed, policy: server, canBeKilled: timeline.losesServer)
    let stage = WhiteStage(timeline, world: world)
    try stage.begin()
    for step in timeline.steps {
      stage.world.run(to: step.second)
      try stage.perform(step)
    }
    stage.world.run(to: timeline.until)
    return stage.transcript
  }
}

/// One timeline that is being played.
final class WhiteStage {
  let world: World
  private let timeline: GoldenTimeline
  private var actors: [Party: WhiteActor] = [:]

  init(_ timeline: GoldenTimeline, world: World) {
    self.timeline = timeline
    self.world = world
  }

  var transcript: Transcript { Transcript(actors.mapValues(\.log.lines)) }

  func room(of party: Party) -> WhiteRoom? { actors[party]?.room }

  /// Joins all parties that are there at the beginning.
  func begin() throws(ConformanceError) {
    for party in timeline.given.parties {
      let actor = WhiteActor(party, given: timeline.given, in: world)
      actors[party] = actor
      actor.call(.join(.own))
      world.run(for: 1)
      guard actor.room?.phase == .connected else {
        throw .notJoined(
          timeline: timeline.id, party, why: actor.joinError?.description ?? "It took too long.")
      }
    }
  }

  func perform(_ step: Step) throws(ConformanceError) {
    switch step.act {
    case .network(let weather, let party): try actor(party, step).set(weather)
    case .networkIsBack(let party): try actor(party, step).room?.networkIsBack()
    case .speaks(let party): try actor(party, step).speak()
    case .look(let fact, let party): try actor(party, step).look(at: fact)
    case .white(let call, let party): try caller(party, step).call(call)
    case .server(.kick(let party)):
      if let member = try actor(party, step).room?.roomMemberId { world.kick(member) }
    case .server(.misfit(let party)):
      if let member = try actor(party, step).room?.roomMemberId { world.injectMisfit(of: member) }
    case .server(.isKilled(.only, let seconds)): world.killServer(for: seconds)
    case .server(.isKilled), .server(.tokenEnds), .rtc, .rtm, .signaling, .crowd, .replay:
      throw .foreignAct(timeline: timeline.id, second: step.second, act: "\(step.act)")
    }
  }

  private func actor(_ party: Party, _ step: Step) throws(ConformanceError) -> WhiteActor {
    guard let actor = actors[party] else {
      throw .absent(timeline: timeline.id, party, second: step.second)
    }
    return actor
  }

  /// The party of a call; a party that is not there yet is made by its first call.
  private func caller(_ party: Party, _ step: Step) throws(ConformanceError) -> WhiteActor {
    if actors[party] == nil { actors[party] = WhiteActor(party, given: timeline.given, in: world) }
    return try actor(party, step)
  }
}

extension WhiteActor {
  /// A party of a virtual world, with a network of its own.
  convenience init(_ party: Party, given: Given, in world: World) {
    let network = SimulatedNetwork(loop: world.loop, latency: GoldenTimeline.latency) { world.engine }
    let log = CallbackLog(clock: { world.seconds }, isHome: { world.loop.isCurrent })
    self.init(
      party, config: WhiteRoomConfig(party, given, room: world.room.description), endpoint: .simulated,
      context: world.loop, transport: network, log: log
    ) { network.become($0) }
  }
}

extension WhiteRoomConfig {
  init(_ party: Party, _ given: Given, room: String, token: String = "token") {
    self.init(uuid: room, roomToken: token, uid: party.account)
    timeout = .milliseconds(Int64(given.timeout * 1_000))
    onlyCallbackRemoteStateModify = !given.echoesOwn
    disableMagixEventDispatchLimit = true
  }
}

extension SimulatedNetwork {
  func become(_ weather: BoardroomConformance.Weather) {
    switch weather {
    case .clear: heal()
    case .cut: set(SimulatedNetwork.Weather.cut)
    case .silent: set(SimulatedNetwork.Weather.silent)
    }
  }
}

extension World {
  /// Puts an event of this member into the log that no server would decide: it erases an element that was
  /// never there.
  func injectMisfit(of member: UInt64) {
    inject(
      RoomEvent(
        revision: 0, time: loop.now, actor: .member(MemberID(member)), counter: 0,
        event: .elements(.erased([ElementID(member: MemberID(member), number: 1 << 40)]))))
  }
}
