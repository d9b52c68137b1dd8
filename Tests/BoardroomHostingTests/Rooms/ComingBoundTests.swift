import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLog
import EventLogModel
import StorageTestKit
import TestKit
import Testing

@testable import BoardroomHosting

@Suite("How many come in, and how many watch")
struct ComingBoundTests {
  private func server(_ change: (inout ServerPolicy) -> Void) -> SimulatedServer {
    SimulatedServer(policy: unlimited(change), gatekeeper: HolderGate())
  }

  private func join(_ room: RoomID, _ server: SimulatedServer, _ token: String) -> SimulatedPeer {
    let peer = server.join(room) { $0.token = token }
    peer.receive()
    return peer
  }

  @Test(
    "BOUND-4: one token lets so many in within a minute, and is told to come back; others are not concerned")
  func tokens() {
    let server = server { $0.joinsOfToken = 3 }
    let room = server.createRoom()
    let peers = (0..<3).map { _ in join(room, server, "a") }
    #expect(peers.allSatisfy { $0.welcome != nil })
    let refused = join(room, server, "a").farewell
    #expect(refused?.refusal.code == .rateLimited)
    #expect(refused?.comeBack == true)
    #expect(refused?.refusal.limit == "joins.token")
    #expect(refused?.refusal.allowed == 3)
    #expect(join(room, server, "b").welcome != nil)
    server.advance(by: .seconds(60)) { peers[0].say(.heartbeat(1)) }
    #expect(join(room, server, "a").welcome != nil)
  }

  @Test("BOUND-4: who goes on with a stay costs nothing, however many came in")
  func resumes() {
    let first = server { $0.joinsOfToken = 2 }
    let room = first.createRoom()
    let peer = join(room, first, "a")
    func comeBack(to server: SimulatedServer) -> SimulatedPeer {
      let back = server.connect()
      var hello = Hello(room: room, token: "a")
      peer.comeBack(&hello)
      back.takeOver(peer)
      back.say(.hello(hello))
      back.receive()
      return back
    }
    #expect(join(room, first, "a").welcome != nil)
    #expect(join(room, first, "a").farewell?.refusal.limit == "joins.token")
    peer.cut()
    #expect(comeBack(to: first).welcome?.resumed == true)
  }

  @Test(
    "BOUND-4, BOUND-5: this machine's own addresses are not counted, tokens always; what is given back is free"
  )
  func claimants() {
    let joins = JoinBudget(ofToken: 4, ofAddress: 2)
    func take(_ holder: Int, _ address: String?, at seconds: Int64 = 0) -> String? {
      joins.refusal(Claimant(holder: holder, address: address), at: Timestamp(milliseconds: seconds * 1_000))?
        .limit
    }
    #expect(take(1, "192.0.2.1") == nil)
    #expect(take(1, "192.0.2.1") == nil)
    #expect(take(2, "192.0.2.1", at: 59) == "joins.address")
    #expect(take(3, "127.0.0.1") == nil)
    #expect(take(3, "::1") == nil)
    #expect(take(3, nil) == nil)
    #expect(take(3, nil) == nil)
    #expect(take(3, "127.0.0.1") == "joins.token")
    #expect(take(2, "192.0.2.1", at: 60) == nil)
    let shares = ReplayShares(ofToken: 2, ofAddress: 1)
    let (near, far) = (Claimant(holder: 1, address: "127.0.0.1"), Claimant(holder: 2, address: "192.0.2.1"))
    #expect(shares.refusal(near) == nil)
    #expect(shares.refusal(near) == nil)
    #expect(shares.refusal(near)?.limit == "replay.token")
    #expect(shares.refusal(far) == nil)
    #expect(shares.refusal(far)?.limit == "replay.address")
    shares.giveBack(near)
    shares.giveBack(far)
    #expect(shares.refusal(near) == nil)
    #expect(shares.refusal(far) == nil)
    let free = ReplayShares(ofToken: 0, ofAddress: 0)
    for _ in 0..<50 { #expect(free.refusal(far) == nil) }
  }

  @Test("BOUND-5: one token has so many replays, a group counts as one; the next may when one has ended")
  func replays() {
    let server = server {
      $0.replaysOfToken = 2
      $0.idleClose = .seconds(5)
    }
    let recorded = RecordedRoom(server)
    func watch(_ token: String, group: String? = nil) -> SimulatedPeer {
      recorded.watch(1, group: group) { $0.token = token }
    }
    let (one, group) = (watch("a"), watch("a", group: "g"))
    #expect(one.welcome != nil)
    #expect(group.welcome != nil)
    #expect(watch("a", group: "g").welcome != nil, "the group is one replay")
    let refused = watch("a").farewell
    #expect(refused?.refusal.code == .rateLimited)
    #expect(refused?.comeBack == true)
    #expect(refused?.refusal.limit == "replay.token")
    #expect(refused?.refusal.allowed == 2)
    #expect(watch("b").welcome != nil)
    one.cut()
    server.settle()
    #expect(watch("a").welcome != nil)
  }

  @Test("BOUND-1: the welcome tells the room's own limits of board, elements and members")
  func announced() {
    let server = server { $0.room.board = 1 << 20 }
    let peer = join(server.createRoom(), server, "a")
    #expect(peer.welcome?.limits.board == 1 << 20)
    #expect(peer.welcome?.limits.elements == 100_000)
    #expect(peer.welcome?.limits.members == 10_000)
  }
}
