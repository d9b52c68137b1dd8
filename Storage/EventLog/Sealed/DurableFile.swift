import EventLogModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files that survive a power cut from the moment they are made: storage design, section 5.1.
enum DurableFile {
  /// Makes an empty file unless it is there, syncs it and its folder.
  ///
  /// A file that is there is not touched: closing any descriptor of a file takes away all POSIX locks that
  /// SQLite's connections in this process hold on it.
  static func create(_ path: String, in folder: String) throws(LogError) {
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if file < 0, errno == EEXIST { return }
    guard file >= 0 else { throw .io(operation: "open", path: path, code: errno) }
    defer { Self.close(file) }
    guard fsync(file) == 0 else { throw .io(operation: "fsync", path: path, code: errno) }
    try syncFolder(folder)
  }

  /// Syncs a folder, so that names made or removed in it last.
  static func syncFolder(_ folder: String) throws(LogError) {
    let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw .io(operation: "open", path: folder, code: errno) }
    defer { Self.close(directory) }
    guard fsync(directory) == 0 else { throw .io(operation: "fsync", path: folder, code: errno) }
  }

  /// Writes a file over with its own bytes and syncs it; nothing when there is none.
  ///
  /// After a failed sync the kernel takes the file's pages for clean: they can be read, may never have
  /// reached the disk, and a later sync says nothing of them. SQLite would take such a WAL for committed, and the
  /// journal behind it would be used again. Pages written afresh are synced in truth.
  static func rewrite(_ path: String) throws(LogError) {
    let file = open(path, O_RDWR | O_CLOEXEC)
    if file < 0, errno == ENOENT { return }
    guard file >= 0 else { throw .io(operation: "open", path: path, code: errno) }
    defer { Self.close(file) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var offset: off_t = 0
    while true {
      let count = pread(file, &buffer, buffer.count, offset)
      guard count >= 0 else { throw .io(operation: "read", path: path, code: errno) }
      guard count > 0 else { break }
      guard pwrite(file, buffer, count, offset) == count else {
        throw .io(operation: "write", path: path, code: errno)
      }
      offset += off_t(count)
    }
    guard fsync(file) == 0 else { throw .io(operation: "fsync", path: path, code: errno) }
  }

  /// Whether the file is there and not empty.
  static func hasContent(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_size > 0
  }

  /// Bytes of a file; 0 where there is none.
  static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Syncs an existing file and its folder.
  static func sync(_ path: String) throws(LogError) {
    let file = open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { throw .io(operation: "open", path: path, code: errno) }
    defer { Self.close(file) }
    guard fsync(file) == 0 else { throw .io(operation: "fsync", path: path, code: errno) }
    try syncFolder(folder(of: path))
  }

  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Removes a file, if it is there.
  static func remove(_ path: String) { unlink(path) }

  #if canImport(Glibc)
    private static func close(_ file: Int32) { _ = Glibc.close(file) }
  #else
    private static func close(_ file: Int32) { _ = Darwin.close(file) }
  #endif
}
