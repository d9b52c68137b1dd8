import BoardroomReplay
import EventLogModel
import StorageTestKit
import Testing

@Suite("FILE-5: a copy of logs that follows")
struct LogFollowerTests {
  private static func name(_ number: UInt64) -> LogID { LogID(high: 1, low: number) }

  private static func append(_ count: Int, to log: LogID, _ store: MemoryLogStore) async throws {
    let records = (0..<count).map {
      Record(kind: 250, time: Timestamp(milliseconds: Int64($0)), actor: 0, body: [7])
    }
    _ = try await store.append(records, to: log, expecting: nil, epoch: nil)
  }

  @Test("What cannot be gone on with is told by log, and the others go on")
  func obstacles() async throws {
    let (source, copy) = (MemoryLogStore(), MemoryLogStore())
    for number in 1...4 as ClosedRange<UInt64> {
      _ = try await source.create(Self.name(number), at: .zero)
      try await Self.append(5, to: Self.name(number), source)
    }
    var follower = LogFollower()
    let first = try await follower.pass(from: source, into: copy)
    #expect(first.logs == 4)
    #expect(first.events == 20)
    #expect(first.failures.isEmpty)
    #expect(first.gone.isEmpty)
    // One is removed in the copy, one is written to there, one is removed at the source.
    try await copy.delete(Self.name(1))
    try await Self.append(2, to: Self.name(2), copy)
    try await source.delete(Self.name(3))
    for number in [1, 2, 4] as [UInt64] { try await Self.append(1, to: Self.name(number), source) }
    var again = LogFollower()
    let second = try await again.pass(from: source, into: copy)
    #expect(second.failures[Self.name(1)] as? LogFollower.Obstacle == .removedFromCopy(Self.name(1)))
    #expect(second.failures[Self.name(2)] as? LogFollower.Obstacle == .otherLife(Self.name(2), at: 7))
    try #require(second.failures.count == 2)
    #expect(second.gone == [Self.name(3)])
    #expect(second.logs == 1)
    #expect(second.events == 1)
    #expect(try await copy.info(of: Self.name(4)).last == 6)
    #expect(again.lives[Self.name(4)]?.source.revision == 6)
    #expect(again.lives[Self.name(2)] == nil)
  }
}
