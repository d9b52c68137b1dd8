import CSQLite
import EventLog
import EventLogModel

/// One file that SQLite has open on a disk session: `sqlite3_io_methods` on it.
final class DatabaseFile {
  /// What SQLite allocates for a file.
  struct Slot {
    var base: sqlite3_file
    var file: Unmanaged<DatabaseFile>?
  }

  private let file: SessionFile
  /// The first sync makes the name durable too.
  private var syncsFolder: Bool
  private var owner: ObjectIdentifier { ObjectIdentifier(self) }
  private var locks: DatabaseLocks { file.session.locks }

  init(_ file: SessionFile, syncsFolder: Bool) { (self.file, self.syncsFolder) = (file, syncsFolder) }

  static func put(_ file: DatabaseFile, at place: UnsafeMutablePointer<sqlite3_file>) {
    place.withMemoryRebound(to: Slot.self, capacity: 1) { slot in
      slot.pointee.base.pMethods = UnsafePointer(methods)
      slot.pointee.file = .passRetained(file)
    }
  }

  private static func at(_ place: UnsafeMutablePointer<sqlite3_file>?) -> DatabaseFile {
    place!.withMemoryRebound(to: Slot.self, capacity: 1) { $0.pointee.file!.takeUnretainedValue() }
  }

  static func folder(of path: String) -> String {
    String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
  }

  /// SQLite's code for how a call went.
  static func code(or failure: Int32, _ body: () throws(LogError) -> Void) -> Int32 {
    do throws(LogError) { try body() } catch {
      guard case .io(_, _, let code) = error, code == ErrorNumber.noSpace else { return failure }
      return failure == DatabaseCode.memoryMap ? DatabaseCode.memorySize : SQLITE_FULL
    }
    return SQLITE_OK
  }

  // MARK: Bytes

  private func read(_ out: UnsafeMutableRawPointer?, _ count: Int, at offset: Int) -> Int32 {
    let bytes = UnsafeMutableRawBufferPointer(start: out, count: count)
    var done = 0
    do throws(LogError) { done = try file.pread(into: bytes, at: offset) } catch {
      return DatabaseCode.fileSystem
    }
    guard done < count else { return SQLITE_OK }
    UnsafeMutableRawBufferPointer(rebasing: bytes[done...]).initializeMemory(as: UInt8.self, repeating: 0)
    return DatabaseCode.shortRead
  }

  private func write(_ bytes: UnsafeRawPointer?, _ count: Int, at offset: Int) -> Int32 {
    Self.code(or: DatabaseCode.write) { () throws(LogError) in
      let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
      var done = 0
      while done < count {
        done += try file.pwrite(UnsafeRawBufferPointer(rebasing: bytes[done...]), at: offset + done)
      }
    }
  }

  private func sync() -> Int32 {
    let code = Self.code(or: DatabaseCode.sync) { () throws(LogError) in try file.flush() }
    guard code == SQLITE_OK, syncsFolder else { return code }
    return Self.code(or: DatabaseCode.folderSync) { () throws(LogError) in
      try file.session.flushFolder(Self.folder(of: file.path))
      syncsFolder = false
    }
  }

  private func close() {
    locks.leave(file.path, owner)
    locks.lower(file.path, owner, to: SQLITE_LOCK_NONE)
    file.close()
  }

  // MARK: Locks

  private func raise(to level: Int32) -> Int32 {
    var isMine = false
    let code = Self.code(or: DatabaseCode.lock) { () throws(LogError) in
      _ = try file.session.enter(.databaseLock, file.path, length: Int(level))
      isMine = locks.raise(file.path, owner, to: level)
    }
    return code == SQLITE_OK && !isMine ? SQLITE_BUSY : code
  }

  private func map(
    _ index: Int32, _ bytes: Int32, extend: Bool, _ out: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> Int32 {
    Self.code(or: DatabaseCode.memoryMap) { () throws(LogError) in
      _ = try file.session.enter(.share, file.path, offset: Int(index), grows: extend)
      out?.pointee = locks.region(file.path, owner, Int(index), bytes: Int(bytes), extend: extend)
    }
  }

  private func lockMemory(_ first: Int32, _ count: Int32, _ flags: Int32) -> Int32 {
    let slots = Int(first)..<Int(first + count)
    // Giving back never fails.
    if flags & SQLITE_SHM_UNLOCK != 0 {
      _ = locks.lock(file.path, owner, slots, flags)
      return SQLITE_OK
    }
    var isMine = false
    let code = Self.code(or: DatabaseCode.memoryLock) { () throws(LogError) in
      _ = try file.session.enter(.databaseLock, file.path, offset: Int(first), length: Int(flags))
      isMine = locks.lock(file.path, owner, slots, flags)
    }
    return code == SQLITE_OK && !isMine ? SQLITE_BUSY : code
  }

  // MARK: SQLite's table of them

  nonisolated(unsafe) private static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
    var table = sqlite3_io_methods()
    table.iVersion = 2
    table.xClose = { place in
      DatabaseFile.at(place).close()
      place!.withMemoryRebound(to: Slot.self, capacity: 1) { $0.pointee.file?.release() }
      return SQLITE_OK
    }
    table.xRead = { DatabaseFile.at($0).read($1, Int($2), at: Int($3)) }
    table.xWrite = { DatabaseFile.at($0).write($1, Int($2), at: Int($3)) }
    table.xTruncate = { place, length in
      let file = DatabaseFile.at(place).file
      return DatabaseFile.code(or: DatabaseCode.truncate) { () throws(LogError) in
        try file.truncate(to: Int(length))
      }
    }
    table.xSync = { place, _ in DatabaseFile.at(place).sync() }
    table.xFileSize = { place, out in
      let file = DatabaseFile.at(place).file
      return DatabaseFile.code(or: DatabaseCode.fileSize) { () throws(LogError) in
        out?.pointee = sqlite3_int64(try file.size())
      }
    }
    table.xLock = { DatabaseFile.at($0).raise(to: $1) }
    table.xUnlock = { place, level in
      let file = DatabaseFile.at(place)
      file.locks.lower(file.file.path, file.owner, to: level)
      return SQLITE_OK
    }
    table.xCheckReservedLock = { place, out in
      let file = DatabaseFile.at(place)
      out?.pointee = file.locks.isReserved(file.file.path) ? 1 : 0
      return SQLITE_OK
    }
    table.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    table.xSectorSize = { _ in 4_096 }
    table.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    table.xShmMap = { DatabaseFile.at($0).map($1, $2, extend: $3 != 0, $4) }
    table.xShmLock = { DatabaseFile.at($0).lockMemory($1, $2, $3) }
    table.xShmBarrier = { _ in }
    table.xShmUnmap = { place, _ in
      let file = DatabaseFile.at(place)
      file.locks.leave(file.file.path, file.owner)
      return SQLITE_OK
    }
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: table)
    return methods
  }()
}
