import EventLogFormat
import EventLogModel
import Testing

@testable import EventLog

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder of its own for one test, removed with it.
final class SealedFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/sealed-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) }
    path = String(cString: try #require(made))
  }

  deinit {
    for name in [
      "log.db", "log.db-wal", "log.db-shm", "copy.db", "copy.db-journal", "copy.db-wal", "copy.db-shm",
    ] {
      unlink(path + "/" + name)
    }
    rmdir(path)
  }

  var database: String { path + "/log.db" }

  func store(acceptsGaps: Bool = false) throws -> SealedStore {
    try SealedStore(folder: path, writable: true, acceptsGaps: acceptsGaps)
  }

  func reader() throws -> SealedReader { try SealedReader(folder: path) }
}

enum SealedFile {
  static func read(_ path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "rb"))
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    let size = ftell(file)
    fseek(file, 0, SEEK_SET)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = fread(buffer.baseAddress, 1, size, file)
    }
  }

  static func write(_ bytes: [UInt8], to path: String) throws {
    let file = try #require(fopen(path, "wb"))
    defer { fclose(file) }
    try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
  }

  static func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) throws {
    let file = try #require(fopen(path, "r+b"))
    defer { fclose(file) }
    fseek(file, offset, SEEK_SET)
    try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
  }
}

/// SplitMix64.
struct SealedRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// Logs whose records follow from log number and revision alone.
enum Sample {
  static func log(_ number: UInt64) -> LogID { LogID(high: number, low: 0xABCD) }

  /// Record `revision` of log `number`: 4 ms after the one before, with a body of 40 to 103 bytes.
  static func record(_ number: UInt64, _ revision: UInt64) -> Record {
    var random = SealedRandom(state: number << 32 | revision)
    let noise = random.next()
    var body = [UInt8](repeating: UInt8(truncatingIfNeeded: revision), count: 32 + Int(noise % 64))
    body.appendLittleEndian(noise)
    return Record(
      kind: UInt8(noise % 9), time: time(revision), actor: noise % 200, body: body)
  }

  static func time(_ revision: UInt64) -> Timestamp {
    Timestamp(milliseconds: 1_000_000 + Int64(revision) * 4)
  }

  static func run(_ number: UInt64, _ revisions: ClosedRange<UInt64>) -> Run {
    var builder = RunBuilder(first: Revision(revisions.lowerBound))
    for revision in revisions { builder.append(record(number, revision)) }
    return builder.takeRun()!
  }

  static func created(_ number: UInt64) -> SealedChange {
    .created(
      number: number, log: log(number), epoch: Epoch(number + 7), at: Timestamp(milliseconds: 1_000_000))
  }

  static func change(_ number: UInt64, _ revisions: ClosedRange<UInt64>) -> SealedChange {
    .run(number: number, run(number, revisions))
  }

  /// A snapshot with one part that all have, one of its own, and a root.
  static func snapshot(_ number: UInt64, _ revision: UInt64) -> Snapshot {
    let own = [UInt8](repeating: UInt8(truncatingIfNeeded: revision), count: 16)
    return Snapshot(
      revision: Revision(revision), time: time(revision), stateHash: [UInt8](repeating: 3, count: 32),
      root: Array("root \(revision)".utf8),
      parts: [
        SnapshotPart(key: [UInt8](repeating: 0xEE, count: 16), bytes: [UInt8](repeating: 1, count: 5_000)),
        SnapshotPart(key: own, bytes: Array("part \(number) \(revision)".utf8)),
      ])
  }

  /// Reads all records after `after`, in portions; damaged ranges are skipped and returned.
  static func readAll(
    _ reader: SealedReader, _ number: UInt64, after: Revision = .zero
  ) throws -> (records: [UInt64: Record], lost: [ClosedRange<UInt64>]) {
    var position = after
    var records: [UInt64: Record] = [:]
    var lost: [ClosedRange<UInt64>] = []
    while true {
      do throws(LogError) {
        let runs = try reader.read(number: number, log: log(number), after: position, limit: 100_000)
        guard let last = runs.last else { return (records, lost) }
        for stored in runs {
          do throws(WireError) {
            let run = try stored.unpacked()
            for (index, record) in run.unpacked.enumerated() {
              records[run.first.rawValue + UInt64(index)] = record
            }
          } catch {
            lost.append(stored.first.rawValue...stored.lastRevision.rawValue)
          }
        }
        position = last.lastRevision
      } catch {
        guard case .damaged(let damage) = error, let range = damage.lost,
          range.upperBound > position.rawValue
        else { throw error }
        lost.append(range)
        position = Revision(range.upperBound)
      }
    }
  }

  static func expect(
    _ records: [UInt64: Record], are revisions: ClosedRange<UInt64>, of number: UInt64,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(Set(records.keys) == Set(revisions), sourceLocation: sourceLocation)
    for (revision, record) in records where record != Sample.record(number, revision) {
      Issue.record("revision \(revision) is wrong", sourceLocation: sourceLocation)
    }
  }
}
