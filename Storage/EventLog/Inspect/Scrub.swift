import EventLogFormat
import EventLogModel

/// Reads everything that a folder stores, a little at a time, while a server writes there: every block with
/// its checksums and the hash chain, every row of the catalog, every snapshot, and the closed segments of the
/// journal. So damage to data that nobody reads is found before the last backup with good data has been
/// removed.
///
/// Changes nothing. A step reads at most `stepBlocks` blocks and holds a view of the database for that long only, so that
/// the write-ahead log can be emptied between two steps. Used by one thread.
public final class Scrub {
  /// How far a pass has come: the number of a log, and its last revision that was read.
  public struct ScrubPosition: Sendable, Hashable {
    public var number: UInt64
    public var revision: Revision

    public static let beginning = ScrubPosition(number: 0, revision: .zero)

    public init(number: UInt64, revision: Revision) { (self.number, self.revision) = (number, revision) }
  }

  /// What one step has read and found.
  public struct Step: Sendable, Hashable {
    /// Stored bytes read by this step.
    public var bytes = 0
    public var damages: [Damage] = []
    /// Where the next step begins.
    public var place: ScrubPosition

    package init(place: ScrubPosition) { self.place = place }
  }

  /// Blocks of one step: 2 MiB of records at most, some hundredths of a second.
  package static let stepBlocks = 32

  /// Stored bytes of all logs as the pass began, and those of the logs before its place.
  public let total: Int
  public let before: Int

  private let disk: any Disk
  private let folder: String
  private let reader: SealedReader
  private var numbers: ArraySlice<UInt64>
  private var reading: LogScrub
  /// Snapshots of that log that are not read yet; nil before its blocks are.
  private var snapshots: ArraySlice<Revision>?
  private var isJournalDue = true

  /// Begins a pass at a place. Throws `damaged` when the database cannot be opened, and `io`.
  public convenience init(folder: String, from place: ScrubPosition = .beginning) throws(LogError) {
    try self.init(folder: folder, from: place, disk: SystemDisk())
  }

  init(folder: String, from place: ScrubPosition, disk: any Disk) throws(LogError) {
    (self.folder, self.disk) = (folder, disk)
    reader = try SealedReader(folder: folder, on: disk)
    reading = LogScrub(after: place.revision)
    do throws(LogError) {
      let database = reader.database
      total = Int(try database.integer("SELECT CAST(total(stored_bytes) AS INTEGER) FROM log"))
      before = Int(
        try database.statement("SELECT CAST(total(stored_bytes) AS INTEGER) FROM log WHERE no < ?")
          .first(.bits(place.number)) { $0.integer(0) } ?? 0)
      numbers = try database.statement("SELECT no FROM log WHERE no >= ? ORDER BY no").all(
        .bits(place.number)
      ) {
        $0.unsigned(0)
      }[...]
    } catch {
      reader.close()
      throw error
    }
    // If the log has been removed since, the pass begins with the first revision of the next log.
    if numbers.first != place.number { reading = LogScrub() }
  }

  deinit { reader.close() }

  /// Does the next step; nil when everything was read. Damage is in the step. Throws `io` if the pass cannot
  /// go on.
  public func next() throws(LogError) -> Step? {
    guard let number = numbers.first else {
      guard isJournalDue else { return nil }
      isJournalDue = false
      return try journal()
    }
    var step = Step(place: ScrubPosition(number: number, revision: reading.last))
    do throws(LogError) {
      try reader.database.reading { () throws(LogError) in try read(number, &step) }
    } catch {
      guard case .damaged(let found) = error else { throw error }
      // A log whose row or index cannot be read cannot be checked further, so the next log follows.
      step.damages.append(found)
      goOn()
    }
    step.place = ScrubPosition(number: numbers.first ?? number + 1, revision: reading.last)
    return step
  }

  /// Begins with the next log.
  private func goOn() {
    numbers = numbers.dropFirst()
    (reading, snapshots) = (LogScrub(), nil)
  }

  private func read(_ number: UInt64, _ step: inout Step) throws(LogError) {
    guard let entry = try CatalogEntry.load(number, from: reader.database), entry.state == .live else {
      return goOn()
    }
    if snapshots != nil { return try readSnapshot(of: entry, &step) }
    let keys = try reader.database.statement(
      "SELECT id FROM block WHERE id > ? AND id <= ? ORDER BY id LIMIT \(Self.stepBlocks)"
    ).all(BlockKey.value(number, reading.last), BlockKey.bounds(number).upper) {
      BlockKey.revision($0.integer(0))
    }
    let blocks = FolderBlocks(
      place: BlockPlace(number: number, log: entry.row.log, path: reader.path), database: reader.database)
    reading.meet(entry)
    for key in keys { try reading.block(at: key, blocks, of: entry, in: reader.path, &step) }
    guard keys.count < Self.stepBlocks else { return }
    try reading.finish(blocks, of: entry, in: reader.path, &step)
    snapshots = try SnapshotTable(database: reader.database, number: number).revisions()[...]
  }

  private func readSnapshot(of entry: CatalogEntry, _ step: inout Step) throws(LogError) {
    guard let revision = snapshots?.popFirst() else { return goOn() }
    let table = SnapshotTable(database: reader.database, number: entry.row.number)
    do throws(LogError) {
      let found = try table.newest(notAfter: revision, of: entry.row.log)
      step.bytes += found?.parts.reduce(found?.root.count ?? 0) { $0 + $1.bytes.count } ?? 0
    } catch {
      guard let found = error.damage(in: reader.path) else { throw error }
      step.damages.append(found)
    }
  }

  // MARK: The journal

  /// Reads all segments except the newest, which is being written. Skips a segment that was given up since.
  private func journal() throws(LogError) -> Step {
    var step = Step(place: .beginning)
    let files = JournalFolder(of: folder)
    let numbers = try segments(files)
    for (number, following) in zip(numbers, numbers.dropFirst()) {
      var found: [Damage] = []
      let (bytes, end) = try scan(files.segment(number), &found)
      if let end, let next = try header(files.segment(following))?.firstFrame, end < next {
        found.append(
          Damage(
            what: "journal frames \(end) to \(next - 1) are damaged or missing", place: files.segment(number))
        )
      }
      guard try segments(files).contains(number) else { continue }
      step.bytes += bytes
      step.damages += found
    }
    return step
  }

  private func segments(_ files: JournalFolder) throws(LogError) -> [UInt64] {
    try disk.list(files.path).compactMap(JournalFolder.segmentNumber).sorted()
  }

  private func content(_ path: String) throws(LogError) -> [UInt8]? {
    do throws(LogError) {
      let file = try disk.open(path, create: false, readOnly: true)
      defer { file.close() }
      return try file.readAll()
    } catch {
      guard case .io(_, _, ErrorNumber.noEntry) = error else { throw error }
      return nil
    }
  }

  private func header(_ path: String) throws(LogError) -> JournalSegmentHeader? {
    try content(path)?.withUnsafeBytes { try? JournalSegmentHeader(reading: $0) }
  }

  /// Bytes that were read, and the number after the last frame; nil where the segment is gone or its header damaged.
  private func scan(_ path: String, _ found: inout [Damage]) throws(LogError) -> (bytes: Int, end: UInt64?) {
    guard let bytes = try content(path) else { return (0, nil) }
    return bytes.withUnsafeBytes { raw in
      guard let header = try? JournalSegmentHeader(reading: raw) else {
        found.append(Damage(what: "journal segment with a damaged header", place: path))
        return (raw.count, nil)
      }
      var scan = JournalScan(segment: raw, header: header, previous: nil)
      while true {
        switch scan.next() {
        case .frame: continue
        case .gap(let at, let fault, let next, _):
          found.append(
            Damage(what: "journal frame: \(next - at) bytes are damaged (\(fault))", place: path, offset: at))
        case .unreadable(let at, let fault):
          found.append(Damage(what: "journal frame: \(fault)", place: path, offset: at))
          return (raw.count, nil)
        case .end: return (raw.count, scan.nextNumber)
        }
      }
    }
  }
}
