import BoardroomModel
import NIOHTTP1
import ServerTestKit
import Testing

@testable import BoardroomAccess
@testable import BoardroomServer

/// Requests for a WebSocket, and what is wrong with them (RFC 6455, section 4.2.1); nil: nothing.
private struct Asking: Sendable {
  var name: String
  var headers: [(String, String)]
  var code: RefusalCode?
  var version = HTTPVersion.http1_1

  static let good = [
    ("Host", "example.org"), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
    ("Sec-WebSocket-Version", "13"),
    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("Sec-WebSocket-Protocol", "boardroom.v1"),
  ]

  init(name: String, _ headers: [(String, String)], _ code: RefusalCode? = nil) {
    (self.name, self.headers, self.code) = (name, headers, code)
  }

  /// The good request with other values of one header, or without it.
  init(_ header: String, _ values: [String], _ code: RefusalCode? = nil) {
    self.init(
      name: "\(header): \(values)", Self.good.filter { $0.0 != header } + values.map { (header, $0) }, code)
  }

  static let all: [Asking] =
    [Asking(name: "good", good), Asking(name: "lower case", good.map { ($0.0.lowercased(), $0.1) })]
    + hosts + keys + upgrades + versions + protocols

  private static let hosts = [
    Asking("Host", [], .malformed), Asking("Host", [""], .malformed), Asking("Host", ["a", "a"], .malformed),
    Asking("Host", ["a", "b"], .malformed), Asking("Host", ["a", ""], .malformed),
    Asking("Host", ["localhost:8080"]),
    Asking("Host", ["[::1]:8080"]), Asking("Host", ["a", "b", "c"], .malformed),
  ]

  /// 16 bytes in base64 as RFC 4648, section 4, writes them, and nothing that only decodes to as many.
  private static let keys =
    ["AAAAAAAAAAAAAAAAAAAAAA==", "/////////////////////w==", "+/+/+/+/+/+/+/+/+/+/+w=="].map {
      Asking("Sec-WebSocket-Key", [$0])
    }
    + [
      [], [""], ["dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ=="],
      // Bytes too few or too many; padding too short, too long, in the middle.
      ["dGhlIHNhbXBsZSBub25j"], ["dGhlIHNhbXBsZSBub25jZWVl"], ["dGhlIHNhbXBsZSBub25jZWU="],
      ["dGhlIHNhbXBsZSBub25jZQ"], ["dGhlIHNhbXBsZSBub25jZQ="], ["dGhlIHNhbXBsZSBub25jZQ==="],
      ["dGhlIHNhbXBsZSBub25jZQ== =="], ["dGhlIHNhbXBs==ZSBub25jZQ"], ["========================"],
      // Unused bits that are not zero.
      ["dGhlIHNhbXBsZSBub25jZR=="], ["dGhlIHNhbXBsZSBub25jZf=="], ["AAAAAAAAAAAAAAAAAAAAAB=="],
      // The alphabet for addresses, and what is in neither.
      ["-_-_-_-_-_-_-_-_-_-_-w=="], ["dGhlIHNhbXBsZSBub25j-Q=="], ["dGhlIHNhbXBsZSBub25j_Q=="],
      ["dGhlIHNhbXBsZSBub25j Q=="], ["dGhlIHNhbXBsZSBub25j?Q=="], ["dGhlIHNhbXBsZSBub25jé=="],
      ["dGhlIHNhbXBsZSBub2é=="],
    ].map { Asking("Sec-WebSocket-Key", $0, .malformed) }

  private static let upgrades = [
    Asking("Upgrade", [], .badParameter), Asking("Upgrade", ["h2c"], .badParameter),
    Asking("Upgrade", ["WebSocket"]),
    Asking("Upgrade", ["h2c, websocket"]), Asking("Upgrade", ["h2c", "websocket"]),
    Asking("Upgrade", ["websockets"], .badParameter), Asking("Upgrade", [""], .badParameter),
    Asking("Connection", [], .badParameter), Asking("Connection", ["keep-alive"], .badParameter),
    Asking("Connection", ["keep-alive, Upgrade"]), Asking("Connection", ["keep-alive", "upgrade"]),
    Asking("Connection", ["UPGRADE"]), Asking("Connection", ["upgraded"], .badParameter),
  ]

  private static let versions =
    [
      [], [""], ["8"], ["0"], ["12"], ["14"], ["13", "13"], ["13, 8"], ["8", "13"], ["13.0"], ["+13"],
      ["013"], ["256"],
    ].map {
      Asking("Sec-WebSocket-Version", $0, .unsupportedVersion)
    } + [Asking("Sec-WebSocket-Version", ["13"])]

  private static let protocols =
    [
      ["boardroom.v1"], ["boardroom.json.v1"], ["chat, boardroom.v1"], ["chat", "boardroom.json.v1"],
      ["a,b,boardroom.v1,c"],
    ]
    .map { Asking("Sec-WebSocket-Protocol", $0) }
    + [[], [""], [","], ["chat"], ["boardroom.v2"], ["BOARDROOM.V1"], ["boardroom.v1;q=1"], ["boardroom"]].map
  {
    Asking("Sec-WebSocket-Protocol", $0, .unsupportedVersion)
  }
}

@Suite struct HandshakeRuleTests {
  @Test("WIRE-16: a request for a WebSocket is as RFC 6455 has it, or is refused with what is wrong")
  func table() {
    for one in Asking.all {
      let head = HTTPRequestHead(
        version: one.version, method: .GET, uri: "/v1/rooms", headers: HTTPHeaders(one.headers))
      #expect(RoomHandshake.refusal(of: head, .any)?.code == one.code, "\(one.name)")
    }
  }

  @Test("WIRE-16: two Hosts, and none, are answered with 400 on a real port", arguments: [0, 2])
  func hosts(count: Int) async throws {
    try await RunningServer.with { server in
      let socket = try #require(RawSocket(port: server.port))
      let lines =
        ["GET /v1/rooms HTTP/1.1"] + Array(repeating: "Host: 127.0.0.1", count: count)
        + Asking.good.dropFirst().map { "\($0.0): \($0.1)" }
      socket.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
      let text = await socket.receive(until: nil)
      #expect(text.hasPrefix("HTTP/1.1 400"), "\(text.prefix(200))")
      #expect(text.contains("\"code\":\"malformed\""), "\(text.prefix(200))")
    }
  }
}
