import EventLogModel
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The `errno` values that the engine tells apart.
package enum ErrorNumber {
  package static let io = EIO
  package static let noSpace = ENOSPC
  package static let quota = EDQUOT
  package static let noEntry = ENOENT
  /// No file can be opened: this process, or the system, has as many open as it may.
  package static let filesOfProcess = EMFILE
  package static let filesOfSystem = ENFILE

  /// Whether a call failed for lack of something that can come back: space, or places for open files. A write
  /// or flush needs no new place for an open file, so with that error the operation was not begun.
  static func canPass(_ error: LogError) -> Bool {
    if case .io(_, _, let code) = error { return code == noSpace || code == quota || isOfFiles(code) }
    if case .full = error { return true }
    return false
  }

  /// Whether no file could be opened.
  static func isOfFiles(_ error: LogError) -> Bool {
    if case .io(_, _, let code) = error { isOfFiles(code) } else { false }
  }

  static func isOfFiles(_ code: Int32) -> Bool { code == filesOfProcess || code == filesOfSystem }

  /// Turns such an error into `full`, which says what is full; other errors stay as they are.
  static func asFull(_ error: LogError, in folder: String) -> LogError {
    guard canPass(error) else { return error }
    if case .io(_, _, let code) = error, isOfFiles(code) { return .full(place: openFiles) }
    if case .full = error { return error }
    return .full(place: folder)
  }

  /// The place of `LogError.full` when no more files can be opened.
  static let openFiles = "the table of open files (LimitNOFILE, ulimit -n)"
}

/// The operating system's files.
package struct SystemDisk: Disk {
  package init() {}

  package func makeFolder(_ path: String) throws(LogError) {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      made += "/" + part
      guard mkdir(made, 0o700) != 0, errno != EEXIST, errno != EROFS, errno != EISDIR else { continue }
      throw .io(operation: "mkdir", path: made, code: errno)
    }
  }

  package func list(_ folder: String) throws(LogError) -> [String] {
    guard let stream = opendir(folder) else { throw .io(operation: "opendir", path: folder, code: errno) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  package func open(_ path: String, create: Bool, readOnly: Bool) throws(LogError) -> any DiskFile {
    let flags = (readOnly ? O_RDONLY : O_RDWR) | (create ? O_CREAT : 0) | O_CLOEXEC
    return try SystemFile(path: path, descriptor: descriptor(path, flags))
  }

  private func descriptor(_ path: String, _ flags: Int32) throws(LogError) -> Int32 {
    while true {
      #if canImport(Darwin)
        let descriptor = Darwin.open(path, flags, 0o600)
      #elseif canImport(Musl)
        let descriptor = Musl.open(path, flags, 0o600)
      #else
        let descriptor = Glibc.open(path, flags, 0o600)
      #endif
      if descriptor >= 0 { return descriptor }
      if errno != EINTR { throw .io(operation: "open", path: path, code: errno) }
    }
  }

  package func rename(_ path: String, to new: String) throws(LogError) {
    #if canImport(Darwin)
      let result = Darwin.rename(path, new)
    #elseif canImport(Musl)
      let result = Musl.rename(path, new)
    #else
      let result = Glibc.rename(path, new)
    #endif
    guard result == 0 else { throw .io(operation: "rename", path: path, code: errno) }
  }

  package func unlink(_ path: String) throws(LogError) {
    #if canImport(Darwin)
      let result = Darwin.unlink(path)
    #elseif canImport(Musl)
      let result = Musl.unlink(path)
    #else
      let result = Glibc.unlink(path)
    #endif
    guard result == 0 else { throw .io(operation: "unlink", path: path, code: errno) }
  }

  package func size(of path: String) throws(LogError) -> Int? {
    var status = stat()
    if stat(path, &status) == 0 { return Int(status.st_size) }
    guard errno != ENOENT, errno != ENOTDIR else { return nil }
    throw .io(operation: "stat", path: path, code: errno)
  }

  package func flushFolder(_ path: String) throws(LogError) {
    let folder = try descriptor(path, O_RDONLY | O_CLOEXEC)
    let file = SystemFile(path: path, descriptor: folder)
    defer { file.close() }
    guard fsync(folder) == 0 else { throw .io(operation: "fsync", path: path, code: errno) }
  }

  package func lock(_ path: String) throws(LogError) -> any DiskFile {
    let file = SystemFile(
      path: path, descriptor: try descriptor(path, O_RDWR | O_CREAT | O_CLOEXEC), isLock: true)
    guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      file.close()
      if code == EWOULDBLOCK { throw .locked(path: path) }
      throw .io(operation: "flock", path: path, code: code)
    }
    return file
  }

  package func isInPlace(_ file: any DiskFile) -> Bool {
    guard let file = file as? SystemFile else { return true }
    var (opened, found) = (stat(), stat())
    guard fstat(file.descriptor, &opened) == 0 else { return true }
    guard stat(file.path, &found) == 0 else { return errno != ENOENT && errno != ENOTDIR }
    return opened.st_dev == found.st_dev && opened.st_ino == found.st_ino
  }
}

final class SystemFile: DiskFile {
  let path: String
  let descriptor: Int32
  private let isLock: Bool
  private let isClosed = Atomic(false)

  init(path: String, descriptor: Int32, isLock: Bool = false) {
    self.path = path
    self.descriptor = descriptor
    self.isLock = isLock
  }

  func pwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogError) -> Int {
    while true {
      #if canImport(Darwin)
        let count = Darwin.pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
      #elseif canImport(Musl)
        let count = Musl.pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
      #else
        let count = Glibc.pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
      #endif
      if count >= 0 { return count }
      if errno != EINTR { throw .io(operation: "pwrite", path: path, code: errno) }
    }
  }

  func pread(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(LogError) -> Int {
    while true {
      #if canImport(Darwin)
        let count = Darwin.pread(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
      #elseif canImport(Musl)
        let count = Musl.pread(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
      #else
        let count = Glibc.pread(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
      #endif
      if count >= 0 { return count }
      if errno != EINTR { throw .io(operation: "pread", path: path, code: errno) }
    }
  }

  func flush() throws(LogError) {
    #if canImport(Darwin)
      // fsync on Darwin leaves bytes in the drive's cache; F_FULLFSYNC does not.
      guard fcntl(descriptor, F_FULLFSYNC) == 0 else {
        throw .io(operation: "F_FULLFSYNC", path: path, code: errno)
      }
    #else
      guard fdatasync(descriptor) == 0 else {
        throw .io(operation: "fdatasync", path: path, code: errno)
      }
    #endif
  }

  func truncate(to length: Int) throws(LogError) {
    guard ftruncate(descriptor, off_t(length)) == 0 else {
      throw .io(operation: "ftruncate", path: path, code: errno)
    }
  }

  func size() throws(LogError) -> Int {
    let end = lseek(descriptor, 0, SEEK_END)
    guard end >= 0 else { throw .io(operation: "lseek", path: path, code: errno) }
    return Int(end)
  }

  /// Closes once. After that the number may belong to another file or socket, so that a second close would
  /// close that one.
  func close() {
    guard !isClosed.exchange(true, ordering: .relaxed) else { return }
    // A child that is between fork and exec has the descriptor, too, and would keep the lock beyond the close.
    if isLock { _ = flock(descriptor, LOCK_UN) }
    #if canImport(Darwin)
      _ = Darwin.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #else
      _ = Glibc.close(descriptor)
    #endif
  }
}
