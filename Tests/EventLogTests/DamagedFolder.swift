import EventLogFormat
import EventLogModel
import Foundation
import StorageTestKit

@testable import EventLog

/// A folder of a killed server whose journal a test damages, frame by frame.
struct DamagedFolder {
  /// A frame of the journal as it was written.
  struct Frame {
    var name: String
    var offset: Int
    var length: Int
    var entries: [JournalEntry]

    func holds(_ log: UInt64, _ revision: UInt64) -> Bool {
      entries.contains {
        guard case .run(log, let run) = $0 else { return false }
        return run.first.rawValue <= revision && revision <= run.lastRevision.rawValue
      }
    }
  }

  var files: [String: [UInt8]] = [:]

  static func log(_ number: UInt64) -> LogID { LogID(high: 1, low: number) }

  static func body(_ log: UInt64, _ number: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: log << 32 | number)
    return generator.bytes(120)
  }

  static func options(_ change: (inout EmbeddedLogStore.Options) -> Void = { _ in })
    -> EmbeddedLogStore.Options
  {
    var options = EmbeddedLogStore.Options()
    options.segmentBytes = 64 << 10
    options.minimumCommitInterval = .zero
    options.confirmDelay = .seconds(3_600)
    // What a test damages lies in the journal, however long it takes on a busy machine.
    options.sealIdle = .seconds(3_600)
    change(&options)
    return options
  }

  /// What `work` leaves in a folder when it is killed after it.
  static func killed(after work: (EmbeddedLogStore) async throws -> Void) async throws -> DamagedFolder {
    let folder = TemporaryFolder()
    let store = try EmbeddedLogStore.open(folder: folder.path, options: options())
    try await work(store)
    store.abandon()
    return DamagedFolder(files: try content(of: folder))
  }

  static func append(_ revisions: ClosedRange<UInt64>, to log: UInt64, _ store: EmbeddedLogStore) async throws
  {
    for revision in revisions {
      let time = Timestamp(milliseconds: Int64(revision) * 1_000)
      try await store.append(
        [Record(kind: 1, time: time, actor: 0, body: body(log, revision))], to: Self.log(log), expecting: nil,
        epoch: nil)
    }
  }

  static func content(of folder: TemporaryFolder) throws -> [String: [UInt8]] {
    var all: [String: [UInt8]] = [:]
    for name in try folder.names() where !["journal", "damaged", "LOCK", "log.db-shm"].contains(name) {
      all[name] = try folder.bytes(of: name)
    }
    for name in try folder.names(in: "journal") {
      all["journal/" + name] = try folder.bytes(of: "journal/" + name)
    }
    return all
  }

  func written() throws -> TemporaryFolder {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/journal", withIntermediateDirectories: true)
    for (name, bytes) in files { try folder.write(bytes, to: name) }
    return folder
  }

  /// All frames in order; those of spare files are not read.
  func frames() throws -> [Frame] {
    try files.keys.filter { $0.hasPrefix("journal/0") }.sorted().flatMap { name in
      try (files[name] ?? []).withUnsafeBytes { raw in
        var scan = JournalScan(segment: raw, header: try JournalSegmentHeader(reading: raw), previous: nil)
        var found: [Frame] = []
        while case .frame(let frame, let at) = scan.next() {
          found.append(Frame(name: name, offset: at, length: scan.offset - at, entries: frame.entries))
        }
        return found
      }
    }
  }

  /// The same with `bytes` bytes of a frame changed, from its `start` on.
  func damaging(_ frame: Frame, from start: Int, bytes: Int = 1) -> DamagedFolder {
    var other = self
    for at in start..<start + bytes { other.files[frame.name]?[frame.offset + at] ^= 0x10 }
    return other
  }

  /// The revisions of a log that a store hands out, each compared with what was appended; `gaps` gets what it names.
  static func revisions(
    of log: UInt64, in store: EmbeddedLogStore, gaps: inout [Gap]
  ) async throws -> [UInt64] {
    var (at, found) = (Revision.zero, [UInt64]())
    while true {
      do throws(LogError) {
        let runs = try await store.runs(of: Self.log(log), after: at, limit: 1)
        guard let last = runs.last?.lastRevision else { return found }
        for run in runs {
          for (index, record) in run.unpacked.enumerated() {
            let revision = run.first.rawValue + UInt64(index)
            if record.body == body(log, revision) { found.append(revision) }
          }
        }
        at = last
      } catch {
        guard let gap = Gap(error, after: at) else { throw error }
        gaps.append(gap)
        at = gap.last
      }
    }
  }
}
