import CSQLite
import EventLogModel

/// SQLite's result codes as errors of the log. Never holds SQLite's own text, which can quote values.
enum SQLiteFailure {
  static func error(_ code: Int32, operation: String, path: String) -> LogError {
    switch code & 0xff {
    case SQLITE_FULL: .full(place: path)
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT:
      .damaged(Damage(what: "SQLite cannot read a page (\(code))", place: path))
    case SQLITE_BUSY, SQLITE_LOCKED: .locked(path: path)
    case SQLITE_READONLY: .readOnly
    default: .io(operation: "SQLite \(operation)", path: path, code: code)
    }
  }

  /// The version of the SQLite library in use, to be printed at start (storage design, section 10.1).
  static var libraryVersion: String { String(cString: sqlite3_libversion()) }
}
