import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLog
import EventLogModel
import Foundation
import Logging
import NIOCore
import NIOPosix
import ServerTestKit
import StorageTestKit
import TestKit
import Testing

@testable import BoardroomAccess
@testable import BoardroomHTTP
@testable import BoardroomHosting
@testable import BoardroomServer

private let month = Duration.seconds(30 * 86_400)

/// A store whose logs another node has changed since they were listed.
private final class ListedBefore: ForwardingLogStore {
  let base: any LogStore
  private let page: [LogInfo]

  init(_ base: any LogStore, _ page: [LogInfo]) { (self.base, self.page) = (base, page) }

  func logs(after: LogID?, limit: Int) async throws(LogError) -> [LogInfo] { page }
}

@Suite("LOG-28: rounds of retention")
struct RetentionRoundTests {
  @Test("What another node has removed since the logs were listed, rooms and old history, is no failure")
  func changedMeanwhile() async throws {
    let host = try RoomsOnDisk()
    let (gone, old, last) = (try await host.room(), try await host.room(), try await host.room())
    try await host.write(300, to: old)
    try await host.store.seal()
    let page = try await host.store.logs(after: nil, limit: 10)
    _ = try await host.round(keeping: HistoryKeeping(events: 50))
    try await host.store.delete(gone)
    #expect(try await host.store.info(of: old).low > 1)
    let engine = RoomServerEngine(
      store: ListedBefore(host.store, page), gatekeeper: OpenGate(),
      loops: EventLoopHome.all(of: MultiThreadedEventLoopGroup.singleton),
      clock: { [clock = host.clock] in clock.now })
    let log = KeptLog()
    var policy = RoomPolicy()
    policy.keeping = HistoryKeeping(days: 1)
    let round = RetentionRound(
      engine: engine, registry: RoomRegistry(engine: engine), images: host.images,
      rule: RetentionRule(deleted: month, policy: policy), logger: log.logger)
    var seen: RetentionRound.SeenRooms = [:]
    host.clock.advance(by: month)
    _ = try await round.run(&seen)
    #expect(!log.everything.contains("cannot be removed"), "\(log.everything)")
    // Those after them were looked at.
    #expect(seen[last] != nil)
    await engine.drain()
    try await host.end()
  }

  @Test("A deleted room goes for good when its time has gone, with its images, and nothing else does")
  func deleted() async throws {
    let host = try RoomsOnDisk()
    let (doomed, kept) = (try await host.room(), try await host.room())
    for room in [doomed, kept] {
      try await host.write(20, to: room)
      _ = try await host.images.put([0x89, 0x50], kind: .png, in: room)
    }
    try await host.delete(doomed)
    host.clock.advance(by: month - .seconds(1))
    #expect(try await host.round() == RetentionRound.Outcome())
    #expect(try await host.store.info(of: doomed).last > 20)
    host.clock.advance(by: .seconds(1))
    #expect(try await host.round(deleted: nil) == RetentionRound.Outcome())
    #expect(try await host.round() == RetentionRound.Outcome(rooms: 1))
    await #expect(throws: LogError.deleted(doomed)) { try await host.store.info(of: doomed) }
    #expect(await host.images.rooms() == [kept])
    #expect(try await host.store.info(of: kept).last == 21)
    #expect(try await host.registry.facts(of: host.store.info(of: kept))?.isDeleted == false)
    try await host.end()
  }

  @Test("Images that a kill left of a removed room go with the next round; those of a lost log stay")
  func images() async throws {
    let host = try RoomsOnDisk()
    let (gone, lost) = (try await host.room(), RoomID(high: 7, low: 7))
    try await host.store.delete(gone)
    for room in [gone, lost] { _ = try await host.images.put([0x89, 0x50], kind: .png, in: room) }
    _ = try await host.round()
    #expect(await host.images.rooms() == [lost])
    try await host.end()
  }

  @Test(
    "History over the days, events or bytes goes block by block; state and what is newer stay as they were",
    arguments: [HistoryKeeping(days: 1), HistoryKeeping(events: 300), HistoryKeeping(bytes: 200 << 10)])
  func history(_ keeping: HistoryKeeping) async throws {
    let host = try RoomsOnDisk()
    let (room, short) = (try await host.room(), try await host.room())
    try await host.write(5, to: short)
    try await host.write(200, to: room)
    host.clock.advance(by: .seconds(86_400))
    try await host.write(300, to: room)
    try await host.store.seal()
    let (hash, before) = (try await host.hash(of: room), try await host.store.info(of: room))
    let outcome = try await host.round(keeping: keeping)
    let after = try await host.store.info(of: room)
    #expect(outcome.events > 50)
    #expect(after.low.rawValue > 50)
    #expect(after.low <= 202)
    #expect(after.last == before.last)
    #expect(try await host.hash(of: room) == hash)
    // Of a room in which nothing has happened since, all goes; of the other nothing that is to be kept.
    if keeping.days > 0 { #expect(try await host.store.info(of: short).low == 7) }
    if keeping.events > 0 { #expect(after.last - after.low >= 299) }
    // A room is opened, written to and read as before.
    #expect(await host.engine.opened(room)?.revision == after.last)
    try await host.write(3, to: room)
    #expect(try await host.store.runs(of: room, after: after.low.previous, limit: .max).isEmpty == false)
    try await host.end()
    #expect(try Verify.database(folder: host.folder.path, level: .full).findings.isEmpty)
  }

  @Test("A room in which nothing has happened for so long keeps its state alone, and goes on from there")
  func idle() async throws {
    let host = try RoomsOnDisk()
    let room = try await host.room()
    try await host.write(10, to: room)
    let hash = try await host.hash(of: room)
    host.clock.advance(by: .seconds(3 * 86_400))
    #expect(try await host.round(keeping: HistoryKeeping(days: 2)) == RetentionRound.Outcome(events: 11))
    let info = try await host.store.info(of: room)
    #expect(info.low == 12)
    #expect(info.last == 11)
    #expect(try await host.hash(of: room) == hash)
    let facts = try await RoomRegistry(engine: host.engine).facts(of: info)
    #expect(facts?.created.name == "r")
    #expect(await host.engine.opened(room)?.revision == 11)
    try await host.write(2, to: room)
    #expect(try await host.round(keeping: HistoryKeeping(days: 2)) == RetentionRound.Outcome())
    try await host.end()
    let again = try EmbeddedLogStore.open(folder: host.folder.path)
    #expect(again.damages.isEmpty)
    #expect(try await again.info(of: room).last == 13)
    await again.shutdown()
  }

  @Test("A room's own limits hold over the server's: to keep less, and to keep all")
  func own() async throws {
    let host = try RoomsOnDisk()
    let (less, all) = (try await host.room(), try await host.room())
    for (room, count) in [(less, 100), (all, 0)] {
      try await host.write(400, to: room)
      host.registry.note(
        try await host.engine.carryOut(in: room) { room throws(Refusal) in
          try room.setLimits(LimitsPatch([.init(name: "keep.events", value: count)]))
        }, of: room)
    }
    try await host.store.seal()
    _ = try await host.round(keeping: HistoryKeeping(events: 300))
    let kept = try await host.store.info(of: less)
    #expect(kept.low > 200)
    #expect(kept.last - kept.low >= 99)
    #expect(try await host.store.info(of: all).low == 1)
    try await host.end()
  }

  @Test("Accounts, channels and the operators' log lose nothing")
  func others() async throws {
    let host = try RoomsOnDisk()
    let space = LogID(high: 9, low: 9)
    _ = try await RoomOpening.create(
      space, with: .space(.created(SpaceName.channel(.signaling, "lobby"))), in: host.store,
      at: host.clock.now)
    _ = try await host.store.create(.operators, at: host.clock.now)
    try await host.write(300, to: space)
    host.clock.advance(by: month * 100)
    #expect(
      try await host.round(deleted: .zero, keeping: HistoryKeeping(days: 1, events: 1, bytes: 1)) == .init())
    #expect(try await host.store.info(of: space).low == 1)
    try await host.end()
  }
}

@Test("LOG-28: a deleted room is removed for good by an operator's call, and a room that is there is not")
func roomsAreErasedByCall() async throws {
  let folder = TemporaryFolder()
  let store = try EmbeddedLogStore.open(folder: folder.path)
  try await RunningServer.with(over: store) { server in
    let room = try await server.room()
    let path = "/v5/rooms/\(room)"
    var generator = SeededGenerator(seed: 28)
    let marker = (0..<200).map { _ in String(UInt8.random(in: 0...9, using: &generator)) }.joined()
    let body = "{\"name\":\"lesson\",\"payload\":\"\(marker)\"}"
    #expect(try await server.call("POST", path + "/events", token: server.admin, body: body).status < 300)
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
    let put = try await server.call("POST", path + "/images", token: server.admin, bytes: png)
    let image = try #require(put.json?["url"]?.string)
    let early = try await server.call("DELETE", path + "/log", token: server.admin)
    #expect(early.status == 409, "\(early.text)")
    #expect(early.text.contains("not deleted"), "\(early.text)")
    #expect(try await server.call("DELETE", path, token: server.admin).status == 200)
    #expect(try await server.call("GET", path + "/log", token: server.admin).status == 200)
    #expect(try found(marker, in: folder))
    let own = try await server.call("DELETE", path + "/log", token: server.token(.room(room), .admin))
    #expect(own.status == 403)
    let done = try await server.call("DELETE", path + "/log", token: server.admin)
    #expect(done.status == 200, "\(done.text)")
    #expect(try !found(marker, in: folder))
    for (method, end) in [
      ("GET", "/log"), ("GET", ""), ("GET", "/state"), ("DELETE", "/log"), ("DELETE", ""),
    ] {
      #expect(
        try await server.call(method, path + end, token: server.admin).status == 404, "\(method) \(end)")
    }
    #expect(try await server.call("GET", image).status == 404)
    #expect(
      try await server.call("DELETE", "/v5/rooms/\(RoomID(high: 3, low: 3))/log", token: server.admin).status
        == 404)
  }
}

private func found(_ text: String, in folder: TemporaryFolder) throws -> Bool {
  for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
    guard let data = FileManager.default.contents(atPath: folder.path + "/" + name) else { continue }
    if data.range(of: Data(text.utf8)) != nil { return true }
  }
  return false
}
