import BoardroomCodec
import BoardroomModel
import BoardroomReplay
import EventLog
import EventLogModel
import Foundation
import StorageTestKit
import Testing

/// One member's content out of a room's log, its snapshots and its folder.
@Suite struct LogErasureTests {
  private static let room = RecordedSession.room
  private static let key = [UInt8](repeating: 9, count: 32)

  private static func filled(_ events: Int = 3_000) async throws -> (TemporaryFolder, EmbeddedLogStore) {
    let folder = TemporaryFolder()
    let store = try EmbeddedLogStore.open(folder: folder.path)
    _ = try await store.create(room, at: RecordedSession.start)
    _ = try await store.append(
      RecordedSession(seed: 4, events: events).records, to: room, expecting: nil, epoch: nil)
    return (folder, store)
  }

  private static func erase(
    _ uid: String?, _ members: Set<MemberID> = [], in store: EmbeddedLogStore
  ) async throws -> (LogErasure.Plan, LogErasure.Outcome) {
    let erasure = LogErasure(key: key)
    let plan = try await erasure.plan(
      uid: uid, members: members, in: try await Recording.open(room, in: store))
    return (plan, try await erasure.perform(plan, in: store))
  }

  private static func state(_ store: EmbeddedLogStore) async throws -> RoomState {
    var replay = try await Replay.open(room, in: store)
    try await replay.seek(to: replay.end)
    return replay.moment.state
  }

  @Test(
    "LOG-29: the plan says each record that changes, with a hash that only its key compares; others stay as they were"
  )
  func plan() async throws {
    let (folder, store) = try await Self.filled()
    let before = try await store.allRuns(of: Self.room).flatMap(\.unpacked)
    let board = try await Self.state(store).elements
    let (plan, outcome) = try await Self.erase("USER1", in: store)
    #expect(plan.members == [1])
    #expect(!plan.changes.isEmpty)
    let after = try await store.allRuns(of: Self.room).flatMap(\.unpacked)
    let changed = Set(plan.changes.map(\.revision))
    for (index, (was, record)) in zip(before, after).enumerated() {
      let revision = UInt64(index + 1)
      #expect(was.time == record.time)
      #expect(was.actor == record.actor)
      guard let change = plan.changes.first(where: { $0.revision == revision }) else {
        #expect(was == record, "\(revision)")
        continue
      }
      #expect(was != record)
      #expect(change.kind == was.kind)
      #expect(change.hash == keyedHash(was.body, key: Self.key))
      #expect(change.hash != keyedHash(was.body, key: [UInt8](repeating: 8, count: 32)))
    }
    #expect(changed.count == plan.changes.count)
    #expect(before.count == after.count)
    let left = try await Self.state(store).elements
    for case let element? in board.places where element.id.member != 1 {
      #expect(left[element.id] == element)
    }
    #expect(left.places.allSatisfy { $0?.id.member != 1 })
    #expect(!outcome.blocks.isEmpty)
    #expect(outcome.snapshots.made == 1)
    #expect(outcome.snapshots.findings.isEmpty)
    let deep = try await DeepVerify.run(try await Recording.open(Self.room, in: store))
    #expect(deep.findings.isEmpty)
    #expect(deep.stateHash == outcome.snapshots.stateHash)
    // Nothing is left to do.
    let again = try await LogErasure(key: Self.key).plan(
      uid: "user1", members: [1], in: try await Recording.open(Self.room, in: store))
    #expect(again.isEmpty)
    try await store.clearRemains()
    await store.shutdown()
    #expect(try Verify.database(folder: folder.path, level: .full).findings.isEmpty)
    for name in try folder.names() where name != "journal" {
      #expect(Data(try folder.bytes(of: name)).range(of: Data("user1".utf8)) == nil, "\(name)")
    }
  }

  @Test("LOG-29: a room whose beginning was removed begins at a state without the member")
  func trimmed() async throws {
    let (folder, store) = try await Self.filled(9_000)
    var encoder = StateEncoder()
    var replay = try await Replay.open(Self.room, in: store)
    for revision in [4_000, 8_000] as [UInt64] {
      try await replay.seek(to: Revision(revision))
      try await store.put(encoder.snapshot(of: replay.moment.state), for: Self.room)
    }
    try await store.seal()
    let low = try await store.trim(Self.room, below: 4_001)
    #expect(low > 1)
    let board = try await Self.state(store).elements
    let (plan, outcome) = try await Self.erase("user2", in: store)
    try #require(plan.base != nil)
    #expect(plan.members == [2])
    #expect(try await store.snapshots(of: Self.room).map(\.revision) == [4_000, 9_000])
    #expect(outcome.snapshots.findings.isEmpty)
    #expect(outcome.snapshots.takenOver == 1)
    let left = try await Self.state(store)
    #expect(left.elements.places.allSatisfy { $0?.id.member != 2 })
    #expect(left.members[2]?.uid == nil)
    for case let element? in board.places where element.id.member != 2 {
      #expect(left.elements[element.id] == element)
    }
    try await store.clearRemains()
    await store.shutdown()
    let again = try EmbeddedLogStore.open(folder: folder.path)
    let deep = try await DeepVerify.run(try await Recording.open(Self.room, in: again))
    #expect(deep.findings.isEmpty)
    #expect(deep.snapshots == 2)
    await again.shutdown()
  }
}
