import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLog
import EventLogModel
import TestKit

/// What a real server wrote of accounts and channels: logins, an outage, attributes, messages, calls, a kick, the end of a
/// channel, and the two channels that tell of everything.
struct SpaceSession: Sendable {
  struct Log: Sendable {
    var name: SpaceName
    var info: LogInfo
    var records: [Record]
    var snapshots: [Snapshot]
    var state: RoomState

    var hash: String { StateEncoder.hash(of: state).map { hex($0) }.joined() }

    /// How the command line names it.
    var options: [String] { Self.options(name) }

    static func options(_ name: SpaceName) -> [String] {
      switch name {
      case .account(let name): ["--account", name]
      case .channel(let service, let name): ["--channel", "\(service.rawValue)/\(name)"]
      }
    }

    private func hex(_ byte: UInt8) -> String {
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }
  }

  static let names: [SpaceName] = [
    .account("anna"), .account("ben"), .channel(.signaling, "lobby"), .channel(.rtm, "lobby"),
    .channel(.rtc, "call"), .userOnline, .channelEvents,
  ]

  /// The whole session, each log as it stood at its end; `snapshots` has one of the middle and one of the end.
  static func logs() -> [Log] {
    let server = SimulatedServer(loops: 2)
    play(on: server)
    // The next server goes on from what the log says.
    server.wait { [engine = server.engine] in await engine.drain() }
    server.settle()
    let next = server.restarted()
    play(on: next)
    next.wait { [engine = next.engine] in await engine.drain() }
    next.settle()
    return names.map { name in next.wait { [store = next.store] in await log(name, in: store) } }
  }

  private static func play(on server: SimulatedServer) {
    let (anna, ben) = (login("anna", .signaling, server), login("ben", .signaling, server))
    let riders = [login("anna", .rtm, server), login("ben", .rtm, server)]
    let special = server.join(Place(service: .signaling, account: "ben", channel: SpaceName.userOnline.text))
    let places = ["anna", "ben"].map { Place(service: .signaling, account: $0, channel: "lobby") }
    let lobby = places.map { server.join($0) }
    let others = ["anna", "ben"].map { server.join(Place(service: .rtm, account: $0, channel: "lobby")) }
    let calls = ["1", "2"].map { server.join(Place(service: .rtc, account: $0, channel: "call")) }
    let everybody = [anna, ben, special] + riders + lobby + others + calls
    set("_auto_update_num", "5", over: lobby[0])
    set("_auto_update_total_num", "1", over: lobby[0])
    set("topic", "waves", over: lobby[1])
    set("_conn_timeout", "20", over: anna)
    set("mood", "fine", over: riders[0])
    others[0].command(.space(.say(ChannelMessage(id: "1", text: "hello"))))
    for (number, text) in ["one", "two"].enumerated() {
      ask(.send(account: "ben", id: "\(number)", text: text, holds: true), over: anna)
    }
    ben.receive()
    ben.command(.space(.acknowledge(1)))
    call(from: anna, to: ben)
    others[1].cut()
    riders[1].cut()
    calls[0].say(.leave)
    calls[1].say(.leave)
    let (engine, log) = (server.engine, SpaceName.channel(.signaling, "lobby").log)
    if let member = lobby[0].welcome?.member {
      server.wait { _ = try? await engine.kick(member, from: log, reason: .kickByAdmin) }
    }
    server.advance(by: .seconds(40)) {
      for peer in everybody where peer.farewell == nil && peer !== riders[1] && peer !== others[1] {
        peer.say(.heartbeat(1))
      }
    }
    for peer in everybody { peer.receive() }
    for peer in [anna, ben, riders[0]] { peer.say(.leave) }
    server.advance(by: .seconds(7_300))
  }

  private static func call(from anna: SimulatedPeer, to ben: SimulatedPeer) {
    for (extra, timeout) in [("{\"srcNum\":\"7\"}", Duration?.none), ("", .seconds(10))] {
      let invite = Question.invite(
        channel: "call", account: "ben", extra: extra, needsPeer: false, timeout: timeout)
      ask(invite, over: anna)
      ben.receive()
      anna.receive()
      let serial = anna.mirror.space?.lastInvitation ?? 0
      ask(.moveInvite(caller: "anna", serial: serial, .ring), over: ben)
      guard timeout == nil else { continue }
      ask(.moveInvite(caller: "anna", serial: serial, .accept(extra: "yes")), over: ben)
      ask(.moveInvite(caller: nil, serial: serial, .tones(digits: "1*#")), over: anna)
      ask(.moveInvite(caller: nil, serial: serial, .end(extra: "")), over: anna)
    }
  }

  private static func login(_ account: String, _ service: Service, _ server: SimulatedServer) -> SimulatedPeer
  {
    server.join(Place(service: service, account: account))
  }

  private static func set(_ name: String, _ value: String, over peer: SimulatedPeer) {
    peer.command(.space(.setAttributes(AttributesSet([.init(name: name, value: value)]))))
    peer.receive()
  }

  private static func ask(_ question: Question, over peer: SimulatedPeer) {
    peer.say(.ask(Ask(number: UInt64(peer.notices.count + 1), question: question)))
    peer.receive()
  }

  private static func log(_ name: SpaceName, in store: any LogStore) async -> Log {
    guard let info = try? await store.info(of: name.log),
      let runs = try? await store.runs(of: name.log, after: .zero, limit: .max)
    else { preconditionFailure("the session left no log of \(name)") }
    var (records, state): ([Record], RoomState) = ([], RoomState())
    var (encoder, snapshots): (StateEncoder, [Snapshot]) = (StateEncoder(), [])
    let marks = [Revision(info.last.rawValue / 2), info.last]
    for run in runs {
      run.forEach { view, bytes in
        records.append(
          Record(
            kind: view.kind, time: view.time, actor: view.actor, body: Array(run.records[view.body])))
        if let event = try? EventCodec.decode(view, in: run.records) { state.apply(event) }
        if marks.contains(view.revision) { snapshots.append(encoder.snapshot(of: state)) }
      }
    }
    return Log(name: name, info: info, records: records, snapshots: snapshots, state: state)
  }
}
