import EventLog
import EventLogModel
import StorageTestKit
import Testing

@testable import PostgresLog

extension PostgresTests {
  private static let logs = [LogID(high: 8, low: 1), LogID(high: 8, low: 2)]

  /// Two logs of some 40 blocks each, with a snapshot.
  ///
  /// - Parameter isLong: whether blocks cannot be packed, so that they are not in the rows themselves.
  private static func fill(_ node: PostgresLogStore, isLong: Bool = false) async throws {
    var generator = SeededGenerator(seed: 20)
    for log in logs {
      _ = try await node.create(log, at: start)
      for step in 0..<40 {
        var added = records(step * 20 + 1...step * 20 + 20, bytes: 3_600)
        for place in added.indices where isLong {
          added[place].body = (0..<3_600).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        try await node.append(added, to: log, expecting: nil, epoch: nil)
      }
      try await node.put(snapshot(at: 700), for: log)
      try await node.seal()
    }
  }

  private static func snapshot(at revision: Revision) -> Snapshot {
    let part = SnapshotPart(key: [UInt8](repeating: 4, count: 16), bytes: Array("part".utf8))
    return Snapshot(
      revision: revision, time: start, stateHash: [UInt8](repeating: 7, count: 32),
      root: Array("root of it".utf8), parts: [part])
  }

  private static func steps(
    of database: TestDatabase, from place: Scrub.ScrubPosition = .beginning,
    between: (Int) async throws -> Void = { _ in }
  ) async throws -> [Scrub.Step] {
    let scrub = try TablesScrub(address: database.address)
    defer { scrub.close() }
    #expect(try scrub.turn().isOurs)
    _ = try scrub.begin(from: place)
    var steps: [Scrub.Step] = []
    while let step = try scrub.next() {
      steps.append(step)
      try await between(steps.count)
    }
    return steps
  }

  @Test(
    "DB-20: a pass reads every block and snapshot of a database, finds nothing in a sound one, and goes on where it was"
  )
  func scrubSound() async throws {
    let database = try TestDatabase()
    let node = try PostgresLogStore.open(address: database.address, options: database.options())
    try await Self.fill(node)
    let steps = try await Self.steps(of: database)
    let damages = steps.flatMap(\.damages)
    #expect(damages.isEmpty, "\(damages)")
    let scrub = try TablesScrub(address: database.address)
    _ = try scrub.turn()
    let (total, before) = try scrub.begin(from: .beginning)
    scrub.close()
    #expect(before == 0)
    // The snapshots are stored packed.
    #expect((total + 2 * 20...total + 2 * 200).contains(steps.reduce(0) { $0 + $1.bytes }))
    for (done, step) in steps.enumerated() {
      let rest = try await Self.steps(of: database, from: step.place)
      // The log's snapshots may be read again.
      let most = steps.dropFirst(done + 1).reduce(0) { $0 + $1.bytes } + 200
      #expect(rest.reduce(0) { $0 + $1.bytes } <= most)
      let found = rest.flatMap(\.damages)
      #expect(found.isEmpty, "\(found)")
    }
    await node.shutdown()
  }

  @Test(
    "DB-20: a damaged block, snapshot, part and row of the catalog are each found and named, and a missing block"
  )
  func scrubDamaged() async throws {
    let database = try TestDatabase()
    let node = try PostgresLogStore.open(address: database.address, options: database.options())
    try await Self.fill(node)
    await node.shutdown()
    let second = "log = (select max(no) from log)"
    let third = "first = (select first from block where \(second) order by first offset 2 limit 1)"
    func flipped(_ place: Int) -> String {
      "bytes = set_byte(bytes, \(place), get_byte(bytes, \(place)) # 1)"
    }
    // What is damaged, what mends it, and what is found.
    let cases: [(damage: String, mend: String?, what: String)] = [
      (
        "update block set \(flipped(300)) where \(second) and \(third)",
        "update block set \(flipped(300)) where \(second) and \(third)", "fails its checksum"
      ),
      (
        "update block set raw = raw + 1 where \(second) and \(third)",
        "update block set raw = raw - 1 where \(second) and \(third)", "differs from the block"
      ),
      (
        "update snapshot set \(flipped(4)) where \(second)",
        "update snapshot set \(flipped(4)) where \(second)",
        "the root of a snapshot"
      ),
      (
        "update part set \(flipped(4)) where \(second)", "update part set \(flipped(4)) where \(second)",
        "a part of a snapshot"
      ),
      (
        "update log set crc = crc + 1 where no = (select max(no) from log)",
        "update log set crc = crc - 1 where no = (select max(no) from log)",
        "of the catalog fails its checksum"
      ), ("delete from block where \(second) and \(third)", nil, "a block is missing"),
      ("delete from part where \(second)", nil, "snapshot part"),
    ]
    var left = 0
    for (damage, mend, what) in cases {
      try database.run(damage)
      let found = try await Self.steps(of: database).flatMap(\.damages)
      #expect(found.count == left + 1, "\(what): \(found)")
      #expect(found.last?.what.contains(what) == true, "\(found)")
      #expect(found.last?.log == Self.logs[1], "\(found)")
      if let mend { try database.run(mend) } else { left += 1 }
    }
  }

  @Test("DB-20: two rows of one block are named by a scrub and a check, and read once")
  func scrubDuplicate() async throws {
    let database = try TestDatabase()
    let node = try PostgresLogStore.open(address: database.address, options: database.options())
    try await Self.fill(node)
    await node.shutdown()
    try database.run("alter table block drop constraint block_pkey")
    let last = "select max(first) from block where log = 2"
    try database.run("insert into block select * from block where log = 2 and first = (\(last))")
    let found = try await Self.steps(of: database).flatMap(\.damages)
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.what.contains("several rows are of the block") == true, "\(found)")
    #expect(found.first?.log == Self.logs[1])
    let checked = try PostgresLogStore.verify(address: database.address, level: .full).findings
    #expect(checked == found)
    let reader = try PostgresLogStore.openReading(address: database.address)
    let first = Revision(UInt64(try database.run(last)))
    let runs = try await reader.runs(of: Self.logs[1], after: first.previous, limit: 1 << 20)
    #expect(runs.flatMap(\.unpacked).count == 801 - Int(first.rawValue))
    await reader.shutdown()
  }

  private static let longValues = TestDatabase.longValues(of: TestDatabase.partition(of: 1))

  @Test(
    "DB-20: a page that the server cannot read is named as damage by a scrub and a check, which go on behind it",
    arguments: [
      (page: 0, of: longValues, lost: 1...40),
      (page: 0, of: TestDatabase.partition(of: 1), lost: 20...799),
      (page: 1, of: TestDatabase.index(of: TestDatabase.partition(of: 1)), lost: 800...800),
      (page: 0, of: "'log'::regclass", lost: 0...0), (page: 0, of: "'snapshot'::regclass", lost: 0...0),
      (page: 0, of: "'part'::regclass", lost: 0...0),
    ])
  func scrubUnreadable(_ page: Int, _ relation: String, _ lost: ClosedRange<Int>) async throws {
    let database = try TestDatabase()
    let node = try PostgresLogStore.open(address: database.address, options: database.options())
    try await Self.fill(node, isLong: relation == Self.longValues)
    for number in 1...60 as ClosedRange<UInt64> {
      let log = LogID(high: 18, low: number)
      _ = try await node.create(log, at: Self.start)
      try await node.append(Self.records(1...2), to: log, expecting: nil, epoch: nil)
    }
    try await node.seal()
    await node.shutdown()
    // Behind what cannot be read.
    let last = LogID(high: 18, low: 60)
    try database.run("update log set low = low + 1 where no = 62")
    try database.spoil(page: page, of: relation)
    for found in [
      try await Self.steps(of: database).flatMap(\.damages),
      try PostgresLogStore.verify(address: database.address, level: .full).findings,
    ] {
      #expect(found.contains { $0.what.contains("cannot read") }, "\(found)")
      #expect(found.contains { $0.log == last }, "\(found)")
      let revisions = Set(found.filter { $0.log == Self.logs[0] }.compactMap(\.lost).joined())
      #expect(lost.contains(revisions.count), "\(found)")
    }
  }

  @Test(
    "DB-20: an image, and an event, on a page that the server cannot read is damaged, and not only silent")
  func readUnreadable() async throws {
    let database = try TestDatabase()
    let node = try PostgresLogStore.open(address: database.address, options: database.options())
    try await Self.fill(node)
    await node.shutdown()
    let images = try PostgresImages(address: database.address)
    _ = try images.put([1, 2, 3], named: "a.png", of: Self.logs[0], bytesLimit: 9, countLimit: 9)
    try database.spoil(of: "'image'::regclass")
    try database.spoil(of: TestDatabase.partition(of: 1))
    #expect {
      _ = try images.image(named: "a.png", of: Self.logs[0])
    } throws: {
      if case LogError.damaged = $0 { true } else { false }
    }
    let reader = try PostgresLogStore.openReading(address: database.address)
    await #expect {
      _ = try await reader.runs(of: Self.logs[0], after: .zero, limit: 1 << 20)
    } throws: {
      if case LogError.damaged = $0 { true } else { false }
    }
    await reader.shutdown()
  }

  @Test("DB-20: what nodes do meanwhile is no damage: appends, seals, snapshots, retention, deletions")
  func scrubBesideNodes() async throws {
    let database = try TestDatabase()
    let node = try PostgresLogStore.open(address: database.address, options: database.options())
    try await Self.fill(node)
    let steps = try await Self.steps(of: database) { done in
      try await node.append(
        Self.records(1...40, bytes: 3_000), to: Self.logs[0], expecting: nil, epoch: nil)
      if done < 4 {
        try await node.append(Self.records(1...40), to: Self.logs[1], expecting: nil, epoch: nil)
      }
      try await node.seal()
      if done == 1 {
        let last = try await node.info(of: Self.logs[0]).last
        try await node.put(Self.snapshot(at: last), for: Self.logs[0])
        _ = try await node.trim(Self.logs[0], below: last)
        try await node.seal()
        try await node.clearRemains()
      }
      if done == 3 { try await node.delete(Self.logs[1]) }
    }
    let damages = steps.flatMap(\.damages)
    #expect(damages.isEmpty, "\(damages)")
    #expect(steps.count > 3)
    await node.shutdown()
  }

  private struct SeenTurn: Equatable {
    var progress: TablesScrub.Progress
    var isOurs: Bool
  }

  private static func turn(of scrub: TablesScrub) throws -> SeenTurn {
    let (progress, isOurs) = try scrub.turn()
    return SeenTurn(progress: progress, isOurs: isOurs)
  }

  @Test(
    "DB-20: one process at a time makes the passes; when its connection is gone another goes on where it noted"
  )
  func scrubTurns() async throws {
    let database = try TestDatabase()
    let node = try PostgresLogStore.open(address: database.address, options: database.options())
    try await Self.fill(node)
    await node.shutdown()
    let first = try TablesScrub(address: database.address)
    let other = try TablesScrub(address: database.address)
    var (progress, isOurs) = try first.turn()
    #expect(isOurs)
    #expect(progress == TablesScrub.Progress())
    progress.began = Self.start
    progress.finished = Timestamp(milliseconds: 5)
    _ = try first.begin(from: progress.place)
    progress.place = try #require(try first.next()).place
    try first.note(progress)
    #expect(try Self.turn(of: first) == SeenTurn(progress: progress, isOurs: true), "it keeps its turn")
    #expect(try Self.turn(of: other) == SeenTurn(progress: progress, isOurs: false))
    #expect(throws: LogError.self) { try other.note(TablesScrub.Progress()) }
    #expect(throws: LogError.self) { _ = try other.begin(from: .beginning) }
    // Cut while nobody uses it: it reads on behind a new one, as long as nobody else reads.
    let cut = """
      select count(pg_terminate_backend(pid, 60000)) from pg_stat_activity
      where application_name = 'boardroom reader' and datname = current_database()
      """
    try database.run(cut)
    let next = try #require(try first.next())
    #expect(next.place != progress.place)
    try database.run(cut)
    try first.note(progress)
    try database.run(cut)
    _ = try first.begin(from: progress.place)
    try database.run(cut)
    #expect(try Self.turn(of: other) == SeenTurn(progress: progress, isOurs: true))
    #expect(throws: LogError.self) { _ = try first.next() }
    #expect(try Self.turn(of: first) == SeenTurn(progress: progress, isOurs: false))
    _ = try other.begin(from: progress.place)
    #expect(try other.next() == next, "from the place that was noted")
    progress.began = nil
    try other.note(progress)
    #expect(try Self.turn(of: other) == SeenTurn(progress: progress, isOurs: true))
    // A store in another schema of the same database has its own turn.
    let second = try TestDatabase()
    let made = try PostgresLogStore.open(address: second.address, options: second.options())
    let elsewhere = try TablesScrub(address: second.address)
    #expect(try elsewhere.turn().isOurs)
    elsewhere.close()
    await made.shutdown()
  }
}
