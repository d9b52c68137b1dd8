import EventLog

/// Replays what a `SimulatedDisk` recorded, up to any moment, and makes the disk that a power cut there
/// could leave: everything flushed, and of the rest nothing, all, or random pieces.
package struct PowerCutReplay {
  package enum Keeping: Sendable, CaseIterable {
    case nothing, everything
    /// Random pieces of each write, cut at multiples of these sizes in the file.
    case pages, sectors
  }

  private enum Pending {
    case write(offset: Int, bytes: [UInt8])
    case truncate(Int)
  }

  private struct File {
    var durable: [UInt8] = []
    /// What can be read, once it is not what is durable and pending any more.
    var seen: [UInt8]?
    var pending: [Pending] = []

    /// What can be read.
    var content: [UInt8] {
      if let seen { return seen }
      var bytes = durable
      for change in pending { PowerCutReplay.apply(change, to: &bytes) }
      return bytes
    }
  }

  private let operations: [SimulatedDisk.Operation]
  private var position = 0
  private var files: [File] = []
  private var names: [String: Int] = [:]
  private var pendingNames: [SimulatedDisk.Operation] = []
  /// The notes met so far.
  package private(set) var notes: [UInt64] = []

  /// - Parameter files: what was there, durably, before the first operation; in the order of a
  ///   `SimulatedDisk` made from it.
  package init(_ operations: [SimulatedDisk.Operation], on files: [String: [UInt8]] = [:]) {
    self.operations = operations
    for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
      names[path] = self.files.count
      self.files.append(File(durable: bytes))
    }
  }

  /// Goes on to just before operation `point`; moments must come in rising order.
  package mutating func advance(to point: Int) {
    while position < min(point, operations.count) {
      step(operations[position])
      position += 1
    }
  }

  private mutating func step(_ operation: SimulatedDisk.Operation) {
    switch operation {
    case .create(let file, _):
      while files.count <= file { files.append(File()) }
      pendingNames.append(operation)
    case .write(let file, let offset, let bytes): change(file, .write(offset: offset, bytes: bytes))
    case .truncate(let file, let length): change(file, .truncate(length))
    case .flush(let file):
      let pending = files[file].pending
      files[file].pending = []
      for change in pending { Self.apply(change, to: &files[file].durable) }
    case .forget(let file):
      if files[file].seen == nil { files[file].seen = files[file].content }
      files[file].pending = []
    case .rename, .unlink: pendingNames.append(operation)
    case .flushFolder(let folder):
      for operation in pendingNames where operation.folder == folder[...] {
        Self.apply(operation, to: &names)
      }
      pendingNames.removeAll { $0.folder == folder[...] }
    case .note(let value): notes.append(value)
    }
  }

  private mutating func change(_ file: Int, _ change: Pending) {
    files[file].pending.append(change)
    if var seen = files[file].seen {
      Self.apply(change, to: &seen)
      files[file].seen = seen
    }
  }

  private static func apply(_ change: Pending, to bytes: inout [UInt8]) {
    switch change {
    case .write(let offset, let part): bytes.overwrite(at: offset, with: part[...])
    case .truncate(let length):
      if length < bytes.count { bytes.removeLast(bytes.count - length) }
      if length > bytes.count { bytes += [UInt8](repeating: 0, count: length - bytes.count) }
    }
  }

  private static func apply(_ operation: SimulatedDisk.Operation, to names: inout [String: Int]) {
    switch operation {
    case .create(let file, let path): names[path] = file
    case .rename(let path, let new): if let file = names.removeValue(forKey: path) { names[new] = file }
    case .unlink(let path): names[path] = nil
    case .write, .truncate, .flush, .forget, .flushFolder, .note: break
    }
  }

  /// What is on the disk after a power cut now.
  package func disk(
    keeping: Keeping, recording: Bool = false, using generator: inout SeededGenerator
  ) -> SimulatedDisk {
    var names = names
    for operation in pendingNames.prefix(keptNames(keeping, &generator)) { Self.apply(operation, to: &names) }
    var left: [String: [UInt8]] = [:]
    for (path, file) in names.sorted(by: { $0.key < $1.key }) {
      left[path] = content(files[file], keeping, &generator)
    }
    return SimulatedDisk(files: left, recording: recording)
  }

  private func keptNames(_ keeping: Keeping, _ generator: inout SeededGenerator) -> Int {
    switch keeping {
    case .nothing: 0
    case .everything: pendingNames.count
    case .pages, .sectors: Int.random(in: 0...pendingNames.count, using: &generator)
    }
  }

  private func content(_ file: File, _ keeping: Keeping, _ generator: inout SeededGenerator) -> [UInt8] {
    if keeping == .everything { return file.content }
    var bytes = file.durable
    for change in file.pending {
      switch (keeping, change) {
      case (.nothing, _): break
      case (.everything, _), (.pages, .truncate), (.sectors, .truncate): Self.apply(change, to: &bytes)
      case (.pages, .write(let offset, let part)):
        keepSome(part, offset, 4_096, &bytes, &generator)
      case (.sectors, .write(let offset, let part)):
        keepSome(part, offset, 512, &bytes, &generator)
      }
    }
    return bytes
  }

  private func keepSome(
    _ part: [UInt8], _ offset: Int, _ size: Int, _ bytes: inout [UInt8], _ generator: inout SeededGenerator
  ) {
    var at = 0
    while at < part.count {
      let end = min(part.count, (offset + at) / size * size + size - offset)
      if Bool.random(using: &generator) { bytes.overwrite(at: offset + at, with: part[at..<end]) }
      at = end
    }
  }
}

extension SimulatedDisk.Operation {
  /// The folder in which it changes a name.
  fileprivate var folder: Substring? {
    switch self {
    case .create(_, let path), .rename(let path, _), .unlink(let path):
      path[..<(path.lastIndex(of: "/") ?? path.endIndex)]
    case .write, .truncate, .flush, .forget, .flushFolder, .note: nil
    }
  }
}
