import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLog
import EventLogModel
import StorageTestKit
import Synchronization
import TestKit
import Testing

@testable import BoardroomHosting

/// Rooms with so many members that newcomers are spectators. Here two are many.
@Suite struct SpectatorTests {
  private static let room = RoomID(high: 1, low: 1)

  private static func server(
    above most: Int = 2, change: (inout ServerPolicy) -> Void = { _ in },
    seeing view: (MemoryLogStore) -> any LogStore = { $0 }
  ) -> SimulatedServer {
    let server = SimulatedServer(
      policy: unlimited {
        $0.spectatorsAbove = most
        change(&$0)
      }, seeing: view)
    server.createRoom(room)
    return server
  }

  private static func reader(
    _ server: SimulatedServer, _ subprotocol: Subprotocol = .binary, outbox: Int = 256 << 10,
    change: (inout Hello) -> Void = { _ in }
  ) -> SimulatedPeer {
    server.join(room, subprotocol, outbox: outbox) { hello in
      hello.token = Role.reader.rawValue
      hello.acceptsSpectating = true
      change(&hello)
    }
  }

  private static func isSpectator(_ peer: SimulatedPeer) -> Bool {
    (peer.welcome?.member.rawValue ?? 0) >= 1 << 52
  }

  private static func last(_ server: SimulatedServer) -> Revision {
    let store = server.store
    return server.wait { (try? await store.info(of: room).last) ?? .zero }
  }

  private static func counts(_ server: SimulatedServer) -> EngineCounts {
    server.wait { [engine = server.engine] in await engine.counts() }
  }

  /// Lets time go by for those who say that they are there.
  private static func advance(_ server: SimulatedServer, _ seconds: Int, _ peers: SimulatedPeer...) {
    server.advance(by: .seconds(seconds)) {
      for peer in peers {
        peer.receive()
        peer.say(.heartbeat(peer.mirror.revision))
      }
    }
  }

  @Test(
    "SPECT-1: above the number of members newcomers with a reader's token are spectators, if their clients can be: no members, and not in the log"
  )
  func newcomers() {
    let server = Self.server()
    let writer = server.join(Self.room)
    let first = Self.reader(server)
    #expect(!Self.isSpectator(first), "the second member")
    let before = Self.last(server)
    let spectator = Self.reader(server, .json)
    #expect(Self.isSpectator(spectator))
    #expect(spectator.welcome?.writable == false)
    #expect(spectator.isLive)
    #expect(Self.last(server) == before, "the log has nothing of it")
    #expect(spectator.mirror.members.count == 2)
    let old = Self.reader(server) { $0.acceptsSpectating = false }
    #expect(!Self.isSpectator(old), "a client that does not know of spectators")
    let other = server.join(Self.room) { $0.acceptsSpectating = true }
    #expect(!Self.isSpectator(other), "a writer")
    let counts = Self.counts(server)
    #expect((counts.members, counts.spectators, counts.replays) == (4, 1, 0))
    #expect(counts.connections == 5)
    // Who comes back to a stay goes on with it.
    guard let welcome = first.welcome else { return }
    first.cut()
    let back = Self.reader(server) {
      $0.resume = Hello.Resume(
        session: welcome.session, generation: welcome.generation, ticket: welcome.ticket)
    }
    #expect(back.welcome?.member == welcome.member)
    #expect(back.welcome?.resumed == true)
    spectator.cut()
    writer.receive()
    #expect(Self.counts(server).spectators == 0)
    #expect(writer.faults.isEmpty)
  }

  @Test("SPECT-2: spectators see all that happens, gathered, and state and order are those of members")
  func seeing() {
    let server = Self.server(above: 1)
    let writer = server.join(Self.room)
    let spectators = [Self.reader(server), Self.reader(server, .json)]
    for number in 1...40 {
      writer.command(.set("n", "\(number)"), .note(number))
      writer.receive()
      if number % 8 == 0 { Self.advance(server, 1, writer, spectators[0], spectators[1]) }
    }
    let late = Self.reader(server)
    Self.advance(server, 1, writer, spectators[0], spectators[1], late)
    for spectator in spectators + [late] {
      #expect(spectator.faults.isEmpty, "\(spectator.faults)")
      #expect(spectator.mirror.revision == writer.mirror.revision)
      #expect(StateEncoder.hash(of: spectator.mirror) == StateEncoder.hash(of: writer.mirror))
    }
    let runs = spectators[0].notices.count { if case .run = $0 { true } else { false } }
    #expect(runs <= 6, "eight commits at a time came as one: \(runs)")
    // Nothing happens: it hears that the server is there.
    Self.advance(server, 20, writer, spectators[0], spectators[1], late)
    #expect(spectators.allSatisfy { $0.farewell == nil })
  }

  @Test("SPECT-3: what spectators command and ask is refused, with what helps; who leaves is told so")
  func refused() {
    let server = Self.server(above: 0)
    let spectator = Self.reader(server)
    #expect(Self.isSpectator(spectator), "0: in each room")
    spectator.command(.note(1))
    spectator.receive()
    #expect(spectator.refusals.first?.refusal.code == .notWritable)
    #expect(spectator.refusals.first?.refusal.cure.contains("writer's token") == true)
    spectator.say(.leave)
    spectator.receive()
    #expect(spectator.farewell?.refusal.code == .notMember)
    #expect(Self.counts(server).spectators == 0)
  }

  @Test(
    "SPECT-2: a spectator that comes back gets what it lacks, and one with another log's cursor all of it")
  func comingBack() {
    let server = Self.server(above: 1)
    let writer = server.join(Self.room)
    for number in 1...20 { writer.command(.note(number, bytes: 400)) }
    writer.receive()
    let spectator = Self.reader(server)
    let known = spectator.mirror.revision
    let epoch = spectator.welcome?.epoch ?? Epoch(1)
    spectator.cut()
    writer.command(.note(21))
    writer.receive()
    let back = server.connect()
    back.takeOver(spectator)
    var hello = Hello(
      room: Self.room, token: Role.reader.rawValue, cursor: Cursor(epoch: epoch, revision: known))
    hello.acceptsSpectating = true
    hello.resume = spectator.welcome.map {
      .init(session: $0.session, generation: $0.generation, ticket: $0.ticket)
    }
    back.say(.hello(hello))
    back.receive()
    #expect(Self.isSpectator(back))
    #expect(back.plan?.mode == .delta)
    #expect(back.plan?.from == known)
    #expect(back.mirror.revision == writer.mirror.revision)
    #expect(back.faults.isEmpty, "\(back.faults)")
    let stranger = Self.reader(server) { $0.cursor = Cursor(epoch: Epoch(77), revision: known) }
    #expect(stranger.plan?.from == .zero)
    #expect(stranger.mirror.revision == writer.mirror.revision)
  }

  @Test(
    "SPECT-2: a spectator that has seen more than a node knows of yet is told nothing twice: the log is asked first"
  )
  func ahead() {
    let server = Self.server(above: 1)
    let writer = server.join(Self.room)
    let spectator = Self.reader(server)
    Self.advance(server, 3, writer, spectator)
    for number in 1...20 { writer.command(.note(number, bytes: 400)) }
    writer.receive()
    // The room rests: it is asked five times a second what it has gained, so that the host does not know of it yet.
    let seen = Cursor(epoch: spectator.welcome?.epoch ?? Epoch(1), revision: writer.mirror.revision)
    let back = server.connect()
    back.takeOver(writer)
    var hello = Hello(room: Self.room, token: Role.reader.rawValue, cursor: seen)
    hello.acceptsSpectating = true
    back.say(.hello(hello))
    back.receive()
    #expect(Self.isSpectator(back))
    #expect(back.plan?.mode == CatchUpPlan.Mode.none)
    #expect(back.plan?.from == seen.revision)
    #expect(back.faults.isEmpty, "\(back.faults)")
    // Of a log that was set back and has the same epoch: all of it, when the log was asked.
    let other = Self.reader(server) { $0.cursor = Cursor(epoch: seen.epoch, revision: seen.revision + 50) }
    Self.advance(server, 1, writer, spectator, back, other)
    #expect(other.plan?.from == .zero)
    #expect(other.mirror.revision == writer.mirror.revision)
  }

  /// A store whose reads fail while they are told to.
  private final class UnreadableStore: ForwardingLogStore {
    let base: any LogStore
    let failure = Mutex<LogError?>(nil)
    init(_ base: any LogStore) { self.base = base }
    func read(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun] {
      if let error = failure.withLock({ $0 }) { throw error }
      return try await base.read(log, after: after, limit: limit)
    }
    func latestSnapshot(of log: LogID, notAfter: Revision) async throws(LogError) -> Snapshot? {
      if let error = failure.withLock({ $0 }) { throw error }
      return try await base.latestSnapshot(of: log, notAfter: notAfter)
    }
  }

  @Test(
    "SPECT-5: while what a spectator lacks cannot be read it waits, and the others stay; of what is damaged it alone is told",
    arguments: [true, false])
  func unreadable(_ isPassing: Bool) throws {
    var store: UnreadableStore?
    let server = Self.server(above: 1) { policy in
      // Little is in memory.
      policy.tail = 2_000
      policy.piece = 1 << 10
    } seeing: { base in
      let made = UnreadableStore(base)
      store = made
      return made
    }
    let view = try #require(store)
    let writer = server.join(Self.room)
    for number in 1...40 { writer.command(.note(number, bytes: 400)) }
    writer.receive()
    let live = Self.reader(server)
    Self.advance(server, 1, writer, live)
    view.failure.withLock {
      $0 = isPassing ? .changingOwner(Self.room) : .damaged(Damage(what: "a block", place: "here"))
    }
    let late = Self.reader(server)
    Self.advance(server, 10, writer, live, late)
    #expect(live.farewell == nil, "it lacks nothing")
    #expect(late.farewell == nil || !isPassing)
    view.failure.withLock { $0 = nil }
    Self.advance(server, 3, writer, live, late)
    #expect(live.farewell == nil)
    #expect(live.mirror.revision == writer.mirror.revision)
    guard isPassing else {
      #expect(late.farewell?.comeBack == true)
      return
    }
    #expect(late.mirror.revision == writer.mirror.revision)
    // For longer than a database takes to have another primary it is sent off.
    view.failure.withLock { $0 = .changingOwner(Self.room) }
    let later = Self.reader(server)
    server.advance(by: SpectatorHost.patience + .seconds(2)) {
      for peer in [writer, live, later] {
        peer.receive()
        peer.say(.heartbeat(peer.mirror.revision))
      }
    }
    later.receive()
    #expect(later.farewell?.comeBack == true)
  }

  @Test(
    "SPECT-5: a spectator that does not keep up reads on at its own speed, and a silent one is parted from")
  func slow() {
    let server = Self.server(above: 1) { $0.piece = 8 << 10 }
    let writer = server.join(Self.room)
    let slow = Self.reader(server, outbox: 2_000)
    let silent = Self.reader(server)
    for number in 1...200 {
      writer.command(.note(number, bytes: 500))
      writer.receive()
      if number % 20 == 0 {
        server.advance(by: .milliseconds(250))
        slow.receive(upTo: 600)
        slow.say(.heartbeat(slow.mirror.revision))
      }
    }
    Self.advance(server, 3, writer, slow)
    #expect(slow.faults.isEmpty, "\(slow.faults)")
    #expect(slow.mirror.revision == writer.mirror.revision)
    server.advance(by: .seconds(60)) {
      for peer in [writer, slow] {
        peer.receive()
        peer.say(.heartbeat(peer.mirror.revision))
      }
    }
    silent.receive()
    #expect(silent.farewell?.refusal.code == .networkLost)
    #expect(slow.farewell == nil)
  }

  @Test(
    "SPECT-5, WIRE-20: when the log has gained nothing for ten seconds heartbeats of spectators are rare, until it gains something"
  )
  func quiet() {
    let server = Self.server(above: 1)
    let writer = server.join(Self.room)
    let one = Self.reader(server) { $0.acceptsQuiet = true }
    let other = Self.reader(server)
    var read = 0
    // As clients do.
    func live(_ seconds: Int) {
      server.advance(by: .seconds(seconds)) {
        for peer in [writer, other] {
          peer.receive()
          peer.say(.heartbeat(peer.mirror.revision))
        }
        one.receive()
        let news = one.notices[read...]
        read = one.notices.count
        for notice in news {
          switch notice {
          case .quiet(let revision, _, let interval): one.say(.quiet(revision, interval))
          case .heartbeat(let revision, _): one.say(.heartbeat(revision))
          default: break
          }
        }
      }
    }
    func quiets(_ peer: SimulatedPeer) -> [Duration] {
      peer.notices.compactMap { if case .quiet(_, _, let interval) = $0 { interval } else { nil } }
    }
    live(9)
    #expect(quiets(one).isEmpty)
    live(3)
    #expect(quiets(one) == [.seconds(10)])
    let before = (one.heartbeats, other.heartbeats)
    live(60)
    #expect(quiets(one) == Array(repeating: .seconds(10), count: 7))
    #expect(one.heartbeats == before.0)
    #expect(other.heartbeats >= before.1 + 58)
    #expect(quiets(other).isEmpty)
    writer.command(.note(1, bytes: 20))
    live(5)
    #expect(one.mirror.revision == writer.mirror.revision)
    #expect(one.heartbeats >= before.0 + 3, "as often as usual from here on")
    #expect(one.farewell == nil)
    // It says something else: the server's next word comes as soon as usual.
    live(10)
    let (rare, usual) = (quiets(one).count, one.heartbeats)
    one.say(.heartbeat(one.mirror.revision))
    live(2)
    #expect(quiets(one).count + one.heartbeats >= rare + usual + 1)
    // Who knows no more than that it is quiet and says nothing goes when its grace is over.
    server.advance(by: .seconds(31)) {
      for peer in [writer, other] {
        peer.receive()
        peer.say(.heartbeat(peer.mirror.revision))
      }
    }
    one.receive()
    #expect(one.farewell?.refusal.code == .networkLost)
  }

  @Test("SPECT-6: spectators go when they are banned, when their room is, and when it is removed")
  func removed() {
    let server = Self.server(above: 1)
    let writer = server.join(Self.room)
    let (bo, cy) = (Self.reader(server) { $0.uid = "bo" }, Self.reader(server) { $0.uid = "cy" })
    let engine = server.engine
    server.wait {
      await engine.banish(under: Ban(number: 1, room: Self.room, uid: "bo", address: nil, until: nil))
    }
    bo.receive()
    #expect(bo.farewell?.refusal.code == .banned)
    Self.advance(server, 1, writer, cy)
    #expect(cy.farewell == nil)
    let banned = server.wait { () -> Bool in
      do {
        _ = try await engine.carryOut(in: Self.room) { room throws(Refusal) in try room.ban(true) }
        return true
      } catch { return false }
    }
    #expect(banned)
    Self.advance(server, 1, cy)
    #expect(cy.farewell?.kick == .roomBan)
    #expect(cy.farewell?.comeBack == false)
    let again = Self.reader(server)
    #expect(again.farewell?.refusal.code == .banned, "who comes is told so, as a member would be")
  }

  @Test(
    "SPECT-6: spectators of a room that is removed are told so, and those of a log that goes on otherwise come back"
  )
  func deleted() {
    for isErased in [true, false] {
      let server = Self.server(above: 1)
      let writer = server.join(Self.room)
      let spectator = Self.reader(server)
      writer.cut()
      let (store, engine) = (server.store, server.engine)
      server.wait {
        if isErased {
          try? await store.delete(Self.room)
        } else {
          // As an operator deletes it: its log is kept for a time.
          _ = try? await engine.carryOut(in: Self.room) { room throws(Refusal) in try room.delete() }
        }
      }
      Self.advance(server, 2, spectator)
      #expect(spectator.farewell?.refusal.code == .notFound, "erased: \(isErased)")
      #expect(spectator.farewell?.kick == .roomDelete)
      #expect(spectator.farewell?.comeBack == false)
      guard !isErased else { continue }
      let next = Self.reader(server)
      #expect(!Self.isSpectator(next), "nobody comes into a deleted room")
      #expect(next.farewell != nil)
    }
  }

  @Test("SPECT-7: a board that is not recorded has no spectators, nor has an account or a channel")
  func unrecorded() {
    let server = SimulatedServer(policy: unlimited { $0.spectatorsAbove = 0 })
    server.createRoom(Self.room, isRecord: false)
    #expect(!Self.isSpectator(Self.reader(server)))
    let account = server.join(Place(service: .rtm, account: "anna")) { $0.acceptsSpectating = true }
    #expect(!Self.isSpectator(account))
  }

  // MARK: Rooms of other nodes

  private final class KnownOwner: SpaceOwners {
    let owner: Mutex<SpaceOwner>
    init(_ owner: SpaceOwner) { self.owner = Mutex(owner) }
    func owner(of log: LogID) async throws -> SpaceOwner { owner.withLock { $0 } }
  }

  /// The owner's log, and how often it was asked.
  private final class OwnersFeed: RoomFeed {
    let store: MemoryLogStore
    let asked = Mutex((takesSpectators: 0, news: 0))
    /// Nil: it has not opened the room.
    let answer = Mutex<Bool?>(true)
    /// Answers wait for that.
    let isHeld = Mutex(false)
    init(_ store: MemoryLogStore) { self.store = store }
    func takesSpectators(_ room: RoomID, at node: NodeAddress) async -> Bool? {
      asked.withLock { $0.takesSpectators += 1 }
      while isHeld.withLock({ $0 }) { await Task.yield() }
      return answer.withLock { $0 }
    }
    func news(of room: RoomID, after revision: Revision, limit: Int, at node: NodeAddress) async -> LogNews? {
      asked.withLock { $0.news += 1 }
      return try? await SpectatedLog(store, owners: nil, feed: nil, clock: { .zero })
        .newsHere(room, revision, limit)
    }
  }

  @Test(
    "SPECT-4: of another node's log that is read which the database has, and the rest asked of the owner; without an owner it is changingOwner"
  )
  func elsewhere() async throws {
    let (sealed, whole) = (MemoryLogStore(), MemoryLogStore())
    func records(_ range: ClosedRange<Int>) -> [Record] {
      range.map { Record(kind: 1, time: .zero, actor: 0, body: [UInt8($0)]) }
    }
    for store in [sealed, whole] {
      _ = try await store.create(Self.room, epoch: Epoch(5), at: .zero)
      try await store.append(records(1...10), to: Self.room, expecting: nil, epoch: nil)
    }
    try await whole.append(records(11...30), to: Self.room, expecting: nil, epoch: nil)
    let clock = Mutex(Timestamp.zero)
    let owner = KnownOwner(.at(NodeAddress(name: "b", host: "127.0.0.1", port: 1)))
    let book = OwnerBook(
      owner, executor: nil, patience: .milliseconds(20), clock: { clock.withLock { $0 } })
    let feed = OwnersFeed(whole)
    let log = SpectatedLog(Sealed(base: sealed), owners: book, feed: feed, clock: { clock.withLock { $0 } })
    #expect(try await log.info(of: Self.room).last == 30)
    #expect(try await log.read(Self.room, after: 3, limit: 1 << 20).last?.lastRevision == 10)
    let asked = feed.asked.withLock { $0.news }
    #expect(asked == 1, "what is sealed is read here")
    #expect(try await log.read(Self.room, after: 10, limit: 1 << 20).last?.lastRevision == 30)
    let news = try await log.news(of: Self.room, after: 28, limit: 1 << 20)
    #expect((news.last, news.epoch, news.sight) == (30, Epoch(5), .open))
    // A cursor of who was at another node is behind what is sealed.
    #expect(try await log.read(Self.room, after: 15, limit: 1 << 20).last?.lastRevision == 30)
    let gained = try news.runs.flatMap { stored in
      try log.unpack(stored, of: Self.room).suffix(after: 28)?.unpacked.map(\.body) ?? []
    }
    #expect(gained == [[29], [30]])
    let node = NodeAddress(name: "b", host: "127.0.0.1", port: 1)
    for _ in 0..<5 { #expect(await log.takesSpectators(Self.room, at: node)) }
    clock.withLock { $0 = $0 + .seconds(2) }
    #expect(await log.takesSpectators(Self.room, at: node))
    #expect(feed.asked.withLock { $0.takesSpectators } == 2)
    clock.withLock { $0 = $0 + .seconds(2) }
    feed.isHeld.withLock { $0 = true }
    let together = (0..<5).map { _ in Task { await log.takesSpectators(Self.room, at: node) } }
    while feed.asked.withLock({ $0.takesSpectators }) < 3 { await Task.yield() }
    for _ in 0..<200 { await Task.yield() }
    feed.isHeld.withLock { $0 = false }
    for one in together { #expect(await one.value) }
    #expect(feed.asked.withLock { $0.takesSpectators } == 3, "a class that comes in together asks once")
    // An owner that has not opened the room yet does not know: it is asked again.
    clock.withLock { $0 = $0 + .seconds(2) }
    feed.answer.withLock { $0 = nil }
    #expect(await !log.takesSpectators(Self.room, at: node))
    feed.answer.withLock { $0 = true }
    #expect(await log.takesSpectators(Self.room, at: node))
    owner.owner.withLock { $0 = .nobodyYet }
    clock.withLock { $0 = $0 + .seconds(2) }
    await #expect(throws: LogError.changingOwner(Self.room)) {
      try await log.news(of: Self.room, after: 30, limit: 1)
    }
  }

  /// A node's view of a log that it does not own: what is sealed.
  private struct Sealed: ForwardingLogStore {
    let base: any LogStore
    func info(of log: LogID) async throws(LogError) -> LogInfo {
      var info = try await base.info(of: log)
      info.isComplete = false
      return info
    }
  }
}
