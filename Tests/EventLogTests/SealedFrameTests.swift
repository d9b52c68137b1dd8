import EventLogModel
import StorageTestKit
import Testing

@testable import EventLog

/// Damage in journal frames that nothing needs any more, because the database has all that they held.
@Suite(.timeLimit(.minutes(15))) struct SealedFrameTests {
  /// Two rooms with sealed events, and one whose events are gone with it.
  private static func sealed() async throws -> DamagedFolder {
    try await DamagedFolder.killed { store in
      for log in 1...3 as ClosedRange<UInt64> {
        _ = try await store.create(DamagedFolder.log(log), at: .zero)
      }
      for round in 0..<5 as Range<UInt64> {
        for log in 1...3 as ClosedRange<UInt64> {
          try await DamagedFolder.append(round * 4 + 1...round * 4 + 4, to: log, store)
        }
      }
      try await store.delete(DamagedFolder.log(3))
      try await store.seal()
    }
  }

  /// Opens for writing, expects all events, and returns what is named.
  private static func named(_ damaged: DamagedFolder, _ place: String, last: UInt64 = 20) async throws
    -> [Damage]
  {
    let folder = try damaged.written()
    let store = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    for log in 1...2 as ClosedRange<UInt64> {
      var gaps: [Gap] = []
      let found = try await DamagedFolder.revisions(of: log, in: store, gaps: &gaps)
      #expect(found == Array(1...(log == 1 ? last : 20)), "\(place), log \(log)")
      #expect(gaps.isEmpty, "\(place), log \(log)")
    }
    let named = store.damages
    #expect(store.remains == nil, "\(place)")
    try await DamagedFolder.append(last + 1...last + 1, to: 1, store)
    await store.shutdown()
    let earlier = try Verify.earlier(folder: folder.path)
    #expect(earlier == named, "\(place)")
    #expect(try Verify.database(folder: folder.path, level: .full).isSound, "\(place)")
    let again = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    #expect(again.damages.isEmpty, "\(place): met once")
    await again.shutdown()
    return named
  }

  @Test(
    "LOG-21: damage in a journal frame whose events are sealed or whose room is deleted blocks nothing, and is named"
  )
  func anyFrame() async throws {
    let folder = try await Self.sealed()
    let frames = try folder.frames()
    try #require(frames.count > 60, "\(frames.count) frames")
    for (number, frame) in frames.enumerated() where number % 3 == 0 || number + 3 >= frames.count {
      // One bit of header or payload, or a whole sector of several frames.
      let start = number * 7 % frame.length
      let room = frames.filter { $0.name == frame.name }.map { $0.offset + $0.length }.max()! - frame.offset
      let length = number % 2 == 0 ? 1 : min(512, room - start)
      let named = try await Self.named(
        folder.damaging(frame, from: start, bytes: length), "frame \(number), \(length) bytes")
      try #require(named.count == 1, "frame \(number): \(named)")
      #expect(named[0].isHarmless, "frame \(number): \(named)")
      #expect(named.first?.place.hasSuffix(frame.name) == true, "\(named)")
      #expect(named.first?.offset == frame.offset, "\(named)")
    }
  }

  @Test(
    "LOG-21: frames before the first one that is not sealed are harmless, that one and all after it are not")
  func border() async throws {
    let folder = try await DamagedFolder.killed { store in
      for log in 1...2 as ClosedRange<UInt64> {
        _ = try await store.create(DamagedFolder.log(log), at: .zero)
      }
      for log in 1...2 as ClosedRange<UInt64> { try await DamagedFolder.append(1...20, to: log, store) }
      try await store.seal()
      try await DamagedFolder.append(21...25, to: 1, store)
    }
    let frames = try folder.frames()
    let border = try #require(frames.firstIndex { $0.holds(1, 21) })
    let named = try await Self.named(folder.damaging(frames[border - 1], from: 50), "before", last: 25)
    try #require(named.count == 1, "\(named)")
    #expect(named[0].isHarmless, "\(named)")
    for frame in frames[border..<frames.count - 1] {
      let other = try folder.damaging(frame, from: 50).written()
      let error = #expect(throws: LogError.self) {
        try EmbeddedLogStore.open(folder: other.path, options: DamagedFolder.options()).abandon()
      }
      guard case .damaged(let damage) = error else {
        return #expect(Bool(false), "\(String(describing: error))")
      }
      #expect(damage.offset == frame.offset)
      #expect(!damage.isHarmless)
    }
  }

  @Test(
    "LOG-21: where the database does not say what is sealed, as an older build left it, the frame is refused")
  func unknown() async throws {
    let damaged = try await Self.sealed()
    let frame = try damaged.frames()[10]
    let folder = try damaged.damaging(frame, from: 50).written()
    let raw = try SQLiteConnection(path: folder.path + "/log.db", role: .writer)
    try raw.execute("DELETE FROM meta WHERE k = 'oldest_frame'")
    raw.close()
    #expect(throws: LogError.self) {
      try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options()).abandon()
    }
  }
}
