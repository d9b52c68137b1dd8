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
}
