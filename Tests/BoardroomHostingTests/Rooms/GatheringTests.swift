import BoardroomHosting
import BoardroomModel
import TestKit
import Testing

@Suite struct GatheringTests {
  @Test(
    "WIRE-2, WIRE-13: a large room gathers commits for a moment and delivers them as one, in order, with the receipts"
  )
  func gathers() {
    // A millisecond for each member, so that three are a large room.
    let policy = unlimited { $0.membersPerMillisecond = 1 }
    let server = SimulatedServer(policy: policy)
    let room = server.createRoom()
    let peers = (0..<3).map { _ in server.join(room) }
    server.advance(by: .seconds(1))
    for peer in peers { peer.receive() }
    let before = peers.map { $0.events.count { $0.kindName == "magix" } }
    #expect(before == [0, 0, 0])

    for number in 1...5 { peers[0].command(.note(number)) }
    for peer in peers { peer.receive() }
    // The first after a quiet time goes out at once; the others came within the moment.
    #expect(peers.map { $0.events.count { $0.kindName == "magix" } } == [1, 1, 1])
    #expect(peers[0].receipts.map(\.counter) == [1], "no receipt before its event")

    server.advance(by: .seconds(1))
    for peer in peers { peer.receive() }
    #expect(peers.map { $0.events.count { $0.kindName == "magix" } } == [5, 5, 5])
    #expect(peers[0].receipts.map(\.counter) == [1, 2, 3, 4, 5])
    #expect(peers.allSatisfy { $0.faults == [] }, "no gap and no repeat")
  }

  @Test("WIRE-13: who goes is told in a large room within 100 ms, and at once with what else happens")
  func gathersPresence() {
    let policy = unlimited { $0.membersPerMillisecond = 1 }
    let server = SimulatedServer(policy: policy)
    let room = server.createRoom()
    let peers = (0..<10).map { _ in server.join(room) }
    server.advance(by: .seconds(1))
    for peer in peers { peer.receive() }
    func told() -> Int {
      peers[0].receive()
      return peers[0].events.count { $0.kindName == "memberLeft" }
    }
    // The first after a quiet time is told at once, and lets the next ones wait.
    for peer in peers[5...] {
      peer.say(.leave)
      server.settle()
    }
    #expect(told() == 1)
    server.advance(by: .milliseconds(100))
    #expect(told() == 5, "all of them together")
    for peer in peers[3...4] {
      peer.say(.leave)
      server.settle()
    }
    #expect(told() == 5)
    peers[1].command(.note(1))
    server.settle()
    #expect(told() == 5, "it waits for a moment too, as all commits do")
    server.advance(by: .milliseconds(10))
    #expect(told() == 7, "a command does not wait for them")
    #expect(peers[0].events.count { $0.kindName == "magix" } == 1)
    #expect(peers[...2].allSatisfy { $0.faults == [] }, "no gap and no repeat")
  }
}
