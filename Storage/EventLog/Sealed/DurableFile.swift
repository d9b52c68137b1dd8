import EventLogModel

/// Makes files that survive a power cut once the call returns: content and folder are synced.
struct DurableFile {
  let disk: any Disk
  let path: String

  init(_ path: String, on disk: any Disk = SystemDisk()) { (self.path, self.disk) = (path, disk) }

  /// Makes an empty file unless it is there, syncs it and its folder.
  ///
  /// Does not open a file that is there, because closing any descriptor of a file releases all POSIX locks
  /// that SQLite's connections in this process hold on it.
  func create() throws(LogError) {
    guard try !exists() else { return }
    let file = try disk.open(path, create: true, readOnly: false)
    defer { file.close() }
    try file.flush()
    try disk.flushFolder(folder)
  }

  /// Overwrites a file with its own bytes and syncs it. Does nothing if there is no file.
  ///
  /// After a failed sync the kernel marks the file's pages as clean. They can be read, but may never have
  /// reached the disk, and a later sync does not report it. SQLite would take such a WAL for committed, and
  /// journal segments would be used again. Pages that are written again are really synced.
  func rewrite() throws(LogError) {
    guard try exists() else { return }
    let file = try disk.open(path, create: false, readOnly: false)
    defer { file.close() }
    let size = try file.size()
    var offset = 0
    while offset < size {
      let bytes = try file.read(min(size - offset, 1 << 20), at: offset)
      guard !bytes.isEmpty else { break }
      try file.write(bytes, at: offset)
      offset += bytes.count
    }
    try file.flush()
  }

  /// Whether the file is there and not empty.
  func hasContent() throws(LogError) -> Bool { try size() > 0 }

  /// Bytes of a file; 0 where there is none.
  func size() throws(LogError) -> Int { try disk.size(of: path) ?? 0 }

  func exists() throws(LogError) -> Bool { try disk.size(of: path) != nil }

  /// Syncs an existing file and its folder.
  func sync() throws(LogError) {
    let file = try disk.open(path, create: false, readOnly: false)
    defer { file.close() }
    try file.flush()
    try disk.flushFolder(folder)
  }

  /// The folder that it lies in.
  var folder: String { Self.folder(of: path) }

  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Removes the file, if it is there.
  func remove() { try? disk.unlink(path) }
}
