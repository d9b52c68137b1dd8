import EventLogFormat
import EventLogModel
import Foundation
import StorageTestKit
import Testing

@testable import EventLog

/// A scrub finds what nobody has asked for, and takes nothing for damage that a writer does meanwhile.
@Suite(.timeLimit(.minutes(15))) struct ScrubTests {
  /// Two rooms with sealed events and a snapshot each, and a journal of several segments.
  private static func folder() async throws -> DamagedFolder {
    try await DamagedFolder.killed { store in
      for log in 1...2 as ClosedRange<UInt64> {
        _ = try await store.create(DamagedFolder.log(log), at: .zero)
        try await DamagedFolder.append(1...1_200, to: log, store)
        try await store.put(snapshot(at: 1_000, of: log), for: DamagedFolder.log(log))
      }
      try await store.seal()
      for log in 1...2 as ClosedRange<UInt64> {
        try await DamagedFolder.append(1_201...1_500, to: log, store)
      }
    }
  }

  private static func snapshot(at revision: Revision, of log: UInt64) -> Snapshot {
    let part = SnapshotPart(key: DamagedFolder.body(log, 0).prefix(16).map(\.self), bytes: Array("part".utf8))
    return Snapshot(
      revision: revision, time: .zero, stateHash: [UInt8](repeating: 7, count: 32),
      root: Array("root of it".utf8),
      parts: [part])
  }

  private static func steps(
    of folder: String, from place: Scrub.ScrubPosition = .beginning, between: () async throws -> Void = {}
  ) async throws -> [Scrub.Step] {
    let scrub = try Scrub(folder: folder, from: place)
    var steps: [Scrub.Step] = []
    while let step = try scrub.next() {
      steps.append(step)
      try await between()
    }
    return steps
  }

  private static func damages(of folder: DamagedFolder) async throws -> [Damage] {
    let written = try folder.written()
    return try await steps(of: written.path).flatMap(\.damages)
  }

  @Test(
    "LOG-26: a pass reads every block, snapshot and closed journal segment, and finds nothing in a sound folder"
  )
  func sound() async throws {
    let folder = try await Self.folder().written()
    let steps = try await Self.steps(of: folder.path)
    let damages = steps.flatMap(\.damages)
    #expect(damages.isEmpty)
    let scrub = try Scrub(folder: folder.path)
    let journal = try folder.names(in: "journal").count { $0.hasPrefix("0") } - 1
    let snapshots = 2 * ("root of it".utf8.count + "part".utf8.count)
    #expect(steps.reduce(0) { $0 + $1.bytes } == scrub.total + snapshots + journal * 64 << 10)
    #expect(scrub.before == 0)
    #expect(scrub.total > 200_000)
  }

  @Test("LOG-26: a damaged block, snapshot, row of the catalog and journal frame are each found and named")
  func damaged() async throws {
    let folder = try await Self.folder()
    func damaging(_ text: String) throws -> DamagedFolder {
      var damaged = folder
      let bytes = try #require(folder.files["log.db"])
      let found = try #require(Data(bytes).range(of: Data(text.utf8)))
      damaged.files["log.db"]?[found.lowerBound + 2] ^= 1
      return damaged
    }
    var block = folder
    let written = try folder.written()
    let blocks = try Salvage(file: written.path + "/log.db").blocks[DamagedFolder.log(2)] ?? []
    let second = try #require(blocks.dropFirst().first)
    block.files["log.db"]?[second.offset + 300] ^= 1
    let found = try #require(try await Self.damages(of: block).first)
    #expect(found.log == DamagedFolder.log(2), "\(found)")
    #expect(found.lost?.lowerBound == second.first.rawValue, "\(found)")
    #expect(found.lost?.count == second.count)

    let root = try await Self.damages(of: damaging("root of it"))
    #expect(root.contains { $0.what.contains("snapshot") }, "\(root)")

    let frame = try #require(try folder.frames().first { $0.holds(1, 1_300) })
    let torn = try await Self.damages(of: folder.damaging(frame, from: 60))
    #expect(torn.count == 1, "\(torn)")
    #expect(torn.first?.place.hasSuffix(frame.name) == true, "\(torn)")

    let gone = try folder.written()
    let database = try SQLiteConnection(path: gone.path + "/log.db", role: .writer)
    try database.execute("DELETE FROM block WHERE id = \(BlockKey.integer(2, second.first))")
    try database.execute("UPDATE log SET crc = crc + 1 WHERE no = 1")
    database.close()
    let named = try await Self.steps(of: gone.path).flatMap(\.damages)
    #expect(
      named.contains { $0.what == "a block is missing" && $0.lost?.lowerBound == second.first.rawValue })
    #expect(named.contains { $0.what.contains("row 1 of the catalog fails its checksum") }, "\(named)")
  }

  @Test("LOG-26: blocks that overlap are named, and are no reason to miss events that the longer one has")
  func overlapping() async throws {
    let folder = try await Self.folder().written()
    let blocks = try Salvage(file: folder.path + "/log.db").blocks[DamagedFolder.log(2)] ?? []
    let second = try #require(blocks.dropFirst().first)
    let database = try SQLiteConnection(path: folder.path + "/log.db", role: .writer)
    let place = BlockPlace(number: 2, log: DamagedFolder.log(2), path: database.path)
    let whole = try place.unpack(try #require(try place.fetch(second.first, from: database)))
    let part = try #require(whole.suffix(after: second.first + 3)?.prefix(through: second.first + 6))
    let block = Block(sealing: part, of: place.log, after: Chain.origin, isOpen: false)
    try database.put(block, encoded: block.encoded, number: 2)
    database.close()
    let found = try await Self.steps(of: folder.path).flatMap(\.damages)
    #expect(found.map(\.what) == ["blocks overlap at revision \(part.first)"], "\(found)")
  }

  @Test("LOG-26: a pass goes on at the place where an earlier one stopped")
  func resumed() async throws {
    let folder = try await Self.folder().written()
    let steps = try await Self.steps(of: folder.path)
    for (done, step) in steps.enumerated() where step.place != .beginning {
      let rest = try await Self.steps(of: folder.path, from: step.place)
      // The log's snapshots may be read again.
      let most = steps.dropFirst(done + 1).reduce(0) { $0 + $1.bytes } + 2 * "root of itpart".utf8.count
      #expect(rest.reduce(0) { $0 + $1.bytes } <= most)
      let damages = rest.flatMap(\.damages)
      #expect(damages.isEmpty)
    }
    let place = try #require(steps.first { $0.place.number == 2 }?.place)
    let second = try Scrub(folder: folder.path, from: place)
    #expect(second.before > 100_000)
  }

  @Test("LOG-26: what a writer does meanwhile is no damage: appends, seals, snapshots, deletions")
  func besideAWriter() async throws {
    let folder = TemporaryFolder()
    let store = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    for log in 1...6 as ClosedRange<UInt64> {
      _ = try await store.create(DamagedFolder.log(log), at: .zero)
      try await DamagedFolder.append(1...700, to: log, store)
      try await store.seal()
    }
    var last: UInt64 = 700
    let steps = try await Self.steps(of: folder.path) {
      for log in 1...5 as ClosedRange<UInt64> {
        try await DamagedFolder.append(last + 1...last + 60, to: log, store)
      }
      last += 60
      try await store.put(Self.snapshot(at: Revision(last), of: 1), for: DamagedFolder.log(1))
      if last == 820 { try await store.delete(DamagedFolder.log(6)) }
      try await store.seal()
    }
    let damages = steps.flatMap(\.damages)
    #expect(damages.isEmpty)
    #expect(last > 900)
    await store.shutdown()
  }

  @Test(
    "LOG-26: what a writer does meanwhile is no damage: blocks that retention removes, and an open one that grows"
  )
  func besideRetention() async throws {
    let folder = TemporaryFolder()
    let store = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    let log = DamagedFolder.log(1)
    _ = try await store.create(log, at: .zero)
    // Six are no longer than a frame takes.
    func append(_ times: Int) async throws {
      for time in 0..<times {
        let records = (0..<6).map { number in
          Record(
            kind: 3, time: .zero, actor: 0,
            body: DamagedFolder.body(1, UInt64(6 * time + number)) + [UInt8](repeating: 1, count: 4_000))
        }
        try await store.append(records, to: log, expecting: nil, epoch: nil)
      }
      try await store.seal()
    }
    // A step ends at the open block: it is the last of as many as a step reads.
    var blocks = 0
    while blocks < Scrub.stepBlocks {
      try await append(1)
      blocks = try await store.spans(of: log, after: 0, limit: 1_000).count
    }
    let firstStep = try await store.info(of: log).last
    var done = 0
    let steps = try await Self.steps(of: folder.path) {
      done += 1
      guard done == 1 else { return }
      try await append(150)
    }
    let damages = steps.flatMap(\.damages)
    #expect(damages.isEmpty, "\(damages)")
    let last = try await store.info(of: log).last
    try await store.put(Self.snapshot(at: last, of: 1), for: log)
    done = 0
    let trimmed = try await Self.steps(of: folder.path) {
      done += 1
      guard done == 1 else { return }
      _ = try await store.trim(log, below: last)
      try await store.seal()
      try await store.clearRemains()
    }
    let found = trimmed.flatMap(\.damages)
    #expect(found.isEmpty, "\(found)")
    #expect(try await store.info(of: log).low > firstStep)
    await store.shutdown()
  }
}
