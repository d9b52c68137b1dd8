import EventLogFormat
import EventLogModel
import StorageTestKit
import Testing

@testable import EventLog

/// LOG-24: after each commit the file `COMMITTED` says how far the journal is durable, so that what is missing at its end is
/// known to be missing.
@Suite struct CommitMarkTests {
  private static let mark = CommitMarkFile.name

  /// What a killed server leaves that has committed `events` events one by one, and the same some events earlier.
  private func killed(events: UInt64 = 30, earlier: UInt64 = 20) async throws -> (
    now: DamagedFolder, then: DamagedFolder
  ) {
    let folder = TemporaryFolder()
    let store = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    _ = try await store.create(DamagedFolder.log(1), at: .zero)
    try await DamagedFolder.append(1...earlier, to: 1, store)
    let then = DamagedFolder(files: try DamagedFolder.content(of: folder))
    try await DamagedFolder.append((earlier + 1)...events, to: 1, store)
    store.abandon()
    return (DamagedFolder(files: try DamagedFolder.content(of: folder)), then)
  }

  private func refusal(of folder: DamagedFolder, readOnly: Bool) throws -> Damage? {
    let written = try folder.written()
    do throws(LogError) {
      let options = DamagedFolder.options { $0.readOnly = readOnly }
      try EmbeddedLogStore.open(folder: written.path, options: options).abandon()
      return nil
    } catch {
      guard case .damaged(let damage) = error else { throw error }
      return damage
    }
  }

  @Test(
    "LOG-24: a bit that flips in the last frame of a killed server is damage, and never a frame that was cut short"
  )
  func flippedBit() async throws {
    let folder = try await killed().now
    let last = try #require(try folder.frames().last)
    for at in 0..<last.length {
      let damaged = folder.damaging(last, from: at)
      let found = try #require(try refusal(of: damaged, readOnly: true), "byte \(at)")
      #expect(found.what.contains("which were durable"), "\(found)")
      #expect(found.place.hasSuffix(last.name), "\(found)")
      if at % 16 == 0 { #expect(try refusal(of: damaged, readOnly: false)?.what == found.what) }
    }
  }

  @Test("LOG-24: an older copy of the last segment in its place is damage: the frames behind it are missed")
  func olderSegment() async throws {
    let (now, then) = try await killed()
    let name = try #require(now.frames().last).name
    var older = now
    older.files[name] = then.files[name]
    let found = try #require(try refusal(of: older, readOnly: false))
    let (kept, all) = (try then.frames().count, try now.frames().count)
    #expect(found.what.hasPrefix("frames \(kept + 1) to \(all), which were durable, are missing"), "\(found)")
    // Accepted, it is not asked again, and the next kill is as safe as the first.
    let written = try older.written()
    var options = DamagedFolder.options { $0.acceptLoss = true }
    try EmbeddedLogStore.open(folder: written.path, options: options).abandon()
    options.acceptLoss = false
    let store = try EmbeddedLogStore.open(folder: written.path, options: options)
    #expect(try await store.info(of: DamagedFolder.log(1)).last == 20)
    try await DamagedFolder.append(21...22, to: 1, store)
    store.abandon()
    let again = DamagedFolder(files: try DamagedFolder.content(of: written))
    let last = try #require(try again.frames().last)
    #expect(try refusal(of: again.damaging(last, from: 0), readOnly: true) != nil)
  }

  @Test(
    "LOG-24: a mark that is damaged, older, cut short, of another store or missing is no damage, and says less at worst"
  )
  func uselessMarks() async throws {
    let (now, then) = try await killed()
    let bytes = try #require(now.files[Self.mark])
    #expect(bytes.count == CommitMark.fileBytes)
    var marks: [[UInt8]?] = [nil, [], Array(bytes.prefix(20)), then.files[Self.mark]]
    marks.append([UInt8](repeating: 0xff, count: bytes.count))
    marks += (0..<bytes.count).map { at in
      var bytes = bytes
      bytes[at] ^= 1 << UInt8(at % 8)
      return bytes
    }
    var foreign = bytes
    let mark = CommitMark(store: [UInt8](repeating: 9, count: 16), frame: 1_000_000)
    foreign.replaceSubrange(mark.offset..<mark.offset + CommitMark.length, with: mark.encoded)
    marks.append(foreign)
    for (index, mark) in marks.enumerated() {
      var folder = now
      folder.files[Self.mark] = mark
      #expect(try refusal(of: folder, readOnly: true) == nil, "mark \(index)")
    }
  }

  @Test(
    "LOG-24: a slot that was cut short leaves the other; the higher frame counts; a slot in the other's place does not"
  )
  func slots() throws {
    let store = [UInt8](repeating: 7, count: 16)
    var file = [UInt8](repeating: 0, count: CommitMark.fileBytes)
    func put(_ mark: CommitMark, at offset: Int) {
      file.replaceSubrange(offset..<offset + CommitMark.length, with: mark.encoded)
    }
    let (first, second) = (CommitMark(store: store, frame: 40), CommitMark(store: store, frame: 41))
    put(first, at: first.offset)
    #expect(CommitMark.newest(in: file, store: store) == first)
    put(second, at: second.offset)
    #expect(CommitMark.newest(in: file, store: store) == second)
    file[second.offset + 21] ^= 1
    #expect(CommitMark.newest(in: file, store: store) == first)
    put(CommitMark(store: store, frame: 43), at: first.offset)
    #expect(CommitMark.newest(in: file, store: store) == nil)
  }

  private func options(_ disk: SimulatedDisk) -> EmbeddedLogStore.Options {
    DamagedFolder.options {
      $0.disk = disk
      $0.sealed = ModelBackend.source(disk)
    }
  }

  @Test(
    "LOG-24: where the mark cannot be written, less is known and nothing else is wrong", arguments: [0, 1, 3])
  func unwritable(after: Int) async throws {
    let disk = SimulatedDisk()
    // The start's own write goes well.
    disk.inject(.init(.write, path: Self.mark, after: 1 + after, .error(code: ErrorNumber.io)))
    let store = try EmbeddedLogStore.open(folder: "/store", options: options(disk))
    _ = try await store.create(DamagedFolder.log(1), at: .zero)
    try await DamagedFolder.append(1...9, to: 1, store)
    store.abandon()
    disk.heal()
    let again = try EmbeddedLogStore.open(folder: "/store", options: options(disk))
    #expect(again.damages.isEmpty)
    #expect(again.remains == nil)
    #expect(try await again.info(of: DamagedFolder.log(1)).last == 9)
    await again.shutdown()
  }

  @Test("LOG-24: without space for the mark a store starts, and leaves none that would be wrong later")
  func noSpace() async throws {
    let disk = SimulatedDisk()
    try EmbeddedLogStore.open(folder: "/store", options: options(disk)).abandon()
    #expect(disk.files.keys.contains("/store/" + Self.mark))
    disk.inject(.init(.write, path: Self.mark, .error(code: ErrorNumber.noSpace)))
    let store = try EmbeddedLogStore.open(folder: "/store", options: options(disk))
    #expect(!disk.files.keys.contains("/store/" + Self.mark))
    _ = try await store.create(DamagedFolder.log(1), at: .zero)
    try await DamagedFolder.append(1...3, to: 1, store)
    await store.shutdown()
  }
}
