import EventLogFormat
import EventLogModel

/// The tables of a sealed half inside one transaction, as `Sealing` reads and writes them: SQLite's, or those
/// of another database. Used by the sealer's thread.
package protocol SealedTables {
  /// What errors name as the place.
  var path: String { get }
  func entry(_ number: UInt64) throws(LogError) -> CatalogEntry?
  func insert(_ entry: CatalogEntry) throws(LogError)
  func update(_ entry: CatalogEntry) throws(LogError)
  /// The block that begins at a revision, checked, with its records; nil where there is none.
  func block(at first: Revision, of row: LogRow) throws(LogError) -> (block: Block, run: Run)?
  /// Stores a block, in place of one that begins at the same revision.
  func put(_ block: Block, encoded: [UInt8], number: UInt64) throws(LogError)
  /// Where the block begins that a revision lies in or after; nil where there is none.
  func beginning(ofBlockWith revision: Revision, of row: LogRow) throws(LogError) -> Revision?
  /// The last revisions of the imports that are not finished, by log number.
  func imports() throws(LogError) -> [UInt64: Revision]
  func beginImport(_ number: UInt64, through last: Revision) throws(LogError)
  func endImport(_ number: UInt64) throws(LogError)
  /// Whether the loss of these revisions was accepted.
  func isAccepted(_ lost: ClosedRange<UInt64>, number: UInt64) throws(LogError) -> Bool
  /// Notes damage, once for each place.
  func note(_ damage: Damage, number: UInt64?) throws(LogError)
}

/// Sizes of blocks, in bytes of records (docs/FORMAT.md, "Block").
package enum BlockSize {
  /// No block is longer, unless one record is. One damaged byte costs one block.
  package static let limit = 64 << 10
  /// A last block below this stays open: the next seal of its log puts it together with what follows.
  package static let open = 32 << 10
}

/// The changes of one transaction: collects the runs of each log, then cuts them into blocks.
package struct Sealing {
  private final class LogSealing {
    var entry: CatalogEntry
    /// The open block and the runs after it.
    var pending: RunBuilder?

    init(_ entry: CatalogEntry) { self.entry = entry }

    var next: Revision { pending?.next ?? entry.row.next }
  }

  private let tables: any SealedTables
  private let acceptsGaps: Bool
  private let openBlock: Int
  private var works: [UInt64: LogSealing] = [:]
  private var order: [LogSealing] = []

  /// - Parameters:
  ///   - acceptsGaps: whether a run may begin after the log's `next`: an accepted loss.
  ///   - openBlock: a last block of fewer bytes of records stays open.
  package init(into tables: any SealedTables, acceptsGaps: Bool, openBlock: Int) {
    self.tables = tables
    self.acceptsGaps = acceptsGaps
    self.openBlock = openBlock
  }

  package mutating func add(_ change: SealedChange) throws(LogError) {
    switch change {
    case .created(let number, let log, let epoch, let time): try create(number, log, epoch, time)
    case .run(let number, let run): try add(run, to: try work(number))
    case .deleted(let number, _): delete(try work(number))
    case .low(let number, let low): try moveLow(low, of: try work(number))
    case .importing(let number, let last): try begin(through: last, of: try work(number))
    }
  }

  /// Cuts what was collected into blocks, and writes them with the rows of their logs.
  package func finish() throws(LogError) {
    for work in order {
      try seal(work)
      try tables.update(work.entry)
    }
    try finishImports()
  }

  private func begin(through last: Revision, of work: LogSealing) throws(LogError) {
    guard work.entry.state == .live, work.next <= last else { return }
    try tables.beginImport(work.entry.row.number, through: last)
  }

  /// An import ends with its last revision, or when its log is deleted.
  private func finishImports() throws(LogError) {
    for (number, last) in try tables.imports() {
      guard let entry = works[number]?.entry, entry.state != .live || entry.row.next > last else { continue }
      try tables.endImport(number)
    }
  }

  private mutating func work(_ number: UInt64) throws(LogError) -> LogSealing {
    if let work = works[number] { return work }
    guard let entry = try tables.entry(number) else {
      throw damage("the journal names log number \(number), which was never created")
    }
    return keep(LogSealing(entry))
  }

  private mutating func keep(_ work: LogSealing) -> LogSealing {
    works[work.entry.row.number] = work
    order.append(work)
    return work
  }

  private mutating func create(
    _ number: UInt64, _ log: LogID, _ epoch: Epoch, _ time: Timestamp
  ) throws(LogError) {
    guard (1..<BlockKey.numberLimit).contains(number) else {
      throw .full(place: "\(tables.path): log numbers")
    }
    var known = works[number]?.entry
    if known == nil { known = try tables.entry(number) }
    if let known {
      guard known.row.log == log else {
        throw damage("log number \(number) has another name in the catalog", log)
      }
      return
    }
    let entry = CatalogEntry(created: number, log, epoch, time)
    try tables.insert(entry)
    _ = keep(LogSealing(entry))
  }

  private func add(_ run: Run, to work: LogSealing) throws(LogError) {
    guard work.entry.state == .live, let fresh = run.suffix(after: work.next.previous) else { return }
    guard fresh.lastRevision.rawValue < BlockKey.revisionLimit - 1 else {
      throw .full(place: "\(tables.path): revisions of log \(work.entry.row.log)")
    }
    if fresh.first > work.next { try bridgeGap(upTo: fresh.first, in: work) }
    if work.pending == nil { work.pending = try openBlock(of: work) }
    if work.pending == nil { work.pending = RunBuilder(first: fresh.first) }
    work.pending?.appendRun(fresh)
  }

  private func bridgeGap(upTo first: Revision, in work: LogSealing) throws(LogError) {
    let gap = Damage(
      what: "\(Damage.missingEvents) between sealed blocks and journal", place: tables.path,
      log: work.entry.row.log, lost: work.next.rawValue...first.rawValue - 1)
    guard acceptsGaps else { throw .damaged(gap) }
    // Runs after the gap are not joined with the last block before it.
    if work.pending == nil { work.pending = try openBlock(of: work) }
    try seal(work, closing: true)
    work.entry.openFirst = .zero
    work.entry.row.next = first
    // The start that found the gap may have noted it already.
    guard try !tables.isAccepted(gap.lost ?? 0...0, number: work.entry.row.number) else { return }
    try tables.note(gap, number: work.entry.row.number)
  }

  /// Takes the open block out of the log, to be sealed again with more; `nil` when there is none.
  private func openBlock(of work: LogSealing) throws(LogError) -> RunBuilder? {
    guard work.entry.openFirst > .zero else { return nil }
    let row = work.entry.row
    do throws(LogError) {
      guard let (block, run) = try tables.block(at: work.entry.openFirst, of: row) else { return nil }
      guard run.lastRevision.next == row.next else { return nil }
      work.entry.row.blocks -= 1
      work.entry.row.rawBytes -= block.rawLength
      work.entry.row.storedBytes -= block.encodedLength
      work.entry.row.chain = work.entry.openBefore
      var builder = RunBuilder(first: run.first, base: run.base)
      builder.appendRun(run)
      return builder
    } catch {
      // A damaged block stays as it is, closed; what follows goes into the next.
      guard case .damaged(let found) = error else { throw error }
      work.entry.openFirst = .zero
      try tables.note(found, number: row.number)
      return nil
    }
  }

  private func seal(_ work: LogSealing, closing: Bool = false) throws(LogError) {
    guard let run = work.pending?.takeRun() else { return }
    work.pending = nil
    let pieces = run.cut(limit: BlockSize.limit)
    work.entry.openFirst = .zero
    for (index, piece) in pieces.enumerated() {
      let isOpen = !closing && index == pieces.count - 1 && piece.records.count < openBlock
      try insert(piece, isOpen: isOpen, &work.entry)
    }
    work.entry.row.next = run.lastRevision.next
    work.entry.row.lastTime = run.last
  }

  private func insert(_ run: Run, isOpen: Bool, _ entry: inout CatalogEntry) throws(LogError) {
    let block = Block(sealing: run, of: entry.row.log, after: entry.row.chain, isOpen: isOpen)
    let bytes = block.encoded
    try tables.put(block, encoded: bytes, number: entry.row.number)
    if isOpen {
      entry.openFirst = run.first
      entry.openBefore = entry.row.chain
    }
    entry.row.chain = block.chain
    entry.row.blocks += 1
    entry.row.rawBytes += run.records.count
    entry.row.storedBytes += bytes.count
  }

  private func delete(_ work: LogSealing) {
    guard work.entry.state == .live else { return }
    work.pending = nil
    work.entry.state = .deleting
    work.entry.row.deleted = true
  }

  private func moveLow(_ low: Revision, of work: LogSealing) throws(LogError) {
    guard work.entry.state == .live else { return }
    try seal(work)
    if work.entry.row.blocks == 0, low > work.entry.row.next { return begin(work, at: low) }
    let row = work.entry.row
    if low == row.next { return giveUpAll(of: work) }
    let start = try tables.beginning(ofBlockWith: low, of: row)
    work.entry.row.low = max(row.low, start ?? row.low)
  }

  /// Removes all events and keeps the snapshot at the last one.
  private func giveUpAll(of work: LogSealing) {
    work.entry.row.low = work.entry.row.next
    // Later events begin a new block.
    work.entry.openFirst = .zero
  }

  /// Begins a log at `low`: a repair copies only what retention had left, and knows nothing of earlier
  /// events.
  private func begin(_ work: LogSealing, at low: Revision) {
    (work.entry.row.low, work.entry.row.next, work.entry.firstKept) = (low, low, low)
    work.entry.chainBefore = []
  }

  private func damage(_ what: String, _ log: LogID? = nil) -> LogError {
    .damaged(Damage(what: what, place: tables.path, log: log))
  }
}
