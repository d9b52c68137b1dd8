import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel
import TestKit
import Testing

@Suite struct ZombieTests {
  private func server(zombieAfter: Duration?) -> SimulatedServer {
    SimulatedServer(policy: ServerPolicy(room: RoomPolicy(zombieAfter: zombieAfter)))
  }

  @Test("KICK-roomZombie, MOD-3: where nobody does anything for long, all are sent away, and told why")
  func sweep() {
    let server = server(zombieAfter: .seconds(120))
    let room = server.createRoom()
    let (one, other) = (server.join(room), server.join(room))
    server.advance(by: .seconds(100)) { for peer in [one, other] { peer.say(.heartbeat(1)) } }
    one.command(.set("awake", "1"))
    server.advance(by: .seconds(100)) { for peer in [one, other] { peer.say(.heartbeat(1)) } }
    for peer in [one, other] {
      peer.receive()
      #expect(peer.farewell == nil, "being connected is not enough, but somebody did something 100 s ago")
    }
    server.advance(by: .seconds(25)) { for peer in [one, other] { peer.say(.heartbeat(1)) } }
    for peer in [one, other] {
      peer.receive()
      #expect(peer.farewell?.kick == .roomZombie)
      #expect(peer.farewell?.refusal.code == .kicked)
      #expect(peer.farewell?.comeBack == false)
    }
    let later = server.join(room)
    #expect(later.isLive)
    #expect(later.mirror.members.count == 1)
    #expect(later.mirror.globalState["awake"]?.text == "1")
  }

  @Test("MOD-3: without the setting a quiet room stays as long as its members do")
  func never() {
    let server = server(zombieAfter: nil)
    let room = server.createRoom()
    let one = server.join(room)
    for _ in 0..<10 { server.advance(by: .seconds(600)) { one.say(.heartbeat(1)) } }
    one.receive()
    #expect(one.farewell == nil)
  }
}
