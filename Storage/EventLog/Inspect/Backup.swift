import CSQLite
import EventLogModel

/// Copies the sealed part while the store runs. The journal's segments are copied separately; events that are
/// in both are recognised by log and revision when the copy is opened.
public enum Backup {
  /// How the database is copied.
  public enum CopyMethod: Sendable, Hashable {
    /// Page by page, as the file is.
    case exact
    /// Written again without free pages (`VACUUM INTO`): smaller and slower, and without progress.
    case compact
  }

  /// Copies `log.db` of `folder`, as it is at one moment, to the new file `path`, and syncs the copy.
  ///
  /// `progress` counts pages; when it answers false the unfinished copy is removed and the result is false.
  /// During the copy a view of the file is held, so that SQLite's WAL grows; writers do not wait. Throws
  /// `.io` when `path` exists, and `.full` when there is no space.
  @discardableResult
  public static func database(
    of folder: String, to path: String, form: CopyMethod = .exact,
    progress: (InspectProgress) -> Bool = { _ in true }
  ) throws(LogError) -> Bool {
    guard try !DurableFile(path).exists() else { throw .io(operation: "create", path: path, code: 17) }
    let reader = try SealedReader(folder: folder)
    defer { reader.close() }
    do throws(LogError) {
      let isDone: Bool
      switch form {
      case .exact:
        isDone = try reader.database.reading { () throws(LogError) in
          // A first read fixes the view.
          _ = try reader.database.integer("SELECT count(*) FROM meta")
          return try copy(reader.database, to: path, progress)
        }
      case .compact:
        try reader.database.execute("PRAGMA query_only=OFF")
        try reader.database.statement("VACUUM INTO ?").run(.text(path))
        isDone = true
      }
      guard isDone else {
        DurableFile(path).remove()
        return false
      }
      try DurableFile(path).sync()
      return true
    } catch {
      DurableFile(path).remove()
      throw error
    }
  }

  /// Pages of one step: 4 MiB.
  private static let pagesPerStep: Int32 = 1_024

  private static func copy(
    _ source: SQLiteConnection, to path: String, _ progress: (InspectProgress) -> Bool
  ) throws(LogError) -> Bool {
    try DurableFile(path).create()
    let target = try SQLiteConnection(path: path, role: .writer)
    defer { target.close() }
    guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
      throw target.error(sqlite3_errcode(target.handle), operation: "backup")
    }
    var code = SQLITE_OK
    var goesOn = true
    while code == SQLITE_OK, goesOn {
      code = sqlite3_backup_step(backup, pagesPerStep)
      let total = Int(sqlite3_backup_pagecount(backup))
      goesOn = progress(InspectProgress(done: total - Int(sqlite3_backup_remaining(backup)), total: total))
    }
    let result = sqlite3_backup_finish(backup)
    guard code != SQLITE_DONE else { return goesOn }
    guard code == SQLITE_OK else {
      throw target.error(result == SQLITE_OK ? code : result, operation: "backup")
    }
    return false
  }
}
