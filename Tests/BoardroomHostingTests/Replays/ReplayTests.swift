import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLog
import EventLogModel
import StorageTestKit
import TestKit
import Testing

@Suite struct ReplayTests {
  @Test(
    "RPL-10, RP-60: a watcher is told the state of its moment, then live, then the records as they become due",
    arguments: Subprotocol.allCases)
  func plays(_ subprotocol: Subprotocol) throws {
    let server = SimulatedServer(policy: unlimited())
    let recorded = RecordedRoom(server)
    let before = recorded.info
    let watcher = recorded.watch(5, subprotocol)
    let began = recorded.revision(at: recorded.time(5))
    #expect(watcher.story == ["welcome", "catchUp delta", "run", "live \(began)"])
    #expect(watcher.plan?.from == .zero)
    #expect(watcher.plan?.to == began)
    let welcome = try #require(watcher.welcome)
    #expect(!welcome.resumed)
    #expect(!welcome.writable)
    #expect(welcome.revision == began)
    #expect(welcome.epoch == before.epoch)
    recorded.expectTruth(watcher, at: began)
    #expect(watcher.mirror.members[welcome.member] == nil, "it is no member of what it sees")
    for step in 1...24 {
      recorded.advance(0.25, watcher)
      let place = recorded.time(5 + Double(step) / 4)
      recorded.expectTruth(watcher, at: recorded.revision(at: place), "\(step)")
    }
    #expect(recorded.info == before, "nothing of it is in the log")
    let records = recorded.events.filter { $0.revision <= watcher.mirror.revision }
    #expect(watcher.events == records, "the very records, once each and in order")
  }

  @Test("RP-32, RPL-11: the speed is that of the log's time over the clock's", arguments: [0.5, 1, 2, 8])
  func speeds(_ speed: Double) {
    let server = SimulatedServer(policy: unlimited())
    let recorded = RecordedRoom(server)
    let watcher = recorded.watch(2, speed: speed)
    for step in 1...8 {
      recorded.advance(0.25, watcher)
      let place = recorded.time(2 + Double(step) / 4 * speed)
      recorded.expectTruth(watcher, at: recorded.revision(at: place), "\(step)")
    }
  }

  @Test("RPL-12, RP-30: pausing holds, playing goes on, and every change is told with place and speed")
  func pauses() throws {
    let server = SimulatedServer(policy: unlimited())
    let recorded = RecordedRoom(server)
    let watcher = recorded.watch(4)
    recorded.advance(2, watcher)
    watcher.say(.replay(.pause))
    watcher.receive()
    let paused = try #require(watcher.statuses.last)
    #expect(paused.phase == .paused)
    #expect(paused.at == recorded.time(6))
    #expect(paused.speed == 1)
    #expect(paused.begin == recorded.start)
    #expect(paused.end == recorded.info.lastTime)
    recorded.advance(5, watcher)
    recorded.expectTruth(watcher, at: recorded.revision(at: recorded.time(6)))
    #expect(watcher.statuses.last == paused, "nothing changes, so nothing is told")
    #expect(watcher.heartbeats >= 4)
    watcher.say(.replay(.speed(2)))
    watcher.say(.replay(.play))
    recorded.advance(1, watcher)
    #expect(watcher.statuses.last?.phase == .playing)
    #expect(watcher.statuses.last?.speed == 2)
    recorded.expectTruth(watcher, at: recorded.revision(at: recorded.time(8)))
  }

  @Test("RPL-12: where it stands is told at least once a second while it plays")
  func tells() {
    let server = SimulatedServer(policy: unlimited())
    let recorded = RecordedRoom(server)
    let watcher = recorded.watch(1)
    let first = watcher.statuses.count
    recorded.advance(6, watcher)
    #expect(watcher.statuses.count - first >= 6)
    let places = watcher.statuses.map(\.at)
    #expect(places == places.sorted())
    #expect(places.last == recorded.time(7))
  }

  @Test(
    "RP-61, RPL-13: a seek begins anew at the nearest snapshot before its place, back and forth",
    arguments: Subprotocol.allCases)
  func seeks(_ subprotocol: Subprotocol) throws {
    let server = SimulatedServer(policy: unlimited { $0.snapshotEvents = 12 })
    let recorded = RecordedRoom(server)
    let watcher = recorded.watch(10, subprotocol)
    #expect(watcher.story[..<3] == ["welcome", "catchUp snapshot", "root"])
    recorded.expectTruth(watcher, at: recorded.revision(at: recorded.time(10)))
    for seconds in [3.0, 17.0, 0.1, 12.3, 19.9, 7.0] {
      let told = watcher.notices.count
      watcher.say(.replay(.seek(.time(recorded.time(seconds)))))
      watcher.receive()
      let revision = recorded.revision(at: recorded.time(seconds))
      recorded.expectTruth(watcher, at: revision, "\(seconds)")
      let status = try #require(watcher.statuses.last)
      #expect(status.at == recorded.time(seconds))
      #expect(status.revision == revision)
      let news = watcher.notices[told...]
      #expect(news.contains { if case .live(revision) = $0 { true } else { false } }, "\(seconds)")
      recorded.advance(0.5, watcher)
      recorded.expectTruth(
        watcher, at: recorded.revision(at: recorded.time(seconds + 0.5)), "after \(seconds)")
    }
    watcher.say(.replay(.pause))
    watcher.say(.replay(.seek(.revision(30))))
    watcher.receive()
    recorded.expectTruth(watcher, at: 30)
    watcher.say(.replay(.seek(.revision(.zero))))
    watcher.receive()
    #expect(watcher.statuses.last?.revision == .zero)
    #expect(watcher.mirror == RoomState())
    watcher.say(.replay(.seek(.revision(1_000_000))))
    watcher.receive()
    recorded.expectTruth(watcher, at: recorded.last)
  }

  @Test(
    "RPL-18: a hello with a revision begins exactly there, also among events of one time",
    arguments: [false, true])
  func beginsAtRevision(isShared: Bool) throws {
    let server = SimulatedServer(policy: unlimited())
    let recorded = RecordedRoom(server)
    // Each step of it is two events at one time.
    let twin = try #require(recorded.events.last { $0.event.kind == EventKind.globalState.rawValue })
    let behind = try #require(recorded.events.first { $0.revision == twin.revision.next })
    #expect(behind.time == twin.time)
    let watcher = recorded.watch(group: isShared ? "g" : nil) {
      $0.replay?.place = .revision(twin.revision)
    }
    #expect(watcher.welcome?.revision == twin.revision)
    #expect(watcher.plan?.to == twin.revision)
    #expect(watcher.story.contains("live \(twin.revision)"))
    #expect(watcher.statuses.first?.revision == twin.revision)
    #expect(watcher.statuses.first?.at == twin.time)
    recorded.advance(0.25, watcher)
    recorded.expectTruth(watcher, at: recorded.last, "then on")
  }

  @Test("RPL-13: the end of the log is told; a room that goes on is followed, also from its end")
  func ends() throws {
    let server = SimulatedServer(policy: unlimited())
    let recorded = RecordedRoom(server, seconds: 4)
    let watcher = recorded.watch(3)
    recorded.advance(2, watcher)
    let ended = try #require(watcher.statuses.last)
    #expect(ended.phase == .ended)
    #expect(ended.revision == recorded.last)
    #expect(ended.at == ended.end)
    recorded.expectTruth(watcher, at: recorded.last)
    let writer = server.join(recorded.room)
    writer.command(.set("later", "1"))
    writer.receive()
    watcher.say(.replay(.play))
    watcher.receive()
    #expect(watcher.statuses.last?.phase == .playing)
    recorded.advance(8, watcher, writer)
    recorded.expectTruth(watcher, at: recorded.last)
    #expect(watcher.mirror.globalState["later"]?.text == "1")
    watcher.say(.replay(.seek(.time(recorded.time(2)))))
    watcher.receive()
    recorded.advance(0.5, watcher)
    #expect(watcher.statuses.last?.phase == .playing)
    recorded.expectTruth(watcher, at: recorded.revision(at: recorded.time(2.5)))
  }

  @Test("RPL-14: what a watcher commands is refused with cause and cure, and is not in the log")
  func commands() {
    let server = SimulatedServer(policy: unlimited())
    let recorded = RecordedRoom(server, seconds: 4)
    let before = recorded.info
    let watcher = recorded.watch(1, role: .admin)
    watcher.command(.set("n", "99"), .note(1))
    watcher.receive()
    #expect(watcher.refusals.map(\.counter) == [1, 2])
    #expect(watcher.refusals.allSatisfy { $0.refusal.code == .notWritable && !$0.refusal.cure.isEmpty })
    #expect(recorded.info == before)
    watcher.say(.leave)
    watcher.receive()
    #expect(watcher.link.closeCode == CloseCode.left)
    #expect(recorded.info == before)
  }

  @Test(
    "RPL-14, ASK-1: what a watcher asks is answered with a refusal, and before the welcome it is parted from")
  func asks() {
    let server = SimulatedServer(policy: unlimited())
    let recorded = RecordedRoom(server, seconds: 4)
    let watcher = recorded.watch(1, role: .admin)
    for number in 1...2 {
      watcher.say(.ask(Ask(number: UInt64(number), question: .userStatus(account: "anna"))))
    }
    watcher.receive()
    let answers = watcher.notices.compactMap { if case .answer(let answer) = $0 { answer } else { nil } }
    #expect(answers.map(\.number) == [1, 2])
    for answer in answers {
      guard case .failure(let refusal) = answer.result else {
        Issue.record("a watcher was answered")
        continue
      }
      #expect(refusal.code == .unknownKind)
      #expect(!refusal.cure.isEmpty)
    }
    #expect(watcher.farewell == nil)
    let hasty = server.connect()
    let codec = WireCodec(.binary)
    let hello = Hello(room: recorded.room, token: "", replay: ReplayWish())
    server.loops[0].perform {
      hasty.handle.receive(codec.encode(client: .hello(hello)), at: server.now)
      hasty.handle.receive(
        codec.encode(client: .ask(Ask(number: 1, question: .userStatus(account: "anna")))), at: server.now)
    }
    server.settle()
    hasty.receive()
    #expect(hasty.farewell?.refusal.code == .outOfOrder)
    #expect(hasty.welcome == nil)
  }

  @Test("WIRE-5, RPL-16: a slow watcher is not queued for: it reads on by its own cursor, and misses nothing")
  func slow() {
    let policy = unlimited {
      $0.outbox = 4_000
      $0.piece = 8_000
      $0.tail = 6_000
    }
    let server = SimulatedServer(policy: policy)
    let recorded = RecordedRoom(server, bytes: 2_000)
    let quick = recorded.watch(1, speed: 4, group: "class")
    let slow = recorded.watch(1, speed: 4, group: "class", outbox: 4_000)
    for _ in 0..<24 {
      recorded.advance(0.25, quick)
      slow.say(.heartbeat(slow.mirror.revision))
    }
    recorded.expectTruth(quick, at: recorded.last)
    #expect(slow.mirror.revision < recorded.last)
    #expect(slow.link.mostBytes < 24_000, "\(slow.link.mostBytes)")
    slow.receive()
    recorded.advance(1, quick, slow)
    recorded.expectTruth(slow, at: recorded.last)
    #expect(slow.statuses.last?.phase == .ended)
  }

  @Test("RPL-16: a watcher that is silent for longer than the grace is parted from")
  func silent() {
    let server = SimulatedServer(policy: unlimited())
    let recorded = RecordedRoom(server)
    let watcher = recorded.watch(1)
    server.advance(by: .seconds(29)) { watcher.receive() }
    #expect(watcher.farewell == nil)
    server.advance(by: .seconds(2)) { watcher.receive() }
    #expect(watcher.farewell?.refusal.code == .networkLost)
    #expect(watcher.farewell?.comeBack == true)
    let engine = server.engine
    let replays = server.wait { await engine.counts().replays }
    #expect(replays == 0)
  }

  @Test("RP-65: damage is passed over: the replay says what is missing and goes on at the next snapshot")
  func damage() throws {
    let store = MemoryLogStore(commits: .whenTold)
    let holed = HoledStore(store)
    let policy = unlimited {
      $0.snapshotEvents = 10
      $0.piece = 16 << 10
    }
    let server = SimulatedServer(policy: policy, store: store, seeing: { _ in holed })
    let recorded = RecordedRoom(server, bytes: 6_000)
    let room = recorded.room
    let spans = server.wait { (try? await store.spans(of: room, after: .zero, limit: 99)) ?? [] }
    try #require(spans.count > 3)
    let watcher = recorded.watch(0.1, speed: 4)
    holed.damage(spans[1])
    recorded.advance(12, watcher)
    let told = try #require(watcher.statuses.compactMap(\.refusal).first)
    #expect(told.code == .internalFailure)
    #expect(told.cause.contains("\(spans[1].first) to \(spans[1].last)"))
    #expect(watcher.statuses.last?.phase == .ended)
    #expect(watcher.farewell == nil)
    recorded.expectTruth(watcher, at: recorded.last)
    #expect(watcher.events.contains { $0.revision == spans[0].last })
    #expect(!watcher.events.contains { $0.revision == spans[1].last })
    // Into the damage itself: where something can be shown again.
    let before = watcher.statuses.count
    watcher.say(.replay(.seek(.revision(spans[1].last))))
    watcher.receive()
    #expect(watcher.statuses[before...].contains { $0.refusal != nil })
    #expect(watcher.farewell == nil)
    recorded.advance(1, watcher)
    #expect(watcher.faults == [])
    #expect(watcher.mirror.revision > spans[1].last)
  }
}
