import EventLogFormat
import EventLogModel
import StorageTestKit
import Synchronization

@testable import EventLog

/// The sealed half as a model on any `Disk`, for tests of the journal that make it fail at will. A file of transactions,
/// each appended and flushed, so that a power cut treats it as it treats the real one at `synchronous=FULL`.
final class ModelBackend: FolderBackend, @unchecked Sendable {
  enum Flushing: Sendable {
    case always
    /// The known-bad setting: transactions that seal are not durable before segments are recycled.
    case onlyWithoutChanges
  }

  /// What is wrong with the model now, for fault tests.
  final class Trouble: Sendable {
    private let errors = Mutex<[LogError]>([])
    private let standing = Mutex<LogError?>(nil)
    let isStuck = Mutex(false)
    let onSnapshot = Mutex(SnapshotNotice())
    init() {}
    /// Called, by the sealer's thread, for each snapshot.
    struct SnapshotNotice: Sendable {
      var tell: (@Sendable () -> Void)?
    }
    func push(_ error: LogError, times: Int = 1) {
      errors.withLock { $0 += [LogError](repeating: error, count: times) }
    }
    /// From now on each change fails, however often it is tried.
    func stay(_ error: LogError) { standing.withLock { $0 = error } }
    func clear() {
      errors.withLock { $0 = [] }
      standing.withLock { $0 = nil }
    }
    /// What the next change fails with.
    func next() -> LogError? {
      errors.withLock { $0.isEmpty ? nil : $0.removeFirst() } ?? standing.withLock { $0 }
    }
  }

  static let store = [UInt8](repeating: 5, count: 16)

  let storeID = ModelBackend.store
  private let disk: any Disk
  private let file: any DiskFile
  private let flushing: Flushing
  private let trouble: Trouble
  private var offset = 0
  private var oldest: UInt64 = 0
  private var frame: UInt64 = 0
  private var segment: UInt64 = 0
  private var rows: [UInt64: LogRow] = [:]
  private(set) var runs: [UInt64: [Run]] = [:]
  private var importLasts: [UInt64: Revision] = [:]

  static func source(
    _ disk: any Disk, flushing: Flushing = .always, trouble: Trouble = Trouble()
  ) -> SealedSource {
    SealedSource(
      open: { folder, _, _ throws(LogError) in
        try ModelBackend(disk: disk, folder: folder, flushing: flushing, trouble: trouble)
      },
      reader: { folder in
        ModelReader { () throws(LogError) in try ModelBackend(disk: disk, folder: folder) }
      })
  }

  init(
    disk: any Disk, folder: String, flushing: Flushing = .always, trouble: Trouble = Trouble()
  ) throws(LogError) {
    self.disk = disk
    self.flushing = flushing
    self.trouble = trouble
    file = try disk.open(folder + "/model.db", create: true, readOnly: false)
    try load(try file.readAll())
    if offset == 0 { try disk.flushFolder(folder) }
  }

  private func load(_ bytes: [UInt8]) throws(LogError) {
    var failure: WireError?
    bytes.withUnsafeBytes { raw in
      var reader = ByteReader(raw)
      while let length = try? reader.littleEndian(UInt32.self),
        let sum = try? reader.littleEndian(UInt32.self),
        let body = try? reader.readBytes(Int(length)), length > 0, CRC32C.of(body) == sum
      {
        do throws(WireError) { try replay(body) } catch { failure = error }
        offset = reader.position
      }
    }
    if let failure { throw .damaged(Damage(what: "\(failure)", place: "the model")) }
  }

  private func replay(_ body: UnsafeRawBufferPointer) throws(WireError) {
    var reader = ByteReader(body)
    oldest = try reader.littleEndian()
    frame = try reader.littleEndian()
    segment = try reader.littleEndian()
    while !reader.isAtEnd { take(try JournalEntry(reading: &reader, version: 2)) }
  }

  private func take(_ entry: JournalEntry) {
    switch entry {
    case .created(let number, let log, let epoch, let time):
      guard rows[number] == nil else { return }
      rows[number] = LogRow(
        number: number, log: log, epoch: epoch, created: time, deleted: false, low: 1, next: 1,
        lastTime: time,
        blocks: 0, rawBytes: 0, storedBytes: 0, chain: [])
    case .run(let number, let run):
      guard let row = rows[number], let rest = run.suffix(after: row.next.previous) else { return }
      rows[number]!.next = rest.lastRevision.next
      rows[number]!.lastTime = rest.last
      runs[number, default: []].append(rest)
    case .deleted(let number, _):
      rows[number]?.deleted = true
      runs[number] = []
    case .low(let number, let low): rows[number]?.low = low
    case .importing(let number, let last): importLasts[number] = last
    }
  }

  func logs() throws(LogError) -> [LogRow] { rows.values.sorted { $0.number < $1.number } }
  func imports() throws(LogError) -> [UInt64: Revision] {
    importLasts.filter { number, last in rows[number].map { !$0.deleted && $0.next <= last } ?? false }
  }
  func erase(
    _ erasure: SealedErasure, before revision: Revision?, blocks: Int
  ) throws(LogError) -> Revision? {
    throw .readOnly
  }
  func oldestSegment() throws(LogError) -> UInt64 { oldest }
  func oldestFrame() throws(LogError) -> UInt64 { frame }
  func segmentBytes() throws(LogError) -> Int? { segment > 0 ? Int(segment) : nil }

  func beginJournal(at oldest: JournalPlace, segmentBytes: Int) throws(LogError) {
    segment = UInt64(segmentBytes)
    try apply([], oldest: oldest)
  }

  func apply(_ changes: [SealedChange], oldest place: JournalPlace) throws(LogError) {
    if let error = trouble.next() { throw error }
    var body: [UInt8] = []
    body.appendLittleEndian(place.segment)
    body.appendLittleEndian(place.frame)
    body.appendLittleEndian(segment)
    for change in changes { change.entry.append(to: &body) }
    var record: [UInt8] = []
    record.appendLittleEndian(UInt32(body.count))
    record.appendLittleEndian(CRC32C.of(body))
    record += body
    try file.write(record, at: offset)
    switch flushing {
    case .always: try file.flush()
    case .onlyWithoutChanges: if changes.isEmpty { try file.flush() }
    }
    offset += record.count
    (oldest, frame) = (place.segment, place.frame)
    for change in changes { take(change.entry) }
  }

  func put(_ snapshot: Snapshot, number: UInt64) throws(LogError) {
    trouble.onSnapshot.withLock { $0 }.tell?()
  }
  func note(_ damage: Damage, number: UInt64?) throws(LogError) {}
  func noted() throws(LogError) -> [Damage] { [] }
  func tidy() throws(LogError) -> Bool { false }
  func pack(_ packing: SealedStore.Packing, blocks: Int) throws(LogError) -> SealedStore.Packed { .init() }
  func hasRemains() throws(LogError) -> Bool { false }
  func noteCleared() throws(LogError) {}
  func finishChanges() throws(LogError) -> Bool { true }
  func knowsManifest() throws(LogError) -> Bool { false }
  func noteManifest() throws(LogError) {}
  func close() { file.close() }

  fileprivate func row(_ number: UInt64) -> LogRow? { rows[number] }
}

extension SealedChange {
  var entry: JournalEntry {
    switch self {
    case .created(let number, let log, let epoch, let at):
      .created(number: number, log: log, epoch: epoch, at: at)
    case .run(let number, let run): .run(number: number, run)
    case .deleted(let number, let at): .deleted(number: number, at: at)
    case .low(let number, let revision): .low(number: number, revision)
    case .importing(let number, let last): .importing(number: number, through: last)
    }
  }
}

/// Reads the model afresh for every call, as a read transaction sees what is committed.
final class ModelReader: SealedReading {
  private let open: () throws(LogError) -> ModelBackend
  init(_ open: @escaping () throws(LogError) -> ModelBackend) { self.open = open }

  func row(number: UInt64) throws(LogError) -> LogRow? { try open().row(number) }
  func read(number: UInt64, log: LogID, after: Revision, limit: Int) throws(LogError) -> [StoredRun] {
    var next = after.next
    return (try open().runs[number] ?? []).filter { $0.lastRevision > after }.prefix { run in
      defer { next = run.lastRevision.next }
      return run.first <= next
    }.map(StoredRun.init)
  }
  func spans(number: UInt64, log: LogID, after: Revision, limit: Int) throws(LogError) -> [StoredSpan] {
    (try open().runs[number] ?? []).filter { $0.lastRevision > after }.prefix(limit).map { StoredSpan($0) }
  }
  func snapshots(number: UInt64, log: LogID) throws(LogError) -> [SnapshotInfo] { [] }
  func revision(number: UInt64, at: Timestamp) throws(LogError) -> Revision? {
    (try open().runs[number] ?? []).revision(at: at)
  }
  func latestSnapshot(number: UInt64, log: LogID, notAfter: Revision) throws(LogError) -> Snapshot? { nil }
  func trimPoint(number: UInt64, below revision: Revision) throws(LogError) -> Revision { 1 }
  func erasedBlocks(number: UInt64, log: LogID) throws(LogError) -> [ErasedBlock] { [] }
  func close() {}
}
