import BoardroomModel
import EventLog
import EventLogModel
import NIOCore
import NIOEmbedded
import NIOSSL
import ServerTestKit
import StorageTestKit
import Synchronization
import TestKit
import Testing

@testable import BoardroomAccess
@testable import BoardroomHosting
@testable import BoardroomServer

private let start = Timestamp(milliseconds: 1_700_000_000_000)
private let keys = KeyRing(pairs: [KeyPair(id: "new", secret: "one"), KeyPair(id: "old", secret: "two")])
private let proof = NodeProof(keys)

private func preface(_ change: (inout Preface) -> Void = { _ in }) -> Preface {
  var preface = Preface(
    header: PrefaceHeader(
      subprotocol: .json, time: start, nonce: .random(), log: LogID(high: 1, low: 2), key: proof.signer,
      node: "here"),
    address: "2001:db8::1", hello: Array("{\"m\":\"hello\"}".utf8), early: [0x89, 0x80, 1, 2, 3, 4])
  change(&preface)
  return preface
}

private func gate(_ clock: VirtualClock = VirtualClock(), hello: Int = 4_096, most: Int = 100) -> PrefaceGate
{
  PrefaceGate(node: "here", proof: proof, largestHello: hello, most: most, clock: { clock.now })
}

/// Why a preface is refused that comes in pieces; nil if it is taken, or not complete.
private func fault(
  _ pieces: [ArraySlice<UInt8>], by gate: PrefaceGate
) -> (fault: PrefaceFault?, preface: Preface?) {
  var (reading, heard) = (gate.reading(), ByteBuffer())
  do throws(PrefaceFault) {
    for piece in pieces {
      heard.writeBytes(piece)
      if let preface = try reading.read(&heard) { return (nil, preface) }
    }
    return (nil, nil)
  } catch {
    return (error, nil)
  }
}

private func bytes(_ preface: Preface, _ proof: NodeProof = proof) -> [UInt8] {
  Array(preface.bytes(proving: proof).readableBytesView)
}

@Suite struct PrefaceTests {
  @Test("PIPE-5: a preface is read as it was written, wherever it is cut, and byte for byte")
  func cuts() {
    for subprotocol in Subprotocol.allCases {
      let said = preface { $0.header.subprotocol = subprotocol }
      let all = bytes(said)
      for cut in all.indices {
        #expect(fault([all[..<cut], all[cut...]], by: gate()).preface == said, "\(cut)")
        #expect(fault([all[..<cut]], by: gate()).preface == nil)
        #expect(fault([all[..<cut]], by: gate()).fault == nil)
      }
      #expect(fault(all.map { [$0][...] }, by: gate()).preface == said)
    }
    let bare = preface {
      $0.address = ""
      $0.early = []
    }
    #expect(fault([bytes(bare)[...]], by: gate()).preface == bare)
  }

  @Test("PIPE-5: no byte of a preface can be another one")
  func forged() {
    let all = bytes(preface())
    for place in all.indices {
      var forged = all
      forged[place] ^= 1
      let heard = fault([forged[...]], by: gate())
      #expect(heard.preface == nil, "\(place)")
      if place < 4 { #expect(heard.fault == .malformed) }
      if place == 4 { #expect(heard.fault == .otherVersion) }
    }
    let stranger = NodeProof(KeyRing(pairs: [KeyPair(id: "new", secret: "other")]))
    #expect(fault([bytes(preface(), stranger)[...]], by: gate()).fault == .forged)
    let unknown = NodeProof(KeyRing(pairs: [KeyPair(id: "none", secret: "one")]))
    let said = preface { $0.header.key = "none" }
    #expect(fault([bytes(said, unknown)[...]], by: gate()).fault == .forged)
  }

  @Test("PIPE-5: a node that proves by an older pair of the ring is believed, so that keys can be changed")
  func olderKeys() {
    let older = NodeProof(KeyRing(pairs: [KeyPair(id: "old", secret: "two")]))
    let said = preface { $0.header.key = "old" }
    #expect(fault([bytes(said, older)[...]], by: gate()).preface == said)
  }

  @Test("PIPE-5: neither a ticket nor what signs tokens is a proof")
  func otherPurposes() {
    let text = Array("boardroom.pipe.1".utf8)
    let ticket = TokenGatekeeper(keys: keys).ticket(for: .random(), in: RoomID(high: 1, low: 2))
    #expect(!proof.isRight(Array(ticket.utf8), of: text, by: "new"))
    #expect(proof.isRight(proof.make(of: text), of: text, by: "new"))
    #expect(!proof.isRight(proof.make(of: text), of: text, by: "old"))
  }

  @Test(
    "PIPE-5: a preface is good once, also a minute later, and for half a minute before and after its time")
  func replays() throws {
    let clock = VirtualClock()
    let gate = gate(clock)
    let begin = clock.now
    let said = preface { $0.header.time = begin + .seconds(30) }
    #expect(fault([bytes(said)[...]], by: gate).preface == said)
    #expect(fault([bytes(said)[...]], by: gate).fault == .replayed)
    _ = clock.advance(by: .seconds(60))
    #expect(fault([bytes(said)[...]], by: gate).fault == .replayed)
    _ = clock.advance(by: .milliseconds(1))
    #expect(fault([bytes(said)[...]], by: gate).fault == .late)
    for (time, isGood) in [
      (clock.now + .seconds(-30), true), (clock.now + .milliseconds(-30_001), false),
      (clock.now + .seconds(30), true), (clock.now + .milliseconds(30_001), false),
    ] {
      let other = preface { $0.header.time = time }
      #expect(fault([bytes(other)[...]], by: gate).fault == (isGood ? nil : .late))
    }
  }

  @Test(
    "PIPE-5: what was said before this run of the node began is not taken: an earlier run may have taken it")
  func beforeTheStart() {
    let clock = VirtualClock()
    let gate = gate(clock)
    let said = preface { $0.header.time = clock.now + .milliseconds(-1) }
    #expect(fault([bytes(said)[...]], by: gate).fault == .late)
  }

  @Test("PIPE-5: a preface for another node, with a second hop, or beyond the bounds is refused by its name")
  func others() {
    let clock = VirtualClock()
    let now = clock.now
    func heard(_ full: PrefaceGate? = nil, _ change: (inout Preface) -> Void) -> PrefaceFault? {
      let said = preface {
        $0.header.time = now
        change(&$0)
      }
      return fault([bytes(said)[...]], by: full ?? gate(clock)).fault
    }
    #expect(heard { _ in } == nil)
    #expect(heard { $0.header.node = "there" } == .misdirected)
    #expect(heard { $0.header.hops = 2 } == .circle)
    #expect(heard { $0.hello = [UInt8](repeating: 0, count: 4_096) } == nil)
    #expect(heard { $0.hello = [UInt8](repeating: 0, count: 80_000) } == .tooLarge)
    #expect(heard { $0.early = [UInt8](repeating: 0, count: Preface.mostEarly + 1) } == .malformed)
    let full = gate(clock, most: 2)
    #expect(heard(full) { _ in } == nil)
    #expect(heard(full) { _ in } == nil)
    #expect(heard(full) { _ in } == .flood)
  }

  @Test(
    "PIPE-5: at the port, a wrong preface is answered, counted by its reason, and the connection is closed")
  func port() throws {
    let loop = EmbeddedEventLoop()
    let engine = RoomServerEngine(
      store: MemoryLogStore(), gatekeeper: OpenGate(), loops: [EventLoopHome(loop)], clock: { start })
    let gate = gate()
    let desk = PipeDesk(
      gate: gate, limits: PipeLimits(pipes: 1), trust: try NIOSSLContext(configuration: PipeDesk.trust(nil)),
      clock: { start })
    let limiter = ConnectionLimiter(ConnectionLimiter.Limits(address: 1, all: 1))
    func ask(_ bytes: [UInt8], waiting: Bool = false) throws -> [UInt8]? {
      let channel = EmbeddedChannel(loop: loop)
      try channel.connect(to: SocketAddress(ipAddress: "10.0.0.1", port: 1)).wait()
      try PrefaceReader.add(
        to: channel, pipes: desk, engine: engine, limiter: limiter, isPlain: true, wasOver: false)
      for byte in bytes { try channel.writeInbound(ByteBuffer(bytes: [byte])) }
      if waiting { loop.advanceTime(by: .seconds(3)) }
      loop.run()
      let said = try channel.readOutbound(as: ByteBuffer.self)
      #expect(!channel.isActive)
      return said.map { Array($0.readableBytesView) }
    }
    let refused = Array(PrefaceAnswer.refused.bytes.readableBytesView)
    let all = bytes(preface())
    #expect(try ask(Array("F".utf8)) == refused)
    #expect(try ask(Array(all.dropLast()) + [all[all.count - 1] ^ 1]) == refused)
    #expect(try ask(Array(bytes(preface()).dropLast()), waiting: true) == refused)
    #expect(
      try ask([0xF2] + Array("BNP".utf8) + [9]) == Array(PrefaceAnswer.otherVersion.bytes.readableBytesView))
    #expect(gate.refused == [.malformed: 1, .forged: 1, .slow: 1, .otherVersion: 1])
  }
}

@Suite struct PipePartTests {
  @Test(
    "PIPE-6: wherever a server's bytes are cut, it is known whether a message is whole and whether it was the last"
  )
  func boundaries() {
    let frames = [0, 5, 125, 126, 300, 65_535, 65_536, 70_000].map {
      FrameWriter.frame(.binary, [UInt8](repeating: 0x88, count: $0)).frame
    }
    let close = FrameWriter.close(CloseCode.left, "left").frame
    var ends: Set<Int> = [0]
    var all = ByteBuffer()
    for frame in frames + [close] {
      all.writeImmutableBuffer(frame)
      ends.insert(all.readableBytes)
    }
    let bytes = Array(all.readableBytesView)
    var generator = SeededGenerator(seed: 53)
    for _ in 0..<50 {
      var (boundary, at) = (FrameBoundary(), 0)
      while at < bytes.count {
        let next = min(bytes.count, at + Int.random(in: 1...9_000, using: &generator))
        boundary.pass(ByteBuffer(bytes: bytes[at..<next]))
        at = next
        #expect(boundary.isBetween == ends.contains(at), "\(at)")
        #expect(boundary.hasClosed == (at >= bytes.count - close.readableBytes + 2), "\(at)")
      }
    }
    var single = FrameBoundary()
    for (place, byte) in bytes.enumerated() {
      single.pass(ByteBuffer(bytes: [byte]))
      if single.isBetween != ends.contains(place + 1) { Issue.record("\(place)") }
    }
  }

  @Test("PIPE-4: an answer about a room's owner is kept for a second, and many who ask at once ask once")
  func answersAreKept() async {
    let (clock, owners) = (VirtualClock(), ToldOwners())
    let book = OwnerBook(owners, executor: nil, clock: { clock.now })
    let log = LogID(high: 3, low: 4)
    owners.say(.at(NodeAddress(name: "a", host: "a", port: 1)), of: log)
    #expect(book.kept(log) == nil)
    _ = await book.owner(of: log)
    owners.say(.here, of: log)
    _ = clock.advance(by: .milliseconds(999))
    #expect(await book.owner(of: log) != .here)
    _ = clock.advance(by: .milliseconds(1))
    #expect(await book.owner(of: log) == .here)
    #expect(owners.asked == 2)
    owners.say(.nobodyYet, of: log)
    book.forget(log)
    _ = await book.owner(of: log)
    #expect(book.kept(log) == nil, "who waits asks again")
    await withTaskGroup(of: Void.self) { tasks in
      for _ in 0..<50 { tasks.addTask { _ = await book.owner(of: LogID(high: 5, low: 6)) } }
    }
    #expect(owners.asked == 4)
  }

  @Test(
    "PIPE-4: that a room is here is believed only while this node has it, and that there is none is not kept")
  func hereOnlyWhileHad() async {
    let (clock, owners) = (VirtualClock(), ToldOwners())
    let book = OwnerBook(owners, executor: nil, clock: { clock.now })
    let log = LogID(high: 3, low: 4)
    let other = SpaceOwner.at(NodeAddress(name: "a", host: "a", port: 1))
    // There is no such room: this node may tell a client so, or make it.
    owners.lack(log)
    #expect(await book.owner(of: log) == .here)
    #expect(book.kept(log) == nil)
    // Another node has made it.
    owners.say(other, of: log)
    #expect(await book.owner(of: log) == other)
    let own = LogID(high: 5, low: 6)
    #expect(await book.owner(of: own) == .here)
    #expect(book.kept(own) == .here)
    // It has given it up, or was fenced.
    owners.lack(own)
    #expect(book.kept(own) == nil)
  }

  @Test(
    "DB-18: while nobody can say who owns a log, it is the owner that was known last",
    arguments: [true, false])
  func lastOwner(isSaid: Bool) async {
    let (clock, owners) = (VirtualClock(), SilencedOwners(isSaid: isSaid))
    let book = OwnerBook(owners, executor: nil, clock: { clock.now })
    let log = LogID(high: 3, low: 4)
    let known = await book.owner(of: log)
    #expect(known == .at(SilencedOwners.node))
    owners.silence()
    _ = clock.advance(by: .seconds(60))
    #expect(await book.owner(of: log) == known)
    guard isSaid else { return }
    #expect(await book.owner(of: LogID(high: 5, low: 6)) == .nobodyYet, "nothing was known of it")
    book.forget(log)
    #expect(await book.owner(of: log) == .nobodyYet, "the node has said that it is not")
  }

  @Test(
    "PIPE-3, DB-18: while nobody can say who owns a log, nobody waits longer for a log of which nothing was known",
    .timeLimit(.minutes(1)), arguments: [true, false])
  func noOwner(isSaid: Bool) async {
    let owners = SilencedOwners(isSaid: isSaid)
    owners.silence()
    let book = OwnerBook(owners, executor: nil, patience: .milliseconds(20), clock: { VirtualClock().now })
    #expect(await book.owner(of: LogID(high: 3, low: 4)) == .nobodyYet)
    #expect(await book.settledOwner(of: LogID(high: 3, low: 4)) == .nobodyYet)
  }
}

/// Says who owns a log, until it is silenced: then it says that it cannot, or nothing at all.
private final class SilencedOwners: SpaceOwners {
  static let node = NodeAddress(name: "a", host: "a", port: 1)
  private let isSaid: Bool
  private let silenced = Atomic<Bool>(false)
  private let never = AsyncStream.makeStream(of: Void.self)

  init(isSaid: Bool) { self.isSaid = isSaid }

  func silence() { silenced.store(true, ordering: .releasing) }

  func owner(of log: LogID) async throws -> SpaceOwner {
    guard silenced.load(ordering: .acquiring) else { return .at(Self.node) }
    if isSaid { throw LogError.full(place: "the database", isSilent: true) }
    for await _ in never.stream {}
    return .here
  }
}
