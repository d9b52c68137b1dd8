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
      guard var entry = try CatalogEntry.load(erasure.number, from: database), entry.state == .live else {
        return nil
      }
      if revision == nil { try begin(erasure, &entry, database) }
      let end = revision ?? entry.row.next
      let keys = try database.statement(
        "SELECT id FROM block WHERE id < ? AND id >= ? ORDER BY id DESC LIMIT ?"
      ).all(
        BlockKey.value(erasure.number, end), BlockKey.value(erasure.number, entry.row.low),
        .integer(Int64(blocks))
      ) { BlockKey.revision($0.integer(0)) }
      for key in keys { try replace(key, erasure, &entry, database) }
      try entry.update(in: database)
      return keys.count < blocks ? nil : keys.last
    }
    try settleIfLong()
    return next
  }

  private func begin(
    _ erasure: SealedErasure, _ entry: inout CatalogEntry, _ database: SQLiteConnection
  ) throws(LogError) {
    entry.row.epoch = erasure.epoch
    // The last block is closed, because a block that grows later would get a new chain value from the records
    // that are left.
    if entry.openFirst > .zero { try closeLast(&entry, database) }
    let table = SnapshotTable(database: database, number: erasure.number)
    try table.drop { revision, _ in revision != erasure.base }
    try table.dropUnnamedParts()
    // Blocks that are written again are not in columns.
    try PackTable(database: database).forget(erasure.number)
    try Meta(database: database).write(.remains, number: 1)
    try database.execute("UPDATE meta SET v = v | \(Self.erasedBlocks) WHERE k = 'incompatible'")
  }

  private func closeLast(_ entry: inout CatalogEntry, _ database: SQLiteConnection) throws(LogError) {
    let place = BlockPlace(number: entry.row.number, log: entry.row.log, path: path)
    guard let block = try place.fetch(entry.openFirst, from: database) else { return }
    let run = try place.unpack(block)
    let closed = Block(sealing: run, of: block.log, after: entry.openBefore, isOpen: false)
    try store(closed, rawBytes: run.records.count, in: entry.row.number, database)
    entry.openFirst = .zero
  }

  private func replace(
    _ first: Revision, _ erasure: SealedErasure, _ entry: inout CatalogEntry, _ database: SQLiteConnection
  ) throws(LogError) {
    let place = BlockPlace(number: erasure.number, log: entry.row.log, path: path)
    guard let block = try place.fetch(first, from: database) else { return }
    let old = try place.unpack(block)
    guard let run = try erasure.replacing(old) else { return }
    precondition(
      run.first == old.first && run.count == old.count && run.base == old.base && run.last == old.last,
      "erasing keeps revisions and times")
    let erased = Block(erasing: block, of: old, leaving: run)
    try store(erased, rawBytes: run.records.count, in: erasure.number, database)
    entry.row.rawBytes += run.records.count - old.records.count
    entry.row.storedBytes += erased.encodedLength - block.encodedLength
  }

  private func store(
    _ block: Block, rawBytes: Int, in number: UInt64, _ database: SQLiteConnection
  ) throws(LogError) {
    try database.statement("UPDATE block SET raw = ?, d = ? WHERE id = ?").run(
      .integer(Int64(rawBytes)), .blob(block.encoded), BlockKey.value(number, block.first))
  }
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
