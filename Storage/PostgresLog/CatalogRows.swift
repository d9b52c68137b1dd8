import EventLog
import EventLogFormat
import EventLogModel

// The rows of the table `log`, which are those of FORMAT.md's catalog.

extension CatalogEntry {
  static let columns = """
    no, id, epoch, created_ms, state, low, next, last_ms, blocks, raw_bytes, stored_bytes, chain,
    first_kept, chain_before, open_first, open_before, crc
    """
  static let select = "select \(columns) from log"

  /// Reads a row and checks its checksum. Throws `damaged`.
  init(_ rows: Rows, _ row: Int, _ place: String) throws(LogError) {
    let number = rows.unsigned(row, 0)
    guard let log = LogID(bytes: rows.borrowed(row, 1)), let state = State(rawValue: rows.integer(row, 4))
    else { throw .damaged(Damage(what: "row \(number) of the catalog is not valid", place: place)) }
    self.init(
      row: LogRow(
        number: number, log: log, epoch: Epoch(rows.unsigned(row, 2)), created: rows.time(row, 3),
        deleted: state != .live, low: rows.revision(row, 5), next: rows.revision(row, 6),
        lastTime: rows.time(row, 7), blocks: Int(rows.integer(row, 8)), rawBytes: Int(rows.integer(row, 9)),
        storedBytes: Int(rows.integer(row, 10)), chain: rows.bytes(row, 11)),
      state: state, firstKept: rows.revision(row, 12), chainBefore: rows.bytes(row, 13),
      openFirst: rows.revision(row, 14), openBefore: rows.bytes(row, 15))
    guard rows.integer(row, 16) == Int64(checksum) else {
      throw .damaged(
        Damage(what: "row \(number) of the catalog fails its checksum", place: place, log: log))
    }
  }

  /// A statement that makes the row of a log with its owner, and answers with its number; with no row if
  /// there is a log of this name already, also if another node makes it at the same time.
  func insertion(owner: Int64) -> Query {
    var query = Query(
      """
      insert into log(\(Self.columns), owner)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
      on conflict (id) do nothing returning no
      """)
    query.parameters = [
      .bits(row.number), .bytes(row.log.bytes), .bits(row.epoch.rawValue), .integer(row.created.milliseconds),
      .integer(state.rawValue), .revision(row.low), .revision(row.next), .integer(row.lastTime.milliseconds),
      .integer(row.blocks), .integer(row.rawBytes), .integer(row.storedBytes), .bytes(row.chain),
      .revision(firstKept), .bytes(chainBefore), .revision(openFirst), .bytes(openBefore),
      .integer(Int64(checksum)), .integer(owner),
    ]
    return query
  }

  /// One statement that writes rows, new ones and changed ones.
  static func upsert(_ entries: [CatalogEntry]) -> Query {
    func integers(_ value: (CatalogEntry) -> Int64) -> QueryParameter { .integers(entries.map(value)) }
    func bytes(_ value: (CatalogEntry) -> [UInt8]) -> QueryParameter { .byteLists(entries.map(value)) }
    func revisions(_ value: (CatalogEntry) -> Revision) -> QueryParameter {
      integers { Int64(bitPattern: value($0).rawValue) }
    }
    return Query(
      """
      insert into log(\(columns))
      select * from unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
      on conflict (no) do update set epoch = excluded.epoch, state = excluded.state, low = excluded.low,
      next = excluded.next, last_ms = excluded.last_ms, blocks = excluded.blocks,
      raw_bytes = excluded.raw_bytes, stored_bytes = excluded.stored_bytes, chain = excluded.chain,
      first_kept = excluded.first_kept, chain_before = excluded.chain_before,
      open_first = excluded.open_first, open_before = excluded.open_before, crc = excluded.crc
      """,
      integers { Int64(bitPattern: $0.row.number) }, bytes(\.row.log.bytes),
      integers { Int64(bitPattern: $0.row.epoch.rawValue) }, integers(\.row.created.milliseconds),
      integers(\.state.rawValue), revisions(\.row.low), revisions(\.row.next),
      integers(\.row.lastTime.milliseconds), integers { Int64($0.row.blocks) },
      integers { Int64($0.row.rawBytes) }, integers { Int64($0.row.storedBytes) }, bytes(\.row.chain),
      revisions(\.firstKept), bytes(\.chainBefore), revisions(\.openFirst), bytes(\.openBefore),
      integers { Int64($0.checksum) })
  }
}
