import EventLogFormat
import EventLogModel

/// The blocks of one log as they are stored, for a check.
package protocol CheckedBlocks {
  /// What the row of the block that begins at `first` says of its events and bytes; nil if there is no row.
  func sizes(at first: Revision) throws(LogError) -> (count: Int, raw: Int)?
  /// The block itself, and count, raw length and base time of its row. Throws `damaged` for one that fails its checksum.
  func block(at first: Revision) throws(LogError) -> (block: Block, columns: [Int64])?
  /// Whether the loss of these revisions was accepted.
  func isAccepted(_ lost: ClosedRange<UInt64>) throws(LogError) -> Bool
}

/// Those of a folder.
struct FolderBlocks: CheckedBlocks {
  let place: BlockPlace
  let database: SQLiteConnection

  func sizes(at first: Revision) throws(LogError) -> (count: Int, raw: Int)? {
    try database.statement("SELECT n, raw FROM block WHERE id = ?").first(
      BlockKey.value(place.number, first)
    ) { (count: Int($0.integer(0)), raw: Int($0.integer(1))) }
  }

  func block(at first: Revision) throws(LogError) -> (block: Block, columns: [Int64])? {
    try place.fetchRow(first, from: database)
  }

  func isAccepted(_ lost: ClosedRange<UInt64>) throws(LogError) -> Bool {
    try database.isAccepted(lost, number: place.number)
  }
}

/// The check of one log's blocks, in order of their keys.
package struct LogCheck {
  private let entry: CatalogEntry
  private let place: BlockPlace
  private let level: VerifyLevel
  private var expected: Revision
  private var lastFirst = Revision.zero
  /// The chain value before the next block; `nil` after a block that could not be read.
  private var chain: [UInt8]?
  private var lastTime = Timestamp.zero
  private var count = 0
  private var rawBytes = 0
  private var storedBytes = 0
  private var isComplete = true
  private var readable: [ClosedRange<UInt64>] = []

  package init(entry: CatalogEntry, path: String, level: VerifyLevel) {
    self.entry = entry
    self.level = level
    place = BlockPlace(number: entry.row.number, log: entry.row.log, path: path)
    expected = entry.firstKept
    chain = entry.chainBefore.isEmpty ? nil : entry.chainBefore
  }

  package mutating func block(
    at first: Revision, _ blocks: borrowing some CheckedBlocks, _ report: inout VerifyReport
  ) throws(LogError) {
    report.checked.blocks += 1
    // A gap whose loss a start accepted and noted: the hash chain goes on over it.
    if first > expected, !(try blocks.isAccepted(expected.rawValue...first.previous.rawValue)) {
      lose("a block is missing", from: expected, to: first, &report)
    }
    if first < expected { note("blocks overlap at revision \(first)", &report) }
    do throws(LogError) {
      switch level {
      case .quick: try lookAtKey(first, blocks, &report)
      case .full: try lookInside(first, blocks, &report)
      }
      lastFirst = first
    } catch {
      guard case .damaged(let found) = error else { throw error }
      report.findings.append(found)
      (isComplete, chain) = (false, nil)
      expected = max(expected, found.lost.map { Revision($0.upperBound).next } ?? first.next)
    }
  }

  private mutating func lookAtKey(
    _ first: Revision, _ blocks: borrowing some CheckedBlocks, _ report: inout VerifyReport
  ) throws(LogError) {
    let row = try blocks.sizes(at: first)
    guard let row, row.count > 0, row.count <= Run.maximumBytes else { throw missing(first) }
    rawBytes &+= row.raw
    passed(first, count: row.count, &report)
  }

  private mutating func lookInside(
    _ first: Revision, _ blocks: borrowing some CheckedBlocks, _ report: inout VerifyReport
  ) throws(LogError) {
    guard let (block, columns) = try blocks.block(at: first) else { throw missing(first) }
    let (run, isChained) = try place.unpack(block, after: chain)
    if columns != [Int64(run.count), Int64(run.records.count), run.base.milliseconds] {
      note("the row of the block at \(first) differs from the block", &report)
    }
    if run.base < lastTime { note("time falls at revision \(first)", &report) }
    lastTime = run.last
    if isChained == false { note("the chain breaks at revision \(first)", &report) }
    chain = block.chain
    // A block that was open when all events were given up will be removed soon.
    if first >= entry.row.low, block.isOpen != (first == entry.openFirst) {
      note("the block at \(first) and the catalog differ on whether it is open", &report)
    }
    rawBytes += run.records.count
    storedBytes += block.encodedLength
    report.checked.rawBytes += run.records.count
    report.checked.storedBytes += block.encodedLength
    passed(first, count: run.count, &report)
  }

  private mutating func passed(_ first: Revision, count: Int, _ report: inout VerifyReport) {
    self.count += 1
    report.checked.records += count
    let end = first + (count - 1)
    expected = max(expected, end.next)
    guard end >= entry.row.low else { return }
    let start = max(first, entry.row.low).rawValue
    if let last = readable.last, last.upperBound + 1 >= start {
      readable[readable.count - 1] = last.lowerBound...max(last.upperBound, end.rawValue)
    } else {
      readable.append(start...end.rawValue)
    }
  }

  /// Compares what was found with the catalog.
  package mutating func finish(_ report: inout VerifyReport) {
    let row = entry.row
    if expected < row.next { lose("a block is missing", from: expected, to: row.next, &report) }
    if expected > row.next { note("blocks go beyond the catalog's last revision", &report) }
    if row.low < entry.firstKept || row.low > row.next {
      note("the first kept revision is impossible", &report)
    }
    if entry.openFirst > .zero, entry.openFirst != lastFirst, isComplete {
      note("the open block is not the last", &report)
    }
    if isComplete { compareSums(&report) }
    report.logs.append(
      VerifyReport.Readable(number: row.number, log: row.log, revisions: readable))
  }

  private mutating func compareSums(_ report: inout VerifyReport) {
    let row = entry.row
    if count != row.blocks { note("\(count) blocks where the catalog has \(row.blocks)", &report) }
    if rawBytes != row.rawBytes {
      note("\(rawBytes) bytes of records, \(row.rawBytes) in the catalog", &report)
    }
    guard level == .full else { return }
    if storedBytes != row.storedBytes {
      note("\(storedBytes) bytes of blocks, \(row.storedBytes) in the catalog", &report)
    }
    if let chain, chain != row.chain { note("the chain does not end at the catalog's value", &report) }
  }

  private mutating func lose(
    _ what: String, from first: Revision, to end: Revision, _ report: inout VerifyReport
  ) {
    let range = first.rawValue...end.previous.rawValue
    report.findings.append(Damage(what: what, place: place.path, log: place.log, lost: range))
    (isComplete, chain) = (false, nil)
  }

  private func note(_ what: String, _ report: inout VerifyReport) {
    report.findings.append(Damage(what: what, place: place.path, log: place.log))
  }

  private func missing(_ first: Revision) -> LogError {
    .damaged(place.damage("a block is in the time index only", first, through: nil))
  }
}
