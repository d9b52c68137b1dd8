import EventLogFormat
import EventLogModel

extension SealedStore {
  /// Removes at most `blocks` blocks (or snapshot parts) of deleted or trimmed logs in one transaction.
  /// Answers whether more may be left. 64 blocks took at most 8 ms when they were only removed;
  /// since then they are overwritten, too.
  func tidy(blocks: Int = 64) throws(LogError) -> Bool {
    let more = try writing { database throws(LogError) in
      let next = "SELECT no FROM log WHERE state = 1 OR (state = 0 AND first_kept < low) ORDER BY no LIMIT 1"
      guard let number = try database.statement(next).first(read: { $0.unsigned(0) }),
        var entry = try CatalogEntry.load(number, from: database)
      else { return false }
      let removal = Removal(database: database, limit: blocks)
      switch entry.state {
      case .deleting: try removal.removeSome(ofDeleted: &entry)
      case .live: try removal.removeSome(belowLowOf: &entry)
      case .deleted: return false
      }
      try entry.update(in: database)
      return true
    }
    mayBeUntidy = more
    return more
  }
}

extension SealedStore {
  /// Whether something was removed since `clearRemains` was last done (LOG-27).
  func hasRemains() throws(LogError) -> Bool { try Meta(database: database).number(.remains) == 1 }

  /// Notes that no file of the folder holds anything that was removed.
  func noteCleared() throws(LogError) {
    try writing { database throws(LogError) in try Meta(database: database).write(.remains, number: 0) }
  }
}

/// One portion of blocks to remove.
private struct Removal {
  let database: SQLiteConnection
  let limit: Int

  func removeSome(ofDeleted entry: inout CatalogEntry) throws(LogError) {
    let number = entry.row.number
    if try removeBlocks(below: Revision(BlockKey.revisionLimit - 1), of: &entry) { return }
    try database.statement(
      "DELETE FROM part WHERE id IN (SELECT id FROM part WHERE log = ? LIMIT ?)"
    ).run(.bits(number), .integer(Int64(limit)))
    let left = try database.statement("SELECT 1 FROM part WHERE log = ? LIMIT 1").first(.bits(number)) { _ in
      true
    }
    guard left == nil else { return }
    let bounds = BlockKey.bounds(number)
    try database.statement("DELETE FROM snap WHERE id BETWEEN ? AND ?").run(bounds.lower, bounds.upper)
    try PackTable(database: database).forget(number)
    entry.state = .deleted
    (entry.row.blocks, entry.row.rawBytes, entry.row.storedBytes) = (0, 0, 0)
    (entry.chainBefore, entry.openFirst) = ([], .zero)
  }

  func removeSome(belowLowOf entry: inout CatalogEntry) throws(LogError) {
    let removed = try removeBlocks(below: entry.row.low, of: &entry)
    guard !removed || entry.firstKept >= entry.row.low else { return }
    entry.firstKept = entry.row.low
    try SnapshotTable(database: database, number: entry.row.number).drop { revision, _ in
      revision.next < entry.row.low
    }
  }

  /// Removes up to `limit` blocks that begin below `end`, oldest first; false when there was none.
  private func removeBlocks(below end: Revision, of entry: inout CatalogEntry) throws(LogError) -> Bool {
    let number = entry.row.number
    let doomed = try database.statement(
      "SELECT id, raw, length(d) FROM block WHERE id > ? AND id < ? ORDER BY id LIMIT ?"
    ).all(
      BlockKey.bounds(number).lower, BlockKey.value(number, end), .integer(Int64(limit))
    ) { row in (id: row.integer(0), raw: Int(row.integer(1)), stored: Int(row.integer(2))) }
    guard let last = doomed.last else { return false }
    // The chain value before the first kept block is taken from the removed block, while that can still be
    // read.
    let place = BlockPlace(number: number, log: entry.row.log, path: database.path)
    let block = try? place.fetch(BlockKey.revision(last.id), from: database)
    entry.chainBefore = (block ?? nil)?.chain ?? []
    entry.firstKept = try place.beginning(after: BlockKey.revision(last.id), in: database) ?? entry.row.next
    for block in doomed {
      try database.statement("DELETE FROM block WHERE id = ?").run(.integer(block.id))
      entry.row.blocks -= 1
      entry.row.rawBytes &-= block.raw
      entry.row.storedBytes -= block.stored
    }
    return true
  }
}
