import EventLog
import EventLogModel
import Synchronization

/// A disk in memory that records every call, can fail where told, and can say what would be left after a
/// power cut at any moment (`PowerCutReplay`).
package final class SimulatedDisk: Disk {
  package enum Operation: Sendable {
    case create(file: Int, path: String)
    case write(file: Int, offset: Int, bytes: [UInt8])
    case truncate(file: Int, length: Int)
    case flush(file: Int)
    /// A flush has failed: what was written before is not on the disk and does not get there by another flush.
    case forget(file: Int)
    case rename(path: String, new: String)
    case unlink(path: String)
    case flushFolder(path: String)
    /// A moment that the test wants to find again, such as an acknowledgement.
    case note(UInt64)
  }

  package enum Call: Sendable, Hashable { case create, open, write, flush, rename, unlink, flushFolder }

  /// Which calls fail, and how.
  package struct Fault: Sendable {
    package enum Effect: Sendable {
      case error(code: Int32)
      /// At most this many bytes are written.
      case short(Int)
      /// A flush that answers well and does nothing.
      case lie
    }
    var call: Call
    var path: String
    /// Calls that match and still go well first.
    var after: Int
    /// How many fail then.
    var count: Int
    var effect: Effect

    package init(_ call: Call, path: String, after: Int = 0, count: Int = .max, _ effect: Effect) {
      self.call = call
      self.path = path
      self.after = after
      self.count = count
      self.effect = effect
    }
  }

  fileprivate struct State {
    var files: [[UInt8]] = []
    var names: [String: Int] = [:]
    var operations: [Operation] = []
    var faults: [Fault] = []
    var locks: Set<String> = []
    var counts: [Call: Int] = [:]
    var isRecording = true
  }

  fileprivate let state: Mutex<State>

  package init(files: [String: [UInt8]] = [:], recording: Bool = true) {
    var start = State()
    start.isRecording = recording
    for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
      start.names[path] = start.files.count
      start.files.append(bytes)
    }
    state = Mutex(start)
  }

  // MARK: For tests

  package var operations: [Operation] { state.withLock { $0.operations } }
  package var operationCount: Int { state.withLock { $0.operations.count } }
  package func count(of call: Call) -> Int { state.withLock { $0.counts[call] ?? 0 } }
  package func note(_ value: UInt64) { state.withLock { $0.operations.append(.note(value)) } }
  package func inject(_ fault: Fault) { state.withLock { $0.faults.append(fault) } }
  package func heal() { state.withLock { $0.faults = [] } }
  package var files: [String: [UInt8]] {
    state.withLock { state in state.names.mapValues { state.files[$0] } }
  }

  /// Changes a file behind the engine's back.
  package func tamper(_ path: String, _ change: (inout [UInt8]) -> Void) {
    state.withLock { state in
      guard let file = state.names[path] else { return }
      change(&state.files[file])
    }
  }

  package func remove(_ path: String) { state.withLock { $0.names[path] = nil } }

  // MARK: Disk

  package func makeFolder(_ path: String) throws(LogError) {}

  package func list(_ folder: String) throws(LogError) -> [String] {
    state.withLock { state in
      state.names.keys.filter { $0.hasPrefix(folder + "/") }.map { String($0.dropFirst(folder.count + 1)) }
        .filter { !$0.contains("/") }.sorted()
    }
  }

  package func size(of path: String) throws(LogError) -> Int? {
    state.withLock { state in state.names[path].map { state.files[$0].count } }
  }

  package func open(_ path: String, create: Bool, readOnly: Bool) throws(LogError) -> any DiskFile {
    try simple(create ? .create : .open, path) { state -> Result<SimulatedFile, LogError> in
      if let file = state.names[path] { return .success(SimulatedFile(disk: self, file: file, path: path)) }
      guard create else { return .failure(.io(operation: "open", path: path, code: ErrorNumber.noEntry)) }
      let file = state.files.count
      state.files.append([])
      state.names[path] = file
      state.record(.create(file: file, path: path))
      return .success(SimulatedFile(disk: self, file: file, path: path))
    }
  }

  package func rename(_ path: String, to new: String) throws(LogError) {
    try simple(.rename, path) { state -> Result<Void, LogError> in
      guard let file = state.names.removeValue(forKey: path) else {
        return .failure(.io(operation: "rename", path: path, code: ErrorNumber.noEntry))
      }
      state.names[new] = file
      state.record(.rename(path: path, new: new))
      return .success(())
    }
  }

  package func unlink(_ path: String) throws(LogError) {
    try simple(.unlink, path) { state -> Result<Void, LogError> in
      guard state.names.removeValue(forKey: path) != nil else {
        return .failure(.io(operation: "unlink", path: path, code: ErrorNumber.noEntry))
      }
      state.record(.unlink(path: path))
      return .success(())
    }
  }

  func forgetPending(of path: String) {
    state.withLock { state in
      if let file = state.names[path] { state.record(.forget(file: file)) }
    }
  }

  package func flushFolder(_ path: String) throws(LogError) {
    try simple(.flushFolder, path) { state -> Result<Void, LogError> in
      state.record(.flushFolder(path: path))
      return .success(())
    }
  }

  package func lock(_ path: String) throws(LogError) -> any DiskFile {
    let isNew = state.withLock { $0.locks.insert(path).inserted }
    guard isNew else { throw .locked(path: path) }
    return SimulatedLock(disk: self, path: path)
  }

  func unlock(_ path: String) { state.withLock { _ = $0.locks.remove(path) } }

  // MARK: Files

  func write(_ bytes: UnsafeRawBufferPointer, to file: Int, at offset: Int, path: String) throws(LogError)
    -> Int
  {
    try change(.write, path, short: bytes.count) { state, allowed -> Result<Int, LogError> in
      let count = min(bytes.count, allowed)
      let part = Array(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      state.put(part, file, offset)
      state.record(.write(file: file, offset: offset, bytes: part))
      return .success(count)
    }
  }

  func flush(_ file: Int, path: String) throws(LogError) {
    do throws(LogError) {
      try change(.flush, path, short: 1) { state, allowed -> Result<Void, LogError> in
        if allowed > 0 { state.record(.flush(file: file)) }
        return .success(())
      }
    } catch {
      state.withLock { $0.record(.forget(file: file)) }
      throw error
    }
  }

  func truncate(_ file: Int, to length: Int) {
    state.withLock { state in
      let size = state.files[file].count
      if length < size { state.files[file].removeLast(size - length) }
      if length > size { state.files[file] += [UInt8](repeating: 0, count: length - size) }
      state.record(.truncate(file: file, length: length))
    }
  }

  func size(_ file: Int) -> Int { state.withLock { $0.files[file].count } }

  func read(into bytes: UnsafeMutableRawBufferPointer, from file: Int, at offset: Int) -> Int {
    let content = state.withLock { $0.files[file] }
    let count = max(0, min(bytes.count, content.count - offset))
    guard count > 0 else { return 0 }
    content.withUnsafeBytes { raw in
      bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: raw[offset..<offset + count]))
    }
    return count
  }

  private func simple<Value>(
    _ call: Call, _ path: String, _ body: (inout State) -> Result<Value, LogError>
  ) throws(LogError) -> Value {
    try change(call, path, short: 1) { state, _ in body(&state) }
  }

  /// Does a call, or what a fault makes of it. `body` gets how many bytes may be written.
  private func change<Value>(
    _ call: Call, _ path: String, short: Int,
    _ body: (inout State, Int) -> Result<Value, LogError>
  ) throws(LogError) -> Value {
    nonisolated(unsafe) let body = body
    nonisolated(unsafe) var result: Result<Value, LogError>?
    state.withLock { state in
      state.counts[call, default: 0] += 1
      switch state.effect(of: call, on: path) {
      case .error(let code): result = .failure(.io(operation: "\(call)", path: path, code: code))
      case .short(let count): result = body(&state, min(short, count))
      case .lie: result = body(&state, 0)
      case nil: result = body(&state, short)
      }
    }
    return try result!.get()
  }
}

extension SimulatedDisk.State {
  fileprivate mutating func record(_ operation: SimulatedDisk.Operation) {
    if isRecording { operations.append(operation) }
  }

  fileprivate mutating func put(_ bytes: [UInt8], _ file: Int, _ offset: Int) {
    files[file].overwrite(at: offset, with: bytes[...])
  }

  fileprivate mutating func effect(
    of call: SimulatedDisk.Call, on path: String
  ) -> SimulatedDisk.Fault.Effect? {
    for index in faults.indices where faults[index].call == call && path.hasFragment(faults[index].path) {
      if faults[index].after > 0 {
        faults[index].after -= 1
      } else if faults[index].count > 0 {
        faults[index].count -= 1
        return faults[index].effect
      }
    }
    return nil
  }
}

extension String {
  fileprivate func hasFragment(_ fragment: String) -> Bool {
    guard !fragment.isEmpty else { return true }
    let (mine, other) = (Array(utf8), Array(fragment.utf8))
    guard mine.count >= other.count else { return false }
    return (0...(mine.count - other.count)).contains { mine[$0..<$0 + other.count].elementsEqual(other) }
  }
}

extension [UInt8] {
  /// Writes `bytes` at `offset`, growing with zeros.
  mutating func overwrite(at offset: Int, with bytes: ArraySlice<UInt8>) {
    let end = offset + bytes.count
    if end > count { self += [UInt8](repeating: 0, count: end - count) }
    withUnsafeMutableBytes { to in
      bytes.withUnsafeBytes { from in
        UnsafeMutableRawBufferPointer(rebasing: to[offset..<end]).copyMemory(from: from)
      }
    }
  }
}

private final class SimulatedFile: DiskFile {
  let disk: SimulatedDisk
  let file: Int
  let path: String

  init(disk: SimulatedDisk, file: Int, path: String) {
    self.disk = disk
    self.file = file
    self.path = path
  }

  func pwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogError) -> Int {
    try disk.write(bytes, to: file, at: offset, path: path)
  }
  func pread(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(LogError) -> Int {
    disk.read(into: bytes, from: file, at: offset)
  }
  func flush() throws(LogError) { try disk.flush(file, path: path) }
  func truncate(to length: Int) throws(LogError) { disk.truncate(file, to: length) }
  func size() throws(LogError) -> Int { disk.size(file) }
  func close() {}
}

private final class SimulatedLock: DiskFile {
  let disk: SimulatedDisk
  let path: String

  init(disk: SimulatedDisk, path: String) {
    self.disk = disk
    self.path = path
  }

  func pwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogError) -> Int { bytes.count }
  func pread(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(LogError) -> Int { 0 }
  func flush() throws(LogError) {}
  func truncate(to length: Int) throws(LogError) {}
  func size() throws(LogError) -> Int { 0 }
  func close() { disk.unlock(path) }
}
