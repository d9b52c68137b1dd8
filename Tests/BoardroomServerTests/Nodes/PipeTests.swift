import BoardroomAccess
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel
import NIOCore
import ServerTestKit
import Synchronization
import TestKit
import Testing

@testable import BoardroomServer

private func node(
  address: Int = 1_000, proxies: String = "none", _ change: (inout ServerSettings) -> Void = { _ in }
) -> ServerSettings {
  var settings = ServerSettings()
  settings.addressConnections = address
  settings.countsThisMachine = true
  settings.proxies = ProxyList(proxies) ?? ProxyList()
  change(&settings)
  return settings
}

@Suite(.timeLimit(.minutes(15))) struct PipeTests {
  @Test(
    "PIPE-1: a member at another node and one at the owner hear each other, and both leave as they do elsewhere"
  )
  func conversation() async throws {
    try await TwoNodes.run { nodes in
      let room = try await nodes.room()
      let far = try await NodeClient(nodes.middle)
      far.hello(room, by: nodes.middle)
      #expect(await far.comesIn().contains("\"m\":\"live\""))
      let near = try await NodeClient(nodes.owner)
      near.hello(room, by: nodes.owner)
      #expect(await near.comesIn().contains("\"m\":\"live\""))
      let (one, other) = (try far.field("member"), try near.field("member"))
      #expect(one != other)
      far.say("from-far")
      #expect(await near.hears("from-far").contains("from-far"))
      near.say("from-near")
      #expect(await far.hears("from-near").contains("from-near"))
      #expect(try await TwoNodes.figure("boardroom_pipes_open", of: nodes.middle) == 1)
      #expect(try await TwoNodes.figure("boardroom_members", of: nodes.owner) == 2)
      #expect(try await TwoNodes.figure("boardroom_members", of: nodes.middle) == 0)
      far.socket.sendFrame("{\"m\":\"leave\"}")
      #expect(await far.hears("\"m\":\"farewell\"").contains("\"code\":\"notMember\""))
      #expect(await near.hears("memberLeft").contains("\"cause\":\"left\""))
    }
  }

  @Test("PIPE-1: a stay goes on through whichever node its client comes back")
  func resuming() async throws {
    try await TwoNodes.run { nodes in
      let room = try await nodes.room()
      let first = try await NodeClient(nodes.middle)
      first.hello(room, by: nodes.middle)
      await first.comesIn()
      let second = try await NodeClient(nodes.owner)
      second.hello(room, by: nodes.owner, more: try first.resuming())
      await second.comesIn()
      #expect(try second.field("resumed") == "true")
      #expect(try second.field("generation") == "2")
      #expect(await first.hears("\"m\":\"farewell\"").contains("\"code\":\"replaced\""))
      let third = try await NodeClient(nodes.middle)
      third.hello(room, by: nodes.middle, more: try second.resuming())
      await third.comesIn()
      #expect(try third.field("resumed") == "true")
      let (before, after) = (try first.field("member"), try third.field("member"))
      #expect(before == after)
    }
  }

  @Test(
    "PIPE-8: what comes with the hello and behind it reaches the owner once and in order, also a piece of a frame",
    arguments: [false, true])
  func early(asksBackEnd: Bool) async throws {
    let gatekeeper = asksBackEnd ? TokenGatekeeper(keys: KeyRing(pairs: [RunningServer.pair])) : nil
    try await TwoNodes.run(gatekeeper: gatekeeper) { nodes in
      let room = try await nodes.room()
      let client = try await NodeClient(nodes.middle)
      let ping: [UInt8] = [0x89, 0x86, 0, 0, 0, 0] + Array("first!".utf8)
      let next: [UInt8] = [0x89, 0x87, 0, 0, 0, 0] + Array("second!".utf8)
      client.hello(room, by: nodes.middle)
      client.socket.send(ping + next.prefix(9))
      #expect(await client.hears("\"m\":\"live\"").contains("\"m\":\"welcome\""))
      client.socket.send(Array(next.dropFirst(9)))
      await client.hears("second!")
      #expect(client.heard.ranges(of: "first!").count == 1)
      #expect(client.heard.ranges(of: "second!").count == 1)
    }
  }

  @Test("PIPE-2: the owner counts the client's address and not the node's, as its own limit says")
  func addresses() async throws {
    try await TwoNodes.run(
      middle: node(proxies: "127.0.0.0/8"), owner: node(address: 1)
    ) { nodes in
      let room = try await nodes.room()
      // The node's own address has as many connections at the owner as it may have.
      let own = try await NodeClient(nodes.owner)
      let first = try await NodeClient(nodes.middle, from: "10.0.0.1")
      first.hello(room, by: nodes.middle)
      #expect(await first.comesIn().contains("\"m\":\"live\""))
      let second = try await NodeClient(nodes.middle, from: "10.0.0.1")
      second.hello(room, by: nodes.middle)
      let refused = await second.comesIn()
      #expect(refused.contains("\"code\":\"connectionLimit\""), "\(refused)")
      let third = try await NodeClient(nodes.middle, from: "10.0.0.2")
      third.hello(room, by: nodes.middle)
      #expect(await third.comesIn().contains("\"m\":\"live\""))
      let stranger = try #require(RawSocket(port: nodes.owner.port))
      stranger.send("G")
      #expect(await stranger.receive(until: nil).hasPrefix("HTTP/1.1 429 "))
      withExtendedLifetime(own) {}
    }
  }

  @Test("PIPE-3: a hello to a room that has no owner yet waits, and is let in when it has one")
  func waiting() async throws {
    try await TwoNodes.run { nodes in
      let room = try await nodes.middle.room()
      nodes.middleOwners.say(.nobodyYet, of: room)
      let client = try await NodeClient(nodes.middle)
      client.hello(room, by: nodes.middle)
      var questions = nodes.middleOwners.questions.makeAsyncIterator()
      for _ in 0..<2 { _ = await questions.next() }
      nodes.middleOwners.say(.at(nodes.address()), of: room)
      #expect(await client.comesIn().contains("\"m\":\"live\""))
      #expect(try await TwoNodes.figure("boardroom_members", of: nodes.owner) == 1)
      nodes.middleOwners.say(.nobodyYet, of: room)
      let here = try await nodes.middle.room()
      nodes.middleOwners.say(.nobodyYet, of: here)
      let other = try await NodeClient(nodes.middle)
      other.hello(here, by: nodes.middle)
      for _ in 0..<2 { _ = await questions.next() }
      nodes.middleOwners.say(.here, of: here)
      #expect(await other.comesIn().contains("\"m\":\"live\""))
      #expect(try await TwoNodes.figure("boardroom_members", of: nodes.middle) == 1)
    }
  }

  @Test("PIPE-3: after three seconds without an owner it is told to come back")
  func noOwner() async throws {
    let later = Mutex(Duration.zero)
    let start = Timestamp.wallClock
    try await TwoNodes.run(clock: { start + later.withLock { $0 } }) { nodes in
      let room = try await nodes.middle.room()
      nodes.middleOwners.say(.nobodyYet, of: room)
      let client = try await NodeClient(nodes.middle)
      client.hello(room, by: nodes.middle)
      var questions = nodes.middleOwners.questions.makeAsyncIterator()
      _ = await questions.next()
      later.withLock { $0 = .milliseconds(2_999) }
      // It is asked for as long as the hello waits.
      for _ in 0..<5 { _ = await questions.next() }
      later.withLock { $0 = OwnerBook.patience }
      let farewell = await client.comesIn()
      #expect(farewell.contains("\"code\":\"goingAway\""), "\(farewell)")
      #expect(farewell.contains("\"comeBack\":true"))
    }
  }

  @Test("PIPE-4: two nodes that take each other for the owner send nobody in circles")
  func circles() async throws {
    try await TwoNodes.run(owner: node()) { nodes in
      let room = try await nodes.room()
      nodes.ownerOwners.say(
        .at(NodeAddress(name: "middle", host: "127.0.0.1", port: nodes.middle.port)), of: room)
      let client = try await NodeClient(nodes.middle)
      client.hello(room, by: nodes.middle)
      let farewell = await client.comesIn()
      #expect(farewell.contains("\"code\":\"goingAway\""), "\(farewell)")
      #expect(farewell.contains("\"comeBack\":true"))
      #expect(nodes.middleOwners.asked == 2, "it is looked for again, once")
      #expect(nodes.ownerOwners.asked == 2)
      #expect(try await TwoNodes.figure("boardroom_pipes_open", of: nodes.owner) == 0)
      #expect(try await TwoNodes.figure("boardroom_pipes_open", of: nodes.middle) == 0)
    }
  }

  @Test("PIPE-4: a node that owns the room no more says so, and the client comes to the one that does")
  func moved() async throws {
    try await TwoNodes.run { nodes in
      let old = try await FalseOwner(saying: Array(PrefaceAnswer.notHere.bytes.readableBytesView))
      let room = try await nodes.room(through: old.port)
      let client = try await NodeClient(nodes.middle)
      var questions = nodes.middleOwners.questions.makeAsyncIterator()
      client.hello(room, by: nodes.middle)
      _ = await questions.next()
      nodes.middleOwners.say(.at(nodes.address()), of: room)
      #expect(await client.comesIn().contains("\"m\":\"live\""))
      try await old.end()
    }
  }

  @Test(
    "PIPE-4: whom the owner cannot take is told to come back: it is no node, or it wants no one",
    arguments: ["HTTP/1.1 503 Service Unavailable\r\n\r\n", "\u{1}"])
  func noJoining(_ words: String) async throws {
    try await TwoNodes.run(middle: node()) { nodes in
      var spoken = Array(words.utf8)
      if words == "\u{1}" { spoken = Array(PrefaceAnswer.refused.bytes.readableBytesView) }
      let owner = try await FalseOwner(saying: spoken)
      let room = try await nodes.room(through: owner.port)
      let client = try await NodeClient(nodes.middle)
      client.hello(room, by: nodes.middle)
      let farewell = await client.comesIn()
      #expect(farewell.contains("\"code\":\"goingAway\""), "\(farewell)")
      #expect(farewell.contains("\"comeBack\":true"))
      #expect(try await TwoNodes.figure("boardroom_pipes_failed_total", of: nodes.middle) == 1)
      try await owner.end()
    }
  }

  @Test(
    "PIPE-4: an owner that cannot be reached is gone or going: the hello waits for the next one, for three seconds",
    arguments: [false, true])
  func unreachable(hasNext: Bool) async throws {
    let later = Mutex(Duration.zero)
    let start = Timestamp.wallClock
    try await TwoNodes.run(clock: { start + later.withLock { $0 } }) { nodes in
      let old = try await FalseOwner(saying: [])
      let room = try await nodes.room(through: old.port)
      try await old.end()
      let client = try await NodeClient(nodes.middle)
      client.hello(room, by: nodes.middle)
      var questions = nodes.middleOwners.questions.makeAsyncIterator()
      for _ in 0..<3 { _ = await questions.next() }
      guard hasNext else {
        later.withLock { $0 = OwnerBook.patience }
        let farewell = await client.comesIn()
        #expect(farewell.contains("\"code\":\"goingAway\""), "\(farewell)")
        #expect(farewell.contains("\"comeBack\":true"))
        return
      }
      nodes.middleOwners.say(.at(nodes.address()), of: room)
      #expect(await client.comesIn().contains("\"m\":\"live\""))
    }
  }
}

@Suite(.timeLimit(.minutes(15))) struct PrefaceAtPortTests {
  private static func preface(_ secret: String, hops: Int = 1) -> [UInt8] {
    let proof = NodeProof(KeyRing(pairs: [KeyPair(id: RunningServer.pair.id, secret: secret)]))
    let header = PrefaceHeader(
      hops: hops, subprotocol: .json, time: .wallClock, nonce: .random(), log: LogID(high: 1, low: 2),
      key: proof.signer, node: "middle")
    let preface = Preface(header: header, address: "", hello: Array("{}".utf8), early: [])
    return Array(preface.bytes(proving: proof).readableBytesView)
  }

  @Test(
    "PIPE-5, PIPE-4: at a real port a forged preface, one that came before and a second hop are refused and counted"
  )
  func refused() async throws {
    let start = Timestamp.wallClock
    try await TwoNodes.run(clock: { start }) { nodes in
      func answer(_ said: [UInt8]) async throws -> [UInt8] {
        let socket = try #require(RawSocket(port: nodes.middle.port))
        socket.send(said)
        return await socket.receive()
      }
      let refused = Array(PrefaceAnswer.refused.bytes.readableBytesView)
      let joined = Array(PrefaceAnswer.joined.bytes.readableBytesView)
      let good = Self.preface(RunningServer.pair.secret)
      let wrong = [Self.preface("wrong"), Self.preface(RunningServer.pair.secret, hops: 2)]
      var answers: [[UInt8]] = []
      for said in wrong + [good, good] { answers.append(try await answer(said)) }
      #expect(answers[0] == refused)
      #expect(answers[1] == refused)
      #expect(answers[2].starts(with: joined))
      #expect(answers[3] == refused)
      #expect(try await TwoNodes.figure("boardroom_prefaces_refused_total", of: nodes.middle) == 3)
    }
  }

  @Test("PIPE-9: a server that is alone knows no prefaces")
  func alone() async throws {
    try await RunningServer.with { server in
      let socket = try #require(RawSocket(port: server.port))
      socket.send(Self.preface(RunningServer.pair.secret))
      let answer = await socket.receive()
      #expect(!answer.contains(PrefaceHeader.first))
    }
  }
}

@Suite(.timeLimit(.minutes(15))) struct BrokenPipeTests {
  @Test("PIPE-6: when the owner is gone the client is told at once to come back, and its stay goes on")
  func ownerGone() async throws {
    try await TwoNodes.run { nodes in
      let way = try await CutWay.to(nodes.owner.port)
      let room = try await nodes.room(through: way.port)
      let client = try await NodeClient(nodes.middle)
      client.hello(room, by: nodes.middle)
      await client.comesIn()
      await way.cut()
      let farewell = await client.hears("\"m\":\"farewell\"")
      #expect(farewell.contains("\"code\":\"goingAway\""), "\(farewell)")
      #expect(farewell.contains("\"comeBack\":true"))
      let again = try await NodeClient(nodes.middle)
      again.hello(room, by: nodes.middle, more: try client.resuming())
      await again.comesIn()
      #expect(try again.field("resumed") == "true")
      let (before, after) = (try client.field("member"), try again.field("member"))
      #expect(before == after)
      try await way.end()
    }
  }

  @Test(
    "PIPE-6: an owner that is gone in the middle of a message ends the connection, and nothing is made up")
  func insideFrame() async throws {
    try await TwoNodes.run { nodes in
      let said = Array(PrefaceAnswer.joined.bytes.readableBytesView) + [0x81, 0x7E, 0x01, 0x00, 0x7B]
      let owner = try await FalseOwner(saying: said)
      let room = try await nodes.room(through: owner.port)
      let client = try await NodeClient(nodes.middle)
      client.hello(room, by: nodes.middle)
      let heard = await client.hears("never said")
      #expect(!heard.contains("goingAway"))
      #expect(heard.utf8.last == 0x7B)
      try await owner.end()
    }
  }

  @Test("PIPE-6: a node that ends sends off the clients that it has joined to others, too")
  func middleEnds() async throws {
    try await TwoNodes.run { nodes in
      let room = try await nodes.room()
      let client = try await NodeClient(nodes.middle)
      client.hello(room, by: nodes.middle)
      await client.comesIn()
      await nodes.middle.shutDown()
      let farewell = await client.hears("\"m\":\"farewell\"")
      #expect(farewell.contains("\"code\":\"goingAway\""), "\(farewell)")
      #expect(farewell.contains("\"comeBack\":true"))
    }
  }

  @Test(
    "PIPE-7: for a slow client the node in the middle keeps no more than the bound, and it gets all in the end"
  )
  func slowReader() async throws {
    let settings = node { $0.room = RoomPolicy(rate: nil, rates: [:]) }
    try await TwoNodes.run(middle: settings, owner: settings) { nodes in
      let room = try await nodes.room()
      let slow = try await NodeClient(nodes.middle, window: 16 << 10)
      slow.hello(room, by: nodes.middle)
      await slow.comesIn()
      let quick = try await NodeClient(nodes.owner)
      quick.hello(room, by: nodes.owner)
      await quick.comesIn()
      let count = 200
      let hearing = Task { await quick.socket.bytes(until: "event-\(count)\"") }
      for number in 1...count { quick.say("event-\(number)", number, bytes: 30_000) }
      _ = await hearing.value
      // At the owner a slow member has its outbox and one run, as everywhere.
      let waiting = try await TwoNodes.figure("boardroom_outbox_bytes", of: nodes.middle)
      #expect(waiting <= Double(PipeLimits.most))
      #expect(try await TwoNodes.figure("boardroom_pipes_open", of: nodes.middle) == 1)
      let heard = await slow.socket.bytes(until: "event-\(count)\"")
      #expect(heard > (count - 1) * 30_000, "the last one may not be whole yet")
      slow.say("heard-all")
      #expect(await quick.hears("heard-all").contains("heard-all"))
    }
  }

  @Test(
    "PIPE-10: a node whose address says so is reached over TLS, and one whose certificate is not trusted gets nobody"
  )
  func secure() async throws {
    var settings = node()
    settings.tlsCertificate = Certificates.server.certificate
    settings.tlsKey = Certificates.server.key
    for (trusted, isIn) in [(Certificates.server, true), (.elsewhere, false)] {
      try await TwoNodes.run(middle: node(), owner: settings, trust: trusted.certificate) { nodes in
        let room = try await nodes.room(isSecure: true)
        let client = try await NodeClient(nodes.middle)
        client.hello(room, by: nodes.middle)
        #expect(await client.comesIn().contains(isIn ? "\"m\":\"live\"" : "\"code\":\"goingAway\""))
        guard isIn else { return }
        client.say("over-tls")
        #expect(await client.hears("\"m\":\"receipts\"").contains("receipts"))
      }
    }
  }
}

extension RawSocket {
  /// Hears until this was said, or the end; returns how many bytes that were.
  fileprivate func bytes(until mark: String) async -> Int {
    var (count, last): (Int, [UInt8]) = (0, [])
    while true {
      let next = await receive()
      guard !next.isEmpty else { return count }
      count += next.count
      last = last.suffix(mark.utf8.count) + next
      if last.contains(Array(mark.utf8)) { return count }
    }
  }
}
