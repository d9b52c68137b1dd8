import EventLogModel

/// Reads the rows of a table page by page and without an index, where a page of the table or of an index cannot be read. Used
/// outside of transactions: each statement stands for itself.
struct HeapPages {
  let transaction: SealingTransaction

  /// Pages that one statement reads, if all of them can be read.
  private static let atOnce = 128
  /// The planner would take a look at all pages for a short table.
  private static let byPlace = Query("select set_config('enable_seqscan', 'off', true)")

  /// Gives the rows of all pages that can be read to `take`. Returns what is wrong with the others.
  ///
  /// - Parameter columns: those that are read; none of variable length, which a page could have damaged for itself.
  func read(_ columns: String, of table: String, take: (Rows) -> Void) throws(LogError) -> [Damage] {
    let size = try transaction.run([
      Query("select pg_relation_size(to_regclass($1)) / current_setting('block_size')::bigint", .text(table))
    ])[0]
    let pages = Int(size.integer(0, 0))
    var damages: [Damage] = []
    for first in stride(from: 0, to: pages, by: Self.atOnce) {
      try read(first..<min(pages, first + Self.atOnce), columns, of: table, take, &damages)
    }
    return damages
  }

  private func read(
    _ pages: Range<Int>, _ columns: String, of table: String, _ take: (Rows) -> Void,
    _ damages: inout [Damage]
  ) throws(LogError) {
    do throws(LogError) {
      let rows = try transaction.run([
        Self.byPlace,
        Query(
          "select \(columns) from \(table) where ctid >= $1::tid and ctid < $2::tid",
          .text("(\(pages.lowerBound),0)"), .text("(\(pages.upperBound),0)")),
      ])[1]
      take(rows)
    } catch {
      guard case .damaged(let found) = error else { throw error }
      guard pages.count > 1 else { return damages.append(found) }
      let middle = pages.lowerBound + pages.count / 2
      try read(pages.lowerBound..<middle, columns, of: table, take, &damages)
      try read(middle..<pages.upperBound, columns, of: table, take, &damages)
    }
  }

  /// Columns of the rows at some places, as `ctid` gives them.
  func rows(_ columns: String, of table: String, at places: [String]) throws(LogError) -> Rows {
    let list = "{" + places.map { "\"\($0)\"" }.joined(separator: ",") + "}"
    return try transaction.run([
      Self.byPlace, Query("select \(columns) from \(table) where ctid = any($1::tid[])", .text(list)),
    ])[1]
  }
}
