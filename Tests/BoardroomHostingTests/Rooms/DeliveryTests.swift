import BoardroomCodec
import BoardroomModel
import EventLogModel
import TestKit
import Testing

@Suite struct DeliveryTests {
  @Test("Promise 1: nobody sees what the log does not hold; then events and receipt come in one flush")
  func durableBeforeVisible() {
    let server = SimulatedServer()
    let room = server.createRoom()
    let (author, other) = (server.join(room), server.join(room))
    author.receive()
    server.commits = false
    let flushes = (author.link.flushes, other.link.flushes)
    author.command(.set("a", "1"), .set("b", "2"))
    author.receive()
    other.receive()
    #expect(author.receipts.isEmpty)
    #expect(other.mirror.globalState.isEmpty)
    server.commit()
    #expect(author.link.flushes == flushes.0 + 1)
    #expect(other.link.flushes == flushes.1 + 1)
    author.receive()
    other.receive()
    #expect(author.receipts.map(\.counter) == [1, 2])
    #expect(other.mirror.globalState["b"]?.text == "2")
    #expect(other.mirror == author.mirror)
    #expect(author.receipts.last?.revision == author.mirror.revision)
    #expect(other.receipts.isEmpty)
  }

  @Test("Both subprotocols and connections on other loops see the same events", arguments: [1, 2, 3])
  func sameForAll(loops: Int) {
    let server = SimulatedServer(loops: loops)
    let rooms = (1...4).map { server.createRoom(RoomID(high: 0, low: UInt64($0))) }
    for room in rooms {
      let peers = (0..<6).map { index in
        server.join(room, index % 2 == 0 ? .binary : .json, loop: index % loops)
      }
      for (index, peer) in peers.enumerated() { peer.command(.set("k\(index)", "\(index)")) }
      for peer in peers {
        peer.receive()
        #expect(peer.faults == [])
        #expect(peer.isLive)
        #expect(peer.receipts.count == 1)
        #expect(peer.mirror == peers[0].mirror)
        #expect(peer.mirror.globalState.count == 6)
      }
    }
  }

  @Test("A refused command is recorded, and its author is told code, cause and cure once that is durable")
  func refusedIsRecorded() throws {
    let server = SimulatedServer()
    let room = server.createRoom()
    let reader = server.join(room) { $0.isWritable = false }
    server.commits = false
    reader.command(.set("a", "1"))
    reader.receive()
    #expect(reader.refusals.isEmpty)
    server.commit()
    reader.receive()
    let told = try #require(reader.refusals.first)
    #expect(told.refusal.code == .notWritable)
    #expect(told.counter == 1)
    #expect(!told.refusal.cause.isEmpty)
    #expect(!told.refusal.cure.isEmpty)
    #expect(reader.events.last?.kindName == "refused")
    #expect(told.revision == reader.mirror.revision)
    #expect(reader.receipts.isEmpty)
  }

  @Test("WIRE-7: a heartbeat comes when nothing else was sent for an interval, and only then")
  func heartbeats() {
    let server = SimulatedServer()
    let room = server.createRoom()
    let (quiet, busy) = (server.join(room), server.join(room))
    quiet.receive()
    server.advance(by: .seconds(3)) {
      quiet.say(.heartbeat(1))
      busy.say(.heartbeat(1))
    }
    quiet.receive()
    #expect(quiet.heartbeats == 3)
    let before = quiet.heartbeats
    server.advance(by: .seconds(3)) { busy.command(.set("a", "1")) }
    quiet.receive()
    #expect(quiet.heartbeats == before)
  }

  @Test("Pointers that are held back are recorded when due, and every one of them gets a receipt")
  func heldBack() {
    let server = SimulatedServer()
    let room = server.createRoom()
    let (author, other) = (server.join(room), server.join(room))
    for x in 1...5 { author.command(.drawing(.pointer(PointerMove(scene: 1, unit: 0, x: Int64(x), y: 0)))) }
    server.advance(by: .milliseconds(250))
    author.receive()
    other.receive()
    #expect(author.receipts.map(\.counter).sorted() == [1, 2, 3, 4, 5])
    #expect(other.events.count { $0.kindName == "pointer" } == 2)
    let member = author.welcome?.member ?? 99
    #expect(other.mirror.members[member]?.pointer?.x == 5)
  }
}
