import EventLogModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files that survive a power cut from the moment they are made: storage design, section 5.1.
enum DurableFile {
  /// Makes an empty file unless it is there, syncs it and its folder.
  static func create(_ path: String, in folder: String) throws(LogError) {
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
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

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Syncs an existing file and its folder.
  static func sync(_ path: String) throws(LogError) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let file = open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { throw .io(operation: "open", path: path, code: errno) }
    defer { Self.close(file) }
    guard fsync(file) == 0 else { throw .io(operation: "fsync", path: path, code: errno) }
    try syncFolder(folder.isEmpty ? "/" : folder)
  }

  #if canImport(Glibc)
    private static func close(_ file: Int32) { _ = Glibc.close(file) }
  #else
    private static func close(_ file: Int32) { _ = Darwin.close(file) }
  #endif
}
