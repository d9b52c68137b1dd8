import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel
import Foundation
import Synchronization
import TestKit

@testable import BoardroomConformance

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Plays the whiteboard's timelines over real sockets on this machine, with every clock of server and SDK so many times
/// as fast.
struct SocketPerformer: Performer {
  let face = Face.white
  let scale: Int
  /// What came before it is not waited for.
  private let beginning = 98.0

  func play(_ timeline: GoldenTimeline) async throws -> Transcript {
    let played = Played()
    try await LoopbackServer.run(timings: Timings().divided(by: scale)) { server in
      let transcript = try await perform(timeline, at: server)
      played.set(transcript)
    }
    return played.transcript
  }

  private func perform(_ timeline: GoldenTimeline, at server: LoopbackServer) async throws -> Transcript {
    let pace = Pace(scale: Double(scale))
    var actors: [Party: WhiteActor] = [:]
    for party in timeline.given.parties {
      let actor = actor(party, timeline, server, pace)
      actors[party] = actor
      actor.call(.join(.own))
      for _ in 0..<200 where actor.room == nil { try await Task.sleep(for: .milliseconds(10)) }
      guard actor.room != nil else {
        throw ConformanceError.notJoined(
          timeline: timeline.id, party, why: actor.joinError?.description ?? "It took too long.")
      }
    }
    pace.begin(at: beginning)
    for step in timeline.steps {
      try await pace.reach(step.second - lead(of: step.act))
      try await take(step, timeline, actors, server)
    }
    try await pace.reach(timeline.until)
    let lines = actors.mapValues(\.log.lines)
    for actor in actors.values { await actor.room?.disconnect() }
    return Transcript(lines)
  }

  /// Question and answer take as long as ever: what is said last is said some milliseconds earlier.
  private func lead(of act: Act) -> Double {
    switch act {
    case .speaks: 1
    case .network, .networkIsBack, .look, .server, .white, .rtc, .rtm, .signaling, .crowd, .replay: 0
    }
  }

  private func actor(
    _ party: Party, _ timeline: GoldenTimeline, _ server: LoopbackServer, _ pace: Pace
  ) -> WhiteActor {
    let context = LoopContext()
    let gate = GatedTransport(WebSocketTransport(on: context), context)
    let scale = scale
    return WhiteActor(
      party,
      config: WhiteRoomConfig(party, timeline.given, room: server.room.description, token: server.token),
      endpoint: server.endpoint, context: context, transport: gate,
      log: EarLog(clock: { pace.second }, isHome: { true }), policy: { $0.divided(by: scale) }
    ) { gate.set($0) }
  }

  private func take(
    _ step: Step, _ timeline: GoldenTimeline, _ actors: [Party: WhiteActor], _ server: LoopbackServer
  ) async throws {
    func actor(_ party: Party) throws -> WhiteActor {
      guard let actor = actors[party] else {
        throw ConformanceError.absent(timeline: timeline.id, party, second: step.second)
      }
      return actor
    }
    switch step.act {
    case .network(let weather, let party): try actor(party).set(weather)
    case .networkIsBack(let party): try actor(party).room?.networkIsBack()
    case .speaks(let party): try actor(party).speak()
    case .look(let fact, let party): try actor(party).look(at: fact)
    case .white(let call, let party): try actor(party).call(call)
    case .server(.kick(let party)):
      if let member = try actor(party).room?.roomMemberId { try await kick(member, server) }
    case .server, .rtc, .rtm, .signaling, .crowd, .replay:
      throw ConformanceError.foreignAct(timeline: timeline.id, second: step.second, act: "\(step.act)")
    }
  }

  private func kick(_ member: UInt64, _ server: LoopbackServer) async throws {
    let address = "http://127.0.0.1:\(server.endpoint.port)/v5/rooms/\(server.room)/kick"
    guard let url = URL(string: address) else { return }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBody = Data("{\"memberId\":\(member)}".utf8)
    request.setValue(server.token, forHTTPHeaderField: "token")
    _ = try await URLSession.shared.data(for: request)
  }
}

/// Where the result is put by a body that gives none back.
private final class Played: Sendable {
  private let held = Mutex(Transcript())
  var transcript: Transcript { held.withLock { $0 } }
  func set(_ transcript: Transcript) { held.withLock { $0 = transcript } }
}

/// The seconds of a timeline on a real clock.
final class Pace: Sendable {
  private let scale: Double
  private let zero = Mutex<ContinuousClock.Instant?>(nil)

  init(scale: Double) { self.scale = scale }

  /// 0 until it begins.
  var second: Double {
    guard let zero = zero.withLock({ $0 }) else { return 0 }
    return (ContinuousClock.now - zero) / Duration.seconds(1) * scale
  }

  func begin(at second: Double) {
    let start = ContinuousClock.now - Duration.seconds(1) * (second / scale)
    zero.withLock { $0 = start }
  }

  func reach(_ target: Double) async throws {
    while second < target {
      let rest = Duration.seconds(1) * ((target - second) / scale)
      try await Task.sleep(for: min(rest, .milliseconds(100)))
    }
  }
}

extension Timings {
  func divided(by scale: Int) -> Timings {
    Timings(
      heartbeat: heartbeat / scale, suspectAfter: suspectAfter / scale, offlineAfter: offlineAfter / scale)
  }
}

extension ConnectionPolicy {
  func divided(by scale: Int) -> ConnectionPolicy {
    var policy = self
    policy.suspectAfter = suspectAfter / scale
    policy.offlineAfter = offlineAfter / scale
    policy.giveUpAfter = giveUpAfter.map { $0 / scale }
    policy.retryPace = retryPace.map { $0 / scale }
    return policy
  }
}

/// Real connections that can be held up: what is sent while they are waits, and new ones are not made.
final class GatedTransport: Transport {
  private struct State {
    var weather = Weather.clear
    var connections: [GatedConnection] = []
  }
  private let inner: any Transport
  let context: any ClientContext
  private let state = Mutex(State())

  init(_ inner: any Transport, _ context: any ClientContext) {
    self.inner = inner
    self.context = context
  }

  var weather: Weather { state.withLock { $0.weather } }

  func set(_ weather: Weather) {
    let connections = state.withLock { state in
      state.weather = weather
      return state.connections
    }
    context.execute {
      switch weather {
      case .clear: for connection in connections { connection.release() }
      case .cut: for connection in connections { connection.close() }
      case .silent: break
      }
    }
  }

  func open(
    _ endpoint: Endpoint, _ subprotocol: Subprotocol, events: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection {
    let connection = GatedConnection(self, events)
    switch weather {
    case .clear:
      state.withLock { $0.connections.append(connection) }
      connection.use(inner.open(endpoint, subprotocol) { connection.heard($0) })
    case .cut: context.execute { events(.closed) }
    case .silent: break
    }
    return connection
  }
}

/// One of them.
final class GatedConnection: TransportConnection {
  private struct State {
    var inner: (any TransportConnection)?
    var outgoing: [[UInt8]] = []
    var incoming: [TransportEvent] = []
  }
  private let gate: GatedTransport
  private let events: @Sendable (TransportEvent) -> Void
  private let state = Mutex(State())

  init(_ gate: GatedTransport, _ events: @escaping @Sendable (TransportEvent) -> Void) {
    self.gate = gate
    self.events = events
  }

  func use(_ inner: any TransportConnection) { state.withLock { $0.inner = inner } }

  private var isOpen: Bool { gate.weather == .clear }

  func heard(_ event: TransportEvent) {
    if isOpen { return events(event) }
    state.withLock { $0.incoming.append(event) }
  }

  func send(_ message: [UInt8]) {
    guard isOpen else { return state.withLock { $0.outgoing.append(message) } }
    state.withLock { $0.inner }?.send(message)
  }

  func close() { state.withLock { $0.inner }?.close() }

  func release() {
    let held = state.withLock { state in
      defer { (state.outgoing, state.incoming) = ([], []) }
      return state
    }
    for message in held.outgoing { held.inner?.send(message) }
    for event in held.incoming { events(event) }
  }
}
