import EventLogFormat
import EventLogModel

extension SealedStore {
  /// Feature bit of the set `incompatible` (docs/FORMAT.md): there are or were blocks of version 2.
  static let erasedBlocks: UInt64 = 2

  /// One call is one transaction.
  func erase(
    _ erasure: SealedErasure, before revision: Revision?, blocks: Int
  ) throws(LogError) -> Revision? {
    let next = try writing { database throws(LogError) -> Revision? in
      guard let entry = try CatalogEntry.load(erasure.number, from: database), entry.state == .live else {
        return nil
      }
      if revision == nil { try begin(erasure, entry, database) }
      var erasing = Erasing(of: erasure, in: entry, into: database)
      if revision == nil { try erasing.begin() }
      let end = revision ?? entry.row.next
      let keys = try database.statement(
        "SELECT id FROM block WHERE id < ? AND id >= ? ORDER BY id DESC LIMIT ?"
      ).all(
        BlockKey.value(erasure.number, end), BlockKey.value(erasure.number, entry.row.low),
        .integer(Int64(blocks))
      ) { BlockKey.revision($0.integer(0)) }
      for first in keys { try erasing.replace(blockAt: first) }
      try erasing.finish()
      return keys.count < blocks ? nil : keys.last
    }
    try settleIfLong()
    return next
  }

  private func begin(
    _ erasure: SealedErasure, _ entry: CatalogEntry, _ database: SQLiteConnection
  ) throws(LogError) {
    let table = SnapshotTable(database: database, number: erasure.number)
    try table.drop { revision, _ in revision != erasure.base }
    try table.dropUnnamedParts()
    // Blocks that are written again are not in columns.
    try PackTable(database: database).forget(erasure.number)
    try Meta(database: database).write(.remains, number: 1)
    try database.execute("UPDATE meta SET v = v | \(Self.erasedBlocks) WHERE k = 'incompatible'")
  }
}

/// What an erasure does to the blocks of one log, inside one transaction of the tables.
package struct Erasing {
  private let erasure: SealedErasure
  private let tables: any SealedTables
  private var entry: CatalogEntry

  package init(of erasure: SealedErasure, in entry: CatalogEntry, into tables: any SealedTables) {
    (self.erasure, self.entry, self.tables) = (erasure, entry, tables)
  }

  /// Before the first block: the log gets its new epoch, and its last block is closed.
  package mutating func begin() throws(LogError) {
    entry.row.epoch = erasure.epoch
    // A block that grows later would get a new chain value from the records that are left.
    guard entry.openFirst > .zero, let (block, run) = try tables.block(at: entry.openFirst, of: entry.row)
    else { return }
    let closed = Block(sealing: run, of: block.log, after: entry.openBefore, isOpen: false)
    try tables.put(closed, encoded: closed.encoded, number: entry.row.number)
    entry.openFirst = .zero
  }

  /// Writes the block that begins at a revision anew, if records of it are to be erased.
  package mutating func replace(blockAt first: Revision) throws(LogError) {
    guard let (block, old) = try tables.block(at: first, of: entry.row) else { return }
    guard let run = try erasure.replacing(old) else { return }
    precondition(
      run.first == old.first && run.count == old.count && run.base == old.base && run.last == old.last,
      "erasing keeps revisions and times")
    let erased = Block(erasing: block, of: old, leaving: run)
    try tables.put(erased, encoded: erased.encoded, number: entry.row.number)
    entry.row.rawBytes += run.records.count - old.records.count
    entry.row.storedBytes += erased.encodedLength - block.encodedLength
  }

  /// Writes the log's row. Nothing is called afterwards.
  package func finish() throws(LogError) { try tables.update(entry) }
}

extension SnapshotTable {
  /// Removes the parts that no snapshot names.
  func dropUnnamedParts() throws(LogError) {
    let bounds = BlockKey.bounds(number)
    let named = try database.statement("SELECT keys FROM snap WHERE id BETWEEN ? AND ?").all(
      bounds.lower, bounds.upper
    ) { SnapshotHead.split($0.bytes(0)) }
    let kept = Set(named.joined())
    let stored = try database.statement("SELECT id, key FROM part WHERE log = ?").all(.bits(number)) {
      (id: $0.integer(0), key: $0.bytes(1))
    }
    for part in stored where !kept.contains(part.key) {
      try database.statement("DELETE FROM part WHERE id = ?").run(.integer(part.id))
    }
  }
}

extension SealedReader {
  /// The blocks of a log some of whose records were erased, in order.
  func erasedBlocks(number: UInt64, log: LogID) throws(LogError) -> [ErasedBlock] {
    let features = try database.integer("SELECT v FROM meta WHERE k = 'incompatible'")
    guard features & Int64(SealedStore.erasedBlocks) != 0 else { return [] }
    let place = BlockPlace(number: number, log: log, path: path)
    let bounds = BlockKey.bounds(number)
    // The fifth byte of a block is its version.
    let keys = try database.statement(
      "SELECT id FROM block WHERE id BETWEEN ? AND ? AND hex(substr(d, 5, 1)) <> '01' ORDER BY id"
    ).all(bounds.lower, bounds.upper) { BlockKey.revision($0.integer(0)) }
    var found: [ErasedBlock] = []
    for key in keys {
      guard let block = try place.fetch(key, from: database), let before = block.originalDigest else {
        continue
      }
      found.append(
        ErasedBlock(
          first: block.first, last: block.last, before: before,
          after: Chain.digest(of: try place.unpack(block).records)))
    }
    return found
  }
}
