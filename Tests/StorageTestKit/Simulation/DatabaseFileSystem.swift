import CSQLite
import EventLog
import EventLogModel
import Foundation
import Synchronization

/// An `sqlite3_vfs` on the files of a disk session (sqlite.org/vfs.html), known to SQLite by its name as long as it lives.
///
/// As SQLite's own for Unix does: a new journal's name is made durable with its first sync, a failed read or write gives
/// SQLite's code for it, and an empty file counts as none.
final class DatabaseFileSystem {
  let name: String
  private let system: UnsafeMutablePointer<sqlite3_vfs>
  private let zName: UnsafeMutablePointer<CChar>
  private static let last = Atomic<UInt64>(0)

  /// Does not keep the session: the session keeps this.
  init(_ session: DiskSession) {
    name = "session-\(Self.last.add(1, ordering: .relaxed).newValue)"
    zName = strdup(name)!
    system = .allocate(capacity: 1)
    var vfs = sqlite3_vfs()
    vfs.iVersion = 2
    vfs.szOsFile = Int32(MemoryLayout<DatabaseFile.Slot>.size)
    vfs.mxPathname = 512
    vfs.zName = UnsafePointer(zName)
    vfs.pAppData = Unmanaged.passUnretained(session).toOpaque()
    vfs.xOpen = { DatabaseFileSystem.session($0).openDatabaseFile($1, $2, $3, $4) }
    vfs.xDelete = { DatabaseFileSystem.session($0).deleteDatabaseFile($1, syncsFolder: $2 != 0) }
    vfs.xAccess = { DatabaseFileSystem.session($0).lookAtDatabaseFile($1, $3) }
    vfs.xFullPathname = { _, path, room, out in
      guard let path, let out, strlen(path) < Int(room) else { return SQLITE_CANTOPEN }
      strcpy(out, path)
      return SQLITE_OK
    }
    vfs.xRandomness = { _, count, out in
      for index in 0..<Int(count) { out?[index] = CChar(truncatingIfNeeded: index &* 37) }
      return count
    }
    vfs.xSleep = { vfs, microseconds in
      DatabaseFileSystem.session(vfs).schedule.sleep(nanoseconds: UInt64(max(1, microseconds)) * 1_000)
      return microseconds
    }
    vfs.xCurrentTimeInt64 = { vfs, out in
      // Milliseconds since noon of 24 November 4714 BC.
      out?.pointee = 210_866_760_000_000 + DatabaseFileSystem.session(vfs).schedule.wallMilliseconds
      return SQLITE_OK
    }
    vfs.xGetLastError = { vfs, _, _ in DatabaseFileSystem.session(vfs).lastError }
    system.initialize(to: vfs)
    sqlite3_vfs_register(system, 0)
  }

  deinit {
    sqlite3_vfs_unregister(system)
    system.deallocate()
    free(zName)
  }

  private static func session(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> DiskSession {
    Unmanaged<DiskSession>.fromOpaque(vfs!.pointee.pAppData!).takeUnretainedValue()
  }
}

extension DiskSession {
  fileprivate func openDatabaseFile(
    _ name: UnsafePointer<CChar>?, _ place: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ flagsOut: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    place?.pointee.pMethods = nil
    // Temporary files are in memory (PRAGMA temp_store).
    guard let name, let place else { return SQLITE_CANTOPEN }
    let path = String(cString: name)
    let creates = flags & SQLITE_OPEN_CREATE != 0
    do throws(LogError) {
      let isNew = creates ? try disk.size(of: path) == nil : false
      let isJournal =
        flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL | SQLITE_OPEN_SUPER_JOURNAL) != 0
      let file = DatabaseFile(
        try file(path, create: creates), syncsFolder: isNew && isJournal)
      DatabaseFile.put(file, at: place)
    } catch { return SQLITE_CANTOPEN }
    flagsOut?.pointee = flags
    return SQLITE_OK
  }

  fileprivate func deleteDatabaseFile(_ name: UnsafePointer<CChar>?, syncsFolder: Bool) -> Int32 {
    guard let name else { return DatabaseCode.delete }
    let path = String(cString: name)
    do throws(LogError) { try unlink(path) } catch {
      if case .io(_, _, ErrorNumber.noEntry) = error { return DatabaseCode.noFileToDelete }
      return DatabaseCode.delete
    }
    guard syncsFolder else { return SQLITE_OK }
    return DatabaseFile.code(or: DatabaseCode.folderSync) { () throws(LogError) in
      try flushFolder(DatabaseFile.folder(of: path))
    }
  }

  fileprivate func lookAtDatabaseFile(_ name: UnsafePointer<CChar>?, _ out: UnsafeMutablePointer<Int32>?)
    -> Int32
  {
    guard let name else { return SQLITE_IOERR }
    // Of what cannot be looked at, SQLite for Unix says that it is not there.
    let size = (try? size(of: String(cString: name))) ?? nil
    out?.pointee = size ?? 0 > 0 ? 1 : 0
    return SQLITE_OK
  }
}

/// SQLite's extended codes, which are expressions in its header and do not come over.
enum DatabaseCode {
  static let read = SQLITE_IOERR | 1 << 8
  static let shortRead = SQLITE_IOERR | 2 << 8
  static let write = SQLITE_IOERR | 3 << 8
  static let sync = SQLITE_IOERR | 4 << 8
  static let folderSync = SQLITE_IOERR | 5 << 8
  static let truncate = SQLITE_IOERR | 6 << 8
  static let fileSize = SQLITE_IOERR | 7 << 8
  static let unlock = SQLITE_IOERR | 8 << 8
  static let readLock = SQLITE_IOERR | 9 << 8
  static let delete = SQLITE_IOERR | 10 << 8
  static let lock = SQLITE_IOERR | 15 << 8
  static let memorySize = SQLITE_IOERR | 19 << 8
  static let memoryLock = SQLITE_IOERR | 20 << 8
  static let memoryMap = SQLITE_IOERR | 21 << 8
  static let noFileToDelete = SQLITE_IOERR | 23 << 8
  static let fileSystem = SQLITE_IOERR | 33 << 8
}
