import BoardroomCodec
import BoardroomModel
import EventLog
import EventLogModel
import Foundation
import ServerTestKit
import StorageTestKit
import Synchronization
import Testing

@testable import BoardroomAccess
@testable import BoardroomHTTP
@testable import BoardroomServer

private struct Sample: Sendable {
  var type: String
  var bytes: [UInt8]
}

private let samples = [
  Sample(type: "image/png", bytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]),
  Sample(type: "image/jpeg", bytes: [0xFF, 0xD8, 0xFF, 0xE0, 0, 16]),
  Sample(type: "image/webp", bytes: Array("RIFF".utf8) + [9, 0, 0, 0] + Array("WEBPVP8 ".utf8)),
  Sample(type: "image/gif", bytes: Array("GIF89a".utf8) + [1, 0, 1, 0]),
]

@Test("Images of four kinds are stored by their content and shown with headers that keep them harmless")
func imagesAreStored() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    let path = "/v5/rooms/\(room)/images"
    for sample in samples {
      var urls: Set<String> = []
      // What the sender calls it does not count.
      for type in [sample.type, "text/html"] {
        let put = try await server.call(
          "POST", path, token: server.token(.room(room), .writer), bytes: sample.bytes,
          headers: ["content-type": type])
        #expect(put.status == 201, "\(put.text)")
        #expect(put.json?["type"]?.string == sample.type)
        #expect(put.json?["bytes"]?.int == sample.bytes.count)
        urls.insert(try #require(put.json?["url"]?.string))
      }
      #expect(urls.count == 1)
      let shown = try await server.call("GET", try #require(urls.first))
      #expect(shown.status == 200)
      #expect(shown.body == sample.bytes)
      #expect(shown.headers["content-type"] == sample.type)
      #expect(shown.headers["x-content-type-options"] == "nosniff")
      #expect(shown.headers["content-security-policy"]?.contains("sandbox") == true)
      #expect(shown.headers["cache-control"] == "public, max-age=31536000, immutable")
    }
  }
}

@Test("What is no image is refused: SVG, texts, nothing, too much, and a room that is not there")
func otherFilesAreRefused() async throws {
  var settings = ServerSettings()
  settings.imageBytes = 16 << 10
  try await RunningServer.with(settings) { server in
    let room = try await server.room()
    let png = samples[0].bytes
    let table: [(bytes: [UInt8], room: RoomID, status: Int, code: String)] = [
      (Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8), room, 400, "badImage"),
      (Array("<html>".utf8), room, 400, "badImage"), ([], room, 400, "badImage"),
      (Array("RIFF....WAVE".utf8), room, 400, "badImage"), ([0x89], room, 400, "badImage"),
      (png + [UInt8](repeating: 0, count: 16 << 10), room, 400, "tooLarge"),
      (png, RoomID(high: 1, low: 1), 404, "notFound"),
    ]
    for row in table {
      let answer = try await server.call(
        "POST", "/v5/rooms/\(row.room)/images", token: server.admin, bytes: row.bytes)
      #expect(answer.status == row.status, "\(answer.text)")
      #expect(answer.json?["code"]?.string == row.code, "\(answer.text)")
    }
    let names = [
      "x", String(repeating: "0", count: 64) + ".png", String(repeating: "0", count: 64) + ".svg",
      String(repeating: "G", count: 64) + ".png", "..%2F..%2Fkeys.json", "%2e%2e", "a.b.c",
    ]
    for name in names {
      let answer = try await server.call("GET", "/v5/rooms/\(room)/images/\(name)")
      #expect(answer.status == 404, "\(name)")
    }
  }
}

@Test("All images of a room together have a limit, and what is stored already costs nothing")
func roomsHaveAnImageLimit() async throws {
  let folder = TemporaryFolder()
  let store = ImageStore(inFolder: folder.path, roomLimit: 25)
  let (room, other) = (RoomID(high: 1, low: 1), RoomID(high: 2, low: 2))
  let (png, gif) = (samples[0].bytes, samples[3].bytes)
  let name = try await store.put(png, kind: .png, in: room)
  #expect(try await store.put(png, kind: .png, in: room) == name)
  _ = try await store.put(gif, kind: .gif, in: room)
  await #expect(throws: ImageFailure.full(actual: 27, allowed: 25, limit: "limits.roomImages")) {
    try await store.put(samples[1].bytes, kind: .jpeg, in: room)
  }
  _ = try await store.put(samples[1].bytes, kind: .jpeg, in: other)
  #expect(try await store.image(name, in: room) == png)
  #expect(try await store.image(name, in: other) == nil)
  #expect(try folder.names(in: "images/\(room)").count == 2, "nothing half written is left")
}

@Test(
  "BOUND-8: the images of a room have a number, which is exact after puts at once, failures and a restart")
func roomsHaveANumberOfImages() async throws {
  let folder = TemporaryFolder()
  let room = RoomID(high: 1, low: 1)
  let store = ImageStore(inFolder: folder.path, roomLimit: 1 << 20, countLimit: 5)
  @Sendable func put(_ number: UInt8, in store: ImageStore) async -> ImageFailure? {
    do {
      _ = try await store.put([0x47, number], kind: .gif, in: room)
      return nil
    } catch { return error as? ImageFailure }
  }
  let refused = await withTaskGroup(of: Bool.self) { group in
    // Each twice, at once.
    for number in 0..<16 { group.addTask { await put(UInt8(number / 2), in: store) != nil } }
    return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
  }
  let names = try folder.names(in: "images/\(room)")
  #expect(names.count <= 5, "\(names.count) images, \(refused) refused")
  #expect(refused >= 6, "\(names.count) images, \(refused) refused")
  // Whoever came while the same was being stored may have been refused for it: then there is room yet.
  for number in 0..<8 { _ = await put(UInt8(number), in: store) }
  #expect(try folder.names(in: "images/\(room)").count == 5)
  let full = ImageFailure.full(actual: 6, allowed: 5, limit: "images")
  #expect(await put(99, in: store) == full)
  try folder.write([1, 2, 3], to: "images/\(room)/x.gif.7.part")
  let next = ImageStore(inFolder: folder.path, roomLimit: 1 << 20, countLimit: 6)
  #expect(await put(98, in: next) == nil)
  #expect(await put(99, in: next) == .full(actual: 7, allowed: 6, limit: "images"))
  #expect(try folder.names(in: "images/\(room)").count == 6, "what a kill left half written is gone")
}

@Test("IMG-1: of a stored image no turned bit, no cut and no added byte is ever read as the image")
func everyFlipOfAnImageIsFound() async throws {
  let folder = TemporaryFolder()
  let room = RoomID(high: 1, low: 1)
  let store = ImageStore(inFolder: folder.path, roomLimit: 1 << 20)
  let sound = samples[0].bytes
  let name = try await store.put(sound, kind: .png, in: room)
  let path = "images/\(room)/\(name)"
  var wrong: [[UInt8]] = [sound.dropLast(), sound + [0], []]
  for bit in 0..<sound.count * 8 {
    var turned = sound
    turned[bit / 8] ^= 1 << (bit % 8)
    wrong.append(turned)
  }
  for bytes in wrong {
    try folder.write(bytes, to: path)
    await #expect(throws: ImageFailure.damaged(name)) { try await store.image(name, in: room) }
  }
  // Whoever puts it again mends it.
  #expect(try await store.put(sound, kind: .png, in: room) == name)
  #expect(try await store.image(name, in: room) == sound)
}

@Test(
  "IMG-1: a damaged image is refused with what helps, in a line of the log and in a count; put again it is whole"
)
func damagedImagesAreRefused() async throws {
  let lines = Mutex("")
  try await RunningServer.with(logs: { line in
    lines.withLock { $0 += String(decoding: line, as: UTF8.self) }
  }) { server in
    let room = try await server.room()
    let put = try await server.call(
      "POST", "/v5/rooms/\(room)/images", token: server.admin, bytes: samples[0].bytes)
    let (url, key) = (try #require(put.json?["url"]?.string), try #require(put.json?["key"]?.string))
    let file = URL(fileURLWithPath: "\(server.data)/images/\(room)/\(key)")
    var bytes = samples[0].bytes
    bytes[9] ^= 4
    try Data(bytes).write(to: file)
    let answer = try await server.call("GET", url)
    #expect(answer.status == 500, "\(answer.text)")
    #expect(answer.json?["code"]?.string == "imageDamaged", "\(answer.text)")
    #expect(answer.json?["cure"]?.string?.contains("backup") == true, "\(answer.text)")
    #expect(answer.headers["cache-control"] == "no-store")
    let line = lines.withLock { $0 }
    #expect(line.contains("an image is damaged"), "\(line)")
    #expect(line.contains(key), "\(line)")
    let metrics = try await server.call("GET", "/metrics")
    #expect(metrics.text.contains("boardroom_images_damaged_total 1\n"))
    _ = try await server.call(
      "POST", "/v5/rooms/\(room)/images", token: server.admin, bytes: samples[0].bytes)
    #expect(try await server.call("GET", url).body == samples[0].bytes)
  }
}
