import EventLogFormat
import EventLogModel

extension SealedStore.LogRow {
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

/// A log's row of the catalog with what only the writer and the checks need.
struct CatalogEntry {
  enum State: Int64 {
    case live = 0
    case deleting = 1
    case deleted = 2
  }

  var row: SealedStore.LogRow
  var state: State
  /// The first revision whose block is there: at most `low`, and below it until `tidy` has caught up.
  var firstKept: Revision
  /// The chain value before the first kept block; empty when that cannot be known any more.
  var chainBefore: [UInt8]
  /// The first revision of the open last block; zero when the last block is closed.
  var openFirst: Revision
  /// The chain value before the open block.
  var openBefore: [UInt8]

  init(created number: UInt64, _ log: LogID, _ epoch: Epoch, _ time: Timestamp) {
    row = SealedStore.LogRow(
      number: number, log: log, epoch: epoch, created: time, deleted: false, low: 1, next: 1,
      lastTime: time, blocks: 0, rawBytes: 0, storedBytes: 0, chain: Chain.origin)
    state = .live
    firstKept = 1
    chainBefore = Chain.origin
    openFirst = .zero
    openBefore = Chain.origin
  }

  /// Reads a row and its checksum. `isChecked` is false only where a test signs changed rows anew.
  init(_ statement: Statement, _ path: String, isChecked: Bool = true) throws(LogError) {
    row = try SealedStore.LogRow(statement, path)
    guard let state = State(rawValue: statement.integer(4)) else {
      throw .damaged(Damage(what: "state of a log is not valid", place: path, log: row.log))
    }
    self.state = state
    firstKept = Revision(statement.unsigned(12))
    chainBefore = statement.bytes(13)
    openFirst = Revision(statement.unsigned(14))
    openBefore = statement.bytes(15)
    guard !isChecked || statement.unsigned(16) == UInt64(checksum) else {
      throw .damaged(
        Damage(what: "row \(row.number) of the catalog fails its checksum", place: path, log: row.log))
    }
  }

  static func load(
    _ number: UInt64, from database: SQLiteConnection, isChecked: Bool = true
  ) throws(LogError) -> CatalogEntry? {
    let path = database.path
    return try database.statement(SealedStore.LogRow.selectOne).first(.bits(number)) {
      statement throws(LogError) in try CatalogEntry(statement, path, isChecked: isChecked)
    }
  }

  /// CRC32C over all columns in their order: integers as eight bytes, blobs as length and bytes.
  private var checksum: UInt32 {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    bytes.appendLittleEndian(row.number)
    bytes.appendBlob(row.log.bytes)
    bytes.appendLittleEndian(row.epoch.rawValue)
    bytes.appendLittleEndian(row.created.milliseconds)
    bytes.appendLittleEndian(state.rawValue)
    bytes.appendLittleEndian(row.low.rawValue)
    bytes.appendLittleEndian(row.next.rawValue)
    bytes.appendLittleEndian(row.lastTime.milliseconds)
    bytes.appendLittleEndian(Int64(row.blocks))
    bytes.appendLittleEndian(Int64(row.rawBytes))
    bytes.appendLittleEndian(Int64(row.storedBytes))
    bytes.appendBlob(row.chain)
    bytes.appendLittleEndian(firstKept.rawValue)
    bytes.appendBlob(chainBefore)
    bytes.appendLittleEndian(openFirst.rawValue)
    bytes.appendBlob(openBefore)
    return CRC32C.of(bytes)
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

extension [UInt8] {
  fileprivate mutating func appendBlob(_ bytes: [UInt8]) {
    appendLittleEndian(UInt64(bytes.count))
    append(contentsOf: bytes)
  }
}
