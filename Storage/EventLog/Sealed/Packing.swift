import EventLogFormat
import EventLogModel

extension SealedStore {
  /// Feature bit of the set `incompatible` (docs/FORMAT.md): there are or were blocks in columns.
  static let columnBlocks: UInt64 = 4

  /// What to pack into columns.
  struct Packing: Sendable {
    /// Logs whose last sealed event is not after this.
    var idleSince: Timestamp
    var shapes: [UInt8: BodyShape]
  }

  /// What one portion has done.
  struct Packed: Sendable, Hashable {
    var blocks = 0
    /// Bytes saved.
    var saved = 0
    /// Whether more logs are to be looked at.
    var hasMore = false
  }

  /// Looks at up to `blocks` blocks of one idle log and replaces those that get shorter by blocks in columns,
  /// with the same keys, revisions and chain values, in one transaction. Stores how far it has come, so that
  /// no block is looked at twice.
  ///
  /// Leaves out the open block, logs that are being removed, trimmed or imported, and blocks that cannot be read.
  func pack(_ packing: Packing, blocks: Int) throws(LogError) -> Packed {
    let packed = try writing { database throws(LogError) -> Packed in
      let table = PackTable(database: database)
      guard let (number, start) = try table.next(idleSince: packing.idleSince),
        var entry = try CatalogEntry.load(number, from: database)
      else { return Packed() }
      try table.make()
      var done = Packed(hasMore: true)
      let end = entry.packEnd
      let keys = try database.statement("SELECT id FROM block WHERE id >= ? AND id < ? ORDER BY id LIMIT ?")
        .all(
          BlockKey.value(number, max(start, entry.firstKept)), BlockKey.value(number, end),
          .integer(Int64(blocks))
        ) { BlockKey.revision($0.integer(0)) }
      for key in keys { try packBlock(key, &entry, packing.shapes, database, &done) }
      let last = keys.count < blocks ? nil : keys.last
      try table.note(number, next: last?.next ?? end)
      if done.blocks > 0 {
        try entry.update(in: database)
        try database.execute("UPDATE meta SET v = v | \(Self.columnBlocks) WHERE k = 'incompatible'")
      }
      return done
    }
    try settleIfLong()
    return packed
  }

  private func packBlock(
    _ first: Revision, _ entry: inout CatalogEntry, _ shapes: [UInt8: BodyShape],
    _ database: SQLiteConnection,
    _ done: inout Packed
  ) throws(LogError) {
    let place = BlockPlace(number: entry.row.number, log: entry.row.log, path: path)
    guard let (block, run) = try readable(first, place, database), block.codec != .columns,
      let packed = Block(columnsOf: block, run, shapes: shapes)
    else { return }
    try database.statement("UPDATE block SET d = ? WHERE id = ?").run(
      .blob(packed.encoded), BlockKey.value(entry.row.number, first))
    let saved = block.encodedLength - packed.encodedLength
    entry.row.storedBytes -= saved
    done.blocks += 1
    done.saved += saved
  }

  /// The block with its records; nil if it is damaged. A damaged block stays as it is, and is reported when
  /// it is read.
  private func readable(
    _ first: Revision, _ place: BlockPlace, _ database: SQLiteConnection
  ) throws(LogError) -> (Block, Run)? {
    do throws(LogError) {
      guard let block = try place.fetch(first, from: database) else { return nil }
      return (block, try place.unpack(block))
    } catch {
      guard case .damaged = error else { throw error }
      return nil
    }
  }
}

extension CatalogEntry {
  /// The first revision that is not to be packed: of the open block, or not sealed.
  fileprivate var packEnd: Revision { openFirst > .zero ? openFirst : row.next }
}

/// How far each log was packed: the table `pack`, which is made before the first block is packed. A log
/// without a row is packed from its beginning; where that was done already, nothing changes.
struct PackTable {
  let database: SQLiteConnection

  private var isThere: Bool {
    get throws(LogError) {
      try database.statement("SELECT 1 FROM sqlite_schema WHERE name = 'pack'").first { _ in true } ?? false
    }
  }

  func make() throws(LogError) {
    guard try !isThere else { return }
    try database.execute("CREATE TABLE pack(no INTEGER PRIMARY KEY, next INTEGER NOT NULL)")
  }

  /// The first log that has something to pack, and from which revision on.
  func next(idleSince time: Timestamp) throws(LogError) -> (number: UInt64, start: Revision)? {
    let next = try isThere ? "coalesce((SELECT next FROM pack WHERE pack.no = log.no), 1)" : "1"
    return try database.statement(
      """
      SELECT no, \(next) FROM log
      WHERE state = 0 AND last_ms <= ? AND blocks > 0 AND first_kept >= low
        AND \(next) < CASE open_first WHEN 0 THEN log.next ELSE open_first END
        AND NOT EXISTS (SELECT 1 FROM meta WHERE k = 'import.' || log.no)
      ORDER BY no LIMIT 1
      """
    ).first(.integer(time.milliseconds)) { (number: $0.unsigned(0), start: Revision($0.unsigned(1))) }
  }

  func note(_ number: UInt64, next: Revision) throws(LogError) {
    try database.statement("INSERT OR REPLACE INTO pack(no, next) VALUES(?, ?)").run(
      .bits(number), .bits(next.rawValue))
  }

  /// Removes the row, so that the log is packed from its beginning again.
  func forget(_ number: UInt64) throws(LogError) {
    guard try isThere else { return }
    try database.statement("DELETE FROM pack WHERE no = ?").run(.bits(number))
  }
}
