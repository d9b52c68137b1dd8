import EventLogFormat
import EventLogModel

// The index of what is sealed. It reads keys and columns, and of each block only the few bytes of its header
// that are in no column.

extension SealedReader {
  /// Where the block's header says the time of the last record, in milliseconds.
  private static let endOffset = 56

  /// Where sealed events after a revision lie; the first span may begin at or before `after`. Empty at the end
  /// of what is sealed. Blocks that are missing are left out.
  func spans(
    number: UInt64, log: LogID, after: Revision, limit: Int
  ) throws(LogError) -> [StoredSpan] {
    try database.reading { () throws(LogError) in
      let place = BlockPlace(number: number, log: log, path: path)
      let start = try place.beginning(ofBlockWith: after.next, in: database) ?? after.next
      // One more than asked for, because the first may end before the revision asked for.
      let keys = try rows(number, from: start, limit: min(limit, Int(Int32.max)) + 1)
      guard let first = keys.first else { return [] }
      let window = try database.window(table: "block", column: "d", row: first.id)
      defer { window.close() }
      var spans: [StoredSpan] = []
      for row in keys where row.first + (row.count - 1) > after {
        try window.move(to: row.id)
        let end = try window.bytes(8, at: Self.endOffset)
        spans.append(row.span(endingAt: end))
      }
      return Array(spans.prefix(limit))
    }
  }

  private struct Row {
    var id: Int64
    var count: Int
    var begin: Int64
    var length: Int

    var first: Revision { BlockKey.revision(id) }

    /// A damaged header must not give a span that ends before it begins.
    func span(endingAt end: [UInt8]) -> StoredSpan {
      let end = end.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return StoredSpan(
        first: first, last: first + (max(1, count) - 1), begin: Timestamp(milliseconds: begin),
        end: Timestamp(milliseconds: max(begin, Int64(bitPattern: end))),
        bytes: max(0, length - Block.headerLength))
    }
  }

  private func rows(_ number: UInt64, from start: Revision, limit: Int) throws(LogError) -> [Row] {
    // The length of a blob is known without reading it.
    try database.statement(
      "SELECT id, n, t0, length(d) FROM block WHERE id >= ? AND id <= ? ORDER BY id LIMIT ?"
    ).all(BlockKey.value(number, start), BlockKey.bounds(number).upper, .integer(Int64(limit))) {
      Row(
        id: $0.integer(0), count: Int(clamping: $0.integer(1)), begin: $0.integer(2),
        length: Int(clamping: $0.integer(3)))
    }
  }

  /// The snapshots of a log, oldest first.
  func snapshots(number: UInt64, log: LogID) throws(LogError) -> [SnapshotInfo] {
    try database.reading { () throws(LogError) in
      guard let row = try row(number: number), !row.deleted else { return [] }
      return try SnapshotTable(database: database, number: number).infos().filter {
        $0.revision.next >= row.low
      }
    }
  }
}

extension SnapshotTable {
  func infos() throws(LogError) -> [SnapshotInfo] {
    var lengths: [[UInt8]: Int] = [:]
    for part in try database.statement("SELECT key, length(d) FROM part WHERE log = ?").all(
      .bits(number), read: { (key: $0.bytes(0), length: Int(clamping: $0.integer(1))) })
    {
      lengths[part.key] = part.length
    }
    let bounds = BlockKey.bounds(number)
    return try database.statement(
      "SELECT id, t, keys, length(root) FROM snap WHERE id BETWEEN ? AND ? ORDER BY id"
    ).all(bounds.lower, bounds.upper) { row in
      let parts = SnapshotHead.split(row.bytes(2)).reduce(0) { $0 + (lengths[$1] ?? 0) }
      return SnapshotInfo(
        revision: BlockKey.revision(row.integer(0)), time: Timestamp(milliseconds: row.integer(1)),
        bytes: Int(clamping: row.integer(3)) + parts)
    }
  }
}
