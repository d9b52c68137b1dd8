import EventLogFormat
import EventLogModel

extension SealedStore {
  /// Sizes of blocks, in bytes of records (docs/FORMAT.md, "Block").
  enum BlockSize {
    /// No block is longer, unless one record is. One damaged byte costs one block.
    static let limit = 64 << 10
    /// A last block below this stays open: the next seal of its log puts it together with what follows.
    static let open = 32 << 10
  }

  /// Takes changes in the journal's order in one transaction, synced when it returns.
  ///
  /// `oldestSegment` is the first journal segment still needed once these changes are sealed, `oldestFrame` the first
  /// frame. Changes may come again; what is there already is skipped. Removes one portion of trimmed or deleted blocks besides.
  func apply(
    _ changes: [SealedChange], oldestSegment: UInt64?, oldestFrame: UInt64? = nil
  ) throws(LogError) {
    try writing { database throws(LogError) in
      var sealing = Sealing(database, acceptsGaps: acceptsGaps, openBlock: openBlock)
      for change in changes { try sealing.add(change) }
      try sealing.finish()
      if changes.contains(where: \.isRemoval) { try Meta(database: database).write(.remains, number: 1) }
      guard let oldestSegment else { return }
      let meta = Meta(database: database)
      try meta.write(.oldestSegment, number: oldestSegment)
      if let oldestFrame { try meta.write(JournalPlace(segment: oldestSegment, frame: oldestFrame)) }
    }
    if changes.contains(where: \.isRemoval) { mayBeUntidy = true }
    if mayBeUntidy { try tidyOnce() }
    try settleIfLong()
  }

  /// The journal begins again with this segment, and all its segments have one size from here on.
  func beginJournal(at oldest: JournalPlace, segmentBytes: Int) throws(LogError) {
    try writing { database throws(LogError) in
      let meta = Meta(database: database)
      try meta.write(.oldestSegment, number: oldest.segment)
      try meta.write(oldest)
      try meta.write(.segmentBytes, number: UInt64(segmentBytes))
    }
  }

  /// Damage that is found while removing blocks concerns one log only, so that sealing goes on.
  private func tidyOnce() throws(LogError) {
    do throws(LogError) {
      _ = try tidy()
      return
    } catch {
      guard case .damaged = error else { throw error }
    }
    // SQLite reports damage also for a read that has failed once, and a note stays for ever; so the removal
    // is tried twice.
    do throws(LogError) { _ = try tidy() } catch {
      guard case .damaged(let found) = error else { throw error }
      mayBeUntidy = false
      try note(found, number: nil)
    }
  }
}

extension SealedStore.SealedChange {
  /// Whether the change removes events.
  fileprivate var isRemoval: Bool {
    switch self {
    case .low, .deleted: true
    case .created, .run, .importing: false
    }
  }
}

/// The changes of one transaction: collects the runs of each log, then cuts them into blocks.
private struct Sealing {
  private final class LogSealing {
    var entry: CatalogEntry
    /// The open block and the runs after it.
    var pending: RunBuilder?

    init(_ entry: CatalogEntry) { self.entry = entry }

    var next: Revision { pending?.next ?? entry.row.next }
  }

  private let database: SQLiteConnection
  private let acceptsGaps: Bool
  private let openBlock: Int
  private var works: [UInt64: LogSealing] = [:]
  private var order: [LogSealing] = []

  init(_ database: SQLiteConnection, acceptsGaps: Bool, openBlock: Int) {
    self.database = database
    self.acceptsGaps = acceptsGaps
    self.openBlock = openBlock
  }

  mutating func add(_ change: SealedStore.SealedChange) throws(LogError) {
    switch change {
    case .created(let number, let log, let epoch, let time): try create(number, log, epoch, time)
    case .run(let number, let run): try add(run, to: try work(number))
    case .deleted(let number, _): delete(try work(number))
    case .low(let number, let low): try moveLow(low, of: try work(number))
    case .importing(let number, let last): try begin(through: last, of: try work(number))
    }
  }

  func finish() throws(LogError) {
    for work in order {
      try seal(work)
      try work.entry.update(in: database)
    }
    try finishImports()
  }

  private func begin(through last: Revision, of work: LogSealing) throws(LogError) {
    guard work.entry.state == .live, work.next <= last else { return }
    try ImportTable(database: database).begin(work.entry.row.number, through: last)
  }

  /// An import ends with its last revision, or when its log is deleted.
  private func finishImports() throws(LogError) {
    let table = ImportTable(database: database)
    for (number, last) in try table.all() {
      guard let entry = works[number]?.entry, entry.state != .live || entry.row.next > last else { continue }
      try table.end(number)
    }
  }

  private mutating func work(_ number: UInt64) throws(LogError) -> LogSealing {
    if let work = works[number] { return work }
    guard let entry = try CatalogEntry.load(number, from: database) else {
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
      throw .full(place: "\(database.path): log numbers")
    }
    var known = works[number]?.entry
    if known == nil { known = try CatalogEntry.load(number, from: database) }
    if let known {
      guard known.row.log == log else {
        throw damage("log number \(number) has another name in the catalog", log)
      }
      return
    }
    let entry = CatalogEntry(created: number, log, epoch, time)
    try entry.insert(into: database)
    _ = keep(LogSealing(entry))
  }

  private func add(_ run: Run, to work: LogSealing) throws(LogError) {
    guard work.entry.state == .live, let fresh = run.suffix(after: work.next.previous) else { return }
    guard fresh.lastRevision.rawValue < BlockKey.revisionLimit - 1 else {
      throw .full(place: "\(database.path): revisions of log \(work.entry.row.log)")
    }
    if fresh.first > work.next { try bridgeGap(upTo: fresh.first, in: work) }
    if work.pending == nil { work.pending = try openBlock(of: work) }
    if work.pending == nil { work.pending = RunBuilder(first: fresh.first) }
    work.pending?.appendRun(fresh)
  }

  private func bridgeGap(upTo first: Revision, in work: LogSealing) throws(LogError) {
    let gap = Damage(
      what: "\(Damage.missingEvents) between sealed blocks and journal", place: database.path,
      log: work.entry.row.log, lost: work.next.rawValue...first.rawValue - 1)
    guard acceptsGaps else { throw .damaged(gap) }
    // Runs after the gap are not joined with the last block before it.
    if work.pending == nil { work.pending = try openBlock(of: work) }
    try seal(work, closing: true)
    work.entry.openFirst = .zero
    work.entry.row.next = first
    // The start that found the gap may have noted it already.
    guard try !database.isAccepted(gap.lost ?? 0...0, number: work.entry.row.number) else { return }
    try database.note(gap, number: work.entry.row.number)
  }

  /// Takes the open block out of the log, to be sealed again with more; `nil` when there is none.
  private func openBlock(of work: LogSealing) throws(LogError) -> RunBuilder? {
    guard work.entry.openFirst > .zero else { return nil }
    let row = work.entry.row
    let place = BlockPlace(number: row.number, log: row.log, path: database.path)
    do throws(LogError) {
      guard let block = try place.fetch(work.entry.openFirst, from: database) else { return nil }
      let run = try place.unpack(block)
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
      try database.note(found, number: row.number)
      return nil
    }
  }

  private func seal(_ work: LogSealing, closing: Bool = false) throws(LogError) {
    guard let run = work.pending?.takeRun() else { return }
    work.pending = nil
    let pieces = run.cut(limit: SealedStore.BlockSize.limit)
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
    try database.statement("INSERT OR REPLACE INTO block(id, n, raw, t0, d) VALUES(?, ?, ?, ?, ?)").run(
      BlockKey.value(entry.row.number, run.first), .integer(Int64(run.count)),
      .integer(Int64(run.records.count)), .integer(run.base.milliseconds), .blob(bytes))
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
    let start = try BlockPlace(number: row.number, log: row.log, path: database.path)
      .beginning(ofBlockWith: low, in: database)
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
    .damaged(Damage(what: what, place: database.path, log: log))
  }
}
