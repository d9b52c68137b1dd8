import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLog
import EventLogModel
import TestKit
import Testing

@Suite struct CatchUpTests {
  /// A room whose state is small and whose log is long: one key set over and over.
  private func worn(_ server: SimulatedServer) -> (RoomID, SimulatedPeer) {
    let room = server.createRoom()
    let writer = server.join(room)
    for number in 1...150 { writer.command(.note(number, bytes: 1_000), .set("n", "\(number)")) }
    writer.receive()
    return (room, writer)
  }

  private func joins(
    _ server: SimulatedServer, _ room: RoomID, _ writer: SimulatedPeer, cursor: Cursor?,
    _ subprotocol: Subprotocol = .binary, holding mirror: SimulatedPeer? = nil
  ) -> SimulatedPeer {
    let peer = server.connect(subprotocol)
    if let mirror { peer.takeOver(mirror) }
    var hello = Hello(room: room, token: "")
    hello.cursor = cursor
    peer.say(.hello(hello))
    peer.receive()
    writer.receive()
    #expect(peer.faults == [])
    #expect(peer.isLive)
    #expect(peer.mirror == writer.mirror)
    return peer
  }

  @Test("WIRE-4: a catch-up is planned by bytes, and says which way and why", arguments: Subprotocol.allCases)
  func modes(_ subprotocol: Subprotocol) throws {
    let server = SimulatedServer(policy: unlimited())
    let (room, writer) = worn(server)
    let epoch = try #require(writer.welcome?.epoch)

    let fresh = joins(server, room, writer, cursor: nil, subprotocol)
    #expect(fresh.plan?.mode == .snapshot)
    #expect(fresh.plan?.reason == .snapshotSmaller)
    #expect((fresh.plan?.bytes ?? .max) < 10_000)

    let held = writer.mirror.revision
    let near = joins(
      server, room, writer, cursor: Cursor(epoch: epoch, revision: held), subprotocol, holding: writer)
    #expect(near.plan?.mode == .delta)
    #expect(near.plan?.reason == .deltaSmaller)
    #expect(near.plan?.from == held)

    let other = joins(
      server, room, writer, cursor: Cursor(epoch: Epoch(1), revision: held), subprotocol)
    #expect(other.plan?.mode == .snapshot)
    #expect(other.plan?.reason == .otherEpoch)

    let beyond = joins(
      server, room, writer, cursor: Cursor(epoch: epoch, revision: held + 1_000_000), subprotocol)
    #expect(beyond.plan?.mode == .snapshot)
  }

  @Test("A short log goes whole to who has nothing")
  func wholeLog() {
    let server = SimulatedServer()
    let room = server.createRoom()
    let writer = server.join(room)
    writer.command(.set("a", "1"))
    let peer = joins(server, room, writer, cursor: nil)
    #expect(peer.plan?.mode == .delta)
    #expect(peer.plan?.reason == .wholeLog)
    #expect(peer.events.count == 4)
  }

  @Test("WIRE-4: a catch-up ends exactly where it said, then live is said, then come the news")
  func announcedEnd() throws {
    let server = SimulatedServer(policy: unlimited { $0.piece = 2_000 })
    let room = server.createRoom()
    let writer = server.join(room)
    for number in 1...30 { writer.command(.note(number, bytes: 300)) }
    let slow = server.connect(outbox: 1_000)
    slow.say(.hello(Hello(room: room, token: "")))
    for number in 31...60 { writer.command(.note(number, bytes: 300)) }
    slow.receive()
    let plan = try #require(slow.plan)
    let place = try #require(
      slow.notices.firstIndex { if case .live(plan.to) = $0 { true } else { false } })
    var last = Revision.zero
    for notice in slow.notices[..<place] {
      if case .run(let run) = notice { last = run.lastRevision }
    }
    #expect(last == plan.to)
    #expect(slow.notices.count { if case .live = $0 { true } else { false } } == 1)
    writer.receive()
    #expect(slow.mirror == writer.mirror)
  }

  @Test("Snapshots are kept as events add up, and a restart opens from the last one")
  func snapshots() {
    let server = SimulatedServer(policy: unlimited { $0.snapshotEvents = 50 })
    let room = server.createRoom()
    let writer = server.join(room)
    for number in 1...120 { writer.command(.set("n\(number % 7)", "\(number)")) }
    writer.receive()
    let (store, last) = (server.store, writer.mirror.revision)
    let kept = server.wait { try? await store.latestSnapshot(of: room, notAfter: last) }
    #expect((kept?.revision ?? .zero) >= 100)
    let next = server.restarted()
    let back = next.join(room)
    #expect(back.faults == [])
    #expect(back.mirror.globalState == writer.mirror.globalState)
  }

  @Test("After retention has cut the log, who has nothing or too little gets a snapshot")
  func trimmed() {
    let server = SimulatedServer(policy: unlimited { $0.snapshotEvents = 50 })
    let room = server.createRoom()
    let writer = server.join(room)
    for number in 1...300 { writer.command(.note(number, bytes: 1_000)) }
    writer.receive()
    let store = server.store
    let low = server.wait { () async -> Revision in
      (try? await store.trim(room, below: 250)) ?? .zero
    }
    #expect(low > 1)
    let next = server.restarted()
    let fresh = next.join(room)
    #expect(fresh.plan?.mode == .snapshot)
    #expect(fresh.plan?.reason == .trimmed)
    #expect(fresh.faults == [])
    let epoch = writer.welcome?.epoch ?? Epoch(0)
    let old = next.join(room) { $0.cursor = Cursor(epoch: epoch, revision: 3) }
    #expect(old.plan?.reason == .trimmed)
    #expect(old.mirror.revision == old.plan?.to)
  }
}
