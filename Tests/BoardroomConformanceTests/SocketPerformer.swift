import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Foundation
import Synchronization
import TestKit

@testable import BoardroomConformance

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One party of a timeline over real sockets.
protocol SocketParty: Sendable {
  var log: CallbackLog { get }
  /// Begins to bring it in, as far as that goes by now; true once it is in.
  func comesIn() -> Bool
  func take(_ step: Step, of timeline: GoldenTimeline) async throws
  func leave() async
}

/// Plays timelines over real sockets on this machine, with the clocks of server and SDK so many times as fast.
struct SocketPerformer: Performer {
  let face: Face
  let scale: Int
  /// Logs that a second node owns, to which every second party comes; nil: there is one server.
  var apart: Set<LogID>?
  /// What came before it is not waited for.
  private let beginning = 98.0

  func play(_ timeline: GoldenTimeline) async throws -> Transcript {
    let played = Mutex(Transcript())
    try await LoopbackServer.run(pace: scale, apart: apart) { server in
      let transcript = try await perform(timeline, at: server)
      played.withLock { $0 = transcript }
    }
    return played.withLock { $0 }
  }

  private func perform(_ timeline: GoldenTimeline, at server: LoopbackServer) async throws -> Transcript {
    let pace = Pace(scale: Double(scale))
    var parties: [Party: any SocketParty] = [:]
    for party in timeline.given.parties {
      let one = come(party, timeline, SocketGround(server, pace, scale, number: parties.count))
      parties[party] = one
      var rest = 200
      while !one.comesIn(), rest > 0 {
        try await Task.sleep(for: .milliseconds(10))
        rest -= 1
      }
      guard rest > 0 else {
        throw ConformanceError.notJoined(timeline: timeline.id, party, why: "It took too long.")
      }
    }
    pace.begin(at: beginning)
    for step in timeline.steps {
      try await pace.reach(step.second - lead(of: step.act))
      let party = step.act.subject
      if let party, parties[party] == nil, step.act.bringsParty {
        parties[party] = come(party, timeline, SocketGround(server, pace, scale, number: parties.count))
      }
      guard let one = party.flatMap({ parties[$0] }) else {
        throw ConformanceError.foreignAct(timeline: timeline.id, second: step.second, act: "\(step.act)")
      }
      try await one.take(step, of: timeline)
    }
    try await pace.reach(timeline.until)
    let lines = parties.mapValues(\.log.lines)
    for one in parties.values { await one.leave() }
    return Transcript(lines)
  }

  /// Question and answer take as long as ever: what is said last is said 30 ms earlier. That is less than a heartbeat,
  /// so that nothing is said later; and as much earlier may be what follows from the last byte.
  private func lead(of act: Act) -> Double {
    switch act {
    case .speaks: Double(scale) * 0.03
    case .network, .networkIsBack, .look, .server, .white, .rtc, .rtm, .signaling, .crowd, .replay: 0
    }
  }

  private func come(
    _ party: Party, _ timeline: GoldenTimeline, _ ground: SocketGround
  ) -> any SocketParty {
    switch face {
    case .white, .replay: WhiteSocketParty(party, timeline, ground)
    case .rtc: ServiceSocketParty(RtcActor(ground.party(party)))
    case .rtm: ServiceSocketParty(RtmActor(ground.party(party)))
    case .signaling: ServiceSocketParty(SignalingActor(ground.party(party)))
    }
  }
}

extension Act {
  /// To whom it happens, also if the server does it.
  fileprivate var subject: Party? {
    if case .server(.kick(let party)) = self { party } else { party }
  }
}

/// What a party stands on: a context, a network, and a clock of the timeline.
struct SocketGround: Sendable {
  let server: LoopbackServer
  let context: PacedContext
  let gate: GatedTransport
  let log: CallbackLog
  /// The node to which the party comes.
  let endpoint: Endpoint

  init(_ server: LoopbackServer, _ pace: Pace, _ scale: Int, number: Int) {
    self.server = server
    endpoint = number % 2 == 1 ? server.second ?? server.endpoint : server.endpoint
    context = PacedContext(scale)
    gate = GatedTransport(WebSocketTransport(on: context.loop), context)
    log = CallbackLog(clock: { pace.second }, isHome: { true })
  }

  func party(_ party: Party) -> ServiceParty {
    ServiceParty(
      account: party.account, uid: party.uid,
      configuration: ServiceConfiguration(appId: "loopback", endpoint: endpoint), context: context,
      transport: PartyTransport(gate), tasks: nil, log: log, token: server.accountToken,
      freshToken: server.accountToken, setWeather: { [gate] in gate.set($0) })
  }
}

/// A party of RTC, RTM or Signaling.
struct ServiceSocketParty: SocketParty {
  private let actor: any ServiceActor
  private let entered = Begun()

  init(_ actor: any ServiceActor) { self.actor = actor }

  var log: CallbackLog { actor.party.log }

  func comesIn() -> Bool {
    let entry = actor.entry
    let done = entry.prefix { actor.hasHeard($0.sign) }.count
    if done < entry.count, entered.begins(done) { entry[done].call() }
    return done == entry.count
  }

  func take(_ step: Step, of timeline: GoldenTimeline) async throws { try actor.perform(step, of: timeline) }
  func leave() async {}
}

/// A party of a room.
struct WhiteSocketParty: SocketParty {
  private let actor: WhiteActor
  private let server: LoopbackServer
  private let entered = Begun()

  init(_ party: Party, _ timeline: GoldenTimeline, _ ground: SocketGround) {
    server = ground.server
    actor = WhiteActor(
      party,
      config: WhiteRoomConfig(
        party, timeline.given, room: server.room.description, token: server.token),
      endpoint: ground.endpoint, context: ground.context, transport: ground.gate, log: ground.log
    ) { [gate = ground.gate] in gate.set($0) }
  }

  var log: CallbackLog { actor.log }

  func comesIn() -> Bool {
    if entered.begins(0) { actor.call(.join(.own)) }
    return actor.room != nil
  }

  func take(_ step: Step, of timeline: GoldenTimeline) async throws {
    switch step.act {
    case .network(let weather, _): actor.set(weather)
    case .networkIsBack: actor.room?.networkIsBack()
    case .speaks: actor.speak()
    case .look(let fact, _): actor.look(at: fact)
    case .white(let call, _): actor.call(call)
    case .server(.kick): if let member = actor.room?.roomMemberId { try await kick(member) }
    case .server, .rtc, .rtm, .signaling, .crowd, .replay:
      throw ConformanceError.foreignAct(timeline: timeline.id, second: step.second, act: "\(step.act)")
    }
  }

  func leave() async { await actor.room?.disconnect() }

  private func kick(_ member: UInt64) async throws {
    let address = "http://127.0.0.1:\(server.endpoint.port)/v5/rooms/\(server.room)/kick"
    guard let url = URL(string: address) else { return }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBody = Data("{\"memberId\":\(member)}".utf8)
    request.setValue(server.token, forHTTPHeaderField: "token")
    _ = try await URLSession.shared.data(for: request)
  }
}

/// Which steps of an entry were begun: each once.
private final class Begun: Sendable {
  private let numbers = Mutex<Set<Int>>([])
  func begins(_ number: Int) -> Bool { numbers.withLock { $0.insert(number).inserted } }
}
