import EventLogModel
import Foundation
import StorageTestKit
import Testing

@testable import EventLog

/// Folders in which the first start was cut short.
@Suite("The first start") struct FirstStartTests {
  /// What a first start has done when it is killed, in order.
  enum State: String, CaseIterable, Sendable {
    case folder, lock, emptyFile, rollback, pageWithoutTables, schema, identity, journalFolder, spare, segment

    /// Reading says that nothing is there yet; later the folder is an empty store.
    var isUnstarted: Bool {
      switch self {
      case .lock, .emptyFile, .rollback, .pageWithoutTables, .schema: true
      case .folder, .identity, .journalFolder, .spare, .segment: false
      }
    }
  }

  private func made(_ state: State) throws -> TemporaryFolder {
    let folder = TemporaryFolder()
    guard state != .folder else { return folder }
    try folder.write([], to: "LOCK")
    guard state != .lock else { return folder }
    try folder.write([], to: SealedStore.fileName)
    guard state != .emptyFile else { return folder }
    let database = try SQLiteConnection(path: folder.path + "/" + SealedStore.fileName, role: .writer)
    if state == .rollback { return try interrupted(database, folder) }
    if state == .pageWithoutTables {
      try database.execute("PRAGMA page_size=4096; PRAGMA journal_mode=WAL")
    } else {
      try Schema.current.prepare(database)
    }
    database.close()
    guard state != .pageWithoutTables, state != .schema else { return folder }
    let sealed = try SealedStore(folder: folder.path, writable: true)
    guard state != .identity else { return folder }
    let disk = SystemDisk()
    let journal = JournalFolder(of: folder.path)
    try disk.makeFolder(journal.path)
    guard state != .journalFolder else { return folder }
    let shelf = SpareShelf(disk: disk, folder: journal, segmentBytes: 64 << 10, wanted: 1)
    try shelf.make()
    guard state != .spare else { return folder }
    let writer = JournalWriter(
      disk: disk, folder: journal, store: sealed.storeID, segmentBytes: 64 << 10, segment: 0, nextFrame: 1,
      previous: 0)
    try writer.beginSegment(in: try #require(shelf.takeSpare()), rewriteBase: 1)
    return folder
  }

  /// The first page is being written: SQLite's rollback journal stands beside the file.
  private func interrupted(_ database: SQLiteConnection, _ folder: TemporaryFolder) throws -> TemporaryFolder
  {
    let copy = TemporaryFolder()
    // A cache of one page, so that pages go to the file before the commit.
    try database.execute("PRAGMA page_size=4096; PRAGMA cache_size=1; BEGIN IMMEDIATE; CREATE TABLE later(a)")
    for number in 0..<200 {
      try database.execute("INSERT INTO later VALUES(zeroblob(4000 + \(number)))")
    }
    for name in ["log.db", "log.db-journal"] { try copy.write(try folder.bytes(of: name), to: name) }
    try copy.write([], to: "LOCK")
    try database.execute("ROLLBACK")
    database.close()
    return copy
  }

  private func options(readOnly: Bool = false) -> EmbeddedLogStore.Options {
    var options = EmbeddedLogStore.Options()
    options.segmentBytes = 64 << 10
    options.readOnly = readOnly
    return options
  }

  @Test(
    "IMP-5: a start on a folder whose first start was cut short completes it", arguments: State.allCases)
  func completes(_ state: State) async throws {
    let folder = try made(state)
    let log = LogID(high: 1, low: 1)
    for isFirst in [true, false] {
      let store = try EmbeddedLogStore.open(folder: folder.path, options: options())
      if isFirst { _ = try await store.create(log, at: .zero) }
      #expect(try await store.logs(after: nil, limit: 9).map(\.log) == [log])
      await store.shutdown()
    }
    #expect(try Verify.database(folder: folder.path, level: .full).isSound)
  }

  @Test(
    "IMP-5: reading such a folder says that the start was cut short and what helps, and changes nothing",
    arguments: State.allCases.filter { $0 != .folder })
  func reading(_ state: State) async throws {
    let folder = try made(state)
    let before = try folder.names()
    if state.isUnstarted {
      #expect(throws: LogError.unstarted(path: folder.path)) {
        try EmbeddedLogStore.open(folder: folder.path, options: options(readOnly: true))
      }
      if state != .schema {
        #expect(throws: LogError.unstarted(path: folder.path)) {
          try Verify.database(folder: folder.path, level: .full)
        }
      }
    } else {
      let store = try EmbeddedLogStore.open(folder: folder.path, options: options(readOnly: true))
      #expect(try await store.logs(after: nil, limit: 9).isEmpty)
      await store.shutdown()
    }
    #expect(Set(try folder.names()).subtracting(before).allSatisfy { $0.hasPrefix("log.db-") })
  }

  @Test(
    "IMP-5: beside a journal an empty database is damage, also for a start, which leaves it as it was",
    arguments: [State.emptyFile, .pageWithoutTables, .schema])
  func besideAJournal(_ state: State) throws {
    let folder = try made(state)
    let source = try made(.segment)
    try FileManager.default.copyItem(atPath: source.path + "/journal", toPath: folder.path + "/journal")
    let before = try folder.bytes(of: SealedStore.fileName)
    for readOnly in [true, false] {
      let error = #expect(throws: LogError.self) {
        try EmbeddedLogStore.open(folder: folder.path, options: options(readOnly: readOnly))
      }
      guard case .damaged = error else { throw try #require(error) }
    }
    #expect(try folder.bytes(of: SealedStore.fileName) == before)
  }
}
