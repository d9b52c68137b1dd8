import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import StorageTestKit
import TestKit
import Testing

@Suite struct CutPointTests {
  @Test("WIRE-3: no gap and no repeat, wherever the connection is cut and however often")
  func anyCutPoint() {
    for seed in UInt64(1)...30 { run(seed) }
  }

  private func run(_ seed: UInt64) {
    var chance = SeededGenerator(seed: seed)
    let policy = unlimited { policy in
      // Small enough that pieces, tail, log and snapshots all take part.
      policy.piece = 600
      policy.tail = 2_000
      policy.snapshotEvents = 40
    }
    let server = SimulatedServer(policy: policy, loops: Int(seed % 2) + 1)
    let room = server.createRoom()
    let writer = server.join(room)
    var reader = server.join(room, seed % 3 == 0 ? .json : .binary, outbox: 900)
    var said = 0
    for _ in 0..<60 {
      switch chance.next() % 6 {
      case 0, 1, 2:
        for _ in 0..<(chance.next() % 12) {
          said += 1
          writer.command(.note(said, bytes: Int(chance.next() % 120)), .set("k\(said % 5)", "\(said)"))
        }
      case 3: reader.receive(upTo: Int(chance.next() % 2_000))
      case 4:
        reader.cut()
        if chance.next() % 2 == 0 { writer.command(.set("away", "\(said)")) }
        reader = comeBack(reader, server, room, takes: Int(chance.next() % 1_500))
      default: server.advance(by: .milliseconds(250))
      }
    }
    reader.receive()
    writer.receive()
    #expect(reader.faults == [], "seed \(seed)")
    #expect(writer.faults == [], "seed \(seed)")
    #expect(reader.mirror == writer.mirror, "seed \(seed)")
    #expect(reader.welcome?.member == 1, "seed \(seed): the session is the same all the time")
  }

  /// The new connection takes in only some of what comes, so that it may be cut in the middle of a catch-up.
  private func comeBack(
    _ old: SimulatedPeer, _ server: SimulatedServer, _ room: RoomID, takes limit: Int
  ) -> SimulatedPeer {
    let peer = server.connect(old.subprotocol, outbox: 900)
    var hello = Hello(room: room, token: "")
    old.comeBack(&hello)
    peer.takeOver(old)
    peer.say(.hello(hello))
    // A welcome must have come, or the next hello could not name the session.
    while peer.welcome == nil { peer.receive(upTo: 1) }
    peer.receive(upTo: limit)
    return peer
  }
}

@Suite struct SlowMemberTests {
  @Test("WIRE-5, promise 3: a slow member costs a cursor, not a queue; it stays connected and catches up")
  func slowMember() {
    let policy = unlimited { policy in
      policy.tail = 64 << 10
      policy.piece = 32 << 10
      policy.outbox = 16 << 10
    }
    let server = SimulatedServer(policy: policy)
    let room = server.createRoom()
    let writer = server.join(room)
    let quick = server.join(room)
    let slow = server.join(room, outbox: 16 << 10)
    for number in 1...600 {
      writer.command(.note(number, bytes: 1_000))
      quick.receive()
    }
    writer.receive()
    #expect(slow.link.mostBytes < (16 + 2 * 32) << 10)
    #expect(slow.link.closeCode == nil)
    #expect(quick.mirror == writer.mirror)
    slow.receive()
    #expect(slow.faults == [])
    #expect(slow.link.mostBytes < (16 + 2 * 64) << 10)
    #expect(slow.mirror == writer.mirror)
    writer.command(.set("live", "true"))
    slow.receive()
    #expect(slow.mirror.globalState["live"] != nil, "it is live again")
  }

  @Test("WIRE-6: a long catch-up goes piece by piece: the next one when there is room; little waits")
  func pieces() {
    let policy = unlimited { $0.piece = 4 << 10 }
    let server = SimulatedServer(policy: policy)
    let room = server.createRoom()
    let writer = server.join(room)
    for number in 1...100 { writer.command(.note(number, bytes: 500)) }
    let late = server.join(room, outbox: 4 << 10)
    #expect(late.faults == [])
    writer.receive()
    #expect(late.mirror == writer.mirror)
    #expect(late.link.mostBytes < 16 << 10)
    #expect(late.link.flushes > 5, "it came in pieces")
  }
}
