import CSQLite
import EventLogModel

/// One connection to one SQLite file, used from one thread at a time: SQLite's own mutexes are off.
///
/// docs/FORMAT.md, "Rules of use", and ADR 0004: SQLite 3.7.0 to 3.51.2 can damage a WAL database when one connection commits
/// while another checkpoints. So of one file there is one `.writer`, which alone commits and checkpoints;
/// every other connection is a `.reader`, opened read-only, which never checkpoints, not even on close.
final class SQLiteConnection {
  enum ConnectionUse: Sendable, Hashable {
    /// The one connection of a file that writes and checkpoints.
    case writer
    case reader
    /// A reader of a file on a medium that cannot be written and that nobody changes.
    case stillReader
  }

  let path: String
  let role: ConnectionUse
  let disk: any Disk
  private(set) var handle: OpaquePointer?
  private var statements: [String: Statement] = [:]

  /// For tests: called with the text of a statement before each of its steps. If it returns a code, the step
  /// is not done and fails with that code.
  var fault: ((String) -> Int32?)?

  /// Opens an existing file.
  init(path: String, role: ConnectionUse, on disk: any Disk = SystemDisk()) throws(LogError) {
    self.path = path
    self.disk = disk
    self.role = role
    let access = role == .writer ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    let address = role == .stillReader ? SQLITE_OPEN_URI : 0
    let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | address
    let code = sqlite3_open_v2(SQLiteConnection.address(of: path, role), &handle, flags, disk.databaseFiles)
    guard code == SQLITE_OK, let handle else {
      let system = handle.map { sqlite3_system_errno($0) } ?? 0
      sqlite3_close_v2(handle)
      handle = nil
      throw SQLiteFailure.error(code, operation: "open", path: path, system: system)
    }
    sqlite3_busy_timeout(handle, SQLiteConnection.busyTimeout)
    guard role != .writer else { return }
    br_sqlite3_no_checkpoint_on_close(handle)
  }

  /// Milliseconds to wait for a lock. Only recovery after a kill and a checkpoint of the whole WAL ever wait.
  private static let busyTimeout: Int32 = 5_000

  /// Milliseconds that emptying the write-ahead log waits for readers' views. Views are short, except those
  /// of a backup or a check.
  private static let settlePatience: Int32 = 100

  /// The path; for a file that never changes a URI, because only a URI can tell SQLite so.
  private static func address(of path: String, _ role: ConnectionUse) -> String {
    guard role == .stillReader else { return path }
    let plain = UInt8(ascii: "0")...UInt8(ascii: "z")
    return path.utf8.reduce(into: "file:") { address, byte in
      let isPlain = plain.contains(byte) && byte != UInt8(ascii: "?") || byte == UInt8(ascii: "/")
      let digits = String(byte, radix: 16)
      address += isPlain ? String(Unicode.Scalar(byte)) : "%" + (digits.count == 1 ? "0" : "") + digits
    } + "?immutable=1"
  }

  deinit { close() }

  /// Finalises all statements and closes. Calling it again does nothing.
  ///
  /// The writer checkpoints first. SQLite does that by itself only when the last connection closes, and
  /// readers may still be open.
  func close() {
    for statement in statements.values { statement.finalize() }
    statements = [:]
    if role == .writer, handle != nil {
      sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    }
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// The statement of this text, prepared on first use and kept.
  func statement(_ sql: String) throws(LogError) -> Statement {
    if let known = statements[sql] { return known }
    var pointer: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
    guard code == SQLITE_OK, let pointer else { throw error(code, operation: "prepare") }
    let statement = Statement(pointer, sql: sql, of: self)
    statements[sql] = statement
    return statement
  }

  /// Runs statements that give no rows, separated by semicolons, once.
  func execute(_ sql: String) throws(LogError) {
    if let code = fault?(sql) { throw error(code, operation: "execute") }
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code, operation: "execute") }
  }

  /// The integer in the first column of the first row; zero without a row.
  func integer(_ sql: String) throws(LogError) -> Int64 {
    try statement(sql).first { $0.integer(0) } ?? 0
  }

  /// Runs `body` in one transaction that may write; rolls back on any error.
  func transaction<Result>(_ body: () throws(LogError) -> Result) throws(LogError) -> Result {
    try enclosed(begin: "BEGIN IMMEDIATE", body)
  }

  /// Runs `body` on one unchanging view of the file.
  func reading<Result>(_ body: () throws(LogError) -> Result) throws(LogError) -> Result {
    try enclosed(begin: "BEGIN DEFERRED", body)
  }

  /// Brings the write-ahead log into the file, syncs the file and empties the log. False if a reader's view
  /// prevents it for longer than `settlePatience`.
  ///
  /// The log must be emptied: if a frame in it were damaged later, SQLite would use the old pages before that
  /// frame in place of the newer ones in the file.
  func checkpoint() throws(LogError) -> Bool {
    if let code = fault?("PRAGMA wal_checkpoint") { throw error(code, operation: "checkpoint") }
    sqlite3_busy_timeout(handle, SQLiteConnection.settlePatience)
    defer { sqlite3_busy_timeout(handle, SQLiteConnection.busyTimeout) }
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    if code & 0xff == SQLITE_BUSY || code & 0xff == SQLITE_LOCKED { return false }
    guard code == SQLITE_OK else { throw error(code, operation: "checkpoint") }
    return true
  }

  private func enclosed<Result>(
    begin: String, _ body: () throws(LogError) -> Result
  ) throws(LogError) -> Result {
    try statement(begin).run()
    do throws(LogError) {
      let result = try body()
      try statement("COMMIT").run()
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  private func rollBack() {
    // After some failures, such as a full disk, SQLite has already rolled back.
    guard let handle, sqlite3_get_autocommit(handle) == 0 else { return }
    for statement in statements.values { statement.reset() }
    sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
  }

  func error(_ code: Int32, operation: String) -> LogError {
    SQLiteFailure.error(
      code, operation: operation, path: path, system: handle.map { sqlite3_system_errno($0) } ?? 0)
  }
}
