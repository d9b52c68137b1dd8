import EventLogFormat
import EventLogModel

/// Fetches the blocks of one log one by one, and reports a bad one as `Damage`.
struct BlockPlace {
  let number: UInt64
  let log: LogID
  let path: String

  /// The block that begins at `first`, checked but not unpacked.
  func fetch(_ first: Revision, from database: SQLiteConnection) throws(LogError) -> Block? {
    try fetchRow(first, from: database)?.block
  }

  /// The same with what the row says beside it: count, raw length and base time.
  func fetchRow(
    _ first: Revision, from database: SQLiteConnection
  ) throws(LogError) -> (block: Block, columns: [Int64])? {
    do throws(LogError) {
      return try database.statement("SELECT d, n, raw, t0 FROM block WHERE id = ?").first(
        BlockKey.value(number, first)
      ) { row throws(LogError) in
        (try read(row.borrowed(0), first: first, database), [row.integer(1), row.integer(2), row.integer(3)])
      }
    } catch {
      throw located(error, at: first, database)
    }
  }

  /// The block that `revision` lies in, or the one before when it lies in none.
  func fetch(with revision: Revision, from database: SQLiteConnection) throws(LogError) -> Block? {
    var found: Revision?
    do throws(LogError) {
      return try database.statement(
        "SELECT id, d FROM block WHERE id <= ? AND id > ? ORDER BY id DESC LIMIT 1"
      ).first(BlockKey.value(number, revision), BlockKey.bounds(number).lower) { row throws(LogError) in
        let first = BlockKey.revision(row.integer(0))
        found = first
        return try read(row.borrowed(1), first: first, database)
      }
    } catch {
      throw located(error, at: found ?? revision, database)
    }
  }

  func unpack(_ block: Block) throws(LogError) -> Run { try unpack(block, after: nil).run }

  /// The block's run in the form that readers get.
  func stored(_ block: Block) throws(LogError) -> StoredRun {
    do throws(WireError) { return try block.stored() } catch {
      throw .damaged(damage("the block does not unpack", block.first, through: block.last))
    }
  }

  /// Also whether the chain goes on from its value before the block; nil where that is not known.
  func unpack(_ block: Block, after chain: [UInt8]?) throws(LogError) -> (run: Run, isChained: Bool?) {
    do throws(WireError) { return try block.unpacked(after: chain) } catch {
      throw .damaged(damage("the block does not unpack", block.first, through: block.last))
    }
  }

  /// The first revision of the block that `revision` lies in or after; `nil` when there is none.
  func beginning(ofBlockWith revision: Revision, in database: SQLiteConnection) throws(LogError) -> Revision?
  {
    try database.statement("SELECT id FROM block WHERE id <= ? AND id > ? ORDER BY id DESC LIMIT 1")
      .first(BlockKey.value(number, revision), BlockKey.bounds(number).lower) {
        BlockKey.revision($0.integer(0))
      }
  }

  /// The first revision of the next block after the one at `first`.
  func beginning(after first: Revision, in database: SQLiteConnection) throws(LogError) -> Revision? {
    try database.statement("SELECT id FROM block WHERE id > ? AND id <= ? ORDER BY id LIMIT 1")
      .first(BlockKey.value(number, first), BlockKey.bounds(number).upper) {
        BlockKey.revision($0.integer(0))
      }
  }

  func damage(_ what: String, _ first: Revision, through last: Revision?) -> Damage {
    // A damaged last revision can be before the first; a range of the two would trap.
    let last = last.map { max($0, first) }
    return Damage(
      what: what, place: path, log: log, lost: last.map { first.rawValue...$0.rawValue })
  }

  private func read(
    _ bytes: UnsafeRawBufferPointer, first: Revision, _ database: SQLiteConnection
  ) throws(LogError) -> Block {
    let what: String
    do throws(WireError) {
      let block = try Block(reading: bytes)
      if block.log == log, block.first == first { return block }
      what = "a block of another place lies under this key"
    } catch {
      what = "the block fails its checksum"
    }
    throw .damaged(damage(what, first, through: nil))
  }

  /// Adds log and lost revisions to damage met at the block that begins at `first`.
  private func located(_ error: LogError, at first: Revision, _ database: SQLiteConnection) -> LogError {
    guard case .damaged(let found) = error else { return error }
    return .damaged(damage(found.what, first, through: endOfBlock(at: first, database)))
  }

  /// Where a block that cannot be read ends: before the next one's key. The index still has the keys when
  /// a page of the table is damaged.
  private func endOfBlock(at first: Revision, _ database: SQLiteConnection) -> Revision? {
    let fromTable = try? beginning(after: first, in: database)
    if let next = fromTable ?? nil { return next.previous }
    let fromIndex = try? database.statement(
      "SELECT min(id) FROM block INDEXED BY block_time WHERE id >> 40 = ? AND id > ?"
    ).first(.bits(number), BlockKey.value(number, first)) { BlockKey.revision($0.integer(0)) }
    if let next = fromIndex ?? nil, next > first { return next.previous }
    let entry = try? CatalogEntry.load(number, from: database)
    return (entry ?? nil)?.row.next.previous
  }
}
