import BoardroomCodec
import BoardroomModel
import EventLog
import EventLogModel
import Foundation
import ServerTestKit
import StorageTestKit
import Synchronization
import Testing

@testable import BoardroomHTTP
@testable import BoardroomServer

/// Answers with what it was given, and counts.
private final class CountingRenderer: PictureRenderer {
  let count = Atomic<Int>(0)
  let fails: Bool
  init(fails: Bool = false) { self.fails = fails }

  func png(of svg: [UInt8]) async throws(PictureError) -> [UInt8] {
    count.add(1, ordering: .relaxed)
    if fails { throw .failed }
    return Array("PNG".utf8) + svg
  }
}

private func ask(
  _ server: RunningServer, _ room: RoomID, _ body: String, list: Bool = false
) async throws -> RunningServer.Answer {
  try await server.call(
    "POST", "/v5/rooms/\(room)/\(list ? "screenshot-list" : "screenshots")", token: server.admin, body: body)
}

@Test("RE-8: a screenshot is an address that shows the page at its revision, drawn once, without a token")
func screenshotsAreServed() async throws {
  let renderer = CountingRenderer()
  try await RunningServer.with(renderer: renderer) { server in
    let room = try await server.room()
    let asked = try await ask(server, room, "{\"width\":640,\"height\":360}")
    #expect(asked.status == 200)
    #expect(asked.json?["format"]?.string == "png")
    #expect(asked.json?["path"]?.string == "/init")
    #expect(asked.json?["revision"]?.int == 1)
    let url = try #require(asked.json?["url"]?.string)
    #expect(url.hasSuffix(asked.json?["key"]?.string ?? "?"))
    for _ in 0..<2 {
      let shown = try await server.call("GET", url)
      #expect(shown.status == 200)
      #expect(shown.headers["content-type"] == "image/png")
      #expect(shown.headers["x-content-type-options"] == "nosniff")
      #expect(shown.headers["content-security-policy"]?.contains("sandbox") == true)
      #expect(shown.headers["cache-control"]?.contains("immutable") == true)
      #expect(
        shown.text.hasPrefix(
          "PNG<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"360\" viewBox="))
    }
    #expect(renderer.count.load(ordering: .relaxed) == 1)
    let svg = try await ask(server, room, "{\"width\":10,\"height\":10,\"format\":\"svg\"}")
    let drawn = try await server.call("GET", try #require(svg.json?["url"]?.string))
    #expect(drawn.headers["content-type"] == "image/svg+xml")
    #expect(drawn.text.hasPrefix("<svg"))
  }
}

@Test("RE-8: an address that was not signed here, or was changed in any part, shows nothing")
func pictureAddressesAreSigned() async throws {
  try await RunningServer.with(renderer: CountingRenderer()) { server in
    let (room, other) = (try await server.room(), try await server.room())
    let asked = try await ask(server, room, "{\"width\":64,\"height\":64}")
    let url = try #require(asked.json?["url"]?.string)
    let changed = [
      url.replacing("64x64", with: "65x64"), url.replacing("-r1-", with: "-r2-"),
      url.replacing(".png", with: ".svg"), url.replacing(room.description, with: other.description),
      url.replacing("/1-r1", with: "/01-r1"), url.replacing("/1-r1", with: "/+1-r1"),
      String(url.dropLast(5)) + ".png", "/v5/rooms/\(room)/pictures/x",
      "/v5/rooms/\(room)/pictures/1-r1-64x64-.png",
      "/v5/rooms/\(room)/pictures/" + String(repeating: "9", count: 2_000),
    ]
    for address in changed {
      let answer = try await server.call("GET", address)
      #expect(answer.status == 404, "\(address)")
      #expect(answer.json?["code"]?.string == "notFound")
    }
  }
}

@Test("RE-9: a list has the pages of one directory and not those below it")
func screenshotListsAreServed() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    for (path, name) in [("/deck", "1"), ("/deck", "2"), ("/deck/more", "3")] {
      let put = try await server.call(
        "POST", "/v5/rooms/\(room)/scenes", token: server.admin,
        body: "{\"path\":\"\(path)\",\"scenes\":[{\"name\":\"\(name)\"}]}")
      #expect(put.status == 201)
    }
    let list = try await ask(server, room, "{\"width\":9,\"height\":9,\"path\":\"/deck\"}", list: true)
    #expect(list.status == 200)
    #expect(list.json?.array?.map { $0["path"]?.string } == ["/deck/1", "/deck/2"])
    for picture in list.json?.array ?? [] {
      #expect(try await server.call("GET", picture["url"]?.string ?? "").status == 200)
    }
    let none = try await ask(server, room, "{\"width\":9,\"height\":9,\"path\":\"/none\"}", list: true)
    #expect(none.status == 404)
    let page = try await ask(server, room, "{\"width\":9,\"height\":9,\"path\":\"/deck/1\"}", list: true)
    #expect(page.status == 404)
  }
}

@Test("RE-8: without rsvg-convert pictures are SVG, and who asks for PNG is told noRenderer")
func missingRenderersAreNamed() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    #expect(try await ask(server, room, "{\"width\":9,\"height\":9}").json?["format"]?.string == "svg")
    let png = try await ask(server, room, "{\"width\":9,\"height\":9,\"format\":\"png\"}")
    #expect(png.status == 400)
    #expect(png.json?["code"]?.string == "noRenderer")
    let bad = [
      "{}", "{\"width\":0,\"height\":9}", "{\"width\":9,\"height\":4097}", "{\"width\":\"9\",\"height\":9}",
      "{\"width\":9,\"height\":9,\"format\":\"gif\"}", "{\"width\":9,\"height\":9,\"path\":7}",
    ]
    for body in bad { #expect(try await ask(server, room, body).status == 400, "\(body)") }
    #expect(try await ask(server, room, "{\"width\":9,\"height\":9,\"path\":\"/no\"}").status == 404)
  }
}

@Test("RE-8: a renderer that fails is a 500 with a cause, and the next picture is drawn all the same")
func failedPicturesAreTold() async throws {
  try await RunningServer.with(renderer: CountingRenderer(fails: true)) { server in
    let room = try await server.room()
    let asked = try await ask(server, room, "{\"width\":9,\"height\":9}")
    let failed = try await server.call("GET", try #require(asked.json?["url"]?.string))
    #expect(failed.status == 500)
    #expect(failed.json?["cure"]?.string == "Ask for svg.")
    let svg = try await ask(server, room, "{\"width\":9,\"height\":9,\"format\":\"svg\"}")
    #expect(try await server.call("GET", try #require(svg.json?["url"]?.string)).status == 200)
  }
}

@Test("RE-8: rsvg-convert, where it is installed, makes a PNG of the size that was asked for")
func pictureIsDrawn() async throws {
  guard let renderer = RsvgConvert(limit: .seconds(300)) else { return }
  let name = PictureName(
    room: RoomID(high: 1, low: 1), scene: 1, revision: 1, width: 40, height: 30, format: .png)
  let page = try #require(name.svg(of: RoomState()))
  let png = try await renderer.png(of: Array(page.utf8))
  #expect(ImageKind(png) == .png)
  // The header's width and height, big-endian from byte 16 on.
  #expect(png[16..<24].map { Int($0) } == [0, 0, 0, 40, 0, 0, 0, 30])
  await #expect(throws: PictureError.failed) { try await renderer.png(of: Array("no drawing".utf8)) }
}

@Test("RE-8: a picture is drawn where 1,500 files are open, and the program that draws has none of them")
func picturesAmongManyFiles() async throws {
  let folder = TemporaryFolder()
  // A list of open files longer than 32 KiB, which Foundation's Process reads beyond its end.
  let open = (0..<1_500).map { _ in dup(2) }
  defer { for file in open where file >= 0 { close(file) } }
  try folder.write(
    Array("#!/bin/sh\ncat >/dev/null; ls /proc/self/fd 2>/dev/null | wc -l\n".utf8), to: "draw")
  let program = folder.path + "/draw"
  try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
  let renderer = RsvgConvert(program: program, limit: .seconds(300))
  let answer = try await renderer.png(of: Array(repeating: 32, count: 1 << 20))
  let count = Int(String(decoding: answer, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
  #expect(try #require(count) < 8)
}

@Test("RE-8: a renderer that does not end is stopped when its time is over")
func slowRenderersAreStopped() async throws {
  let folder = TemporaryFolder()
  try folder.write(Array("#!/bin/sh\nexec sleep 600\n".utf8), to: "slow")
  let program = folder.path + "/slow"
  try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
  let renderer = RsvgConvert(program: program, limit: .milliseconds(50))
  await #expect(throws: PictureError.failed) { try await renderer.png(of: [1]) }
}
