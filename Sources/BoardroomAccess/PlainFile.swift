#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Small files, written by system calls, because Foundation's functions do not say when bytes are on disk.
package enum PlainFile {
  package enum Failure: Error, Sendable, Hashable, CustomStringConvertible {
    case io(operation: String, path: String, code: Int32)

    package var description: String {
      switch self {
      case .io(let operation, let path, let code):
        "\(operation) failed on \(path): \(String(cString: strerror(code))). Check the folder's owner and rights."
      }
    }
  }

  /// Nil if there is no such file.
  package static func read(_ path: String) throws(Failure) -> [UInt8]? {
    guard let file = fopen(path, "r") else {
      guard errno == ENOENT else { throw .io(operation: "open", path: path, code: errno) }
      return nil
    }
    defer { fclose(file) }
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      guard count > 0 else { break }
      all += buffer[..<count]
    }
    guard ferror(file) == 0 else { throw .io(operation: "read", path: path, code: EIO) }
    return all
  }

  /// The names in a folder, sorted; none where it is not there, or is no folder. Throws if it cannot be read: what is
  /// missing in a list counts as removed.
  package static func names(in folder: String) throws(Failure) -> [String] {
    guard let entries = opendir(folder) else {
      guard [ENOENT, ENOTDIR].contains(errno) else {
        throw .io(operation: "opendir", path: folder, code: errno)
      }
      return []
    }
    defer { closedir(entries) }
    var names: [String] = []
    while true {
      // Its end and its failure differ by this number alone.
      errno = 0
      guard let entry = readdir(entries) else { break }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw .io(operation: "readdir", path: folder, code: errno) }
    return names.sorted()
  }

  /// Writes a whole file that only its owner may read, and replaces one that is there. After a kill or a
  /// power cut it has the old bytes or the new ones, never a part (FILE-8). One writer at a time.
  package static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    let draft = path + newEnding
    unlink(draft)
    try fill(draft, bytes)
    guard rename(draft, path) == 0 else {
      let code = errno
      unlink(draft)
      throw .io(operation: "rename", path: path, code: code)
    }
    try syncFolder(of: path)
  }

  /// Makes a file that only its owner may read. After a kill or a power cut it is there whole or not at all
  /// (FILE-8). A file that is there already stays as it is, and the call fails with `EEXIST`. Several
  /// processes may try at once.
  package static func create(_ bytes: [UInt8], at path: String) throws(Failure) {
    guard access(path, F_OK) != 0 else { throw .io(operation: "create", path: path, code: EEXIST) }
    let draft = "\(path).\(UInt32.random(in: 0 ... .max))\(draftEnding)"
    try fill(draft, bytes)
    let code = place(draft, at: path)
    // Also the drafts of processes that were killed, and of one that has just lost the race.
    removeDrafts(of: path)
    guard code == 0 else {
      let isThere = access(path, F_OK) == 0
      throw .io(operation: "create", path: path, code: isThere ? EEXIST : code)
    }
    try syncFolder(of: path)
  }

  private static let newEnding = ".new"
  private static let draftEnding = ".draft"

  /// Whether a file of that name was not finished: nothing reads it, and copies leave it out.
  package static func isUnfinished(_ name: String) -> Bool {
    name.hasSuffix(newEnding) || name.hasSuffix(draftEnding)
  }

  /// Gives the draft its name if no file has it: 0, or the code of the failure.
  private static func place(_ draft: String, at path: String) -> Int32 {
    if link(draft, path) == 0 { return 0 }
    // The file system has no hard links. The folder's lock keeps a second server away; a command could still
    // be first here.
    guard [EPERM, EOPNOTSUPP, ENOSYS].contains(errno) else { return errno }
    guard access(path, F_OK) != 0 else { return EEXIST }
    return rename(draft, path) == 0 ? 0 : errno
  }

  private static func removeDrafts(of path: String) {
    let (folder, name) = split(path)
    // What cannot be removed now is removed by the next one.
    for draft in (try? names(in: folder)) ?? []
    where draft.hasPrefix(name + ".") && draft.hasSuffix(draftEnding) {
      unlink("\(folder)/\(draft)")
    }
  }

  /// A new file with these bytes, synced; none if that fails.
  private static func fill(_ path: String, _ bytes: [UInt8]) throws(Failure) {
    let file = systemOpen(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .io(operation: "open", path: path, code: errno) }
    defer { close(file) }
    guard add(bytes, to: file) == bytes.count, fsync(file) == 0 else {
      let code = errno
      unlink(path)
      throw .io(operation: "write", path: path, code: code)
    }
  }

  private static func syncFolder(of path: String) throws(Failure) { try syncFolder(split(path).folder) }

  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = path[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
  }

  /// Gives a file another name in its folder; one of that name is replaced.
  package static func move(_ path: String, to target: String) throws(Failure) {
    guard rename(path, target) == 0 else { throw .io(operation: "rename", path: path, code: errno) }
    try syncFolder(of: path)
  }

  /// Adds a line to a file, made if it is missing, and syncs it.
  package static func add(line: [UInt8], to path: String) throws(Failure) {
    let file = try openForAdding(path)
    defer { close(file) }
    guard add(line, to: file) == line.count, fsync(file) == 0 else {
      throw .io(operation: "write", path: path, code: errno)
    }
  }

  package static func openForAdding(_ path: String) throws(Failure) -> Int32 {
    let file = systemOpen(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .io(operation: "open", path: path, code: errno) }
    return file
  }

  package static func makeFolder(_ path: String) throws(Failure) {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw .io(operation: "mkdir", path: path, code: errno)
    }
  }

  package static func syncFolder(_ path: String) throws(Failure) {
    let folder = systemOpen(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard folder >= 0 else { throw .io(operation: "open", path: path, code: errno) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw .io(operation: "fsync", path: path, code: errno) }
  }

  /// How many bytes were written; fewer than there are after a failure.
  package static func add(_ bytes: [UInt8], to file: Int32) -> Int {
    bytes.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let count = systemWrite(file, bytes.baseAddress! + done, bytes.count - done)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        done += count
      }
      return done
    }
  }

  package static func close(_ file: Int32) { systemClose(file) }
}

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
  write(file, bytes, count)
}
private func systemClose(_ file: Int32) { close(file) }
