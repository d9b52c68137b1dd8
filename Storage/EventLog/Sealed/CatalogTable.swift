import EventLogFormat
import EventLogModel

extension LogRow {
  private static let columns = """
    no, id, epoch, created_ms, state, low, next, last_ms, blocks, raw_bytes, stored_bytes, chain,
    first_kept, chain_before, open_first, open_before, crc
    """
  static let selectAll = "SELECT \(columns) FROM log ORDER BY no"
  static let selectOne = "SELECT \(columns) FROM log WHERE no = ?"

  fileprivate init(_ row: Statement, _ path: String) throws(LogError) {
    let number = row.unsigned(0)
    guard let log = LogID(bytes: row.borrowed(1)), row.borrowed(11).count == Chain.byteCount,
      (1..<BlockKey.numberLimit).contains(number), row.unsigned(5) < BlockKey.revisionLimit,
      (1...BlockKey.revisionLimit).contains(row.unsigned(6))
    else { throw .damaged(Damage(what: "row \(number) of the catalog is not valid", place: path)) }
    self.init(
      number: number, log: log, epoch: Epoch(row.unsigned(2)),
      created: Timestamp(milliseconds: row.integer(3)), deleted: row.integer(4) != 0,
      low: Revision(row.unsigned(5)), next: Revision(row.unsigned(6)),
      lastTime: Timestamp(milliseconds: row.integer(7)), blocks: Int(row.integer(8)),
      rawBytes: Int(row.integer(9)), storedBytes: Int(row.integer(10)), chain: row.bytes(11))
  }
}

extension CatalogEntry {
  /// Reads a row and its checksum. `isChecked` is false only where a test signs changed rows anew.
  init(_ statement: Statement, _ path: String, isChecked: Bool = true) throws(LogError) {
    let row = try LogRow(statement, path)
    guard let state = State(rawValue: statement.integer(4)) else {
      throw .damaged(Damage(what: "state of a log is not valid", place: path, log: row.log))
    }
    self.init(
      row: row, state: state, firstKept: Revision(statement.unsigned(12)), chainBefore: statement.bytes(13),
      openFirst: Revision(statement.unsigned(14)), openBefore: statement.bytes(15))
    guard !isChecked || statement.unsigned(16) == UInt64(checksum) else {
      throw .damaged(
        Damage(what: "row \(row.number) of the catalog fails its checksum", place: path, log: row.log))
    }
  }

  static func load(
    _ number: UInt64, from database: SQLiteConnection, isChecked: Bool = true
  ) throws(LogError) -> CatalogEntry? {
    let path = database.path
    return try database.statement(LogRow.selectOne).first(.bits(number)) {
      statement throws(LogError) in try CatalogEntry(statement, path, isChecked: isChecked)
    }
  }

  func insert(into database: SQLiteConnection) throws(LogError) {
    try database.statement(
      """
      INSERT INTO log(no, id, epoch, created_ms, state, low, next, last_ms, blocks, raw_bytes,
        stored_bytes, chain, first_kept, chain_before, open_first, open_before, crc)
      VALUES(?, ?, ?, ?, 0, 1, 1, ?, 0, 0, 0, ?, 1, ?, 0, ?, ?)
      """
    ).run(
      .bits(row.number), .blob(row.log.bytes), .bits(row.epoch.rawValue),
      .integer(row.created.milliseconds), .integer(row.lastTime.milliseconds), .blob(row.chain),
      .blob(chainBefore), .blob(openBefore), .integer(Int64(checksum)))
  }

  func update(in database: SQLiteConnection) throws(LogError) {
    try database.statement(
      """
      UPDATE log SET epoch = ?, state = ?, low = ?, next = ?, last_ms = ?, blocks = ?, raw_bytes = ?,
        stored_bytes = ?, chain = ?, first_kept = ?, chain_before = ?, open_first = ?, open_before = ?,
        crc = ?
      WHERE no = ?
      """
    ).run(
      .bits(row.epoch.rawValue), .integer(state.rawValue), .bits(row.low.rawValue),
      .bits(row.next.rawValue), .integer(row.lastTime.milliseconds), .integer(Int64(row.blocks)),
      .integer(Int64(row.rawBytes)),
      .integer(Int64(row.storedBytes)), .blob(row.chain), .bits(firstKept.rawValue), .blob(chainBefore),
      .bits(openFirst.rawValue), .blob(openBefore), .integer(Int64(checksum)), .bits(row.number))
  }
}
