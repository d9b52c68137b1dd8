import BoardroomCodec
import BoardroomModel
import CZlib
import Crypto
import EventLogModel
import Foundation
import ServerTestKit
import StorageTestKit
import Testing

@testable import BoardroomAccess
@testable import BoardroomHosting
@testable import BoardroomServer
@testable import BoardroomWeb

private let repository = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

private let sample: [(path: String, text: String, type: String)] = [
  ("index.html", "<!doctype html><title>board</title>", "text/html; charset=utf-8"),
  ("replay.html", "<!doctype html><title>player</title>", "text/html; charset=utf-8"),
  ("embed.js", "export const answer = 42;\n", "text/javascript; charset=utf-8"),
  ("core/deep/a.js", "// 白板\n", "text/javascript; charset=utf-8"),
  ("board.css", ":root{}\n", "text/css; charset=utf-8"), ("icon.svg", "<svg/>\n", "image/svg+xml"),
]

/// A server that shows the sample page from a folder.
private func withPage(
  _ change: (inout ServerSettings) -> Void = { _ in },
  _ body: @Sendable (RunningServer, String) async throws -> Void
) async throws {
  let folder = TemporaryFolder()
  for file in sample {
    let place = URL(fileURLWithPath: folder.path).appending(path: file.path)
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(file.text.utf8).write(to: place)
  }
  try Data("secret".utf8).write(to: URL(fileURLWithPath: folder.path).appending(path: ".hidden.js"))
  try Data("notes".utf8).write(to: URL(fileURLWithPath: folder.path).appending(path: "notes.txt"))
  var settings = ServerSettings()
  settings.pageRoot = folder.path
  change(&settings)
  try await RunningServer.with(settings) { try await body($0, folder.path) }
  withExtendedLifetime(folder) {}
}

@Test("PAGE-10: an address that is none is the page for who asks for HTML, and JSON for programs")
func addressesOfNothing() async throws {
  try await withPage { server, _ in
    let html = ["accept": "text/html,application/xhtml+xml,*/*;q=0.8"]
    for (path, headers, isPage) in [
      ("/rooms/list", html, true), ("/rooms/list", ["accept": "application/json"], false),
      ("/rooms/list", [:], false),
      ("/v5/nothing", html, false), ("/assets/nothing.js", html, false),
    ] {
      let answer = try await server.call("GET", path, headers: headers)
      #expect(answer.status == 404, "\(path)")
      let type = isPage ? "text/html" : "application/json"
      #expect(answer.headers["content-type"]?.hasPrefix(type) == true, "\(path)")
    }
  }
}

private let someRoom = "0123456789abcdef0123456789abcdef"

@Test(
  "The board is at / and /r/{room}, the player at /replay/{room}, scripts and styles at /assets, by their types"
)
func pageIsServed() async throws {
  try await withPage { server, _ in
    let addresses =
      [("/", 0), ("/r/\(someRoom)", 0), ("/replay/\(someRoom)", 1)]
      + sample.indices.map { ("/assets/\(sample[$0].path)", $0) }
    for (path, place) in addresses {
      let answer = try await server.call("GET", path)
      #expect(answer.status == 200, "\(path)")
      #expect(answer.text == sample[place].text, "\(path)")
      #expect(answer.headers["content-type"] == sample[place].type, "\(path)")
      #expect(answer.headers["x-content-type-options"] == "nosniff", "\(path)")
      #expect(answer.headers["referrer-policy"] == "no-referrer", "\(path)")
      #expect(answer.headers["cache-control"] == "no-cache", "\(path)")
      let policy = try #require(answer.headers["content-security-policy"])
      #expect(policy.hasPrefix("default-src 'self'; "), "\(path)")
      for word in ["unsafe", "script-src", "style-src", "ws:"] { #expect(!policy.contains(word), "\(path)") }
      #expect(policy.contains("frame-ancestors 'self'"), "\(path)")
    }
  }
}

@Test("What is no name of a room gets the page with 404, so that it can say so to a person")
func wrongRoomsAreShownAsSuch() async throws {
  try await withPage { server, _ in
    let names = ["x", "0", someRoom + "0", someRoom.uppercased() + "%", String(repeating: "0", count: 32)]
    for name in names {
      for (kind, place) in [("r", 0), ("replay", 1)] {
        let answer = try await server.call("GET", "/\(kind)/\(name)")
        #expect(answer.status == 404, "\(kind) \(name)")
        #expect(answer.text == sample[place].text, "\(kind) \(name)")
      }
    }
    for path in ["/r", "/replay", "/r/\(someRoom)/more"] {
      let answer = try await server.call("GET", path)
      #expect(answer.status == 404, "\(path)")
      #expect(answer.json?["code"]?.string == "notFound", "\(path)")
    }
  }
}

@Test(
  "No path leads out of the page's folder, to a hidden file, or to a kind of file that the page does not have"
)
func pathsStayInside() async throws {
  try await withPage { server, folder in
    try Data("outside".utf8).write(to: URL(fileURLWithPath: folder + "-outside.js"))
    defer { try? FileManager.default.removeItem(atPath: folder + "-outside.js") }
    let name = folder.split(separator: "/").last ?? ""
    let wrong = [
      "none.js", "core", "core/", "/embed.js", "core//deep/a.js", ".hidden.js", "notes.txt", "embed.js/",
      "../\(name)-outside.js", "..%2F\(name)-outside.js", "%2e%2e/\(name)-outside.js", "core/../embed.js",
      "core/%2e%2e/embed.js", "core%2fdeep%2fa.js", "..%5cembed.js", "embed.js%00", "%65mbed.js",
      String(repeating: "a/", count: 200) + "a.js",
    ]
    for path in wrong {
      let socket = try #require(RawSocket(port: server.port))
      socket.send("GET /assets/\(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      let answer = await socket.receive(until: "}")
      #expect(answer.hasPrefix("HTTP/1.1 404 "), "\(path): \(answer)")
      #expect(answer.contains("notFound"), "\(path)")
    }
  }
}

@Test(
  "A file has an ETag of its content: who has it gets 304, also of a list and weakly compared, and no body")
func filesAreValidated() async throws {
  try await withPage { server, folder in
    for path in ["/", "/assets/embed.js"] {
      let tag = try #require(try await server.call("GET", path).headers["etag"])
      #expect(tag.count == 36)
      #expect(tag.hasPrefix("W/\""))
      #expect(tag.hasSuffix("\""))
      for known in [tag, String(tag.dropFirst(2)), "\"other\", \(tag)", "*"] {
        let answer = try await server.call("GET", path, headers: ["if-none-match": known])
        #expect(answer.status == 304, "\(known)")
        #expect(answer.body.isEmpty, "\(known)")
        #expect(answer.headers["etag"] == tag)
        #expect(answer.headers["content-security-policy"] != nil)
      }
      let other = try await server.call("GET", path, headers: ["if-none-match": "\"other\""])
      #expect(other.status == 200)
    }
    let before = try await server.call("GET", "/assets/embed.js").headers["etag"]
    try Data("export {};\n".utf8).write(to: URL(fileURLWithPath: folder).appending(path: "embed.js"))
    let after = try await server.call("GET", "/assets/embed.js", headers: ["if-none-match": before ?? ""])
    #expect(after.status == 200)
    #expect(after.text == "export {};\n")
    #expect(after.headers["etag"] != before)
  }
}

@Test("HEAD is answered as GET without the body; other methods are refused")
func otherMethods() async throws {
  try await withPage { server, _ in
    for path in ["/", "/r/\(someRoom)", "/assets/board.css", "/v5/server"] {
      let (whole, head) = (try await server.call("GET", path), try await server.call("HEAD", path))
      #expect(head.status == 200, "\(path)")
      #expect(head.body.isEmpty, "\(path)")
      for name in ["etag", "content-type", "content-security-policy"] {
        #expect(head.headers[name] == whole.headers[name], "\(path) \(name)")
      }
      let put = try await server.call("PUT", path, body: "x")
      #expect(put.status == 405, "\(path)")
      #expect(put.headers["allow"] == "GET, HEAD", "\(path)")
    }
    let socket = try #require(RawSocket(port: server.port))
    socket.send(
      "HEAD /nothing HTTP/1.1\r\nHost: a\r\n\r\n"
        + "GET /v5/server HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    let answers = await socket.receive(until: "subprotocols")
    #expect(answers.hasPrefix("HTTP/1.1 404 "))
    #expect(answers.contains("\r\n\r\nHTTP/1.1 200 "), "an error has no body either")
  }
}

@Test("page.shown off: no page, no script, and a sentence at / that says so")
func pageCanBeSwitchedOff() async throws {
  try await withPage {
    $0.showsPage = false
  } _: { server, _ in
    let start = try await server.call("GET", "/")
    #expect(start.status == 200)
    #expect(start.text.contains("<code>page.shown</code> is off"))
    for path in ["/r/\(someRoom)", "/replay/\(someRoom)", "/assets/embed.js"] {
      let answer = try await server.call("GET", path)
      #expect(answer.status == 404, "\(path)")
      #expect(answer.json?["code"]?.string == "notFound", "\(path)")
    }
  }
}

@Test("page.frames: frames of the server's own pages only, or those of the sites that are set, or all")
func framesAreAllowed() {
  let table: [(OriginRule, String)] = [
    (.none, "frame-ancestors 'self'"), (.any, "frame-ancestors *"),
    (.listed(["https://a.example", "http://b:81"]), "frame-ancestors 'self' https://a.example http://b:81"),
  ]
  for (rule, end) in table { #expect(PageResponder.policy(frames: rule).hasSuffix("; " + end)) }
  #expect(OriginRule("https://a.example; script-src *") == nil, "no origin ends the directive")
  #expect(OriginRule("https://a.example;script-src") == nil)
}

@Test(
  "Pages of every origin may load scripts and styles, whatever cors.origins says, and nothing else for that")
func assetsAreOpen() async throws {
  let page = "https://site.example"
  for rule in [OriginRule.none, .listed([page]), .listed(["https://other.example"])] {
    try await withPage {
      $0.corsOrigins = rule
    } _: { server, _ in
      for headers in [[:], ["origin": page]] {
        let script = try await server.call("GET", "/assets/embed.js", headers: headers)
        #expect(script.headers["access-control-allow-origin"] == "*")
        #expect(script.headers["cross-origin-resource-policy"] == "cross-origin")
        let known = headers.merging(["if-none-match": script.headers["etag"] ?? ""]) { first, _ in first }
        let again = try await server.call("GET", "/assets/embed.js", headers: known)
        #expect(again.status == 304)
        #expect(again.headers["access-control-allow-origin"] == "*")
      }
      let board = try await server.call("GET", "/", headers: ["origin": page])
      #expect(board.headers["vary"] == "Accept-Encoding, Origin", "both change what a cache may give out")
      for path in ["/", "/v5/server", "/assets/none.js"] {
        let answer = try await server.call("GET", path, headers: ["origin": page])
        let allowed = rule.allows(page) && !path.hasPrefix("/assets") ? page : nil
        #expect(answer.headers["access-control-allow-origin"] == allowed, "\(path)")
      }
    }
  }
}

@Test(
  "GET /v5/server says whether the server is open; an open one gives a token with which its page may do all")
func serverTellsWhatItIs() async throws {
  for isOpen in [false, true] {
    var settings = ServerSettings()
    settings.isOpen = isOpen
    settings.imageBytes = 65_536
    try await RunningServer.with(settings) { server in
      let answer = try await server.call("GET", "/v5/server")
      #expect(answer.headers["cache-control"] == "no-store")
      let about = try #require(answer.json)
      #expect(about["open"]?.bool == isOpen)
      #expect(about["version"]?.string?.isEmpty == false)
      #expect(about["limits"]?["image"]?.int == 65_536)
      #expect(about["subprotocols"]?.array?.compactMap(\.string) == ["boardroom.v1", "boardroom.json.v1"])
      #expect((about["token"]?.string != nil) == isOpen)
      let rooms = try await server.call("GET", "/v5/rooms", token: about["token"]?.string)
      #expect(rooms.status == (isOpen ? 200 : 401))
    }
  }
}

@Test("A room's token makes others of its room: no stronger, and with no longer life than it has itself")
func roomsAreShared() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    let path = "/v5/rooms/\(room)/tokens"
    let now = Timestamp.wallClock
    let own = AccessToken(
      scope: .room(room), role: .writer, keyID: RunningServer.pair.id, lifespan: 600_000, at: now)
    let token = own.signed(with: RunningServer.pair.secret)
    for (lifespan, ends) in [
      ("", own.expires), (",\"lifespan\":60000", nil), (",\"lifespan\":86400000", own.expires),
    ] {
      let answer = try await server.call("POST", path, token: token, body: "{\"role\":\"reader\"\(lifespan)}")
      #expect(answer.status == 201, "\(answer.text)")
      let shared = try AccessToken(try #require(answer.json?.string)) { _ in RunningServer.pair.secret }
      #expect(shared.scope == .room(room))
      #expect(shared.role == .reader)
      let end = try #require(shared.expires)
      if let ends { #expect(end == ends) } else { #expect(end < now + .milliseconds(120_000)) }
    }
    #expect(try await server.call("POST", path, token: token, body: "{\"role\":\"admin\"}").status == 403)
    let nowhere = "/v5/rooms/\(someRoom)/tokens"
    #expect(
      try await server.call("POST", nowhere, token: server.admin, body: "{\"role\":\"reader\"}").status == 404
    )
  }
}

@Test("The program contains the page's files to the byte, and names each version of one by its hash")
func builtInFilesAreThoseOfTheFolder() throws {
  let folder = repository.appending(path: "Sources/BoardroomWeb/Page")
  let all = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
  let shown = all.filter { ServedFile.type(of: $0) != nil && ServedFile.isPlain($0) && $0 != "jsconfig.json" }
  #expect(Set(BuiltInFile.all.map(\.path.description)) == Set(shown))
  for file in BuiltInFile.all {
    let bytes = try Data(contentsOf: folder.appending(path: file.path.description))
    #expect(Data(file.text.description.utf8) == bytes, "\(file.path)")
    let served = try #require(ServedFile(file), "\(file.path) is of no kind that is served")
    #expect(served.tag == "W/\"\(TokenText.hex(SHA256.hash(data: bytes).prefix(16)))\"", "\(file.path)")
  }
}

@Test("What is packed is gzip that gives the bytes back: texts, repetitions, chance, nothing")
func packingCanBeUndone() throws {
  var chance = SystemRandomNumberGenerator()
  var samples: [[UInt8]] = [
    [], [7], Array("aaa".utf8), Array(String(repeating: "ab", count: 40_000).utf8),
    (0..<3_000).map { _ in UInt8.random(in: .min ... .max, using: &chance) },
    (0..<70_000).map { UInt8(truncatingIfNeeded: $0 / 7 ^ $0 / 300) },
  ]
  samples += BuiltInFile.all.map { Array($0.text.description.utf8) }
  for bytes in samples {
    let packed = try #require(Gzip.pack(bytes))
    #expect(packed.starts(with: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0]), "gzip without a time")
    #expect(unpacked(packed, most: bytes.count + 1) == bytes)
  }
  let page = BuiltInFile.all.map { Array($0.text.description.utf8) }
  let sent = page.reduce(0) { $0 + (Gzip.pack($1)?.count ?? $1.count) }
  #expect(sent * 5 < page.reduce(0) { $0 + 2 * $1.count }, "less than two fifths of its size")
}

/// By zlib, which checks the sum at the end; nil: it is no gzip.
private func unpacked(_ packed: [UInt8], most: Int) -> [UInt8]? {
  var stream = z_stream()
  guard czlib_begin_gunzip(&stream) == Z_OK else { return nil }
  defer { inflateEnd(&stream) }
  var packed = packed
  var isWhole = false
  let bytes = packed.withUnsafeMutableBufferPointer { input in
    [UInt8](unsafeUninitializedCapacity: most) { output, count in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(input.count)
      stream.next_out = output.baseAddress
      stream.avail_out = UInt32(most)
      isWhole = inflate(&stream, Z_FINISH) == Z_STREAM_END
      count = most - Int(stream.avail_out)
    }
  }
  return isWhole ? bytes : nil
}
