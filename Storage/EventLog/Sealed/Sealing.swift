import EventLogFormat
import EventLogModel

extension SealedStore {
  /// Takes changes in the journal's order in one transaction, synced when it returns.
  ///
  /// `oldestSegment` is the first journal segment still needed once these changes are sealed, `oldestFrame` the first
  /// frame. Changes may come again; what is there already is skipped. Removes one portion of trimmed or deleted blocks besides.
  func apply(
    _ changes: [SealedChange], oldestSegment: UInt64?, oldestFrame: UInt64? = nil
  ) throws(LogError) {
    try writing { database throws(LogError) in
      var sealing = Sealing(into: database, acceptsGaps: acceptsGaps, openBlock: openBlock)
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

extension SealedChange {
  /// Whether the change removes events.
  package var isRemoval: Bool {
    switch self {
    case .low, .deleted: true
    case .created, .run, .importing: false
    }
  }
}

extension SQLiteConnection: SealedTables {
  func entry(_ number: UInt64) throws(LogError) -> CatalogEntry? { try .load(number, from: self) }
  func insert(_ entry: CatalogEntry) throws(LogError) { try entry.insert(into: self) }
  func update(_ entry: CatalogEntry) throws(LogError) { try entry.update(in: self) }

  func block(at first: Revision, of row: LogRow) throws(LogError) -> (block: Block, run: Run)? {
    let place = BlockPlace(number: row.number, log: row.log, path: path)
    guard let block = try place.fetch(first, from: self) else { return nil }
    return (block, try place.unpack(block))
  }

  func put(_ block: Block, encoded: [UInt8], number: UInt64) throws(LogError) {
    try statement("INSERT OR REPLACE INTO block(id, n, raw, t0, d) VALUES(?, ?, ?, ?, ?)").run(
      BlockKey.value(number, block.first), .integer(Int64(block.count)),
      .integer(Int64(block.rawLength)), .integer(block.base.milliseconds), .blob(encoded))
  }

  func beginning(ofBlockWith revision: Revision, of row: LogRow) throws(LogError) -> Revision? {
    try BlockPlace(number: row.number, log: row.log, path: path).beginning(ofBlockWith: revision, in: self)
  }

  func imports() throws(LogError) -> [UInt64: Revision] { try ImportTable(database: self).all() }

  func beginImport(_ number: UInt64, through last: Revision) throws(LogError) {
    try ImportTable(database: self).begin(number, through: last)
  }

  func endImport(_ number: UInt64) throws(LogError) { try ImportTable(database: self).end(number) }
}
