import BoardroomAccess
import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import Crypto
import EventLogModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix
import NIOSSL
import ServerTestKit
import Testing

@testable import BoardroomHTTP
@testable import BoardroomServer

@Suite(.timeLimit(.minutes(15))) struct ForwardTests {
  @Test("FWD-1: a request about a room of another node is answered by that node, in each of its parts")
  func passedOn() async throws {
    try await TwoNodes.run { nodes in
      let room = try await nodes.room()
      let near = try await NodeClient(nodes.owner)
      near.hello(room, by: nodes.owner)
      await near.comesIn()
      let said = try await nodes.middle.call(
        "POST", "/v5/rooms/\(room)/events", token: nodes.middle.admin,
        body: "{\"name\":\"from-http\",\"payload\":\"\(String(repeating: "x", count: 20_000))\"}")
      #expect(said.status == 201, "\(said.text)")
      #expect(await near.hears("from-http").contains("from-http"), "the owner's members hear it")
      for path in [
        "", "/members", "/state", "/log", "/scenes?sceneDir=/", "/channel_events?limit=1", "/nothing",
      ] {
        for method in ["GET", "HEAD"] {
          let (far, own) = (
            try await nodes.middle.call(method, "/v5/rooms/\(room)\(path)", token: nodes.middle.admin),
            try await nodes.owner.call(method, "/v5/rooms/\(room)\(path)", token: nodes.owner.admin)
          )
          #expect(far.status == own.status, "\(method) \(path)")
          #expect(far.body == own.body, "\(method) \(path)")
          for header in ["content-type", "content-length", "etag", "cache-control", "accept-ranges"] {
            #expect(far.headers[header] == own.headers[header], "\(method) \(path): \(header)")
          }
        }
      }
      let refused = try await nodes.middle.call("GET", "/v5/rooms/\(room)/members", token: "wrong")
      #expect(refused.status == 401)
      #expect(try await TwoNodes.figure("boardroom_members", of: nodes.middle) == 0)
      #expect(try await TwoNodes.figure("boardroom_rooms_open", of: nodes.middle) == 0, "it opened no room")
      #expect(
        try await TwoNodes.figure("boardroom_pipes_open", of: nodes.middle) == 0, "places are given back")
    }
  }

  @Test("FWD-1: images of a room are where the room is, and are shown by any node")
  func images() async throws {
    try await TwoNodes.run { nodes in
      let room = try await nodes.room()
      let image: [UInt8] = [0x89] + Array("PNG\r\n\u{1A}\n".utf8) + [UInt8](repeating: 7, count: 200_000)
      let put = try await nodes.middle.call(
        "POST", "/v5/rooms/\(room)/images", token: nodes.middle.admin, bytes: image)
      #expect(put.status == 201, "\(put.text)")
      let place = try #require(put.json?["url"]?.string)
      for node in [nodes.middle, nodes.owner] {
        #expect(try await node.call("GET", place).body == image)
      }
    }
  }

  @Test("FWD-2: the owner's bans are about the client's address, as the node in the middle knows it")
  func addresses() async throws {
    var settings = ServerSettings()
    settings.proxies = ProxyList("127.0.0.0/8") ?? ProxyList()
    try await TwoNodes.run(middle: settings) { nodes in
      let room = try await nodes.room()
      let banned = try await nodes.owner.call(
        "POST", "/v5/bans", token: nodes.owner.admin, body: "{\"ip\":\"10.0.0.1\",\"time\":10}")
      #expect(banned.status == 201, "\(banned.text)")
      let writer = nodes.owner.token(.room(room), .writer)
      for (address, status) in [("10.0.0.1", 403), ("10.0.0.2", 200)] {
        let answer = try await nodes.middle.call(
          "GET", "/v5/rooms/\(room)/scenes", token: writer, headers: ["X-Forwarded-For": address])
        #expect(answer.status == status, "\(address): \(answer.text)")
      }
    }
  }

  @Test("FWD-3: a request waits while nobody owns its room, and is answered by the one who comes to own it")
  func waiting() async throws {
    try await TwoNodes.run { nodes in
      let room = try await nodes.room()
      nodes.middleOwners.say(.nobodyYet, of: room)
      async let answer = nodes.middle.call("GET", "/v5/rooms/\(room)", token: nodes.middle.admin)
      for await _ in nodes.middleOwners.questions.prefix(2) {}
      nodes.middleOwners.say(.at(nodes.address()), of: room)
      #expect(try await answer.status == 200)
    }
  }

  @Test(
    "FWD-3: a node that does not own the room says so, the sender looks again, once, and sends the whole body"
  )
  func notHere() async throws {
    try await TwoNodes.run { nodes in
      let room = try await nodes.room()
      let elsewhere = NodeAddress(name: "third", host: "127.0.0.1", port: 1)
      nodes.ownerOwners.say(.at(elsewhere), of: room)
      let body = "{\"name\":\"moved\",\"payload\":\"\(String(repeating: "x", count: 9_000))\"}"
      func say() async throws -> RunningServer.Answer {
        try await nodes.middle.call("POST", "/v5/rooms/\(room)/events", token: nodes.middle.admin, body: body)
      }
      let asked = nodes.middleOwners.asked
      let refused = try await say()
      #expect(refused.status == 503)
      #expect(refused.json?["code"]?.string == "goingAway")
      #expect(nodes.middleOwners.asked == asked + 2, "once, and once more")
      // Now the second look finds the room here.
      async let answer = say()
      for await _ in nodes.middleOwners.questions.prefix(3) {}
      nodes.middleOwners.say(.here, of: room)
      #expect(try await answer.status == 201)
      let log = try await nodes.middle.call("GET", "/v5/rooms/\(room)/log", token: nodes.middle.admin)
      #expect(log.text.ranges(of: "\"moved\"").count == 1)
    }
  }

  @Test("FWD-4: an owner that cannot be reached has done nothing; one that does not answer may have")
  func unanswered() async throws {
    try await TwoNodes.run { nodes in
      let silent = try await FalseOwner(saying: [])
      for (method, path, port, status, code) in [
        ("POST", "/events", 1, 503, "goingAway"), ("GET", "/members", 1, 503, "goingAway"),
        ("POST", "/events", silent.port, 502, "noAnswer"), ("GET", "/members", silent.port, 502, "noAnswer"),
      ] {
        let room = try await nodes.room(through: port)
        let asked = nodes.middleOwners.asked
        let answer = try await nodes.middle.call(
          method, "/v5/rooms/\(room)\(path)", token: nodes.middle.admin,
          body: method == "GET" ? nil : "{\"name\":\"lost\"}")
        #expect(answer.status == status, "\(method) \(port): \(answer.text)")
        #expect(answer.json?["code"]?.string == code)
        let looks = nodes.middleOwners.asked - asked
        #expect(
          looks == (method == "POST" && code == "noAnswer" ? 1 : 2), "what may be done is not done twice")
      }
      #expect(try await TwoNodes.figure("boardroom_pipes_open", of: nodes.middle) == 0)
      try await silent.end()
    }
  }

  @Test(
    "FWD-8: nobody waits for a node that is gone: what reads is asked of the next owner, and what may be done is not done twice"
  )
  func gone() async throws {
    try await TwoNodes.run { nodes in
      for (method, path, status) in [("POST", "/events", 502), ("GET", "/members", 200)] {
        let silent = try await FalseOwner(saying: [], stays: true)
        let room = try await nodes.room(through: silent.port)
        let asked = nodes.middleOwners.asked
        async let answer = nodes.middle.call(
          method, "/v5/rooms/\(room)\(path)", token: nodes.middle.admin,
          body: method == "GET" ? nil : "{\"name\":\"lost\"}")
        for await _ in silent.spoken.prefix(1) {}
        nodes.middleOwners.say(.here, of: room)
        nodes.gone.yield(nodes.address(port: silent.port))
        #expect(try await answer.status == status, "\(method)")
        #expect(nodes.middleOwners.asked - asked == (method == "POST" ? 1 : 2))
        try await silent.end()
      }
      #expect(try await TwoNodes.figure("boardroom_pipes_open", of: nodes.middle) == 0)
    }
  }

  // Without the rule it is cut after `PipeLimits.answersWithin`, a minute later.
  @Test("FWD-8: an answer that has begun is cut when its node is gone", .timeLimit(.minutes(1)))
  func cutAnswer() async throws {
    try await TwoNodes.run { nodes in
      let half = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf"
      let owner = try await FalseOwner(saying: Array(half.utf8), stays: true)
      let room = try await nodes.room(through: owner.port)
      let socket = try #require(RawSocket(port: nodes.middle.port))
      socket.send(
        "GET /v5/rooms/\(room)/members HTTP/1.1\r\nhost: localhost\r\ntoken: \(nodes.middle.admin)\r\n\r\n")
      #expect(await socket.receive(until: "half").hasSuffix("half"))
      nodes.gone.yield(nodes.address(port: owner.port))
      #expect(await socket.receive(until: nil) == "", "the connection ends")
      try await owner.end()
    }
  }

  @Test("FWD-5: a request that another node is said to have passed on is refused unless that is proved")
  func strangers() async throws {
    try await TwoNodes.run { nodes in
      let room = try await nodes.room()
      let path = "/v5/rooms/\(room)/members"
      let proof = NodeProof(KeyRing(pairs: [RunningServer.pair]))
      let header = RequestHeader(
        time: nodes.now(), nonce: .random(), key: proof.signer, node: "owner", address: "10.0.0.1")
      func ask(_ value: String) async throws -> Int {
        try await nodes.owner.call(
          "GET", path, token: nodes.owner.admin, headers: [RequestHeader.name: value]
        )
        .status
      }
      let good = header.value(for: "GET", path, proving: proof)
      #expect(try await ask(good) == 200)
      #expect(try await ask(good) == 400, "it came before")
      #expect(try await ask("") == 400)
      #expect(try await ask("AAAA") == 400)
      #expect(try await ask(String(repeating: "A", count: 4_000)) == 400)
      #expect(try await TwoNodes.figure("boardroom_prefaces_refused_total", of: nodes.owner) == 4)
    }
  }

  @Test("FWD-7: questions of spaces are taken from nodes only, and with the bytes that were proved")
  func questions() async throws {
    try await TwoNodes.run { nodes in
      let proof = NodeProof(KeyRing(pairs: [RunningServer.pair]))
      let number = QuestionNumber(loop: AskingLoop(engine: 7, place: 0), serial: 1)
      func question(_ account: String) throws -> [UInt8] {
        [UInt8](try JSONEncoder().encode(NumberedQuestion(number, of: .account(account), .isSignedIn(.rtm))))
      }
      func ask(_ bytes: [UInt8], _ sum: String, isProved: Bool = true) async throws -> RunningServer.Answer {
        let target = "\(RestRoutes.questions)?sha256=\(sum)"
        let header = RequestHeader(
          time: nodes.now(), nonce: .random(), key: proof.signer, node: "owner", address: "")
        let value = header.value(for: "POST", target, proving: proof)
        return try await nodes.owner.call(
          "POST", target, token: nodes.owner.admin, bytes: bytes,
          headers: isProved ? [RequestHeader.name: value] : [:])
      }
      let bytes = try question("bo")
      let sum = SHA256.hash(data: bytes).hexadecimal
      let good = try await ask(bytes, sum)
      #expect(good.status == 200)
      let answer = try JSONDecoder().decode(NumberedAnswer.self, from: Data(good.body))
      #expect(answer.number == number)
      #expect(try await ask(bytes, sum, isProved: false).status == 404, "also for an administrator")
      #expect(try await ask(bytes + [32], sum).status == 400)
      #expect(try await ask([32], SHA256.hash(data: [32] as [UInt8]).hexadecimal).status == 400)
      let elsewhere = NodeAddress(name: "third", host: "127.0.0.1", port: 1)
      nodes.ownerOwners.say(.at(elsewhere), of: SpaceName.account("cy").log)
      let other = try question("cy")
      #expect(try await ask(other, SHA256.hash(data: other).hexadecimal).status == 421)
    }
  }

  @Test(
    "FWD-5: a header is good for its method, target and node, and for nothing else, whatever bit is changed")
  func proofs() throws {
    let proof = NodeProof(KeyRing(pairs: [KeyPair(id: "one", secret: "a secret")]))
    let other = NodeProof(KeyRing(pairs: [KeyPair(id: "one", secret: "another")]))
    let header = RequestHeader(
      time: Timestamp(milliseconds: 1_000), nonce: PrefaceNonce(high: 1, low: 2), key: "one", node: "b",
      address: "::1")
    let value = header.value(for: "GET", "/a?b", proving: proof)
    #expect(try RequestHeader(value, of: "GET", "/a?b", by: proof) == header)
    for (method, target, proof) in [("POST", "/a?b", proof), ("GET", "/a", proof), ("GET", "/a?b", other)] {
      #expect(throws: PrefaceFault.forged) { try RequestHeader(value, of: method, target, by: proof) }
    }
    let bytes = try #require(Base64URL.decode(value[...]))
    for bit in 0..<bytes.count * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: PrefaceFault.self, "bit \(bit)") {
        try RequestHeader(Base64URL.encode(changed), of: "GET", "/a?b", by: proof)
      }
    }
    for count in 0..<bytes.count {
      #expect(throws: PrefaceFault.self, "\(count) bytes") {
        try RequestHeader(Base64URL.encode(Array(bytes.prefix(count))), of: "GET", "/a?b", by: proof)
      }
    }
  }

  @Test(
    "FWD-5: who passes a request on is judged as who sends a client on: once, fresh, for this node, not in a circle"
  )
  func gate() throws {
    let now = Timestamp(milliseconds: 1_000_000)
    let proof = NodeProof(KeyRing(pairs: [RunningServer.pair]))
    let gate = PrefaceGate(node: "b", proof: proof, largestHello: 1_000, clock: { now })
    func header(_ node: String = "b", hops: Int = 1, late: Duration = .zero) -> RequestHeader {
      RequestHeader(
        hops: hops, time: now + late, nonce: .random(), key: proof.signer, node: node, address: "")
    }
    let first = header()
    #expect(throws: Never.self) { try gate.admit(first) }
    #expect(throws: PrefaceFault.replayed) { try gate.admit(first) }
    #expect(throws: PrefaceFault.misdirected) { try gate.admit(header("c")) }
    #expect(throws: PrefaceFault.circle) { try gate.admit(header(hops: 2)) }
    #expect(throws: PrefaceFault.late) { try gate.admit(header(late: .seconds(31))) }
    #expect(throws: PrefaceFault.late) { try gate.admit(header(late: .milliseconds(-1))) }
  }

  @Test("FWD-6: requests that are passed on have places of pipes: without one they are refused")
  func bound() async throws {
    let group = MultiThreadedEventLoopGroup.singleton
    let proof = NodeProof(KeyRing(pairs: [RunningServer.pair]))
    let gate = PrefaceGate(node: "a", proof: proof, largestHello: 1_000, clock: { .zero })
    let trust = PipeDesk.trust(nil)
    let desk = PipeDesk(
      gate: gate, limits: PipeLimits(pipes: 0), trust: try NIOSSLContext(configuration: trust),
      clock: { .zero })
    let forwarder = HTTPForwarder(desk, trust: trust, group: group)
    let head = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/v5/rooms")
    await #expect(throws: RestError.self) {
      try await forwarder.answer(
        to: Request(head: head, body: RequestBody(buffer: ByteBuffer())), body: ByteBuffer(), of: nil,
        by: NodeAddress(name: "b", host: "127.0.0.1", port: 1))
    }
    #expect(desk.counts.open == 0)
    #expect(desk.counts.failed == 1)
    await forwarder.shutdown()
  }

  @Test(
    "FWD-1: an address is passed on in the one form that all write",
    arguments: [
      ("/v5/rooms/a%20b?x=%2f", "/v5/rooms/a%20b?x=%2f"), ("/a|b\"é", "/a%7Cb%22%C3%A9"), ("/a%2", nil),
      ("/%zz", nil),
    ])
  func targets(_ target: String, _ plain: String?) { #expect(RequestTarget.plain(target) == plain) }
}
