import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLog
import EventLogModel
import TestKit
import Testing

/// A room with something in its log, and what is true of it at every revision.
struct RecordedRoom {
  let server: SimulatedServer
  let room: RoomID
  let start: Timestamp

  /// One member that says something every half second, and then leaves.
  init(
    _ server: SimulatedServer, seconds: Int = 20, bytes: Int = 40, room: RoomID = RoomID(high: 1, low: 1)
  ) {
    self.server = server
    start = server.now
    self.room = server.createRoom(room)
    let writer = server.join(room)
    for number in 1...seconds * 2 {
      server.advance(by: .milliseconds(500)) { writer.say(.heartbeat(writer.mirror.revision)) }
      writer.command(.set("n", "\(number)"), .note(number, bytes: bytes))
      writer.receive()
    }
    writer.say(.leave)
    writer.receive()
    server.settle()
  }

  var last: Revision { info.last }

  var info: LogInfo {
    let (store, room) = (server.store, room)
    return server.wait { try? await store.info(of: room) }!
  }

  var events: [RoomEvent] {
    let (store, room) = (server.store, room)
    let runs = server.wait { (try? await store.runs(of: room, after: .zero, limit: .max)) ?? [] }
    return runs.flatMap { run in
      var events: [RoomEvent] = []
      run.forEach { view, _ in
        if let event = try? EventCodec.decode(view, in: run.records) { events.append(event) }
      }
      return events
    }
  }

  /// RP-60: the fold of all events up to a revision.
  func state(at revision: Revision) -> RoomState {
    var state = RoomState()
    for event in events where event.revision <= revision { state.apply(event) }
    return state
  }

  /// RP-62.
  func revision(at time: Timestamp) -> Revision {
    events.last { $0.time <= time }?.revision ?? .zero
  }

  func time(_ seconds: Double) -> Timestamp { start + .milliseconds(Int64(seconds * 1_000)) }

  /// A watcher, after all there is for it at once.
  func watch(
    _ seconds: Double? = nil, speed: Double = 1, group: String? = nil, role: Role = .reader,
    _ subprotocol: Subprotocol = .binary, outbox: Int = 256 << 10, change: (inout Hello) -> Void = { _ in }
  ) -> SimulatedPeer {
    server.join(room, subprotocol, outbox: outbox) { hello in
      hello.token = role.rawValue
      hello.replay = ReplayWish(place: seconds.map { .time(time($0)) }, speed: speed, group: group)
      change(&hello)
    }
  }

  /// What a watcher shows is what was true then, to the byte, and nothing was wrong on the way.
  func expectTruth(_ peer: SimulatedPeer, at revision: Revision, _ comment: Comment? = nil) {
    #expect(peer.faults == [], comment)
    #expect(peer.mirror.revision == revision, comment)
    #expect(StateEncoder.hash(of: peer.mirror) == StateEncoder.hash(of: state(at: revision)), comment)
  }

  /// Lets time go by for watchers that stay alive.
  func advance(_ seconds: Double, _ peers: SimulatedPeer..., eachStep: () -> Void = {}) {
    server.advance(by: .milliseconds(Int64(seconds * 1_000))) {
      for peer in peers {
        peer.receive()
        peer.say(.heartbeat(peer.mirror.revision))
        peer.receive()
      }
      eachStep()
    }
  }
}

extension SimulatedPeer {
  /// The names of what came, without signs of life and statuses.
  var story: [String] {
    notices.compactMap { notice in
      switch notice {
      case .welcome: "welcome"
      case .catchUp(let plan): "catchUp \(plan.mode)"
      case .snapshotRoot: "root"
      case .snapshotPart: "part"
      case .run: "run"
      case .block: "block"
      case .live(let revision): "live \(revision)"
      case .receipts: "receipts"
      case .refused(let counter, let refusal, _): "refused \(counter) \(refusal.code.rawValue)"
      case .farewell(let farewell): "farewell \(farewell.refusal.code.rawValue)"
      case .heartbeat, .quiet, .replayed, .answer: nil
      }
    }
  }
}
