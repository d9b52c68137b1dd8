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

/// A server's rooms without its ports, and a clock that stands.
struct RoomsOnDisk {
  let clock = VirtualClock()
  let folder = TemporaryFolder()
  let store: EmbeddedLogStore
  let engine: RoomServerEngine
  let registry: RoomRegistry
  let images: ImageStore
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  init() throws {
    store = try EmbeddedLogStore.open(folder: folder.path)
    let clock = clock
    engine = RoomServerEngine(
      store: store, gatekeeper: TokenGatekeeper(keys: KeyRing(pairs: [RunningServer.pair])),
      loops: EventLoopHome.all(of: group, speed: 1), clock: { clock.now })
    registry = RoomRegistry(engine: engine)
    images = ImageStore(inFolder: folder.path, roomLimit: 1 << 20)
  }

  func end() async throws {
    await engine.drain()
    await store.shutdown()
    try await group.shutdownGracefully()
  }

  func room() async throws -> RoomID {
    try await registry.create(RoomCreated(name: "r", limit: 0, isRecord: true), at: clock.now).room
  }

  /// Events of about 1,100 bytes, of digits by chance, a minute apart.
  func write(_ count: Int, to room: RoomID) async throws {
    var generator = SeededGenerator(seed: UInt64(count))
    for _ in 0..<count {
      clock.advance(by: .seconds(60))
      let text = (0..<1_000).map { _ in String(UInt8.random(in: 0...9, using: &generator)) }.joined()
      let event = Event.magix(MagixEvent(name: "large", payload: JSONText(unchecked: "\"\(text)\"")))
      let body = EventCodec.encodeBody(event, counter: 0)
      try await store.append(
        [Record(kind: event.kind, time: clock.now, actor: Actor.server.code, body: body)], to: room,
        expecting: nil, epoch: nil)
    }
  }

  func delete(_ room: RoomID) async throws {
    registry.note(
      try await engine.carryOut(in: room, removing: .roomDelete) { room throws(Refusal) in try room.delete()
      },
      of: room)
  }

  func round(deleted: Duration? = .seconds(30 * 86_400), keeping: HistoryKeeping = HistoryKeeping())
    async throws -> RetentionRound.Outcome
  {
    var policy = RoomPolicy()
    policy.keeping = keeping
    let round = RetentionRound(
      engine: engine, registry: registry, images: images,
      rule: RetentionRule(deleted: deleted, policy: policy),
      logger: Logger(label: "retention") { _ in SwiftLogNoOpLogHandler() })
    var seen: RetentionRound.SeenRooms = [:]
    let outcome = try await round.run(&seen)
    // What was found out is not looked for again, and leads to the same.
    let again = try await round.run(&seen)
    #expect(again == RetentionRound.Outcome())
    return outcome
  }

  func hash(of room: RoomID) async throws -> [UInt8] {
    let history = RoomHistory(store: store)
    let last = try await history.revision(of: room, at: nil)
    return StateEncoder.hash(of: try await history.state(of: room, at: last))
  }
}
