#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Small files by the calls of the system: Foundation's do not say when bytes are on disk.
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

  /// The names in a folder, sorted; none where it is not there.
  package static func names(in folder: String) -> [String] {
    guard let entries = opendir(folder) else { return [] }
    defer { closedir(entries) }
    var names: [String] = []
    while let entry = readdir(entries) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Writes a whole file that only its owner may read, and syncs it.
  package static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    let file = systemOpen(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .io(operation: "open", path: path, code: errno) }
    defer { close(file) }
    guard add(bytes, to: file) == bytes.count, fsync(file) == 0 else {
      throw .io(operation: "write", path: path, code: errno)
    }
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
