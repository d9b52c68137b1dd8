import CSQLite
import EventLogModel

/// What can be bound to a parameter.
enum Value: ExpressibleByIntegerLiteral {
  case integer(Int64)
  case blob([UInt8])
  case text(String)

  init(integerLiteral value: Int64) { self = .integer(value) }

  /// Stored as the signed integer of the same bits.
  static func bits(_ value: UInt64) -> Value { .integer(Int64(bitPattern: value)) }
}

/// One prepared statement. Every call that steps it also resets it, so that no statement holds a view of
/// the file longer than the call.
final class Statement {
  private var pointer: OpaquePointer?
  private let sql: String
  private unowned let connection: SQLiteConnection

  init(_ pointer: OpaquePointer, sql: String, of connection: SQLiteConnection) {
    self.pointer = pointer
    self.sql = sql
    self.connection = connection
  }

  func finalize() {
    sqlite3_finalize(pointer)
    pointer = nil
  }

  func reset() { sqlite3_reset(pointer) }

  /// Runs to the end, without rows.
  func run(_ values: Value...) throws(LogError) {
    try stepping(values) { () throws(LogError) in while try step() {} }
  }

  /// What `read` makes of the first row; `nil` without one.
  func first<Result>(
    _ values: Value..., read: (Statement) throws(LogError) -> Result
  ) throws(LogError) -> Result? {
    try stepping(values) { () throws(LogError) in try step() ? try read(self) : nil }
  }

  /// What `read` makes of each row.
  func all<Result>(
    _ values: Value..., read: (Statement) throws(LogError) -> Result
  ) throws(LogError) -> [Result] {
    var results: [Result] = []
    try stepping(values) { () throws(LogError) in
      while try step() { results.append(try read(self)) }
    }
    return results
  }

  /// Calls `read` with each row until it answers false.
  func each(
    _ values: Value..., read: (Statement) throws(LogError) -> Bool
  ) throws(LogError) {
    try stepping(values) { () throws(LogError) in
      while try step() {
        guard try read(self) else { return }
      }
    }
  }

  private func stepping<Result>(
    _ values: [Value], _ body: () throws(LogError) -> Result
  ) throws(LogError) -> Result {
    defer {
      sqlite3_reset(pointer)
      sqlite3_clear_bindings(pointer)
    }
    try bind(values)
    return try body()
  }

  private func bind(_ values: [Value]) throws(LogError) {
    for (index, value) in values.enumerated() {
      let place = Int32(index + 1)
      let code: Int32
      switch value {
      case .integer(let integer): code = sqlite3_bind_int64(pointer, place, integer)
      case .blob(let bytes): code = bind(bytes, at: place)
      case .text(let text): code = sqlite3_bind_text(pointer, place, text, -1, transient)
      }
      guard code == SQLITE_OK else { throw connection.error(code, operation: "bind") }
    }
  }

  private func bind(_ bytes: [UInt8], at place: Int32) -> Int32 {
    // A null pointer would bind NULL, not an empty blob.
    guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(pointer, place, 0) }
    return bytes.withUnsafeBytes {
      sqlite3_bind_blob64(pointer, place, $0.baseAddress, UInt64($0.count), transient)
    }
  }

  private func step() throws(LogError) -> Bool {
    if let code = connection.fault?(sql) { throw connection.error(code, operation: operation) }
    let code = sqlite3_step(pointer)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw connection.error(code, operation: operation)
    }
  }

  /// The first word of the statement: enough to say in an error what was being done.
  private var operation: String { String(sql.prefix { $0 != " " }) }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(pointer, column) }
  func unsigned(_ column: Int32) -> UInt64 { UInt64(bitPattern: integer(column)) }
  func text(_ column: Int32) -> String {
    sqlite3_column_text(pointer, column).map { String(cString: $0) } ?? ""
  }

  func bytes(_ column: Int32) -> [UInt8] { Array(borrowed(column)) }

  /// The bytes of a column, valid until the statement steps on.
  func borrowed(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(pointer, column)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column)))
  }
}

/// Tells SQLite to copy what is bound.
nonisolated(unsafe) private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
