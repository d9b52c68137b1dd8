import CSQLite
import EventLogModel

/// SQLite's result codes as errors of the log. Never holds SQLite's own text, which can quote values.
enum SQLiteFailure {
  /// - Parameter system: `errno` of the last system call that failed.
  static func error(_ code: Int32, operation: String, path: String, system: Int32 = 0) -> LogError {
    switch code & 0xff {
    case SQLITE_CANTOPEN where ErrorNumber.isOfFiles(system): .full(place: ErrorNumber.openFiles)
    case SQLITE_FULL: .full(place: path)
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT:
      .damaged(Damage(what: "SQLite cannot read a page (\(code))", place: path))
    case SQLITE_BUSY, SQLITE_LOCKED: .locked(path: path)
    case SQLITE_READONLY: .readOnly
    default: .io(operation: "SQLite \(operation)", path: path, code: code)
    }
  }
}

/// The SQLite library in use.
public enum SQLiteLibrary {
  /// For instance "3.40.1". The server logs it at start, because versions before 3.51.3 have a known fault,
  /// which the store avoids by its rules of use (ADR 0004).
  public static var version: String { String(cString: sqlite3_libversion()) }
}
