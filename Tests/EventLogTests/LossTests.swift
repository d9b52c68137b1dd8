import EventLogModel
import StorageTestKit
import Testing

@testable import EventLog

/// Journals with damage to what is not sealed, and what a start that accepts the loss does with them.
@Suite(.timeLimit(.minutes(15))) struct LossTests {
  /// Two rooms of 20 events each, in turns, of which nothing is sealed.
  private static func folder() async throws -> DamagedFolder {
    try await DamagedFolder.killed { store in
      for log in 1...2 as ClosedRange<UInt64> {
        _ = try await store.create(DamagedFolder.log(log), at: .zero)
      }
      for revision in 1...20 as ClosedRange<UInt64> {
        for log in 1...2 as ClosedRange<UInt64> {
          try await DamagedFolder.append(revision...revision, to: log, store)
        }
      }
    }
  }

  /// The same with the frame damaged that holds revision 8 of the first room.
  private static func damaged() async throws -> (DamagedFolder, frame: DamagedFolder.Frame) {
    let folder = try await folder()
    let frame = try #require(try folder.frames().first { $0.holds(1, 8) })
    return (folder.damaging(frame, from: 60), frame)
  }

  private static func accepting() -> EmbeddedLogStore.Options {
    DamagedFolder.options { $0.acceptLoss = true }
  }

  @Test("LOG-22: accepted loss is named: room, revisions, times, bytes; the damaged files are kept aside")
  func accepted() async throws {
    let (damaged, frame) = try await Self.damaged()
    let folder = try damaged.written()
    let store = try EmbeddedLogStore.open(folder: folder.path, options: Self.accepting())
    let lost = try #require(store.damages.first { $0.log == DamagedFolder.log(1) })
    #expect(lost.lost == 8...8)
    #expect(lost.place.hasSuffix(frame.name))
    #expect(lost.offset == frame.offset)
    #expect(lost.what.contains("between 1970-01-01T00:00:07.000Z and 1970-01-01T00:00:09.000Z"), "\(lost)")
    #expect(lost.what.contains("of \(frame.length) bytes"), "\(lost)")
    await store.shutdown()
    let copies = try folder.names(in: "damaged")
    let segments = damaged.files.keys.filter { $0.hasPrefix("journal/0") }.sorted()
    #expect(copies.count == segments.count)
    for (copy, segment) in zip(copies, segments) {
      #expect(copy.hasSuffix("-" + segment.dropFirst("journal/".count)))
      #expect(try folder.bytes(of: "damaged/" + copy) == damaged.files[segment])
    }
    #expect(lost.what.contains("a copy of the file is damaged/\(copies.first ?? "")"), "\(lost)")
  }

  @Test("LOG-22: an accepted loss is shown for ever: by verify, by every start, and as a number")
  func shownEver() async throws {
    let (damaged, _) = try await Self.damaged()
    let folder = try damaged.written()
    let store = try EmbeddedLogStore.open(folder: folder.path, options: Self.accepting())
    let named = store.damages
    #expect(store.earlier.isEmpty)
    #expect(store.statistics.lostRevisions == 1)
    await store.shutdown()
    for _ in 1...2 {
      #expect(try Verify.earlier(folder: folder.path) == named)
      let again = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
      #expect(again.earlier == named)
      #expect(again.damages.isEmpty)
      #expect(again.statistics.lostRevisions == 1)
      await again.shutdown()
    }
  }

  @Test("LOG-23: what lies beyond a gap is read, from the damaged folder and after its loss was accepted")
  func beyondGap() async throws {
    let (damaged, _) = try await Self.damaged()
    let folder = try damaged.written()
    func expectAll(_ change: (inout EmbeddedLogStore.Options) -> Void, last: UInt64) async throws {
      let store = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options(change))
      var gaps: [Gap] = []
      let found = try await DamagedFolder.revisions(of: 1, in: store, gaps: &gaps)
      #expect(found == Array(1...7) + Array(9...last))
      #expect(gaps.map(\.first) == [8])
      #expect(gaps.map(\.last) == [8])
      for gap in gaps {
        guard case .damaged(let damage) = gap.cause else { continue }
        #expect(damage.isAcceptedLoss, "\(damage)")
        #expect(damage.log == DamagedFolder.log(1), "\(damage)")
      }
      #expect(try await DamagedFolder.revisions(of: 2, in: store, gaps: &gaps) == Array(1...20))
      #expect(gaps.count == 1)
      #expect(!store.damages.contains { $0.log == DamagedFolder.log(2) })
      if store.statistics.refusal == nil { try await DamagedFolder.append(last + 1...last + 1, to: 1, store) }
      await store.shutdown()
    }
    try await expectAll({ ($0.readOnly, $0.acceptLoss) = (true, true) }, last: 20)
    try await expectAll({ $0.acceptLoss = true }, last: 20)
    try await expectAll({ _ in }, last: 21)
    try await expectAll({ $0.readOnly = true }, last: 22)
    // What was accepted is no new finding, and salvage has both sides of it.
    let report = try Verify.database(folder: folder.path, level: .full)
    #expect(report.isSound, "\(report.findings)")
    #expect(report.logs.first?.revisions == [1...7, 9...22])
    let runs = try Salvage(file: folder.path + "/log.db").runs(of: DamagedFolder.log(1))
    #expect(runs.first?.first == 1)
    #expect(runs.last?.lastRevision == 22)
    #expect(runs.reduce(0) { $0 + $1.count } == 21)
  }

  @Test("LOG-23: a gap whose loss was accepted and that a kill follows is not asked for again")
  func killedAfter() async throws {
    let (damaged, _) = try await Self.damaged()
    let folder = try damaged.written()
    try EmbeddedLogStore.open(folder: folder.path, options: Self.accepting()).abandon()
    let store = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    var gaps: [Gap] = []
    #expect(try await DamagedFolder.revisions(of: 1, in: store, gaps: &gaps).count == 19)
    #expect(gaps.count == 1)
    #expect(store.damages.isEmpty)
    // Who opens a room goes on behind the gap.
    var at: Revision = 7
    let behind = try await store.runs(of: DamagedFolder.log(1), passing: &at, limit: 1 << 20)
    #expect(at == 8)
    #expect(behind.first?.first == 9)
    #expect(behind.last?.lastRevision == 20)
    await store.shutdown()
  }

  @Test("LOG-22: without space for the copies no loss is accepted, and the journal stays as it was")
  func noSpace() async throws {
    let disk = SimulatedDisk()
    let log = LogID(high: 1, low: 1)
    let options = DamagedFolder.options {
      $0.disk = disk
      $0.sealed = ModelBackend.source(disk)
      $0.segmentBytes = 16 << 10
    }
    let store = try EmbeddedLogStore.open(folder: "/store", options: options)
    _ = try await store.create(log, at: .zero)
    for number in 1...5 as ClosedRange<UInt8> {
      let body = [UInt8](repeating: number, count: 99)
      try await store.append(
        [Record(kind: number, time: .zero, actor: 0, body: body + DamagedFolder.body(9, UInt64(number)))],
        to: log, expecting: nil, epoch: nil)
    }
    store.abandon()
    let path = try #require(disk.files.keys.first { $0.hasSuffix(".brj") && !$0.contains("spare") })
    let at = try #require(disk.files[path]?.firstRange(of: DamagedFolder.body(9, 3)[..<32]))
    disk.tamper(path) { $0[at] ^= 4 }
    let before = disk.files[path]
    disk.inject(.init(.create, path: "/damaged/", .error(code: ErrorNumber.noSpace)))
    var accepting = options
    accepting.acceptLoss = true
    #expect(throws: LogError.full(place: "/store")) {
      try EmbeddedLogStore.open(folder: "/store", options: accepting).abandon()
    }
    #expect(disk.files[path] == before)
    disk.heal()
    try EmbeddedLogStore.open(folder: "/store", options: accepting).abandon()
    #expect(disk.files.keys.contains { $0.hasPrefix("/store/damaged/") })
  }
}
