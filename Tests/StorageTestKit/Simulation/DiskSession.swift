import EventLog
import EventLogModel

/// A simulated disk as one process sees it, with SQLite's files on it: each call is a moment of the schedule, is counted and
/// may fail. A process that was killed does nothing any more.
package final class DiskSession: Disk, @unchecked Sendable {
  package let disk: SimulatedDisk
  package let faults: DiskFaults
  let schedule: SeededSchedule
  /// What SQLite's connections share; belongs to whoever has the turn.
  let locks = DatabaseLocks()
  /// Of the call that failed last.
  var lastError: Int32 = 0
  private(set) var isDead = false
  private var held: Set<String> = []
  private var registration: DatabaseFileSystem?

  package init(_ disk: SimulatedDisk, faults: DiskFaults, schedule: SeededSchedule) {
    (self.disk, self.faults, self.schedule) = (disk, faults, schedule)
    registration = DatabaseFileSystem(self)
  }

  package var databaseFiles: String? { registration?.name }

  /// As a process ends: nothing that it still does reaches the disk, and its locks are gone.
  package func kill() {
    isDead = true
    for path in held { disk.unlock(path) }
    held = []
  }

  /// One call. Returns how many of `length` bytes go through.
  func enter(
    _ call: DiskFaults.Call, _ path: String, offset: Int = 0, length: Int = 0, grows: Bool = false
  ) throws(LogError) -> Int {
    schedule.pause()
    guard !isDead else { throw .io(operation: "\(call)", path: path, code: ErrorNumber.io) }
    switch faults.verdict(of: call, path, offset: offset, length: length, grows: grows) {
    case .well: break
    case .short: return max(1, length / 2)
    case .fails(let code):
      lastError = code
      throw .io(operation: "\(call)", path: path, code: code)
    }
    // It may have been killed while the call took its time.
    guard !isDead else { throw .io(operation: "\(call)", path: path, code: ErrorNumber.io) }
    return length
  }

  // MARK: Disk

  package func makeFolder(_ path: String) throws(LogError) {
    _ = try enter(.makeFolder, path)
    try disk.makeFolder(path)
  }

  package func list(_ folder: String) throws(LogError) -> [String] {
    _ = try enter(.list, folder)
    return try disk.list(folder)
  }

  package func open(_ path: String, create: Bool, readOnly: Bool) throws(LogError) -> any DiskFile {
    try file(path, create: create)
  }

  func file(_ path: String, create: Bool) throws(LogError) -> SessionFile {
    let isNew = create ? try disk.size(of: path) == nil : false
    _ = try enter(isNew ? .create : .open, path, grows: isNew)
    return SessionFile(self, try disk.open(path, create: create, readOnly: false))
  }

  package func rename(_ path: String, to new: String) throws(LogError) {
    _ = try enter(.rename, path)
    try disk.rename(path, to: new)
  }

  package func unlink(_ path: String) throws(LogError) {
    _ = try enter(.unlink, path)
    try disk.unlink(path)
  }

  package func size(of path: String) throws(LogError) -> Int? {
    _ = try enter(.size, path)
    return try disk.size(of: path)
  }

  package func flushFolder(_ path: String) throws(LogError) {
    _ = try enter(.flushFolder, path)
    try disk.flushFolder(path)
  }

  package func lock(_ path: String) throws(LogError) -> any DiskFile {
    _ = try enter(.lock, path)
    _ = try disk.open(path, create: true, readOnly: false)
    let lock = try disk.lock(path)
    held.insert(path)
    return lock
  }
}

/// An open file of a session.
final class SessionFile: DiskFile, @unchecked Sendable {
  let session: DiskSession
  private let file: any DiskFile
  var path: String { file.path }

  init(_ session: DiskSession, _ file: any DiskFile) { (self.session, self.file) = (session, file) }

  func pwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogError) -> Int {
    let grows = try offset + bytes.count > file.size()
    let count = try session.enter(.write, path, offset: offset, length: bytes.count, grows: grows)
    return try file.pwrite(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
  }

  func pread(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(LogError) -> Int {
    _ = try session.enter(.read, path, offset: offset, length: bytes.count)
    return try file.pread(into: bytes, at: offset)
  }

  func flush() throws(LogError) {
    do throws(LogError) { _ = try session.enter(.flush, path) } catch {
      // Linux takes the pages for clean then: they can be read, and never reach the disk unless they are written again.
      if !session.isDead { session.disk.forgetPending(of: path) }
      throw error
    }
    if let lies = session.faults.lies, path.contains(lies) { return }
    try file.flush()
  }

  func truncate(to length: Int) throws(LogError) {
    let grows = try length > file.size()
    _ = try session.enter(.truncate, path, length: length, grows: grows)
    try file.truncate(to: length)
  }

  func size() throws(LogError) -> Int {
    _ = try session.enter(.size, path)
    return try file.size()
  }

  func close() { file.close() }
}
