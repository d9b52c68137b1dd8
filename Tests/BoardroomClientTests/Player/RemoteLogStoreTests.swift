import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel
import Synchronization
import TestKit
import Testing

@Suite("The logs of a server as a store")
struct RemoteLogStoreTests {
  private func store(_ door: any ReplayDoor) -> RemoteLogStore {
    RemoteLogStore(door, place: "there") { "NETLESSROOM_x" }
  }

  private struct Answering: ReplayDoor {
    let answer: @Sendable (String) -> ReplayAnswer

    func get(_ path: String, headers: [(name: String, value: String)]) async -> ReplayAnswer { answer(path) }
  }

  @Test("RP-70: with a room's token, events, snapshots, extent and times are those of the room's log")
  func sameLog() async throws {
    let world = try RecordedRoom.busy(seed: 12, seconds: 8).world
    let server = FakeServer(world, snapshots: [10, 50])
    let store = store(server)
    let info = try await store.info(of: world.room)
    #expect(info.low == 1)
    #expect(info.last == Revision(UInt64(world.log.count)))
    #expect(info.lastTime == world.log.last?.time)
    var (found, at): ([Revision: UInt8], Revision) = ([:], .zero)
    while at < info.last {
      let runs = try await store.runs(of: world.room, after: at, limit: 1)
      for run in runs { run.forEach { record, _ in found[record.revision] = record.kind } }
      at = try #require(runs.last?.lastRevision)
    }
    #expect(
      found == Dictionary(uniqueKeysWithValues: world.log.map { ($0.revision, $0.event.kind) }))
    #expect(try await store.read(world.room, after: info.last, limit: 1).isEmpty)
    #expect(try await store.snapshots(of: world.room).map(\.revision) == [10, 50])
    #expect(try await store.latestSnapshot(of: world.room, notAfter: 49)?.revision == 10)
    #expect(try await store.latestSnapshot(of: world.room, notAfter: 9) == nil)
    let spans = try await store.spans(of: world.room, after: 30, limit: 1)
    #expect(spans.map(\.first) == [26])
    let time = world.log[40].time
    let last = world.log.last { $0.time <= time }?.revision
    #expect(try await store.revision(in: world.room, at: time) == last)
    let state = try await LogReplaySource(world.room, in: store).state(notAfter: 60)
    #expect(state?.revision == 50)
    #expect(store.failure == nil)
    #expect(server.state.withLock { $0.tokens } == ["NETLESSROOM_x"])
    let asked = server.state.withLock { $0.paths }
    #expect(asked.contains { $0.hasSuffix("/runs?after=0&limit=1&epoch=00000000000000aa") })
  }

  @Test("RP-70, RP-65: a piece that the server cannot send is damage with its revisions, asked for twice")
  func damagedPiece() async throws {
    let world = try RecordedRoom.busy(seed: 13, seconds: 8).world
    let server = FakeServer(world)
    server.state.withLock { $0.damaged = 26...50 }
    let store = store(server)
    _ = try await store.info(of: world.room)
    let error = await #expect(throws: LogError.self) {
      _ = try await store.read(world.room, after: 25, limit: 1)
    }
    guard case .damaged(let damage)? = error else { Issue.record("\(String(describing: error))"); return }
    #expect(damage.lost == 26...50)
    #expect(damage.place == "there")
    #expect(server.state.withLock { $0.paths.count { $0.contains("/runs?after=25") } } == 2)
    #expect(store.failure == nil)
  }

  @Test("RP-70: an answer that ends early is damage, and none of its events is taken")
  func cutShort() async throws {
    let world = try RecordedRoom.short().world
    let server = FakeServer(world)
    server.state.withLock { $0.cut = 3 }
    let error = await #expect(throws: LogError.self) {
      _ = try await store(server).read(world.room, after: 0, limit: 1)
    }
    guard case .damaged? = error else { Issue.record("\(String(describing: error))"); return }
  }

  @Test(
    "RP-70: a refusal is told with the server's code and words, and is no damage", arguments: [401, 403, 409])
  func refused(status: Int) async throws {
    let codes: [Int: RefusalCode] = [401: .tokenInvalid, 403: .notRecorded, 409: .conflict]
    let code = try #require(codes[status])
    let text = #"{"code":"\#(code.rawValue)","cause":"c.","cure":"d."}"#
    let store = store(
      Answering { path in
        path.hasPrefix("/v5/store") ? .status(401, body: []) : .status(status, body: Array(text.utf8))
      })
    let error = await #expect(throws: LogError.self) { _ = try await store.info(of: RoomID(high: 1, low: 2)) }
    #expect(error == .stopped(reason: "c."))
    #expect(store.failure?.code == code)
    #expect(store.failure?.cure == "d.")
  }

  @Test("RP-70: a room that is not there is no log; a server that does not answer is asked twice")
  func absent() async throws {
    let room = RoomID(high: 1, low: 2)
    let empty = store(Answering { _ in .status(404, body: []) })
    let none = await #expect(throws: LogError.self) { _ = try await empty.info(of: room) }
    #expect(none == .noSuchLog(room))
    let asked = Mutex(0)
    let gone = store(
      Answering { _ in
        asked.withLock { $0 += 1 }
        return .unreachable("the connection broke")
      })
    let broken = await #expect(throws: LogError.self) { _ = try await gone.info(of: room) }
    #expect(broken == .stopped(reason: "there does not answer: the connection broke."))
    #expect(gone.failure?.code == .networkLost)
    #expect(asked.withLock { $0 } == 2)
  }

  @Test("RP-70: what is no answer of a Boardroom server is told as such", arguments: ["<html>", "{}", "[]"])
  func strange(text: String) async throws {
    let store = store(Answering { _ in .status(200, body: Array(text.utf8)) })
    await #expect(throws: LogError.self) { _ = try await store.info(of: RoomID(high: 1, low: 2)) }
    #expect(store.failure?.code == .malformed)
  }

  @Test("RP-70: nothing of it can be written")
  func readOnly() async throws {
    let (store, room) = (store(Answering { _ in .status(200, body: []) }), RoomID(high: 1, low: 2))
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await store.create(room, at: .zero) },
      { _ = try await store.create(room, epoch: Epoch(1), at: .zero) },
      { try await store.append([], to: room, expecting: nil, epoch: nil) },
      { _ = try await store.trim(room, below: 1) }, { try await store.delete(room) },
    ]
    for call in calls {
      let error = await #expect(throws: LogError.self) { try await call() }
      #expect(error == .readOnly)
    }
  }
}
