import EventLogFormat
import EventLogModel

/// The read side of log.db: one connection, used from one thread at a time, opened read-only, never
/// checkpointing. Fetches one block with each statement, so that it holds no view of the file for long, and
/// blocks may be joined between two statements.
final class SealedReader {
  let path: String
  let database: SQLiteConnection

  /// Opens `log.db` of the folder. On a medium that cannot be written, the file is opened as one that never
  /// changes.
  init(folder: String, on disk: any Disk = SystemDisk()) throws(LogError) {
    path = folder + "/" + SealedStore.fileName
    try SealedStore.requireDatabase(path, folder, writable: false, on: disk)
    database = try SealedReader.connection(path, disk)
  }

  private static func connection(_ path: String, _ disk: any Disk) throws(LogError) -> SQLiteConnection {
    do throws(LogError) {
      return try SQLiteConnection.prepared(path: path, role: .reader, schema: .current, on: disk)
    } catch {
      // SQLITE_CANTOPEN: there is no WAL and none can be made.
      guard case .io(_, _, let code) = error, code & 0xff == 14, try DurableFile(path, on: disk).exists(),
        try !DurableFile(path + "-wal", on: disk).exists()
      else { throw error }
      return try SQLiteConnection.prepared(path: path, role: .stillReader, schema: .current, on: disk)
    }
  }

  func close() { database.close() }

  func row(number: UInt64) throws(LogError) -> LogRow? {
    try CatalogEntry.load(number, from: database)?.row
  }

  /// The chain of a log; nil while nothing of it is sealed.
  func chain(number: UInt64) throws(LogError) -> ChainEnds? {
    guard let entry = try CatalogEntry.load(number, from: database), entry.row.next > entry.firstKept else {
      return nil
    }
    return ChainEnds(
      first: entry.firstKept, before: entry.chainBefore, last: entry.row.next.previous, value: entry.row.chain
    )
  }

  func logs() throws(LogError) -> [LogRow] {
    try database.statement(LogRow.selectAll).all { row throws(LogError) in
      try CatalogEntry(row, path).row
    }
  }

  /// Sealed events after a revision, plain or as LZ4 blocks: blocks up to about `limit` bytes, at least one if there is
  /// one. The first may begin at or before `after`. Empty at the end of what is sealed.
  ///
  /// Throws `.trimmed` for events no longer kept, and `.damaged` with the lost revisions when the first block
  /// asked for cannot be read: go on with `after` at the end of the lost range.
  func read(
    number: UInt64, log: LogID, after: Revision, limit: Int
  ) throws(LogError) -> [StoredRun] {
    let place = BlockPlace(number: number, log: log, path: path)
    guard let start = try firstBlock(holding: after.next, place) else { return [] }
    var runs = [try place.stored(start)]
    var bytes = runs[0].bytes.count
    while bytes < limit, let next = runs.last?.lastRevision.next {
      // Damage further on is reported by the read that begins there.
      guard let block = (try? place.fetch(next, from: database)) ?? nil, let run = try? place.stored(block)
      else { break }
      runs.append(run)
      bytes += run.bytes.count
    }
    return runs
  }

  private func firstBlock(holding revision: Revision, _ place: BlockPlace) throws(LogError) -> Block? {
    if let block = try block(with: revision, place) { return block }
    guard let row = try row(number: place.number), !row.deleted else { return nil }
    guard revision >= row.low else { throw .trimmed(place.log, low: row.low) }
    guard revision < row.next else { return nil }
    // The block may have been sealed or joined between the two statements.
    if let block = try block(with: revision, place) { return block }
    let following = try place.beginning(after: revision, in: database) ?? row.next
    let lost = revision.rawValue...max(revision, following.previous).rawValue
    let isAccepted = (try? database.isAccepted(lost, number: place.number)) ?? false
    let what = isAccepted ? "\(Damage.missingEvents), whose loss was accepted" : "a block is missing"
    throw .damaged(place.damage(what, revision, through: following.previous))
  }

  /// The block that `revision` lies in; `nil` when the block before it ends below, readable or not.
  private func block(with revision: Revision, _ place: BlockPlace) throws(LogError) -> Block? {
    do throws(LogError) {
      let block = try place.fetch(with: revision, from: database)
      return block.flatMap { $0.last >= revision ? $0 : nil }
    } catch {
      guard case .damaged(let found) = error, let lost = found.lost, lost.upperBound < revision.rawValue
      else {
        throw error
      }
      return nil
    }
  }

  /// The last revision whose time is not after `time`, among sealed events; `nil` when there is none.
  func revision(number: UInt64, at time: Timestamp) throws(LogError) -> Revision? {
    guard let row = try row(number: number) else { return nil }
    let place = BlockPlace(number: number, log: row.log, path: path)
    let first = try database.statement(
      """
      SELECT id FROM block INDEXED BY block_time WHERE id >> 40 = ? AND t0 <= ?
      ORDER BY t0 DESC, id DESC LIMIT 1
      """
    ).first(.bits(number), .integer(time.milliseconds)) { BlockKey.revision($0.integer(0)) }
    guard let first, let block = try place.fetch(first, from: database) else { return nil }
    guard block.base <= time else { throw wrongIndex(row.log) }
    guard block.lastTime > time else {
      // A damaged key of the index would lead to a block that is too early.
      let next = try database.statement("SELECT t0 FROM block WHERE id > ? AND id <= ? ORDER BY id LIMIT 1")
        .first(BlockKey.value(number, first), BlockKey.bounds(number).upper) { $0.integer(0) }
      guard next ?? .max > time.milliseconds else { throw wrongIndex(row.log) }
      return block.last
    }
    var last = first.previous
    try place.unpack(block).forEach { view, _ in
      if view.time <= time { last = view.revision }
    }
    // Before the first record of a log there is nothing.
    return last == .zero ? nil : last
  }

  private func wrongIndex(_ log: LogID) -> LogError {
    .damaged(Damage(what: "the time index and the blocks differ", place: path, log: log))
  }

  /// The newest readable snapshot at or below a revision, from which all later events are still there.
  ///
  /// If a snapshot is damaged, an older one is taken, since the events are in the log. Throws only if
  /// retention has removed the events between.
  func latestSnapshot(
    number: UInt64, log: LogID, notAfter: Revision
  ) throws(LogError) -> Snapshot? {
    try database.reading { () throws(LogError) in
      guard let row = try row(number: number), !row.deleted else { return nil }
      let table = SnapshotTable(database: database, number: number)
      var firstFailure: LogError?
      for revision in try table.revisions().reversed()
      where revision <= notAfter && revision.next >= row.low {
        do throws(LogError) {
          if let snapshot = try table.newest(notAfter: revision, of: log) { return snapshot }
        } catch {
          firstFailure = firstFailure ?? error
        }
      }
      if let firstFailure, row.low > 1 { throw firstFailure }
      return nil
    }
  }

  /// The first revision to keep for a trim below `revision`: the beginning of a block, never above the newest
  /// snapshot at or below `revision`. It is behind the last event if that is asked for and there is a
  /// snapshot at the last event. It is the present `low` if nothing can be removed.
  func trimPoint(number: UInt64, below revision: Revision) throws(LogError) -> Revision {
    guard let row = try row(number: number) else { return 1 }
    let table = SnapshotTable(database: database, number: number)
    guard let anchor = try table.revisions().last(where: { $0 <= revision }) else { return row.low }
    if revision == row.next, anchor == row.next.previous { return row.next }
    let place = BlockPlace(number: number, log: row.log, path: path)
    let start = try place.beginning(ofBlockWith: anchor, in: database) ?? row.low
    return max(row.low, start)
  }
}
