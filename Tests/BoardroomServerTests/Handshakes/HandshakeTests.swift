import BoardroomModel
import EventLogModel
import ServerTestKit
import StorageTestKit
import Testing

@testable import BoardroomServer

private let good = [
  "GET /v1/rooms HTTP/1.1", "Host: a", "Upgrade: websocket", "Connection: Upgrade",
  "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Protocol: boardroom.v1",
]

private func request(_ lines: [String]) -> [UInt8] {
  Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
}

/// The good request with one line in place of, or besides, the one that begins the same.
private func changed(_ start: String, _ line: String?) -> [UInt8] {
  request(good.compactMap { $0.hasPrefix(start) ? line : $0 })
}

private struct Broken: Sendable {
  var name: String
  var bytes: [UInt8]
  /// Nil: no answer is owed, the connection ends.
  var status: Int? = 400
}

private let broken: [Broken] = [
  Broken(name: "no key", bytes: changed("Sec-WebSocket-Key", nil)),
  Broken(name: "two keys", bytes: request(good + [good[5]])),
  Broken(name: "an empty key", bytes: changed("Sec-WebSocket-Key", "Sec-WebSocket-Key:")),
  Broken(
    name: "a key of 15 bytes", bytes: changed("Sec-WebSocket-Key", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25j")),
  Broken(
    name: "a key that is no base64",
    bytes: changed("Sec-WebSocket-Key", "Sec-WebSocket-Key: ???????????????????????=")),
  Broken(name: "no version", bytes: changed("Sec-WebSocket-Version", nil)),
  Broken(name: "two versions", bytes: request(good + ["Sec-WebSocket-Version: 8"])),
  Broken(
    name: "an endless version",
    bytes: changed("Sec-WebSocket-Version", "Sec-WebSocket-Version: " + String(repeating: "1", count: 5_000))),
  Broken(name: "no protocol", bytes: changed("Sec-WebSocket-Protocol", nil)),
  Broken(
    name: "a thousand protocols",
    bytes: changed(
      "Sec-WebSocket-Protocol",
      "Sec-WebSocket-Protocol: " + Array(repeating: "x", count: 1_000).joined(separator: ","))),
  Broken(name: "only commas", bytes: changed("Sec-WebSocket-Protocol", "Sec-WebSocket-Protocol: ,,,,")),
  Broken(name: "no upgrade", bytes: changed("Upgrade", nil)),
  Broken(name: "another upgrade", bytes: changed("Upgrade", "Upgrade: h2c")),
  Broken(name: "no connection header", bytes: changed("Connection", nil)),
  Broken(name: "a body of a known length", bytes: request(good + ["Content-Length: 3"]) + Array("abc".utf8)),
  Broken(
    name: "a chunked body",
    bytes: request(good + ["Transfer-Encoding: chunked"]) + Array("3\r\nabc\r\n0\r\n\r\n".utf8)),
  Broken(
    name: "two lengths",
    bytes: request(good + ["Content-Length: 3", "Content-Length: 4"]) + Array("abcd".utf8)),
  Broken(name: "a negative length", bytes: request(good + ["Content-Length: -1"])),
  Broken(name: "HTTP/1.0", bytes: changed("GET", "GET /v1/rooms HTTP/1.0")),
  Broken(name: "HTTP/9.9", bytes: changed("GET", "GET /v1/rooms HTTP/9.9")),
  Broken(name: "no HTTP version", bytes: changed("GET", "GET /v1/rooms ")),
  Broken(name: "words instead of HTTP", bytes: changed("GET", "GET /v1/rooms if you please")),
  Broken(name: "a header without a colon", bytes: request(good + ["nonsense"])),
  Broken(name: "a header without a name", bytes: request(good + [": value"])),
  Broken(name: "a header name with a space", bytes: request(good + ["bad name: x"])),
  Broken(name: "a null byte", bytes: request(good + ["X: a\u{0}b"])),
  Broken(
    name: "bytes above ASCII in a name",
    bytes: Array("GET /v1/rooms HTTP/1.1\r\n".utf8) + [0xFF, 0xFE] + Array(": x\r\n\r\n".utf8)),
  Broken(name: "a header of 200 KB", bytes: request(good + ["X: " + String(repeating: "x", count: 200_000)])),
  Broken(name: "ten thousand headers", bytes: request(good + (0..<10_000).map { "X-\($0): x" })),
  Broken(
    name: "a query of 100 KB",
    bytes: changed("GET", "GET /v1/rooms?" + String(repeating: "q", count: 100_000) + " HTTP/1.1")),
]

@Test(
  "A malformed request for a WebSocket is answered with a typed error or ended, never left hanging",
  arguments: [1, 7])
private func malformedHandshakesAreAnswered(pieces: Int) async throws {
  try await RunningServer.with { server in
    for one in broken {
      let socket = try #require(RawSocket(port: server.port))
      let size = max(1, (one.bytes.count + pieces - 1) / pieces)
      for start in stride(from: 0, to: one.bytes.count, by: size) {
        socket.send(Array(one.bytes[start..<min(start + size, one.bytes.count)]))
      }
      let text = await socket.receive(until: nil)
      guard !text.isEmpty else { continue }
      #expect(text.hasPrefix("HTTP/1.1 4"), "\(one.name): \(text.prefix(80))")
      #expect(text.contains("\"code\":\""), "\(one.name): \(text.prefix(400))")
      #expect(text.contains("\"cure\":\""), "\(one.name): \(text.prefix(400))")
    }
    #expect(try await server.call("GET", "/healthz").text == "ok\n")
  }
}

@Test("Random bytes after the rooms' path neither crash the server nor leave a connection open")
func randomHandshakesEnd() async throws {
  try await RunningServer.with { server in
    var chance = SeededGenerator(seed: 0x5EED)
    for _ in 0..<150 {
      var bytes = request(good)
      for _ in 0..<Int.random(in: 1...6, using: &chance) {
        let place = Int.random(in: 14..<bytes.count, using: &chance)
        switch Int.random(in: 0..<3, using: &chance) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &chance)
        case 1: bytes.remove(at: place)
        default: bytes.insert(UInt8.random(in: 0...255, using: &chance), at: place)
        }
      }
      let socket = try #require(RawSocket(port: server.port))
      socket.send(bytes)
      // What it lacks to be a request, if anything, it now gets; then the other side has nothing to wait for.
      socket.send("\r\n\r\n")
      socket.endSending()
      let text = await socket.receive(until: nil)
      #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 "), "\(text.prefix(80))")
    }
    #expect(try await server.call("GET", "/healthz").text == "ok\n")
  }
}
