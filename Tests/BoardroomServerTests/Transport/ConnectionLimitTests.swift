import NIOCore
import ServerTestKit
import TestKit
import Testing

@testable import BoardroomHosting
@testable import BoardroomServer

private func limited(address: Int = 1_000, all: Int = 1_000, proxies: String = "none") -> ServerSettings {
  var settings = ServerSettings()
  settings.addressConnections = address
  settings.allConnections = all
  settings.countsThisMachine = true
  settings.proxies = ProxyList(proxies) ?? ProxyList()
  return settings
}

private let health = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

extension RawSocket {
  /// The answer to a short question: its first line and, if it is a refusal, all of it.
  fileprivate func health() async -> String {
    send(BoardroomServerTests.health)
    return await receive(until: "ok\n")
  }
}

@Suite(.timeLimit(.minutes(15))) struct ConnectionLimitTests {
  private struct Case: Sendable, CustomTestStringConvertible {
    var settings: ServerSettings
    var allowed: Int
    var status: String
    var testDescription: String { "\(allowed) of \(status)" }
  }

  @Test(
    "One connection too many is told so by HTTP, with what it was and what is allowed; a place that is free is given",
    arguments: [
      Case(settings: limited(address: 3), allowed: 3, status: "429 Too Many Requests"),
      Case(settings: limited(all: 2), allowed: 2, status: "503 Service Unavailable"),
      Case(settings: limited(address: 4, all: 2), allowed: 2, status: "503 Service Unavailable"),
    ])
  private func tooMany(_ limit: Case) async throws {
    try await RunningServer.with(limit.settings) { server in
      var sockets: [RawSocket] = []
      for _ in 0..<limit.allowed {
        let socket = try #require(RawSocket(port: server.port))
        #expect(await socket.health().hasPrefix("HTTP/1.1 200 "))
        sockets.append(socket)
      }
      for ask in [health, "GET /v1/rooms HTTP/1.1\r\n"] {
        let refused = try #require(RawSocket(port: server.port))
        refused.send(ask)
        let answer = await refused.receive(until: nil)
        #expect(answer.hasPrefix("HTTP/1.1 \(limit.status)\r\n"), "\(answer)")
        #expect(answer.contains("\"code\":\"connectionLimit\""))
        #expect(answer.contains("\"actual\":\(limit.allowed + 1),\"allowed\":\(limit.allowed)"))
      }
      sockets.removeLast()
      let next = try await RawSocket.welcomed(port: server.port)
      #expect(next != nil)
      _ = sockets
    }
  }

  @Test("Over TLS, too, one connection too many is told so")
  func tooManyOverTLS() async throws {
    var settings = limited(address: 1)
    settings.tlsCertificate = Certificates.server.certificate
    settings.tlsKey = Certificates.server.key
    try await RunningServer.with(settings) { server in
      let first = try await SecurePeer(port: server.port, trusting: .server)
      #expect(try await first.ask(SecurePeer.kept, until: "ok\n").hasPrefix("HTTP/1.1 200 "))
      let second = try await SecurePeer(port: server.port, trusting: .server)
      let answer = try await second.ask(SecurePeer.kept)
      #expect(answer.hasPrefix("HTTP/1.1 429 "), "\(answer)")
      #expect(answer.contains("connectionLimit"), "\(answer)")
      try await first.channel.close()
    }
  }

  @Test("Behind a proxy of the list, rooms are counted by the client that it names; nobody else is believed")
  func forwarded() async throws {
    @Sendable func ask(_ server: RunningServer, _ forwarded: String?) async throws -> (RawSocket, String) {
      let socket = try #require(RawSocket(port: server.port))
      socket.askForRoom(
        offering: "boardroom.json.v1", more: forwarded.map { ["X-Forwarded-For: \($0)"] } ?? [])
      return (socket, String(await socket.receive(until: "\r\n\r\n").prefix(12)))
    }
    try await RunningServer.with(limited(address: 1, proxies: "127.0.0.0/8")) { server in
      let (one, first) = try await ask(server, "10.0.0.1")
      #expect(first == "HTTP/1.1 101")
      for forged in ["10.0.0.1", "10.9.9.9, 10.0.0.1", "10.9.9.9, 10.0.0.1, 127.0.0.7", "10.0.0.1:4711"] {
        #expect(try await ask(server, forged).1 == "HTTP/1.1 429", "\(forged)")
      }
      let (two, other) = try await ask(server, "10.0.0.2")
      #expect(other == "HTTP/1.1 101")
      let (three, plain) = try await ask(server, nil)
      #expect(plain == "HTTP/1.1 101", "the proxy itself is not counted")
      _ = (one, two, three)
    }
    try await RunningServer.with(limited(address: 1)) { server in
      let (one, first) = try await ask(server, "10.0.0.1")
      #expect(first == "HTTP/1.1 101")
      #expect(try await ask(server, "10.0.0.2").1 == "HTTP/1.1 429", "a stranger's word counted")
      _ = one
    }
  }

  @Test("This machine's own connections are not counted by address: they are a proxy's, or the operator's")
  func ownMachine() async throws {
    var settings = limited(address: 1)
    settings.countsThisMachine = false
    try await RunningServer.with(settings) { server in
      var sockets: [RawSocket] = []
      for _ in 0..<3 {
        let socket = try #require(RawSocket(port: server.port))
        #expect(await socket.health().hasPrefix("HTTP/1.1 200 "))
        sockets.append(socket)
      }
      _ = sockets
    }
  }

  @Test(
    "OPS-1: with connections.all reached this machine is still answered over HTTP, and its rooms are refused")
  func reserve() async throws {
    // Of two an eighth is nothing: this machine may fill the port here, as others would.
    var settings = limited(all: 2)
    settings.countsThisMachine = false
    try await RunningServer.with(settings) { server in
      var sockets: [RawSocket] = []
      for place in 0..<2 + ConnectionLimiter.Limits.reserve {
        let socket = try #require(RawSocket(port: server.port))
        let room = place == 4
        if room { socket.send("GET /v1/rooms HTTP/1.1\r\n") }
        let answer = room ? await socket.receive(until: nil) : await socket.health()
        #expect(answer.hasPrefix(room ? "HTTP/1.1 503 " : "HTTP/1.1 200 "), "\(place): \(answer)")
        if !room { sockets.append(socket) }
      }
      let last = try #require(RawSocket(port: server.port))
      #expect(await last.health().hasPrefix("HTTP/1.1 200 "), "the room's place was not given back")
      let refused = try #require(RawSocket(port: server.port))
      refused.send(health)
      #expect(await refused.receive(until: nil).hasPrefix("HTTP/1.1 503 "))
      _ = sockets
    }
  }

  @Test("Addresses: IPv4 inside IPv6 is IPv4, IPv6 counts by its first 64 bits, ports and brackets fall off")
  func addresses() {
    let same: [(String, String)] = [
      ("::ffff:10.0.0.1", "10.0.0.1"), ("[2001:db8::1]:443", "2001:db8::1"), ("10.0.0.1:99", "10.0.0.1"),
      ("\"[2001:db8::1]\"", "2001:db8::1"), (" 10.0.0.1 ", "10.0.0.1"), ("fe80::1%eth0", "fe80::1"),
    ]
    for (one, other) in same {
      #expect(ClientAddress(forwarded: one) == ClientAddress(other), "\(one)")
      #expect(ClientAddress(forwarded: one)?.text == other)
    }
    for text in ["", "unknown", "10.0.0", "10.0.0.256", "_hidden", ":::"] {
      #expect(ClientAddress(forwarded: text) == nil, "\(text)")
    }
    #expect(ClientAddress("2001:db8:0:1::1")?.place == ClientAddress("2001:db8:0:1:ffff::2")?.place)
    #expect(ClientAddress("2001:db8:0:1::1")?.place != ClientAddress("2001:db8:0:2::1")?.place)
    #expect(ClientAddress("::1")?.isThisMachine == true)
    #expect(ClientAddress("127.9.9.9")?.isThisMachine == true)
    #expect(ClientAddress("128.0.0.1")?.isThisMachine == false)
  }

  @Test("The list of proxies: blocks hold what their bits say, and what is none is refused")
  func lists() throws {
    let list = try #require(ProxyList("10.0.0.0/8, 192.168.1.7,2001:db8::/33"))
    for (text, isIn) in [
      ("10.255.0.1", true), ("11.0.0.1", false), ("192.168.1.7", true), ("192.168.1.8", false),
      ("2001:db8:7fff::1", true), ("2001:db8:8000::1", false), ("::ffff:10.1.1.1", true),
    ] {
      #expect(list.contains(try #require(ClientAddress(text))) == isIn, "\(text)")
    }
    for wrong in ["", "10.0.0.0/33", "10.0.0.0/-1", "ten", "10.0.0.1,,10.0.0.2", "10.0.0.1/", "::/129"] {
      #expect(ProxyList(wrong) == nil, "\(wrong)")
    }
  }
}

extension RawSocket {
  /// A connection that is let in; a place that was given up a moment ago may need another turn of the loop.
  fileprivate static func welcomed(port: Int) async throws -> RawSocket? {
    for _ in 0..<1_000 {
      guard let socket = RawSocket(port: port) else { continue }
      if await socket.health().hasPrefix("HTTP/1.1 200 ") { return socket }
    }
    return nil
  }
}
