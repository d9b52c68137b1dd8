import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLog
import EventLogModel
import StorageTestKit
import TestKit
import Testing

@Suite struct SpaceReplayTests {
  private let server = SimulatedServer()

  /// A channel in which two accounts say something every second, and the state that it comes to.
  private func recorded() -> (channel: Place, count: Int, hash: [UInt8]) {
    let (anna, ben) = (server.login("anna"), server.login("ben"))
    let lobby = server.enter("lobby", as: "anna")
    let other = server.enter("lobby", as: "ben")
    for number in 1...5 {
      server.advance(by: .seconds(1), with: anna, ben)
      lobby.command(.space(.say(ChannelMessage(id: "\(number)", text: "text \(number)"))))
      other.command(.space(.setAttributes(AttributesSet([.init(name: "n", value: "\(number)")]))))
      for peer in [lobby, other] { peer.receive() }
    }
    for peer in [anna, ben] { peer.say(.leave) }
    server.settle()
    let place = Place(service: .signaling, account: "carl", channel: "lobby")
    var state = RoomState()
    let store = server.store
    let runs = server.wait { (try? await store.runs(of: place.space.log, after: .zero, limit: .max)) ?? [] }
    var count = 0
    for run in runs {
      run.forEach { view, _ in
        count += 1
        if let event = try? EventCodec.decode(view, in: run.records) { state.apply(event) }
      }
    }
    return (place, count, StateEncoder.hash(of: state))
  }

  private func watch(_ place: Place?, _ log: LogID, speed: Double = 100) -> SimulatedPeer {
    server.join(log) { hello in
      hello.place = place
      hello.replay = ReplayWish(speed: speed)
    }
  }

  @Test(
    "SPC-12, RPL-10: a channel and an account are watched as they were, without a login"
  )
  func watching() {
    let (channel, count, hash) = recorded()
    let watcher = watch(channel, channel.space.log)
    #expect(watcher.welcome != nil)
    server.advance(by: .seconds(2)) {
      watcher.say(.heartbeat(1))
      watcher.receive()
    }
    #expect(watcher.faults == [])
    #expect(watcher.mirror.revision.rawValue == UInt64(count))
    #expect(StateEncoder.hash(of: watcher.mirror) == hash)
    let texts = watcher.spaceEvents.compactMap {
      if case .channelMessage(let said) = $0 { said.text } else { nil }
    }
    #expect(texts == (1...5).map { "text \($0)" })
    watcher.command(.space(.say(ChannelMessage(id: "1", text: "no"))))
    watcher.receive()
    #expect(watcher.refusals.map(\.refusal.code) == [.notWritable])
    let anna = Place(service: .signaling, account: "anna")
    let account = watch(anna, anna.space.log)
    server.advance(by: .seconds(2)) {
      account.say(.heartbeat(1))
      account.receive()
    }
    #expect(account.spaceEvents.contains(.channelEntered("lobby")))
  }

  @Test("RPL-10: a log that is no room is not watched as one, and one that is not there is not made")
  func strangers() {
    let (channel, _, _) = recorded()
    #expect(watch(nil, channel.space.log).farewell?.refusal.code == .notFound)
    let nowhere = Place(service: .signaling, account: "carl", channel: "nowhere")
    #expect(watch(nowhere, nowhere.space.log).farewell?.refusal.code == .notFound)
    let store = server.store
    #expect(server.wait { (try? await store.info(of: nowhere.space.log)) == nil })
  }
}
