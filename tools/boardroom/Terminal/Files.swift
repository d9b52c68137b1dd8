import Foundation
import Synchronization

/// Folders that a command makes, and files in them. Only their owner can read them (FILE-1).
enum NewFolder {
  static func make(_ path: String) throws {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw Failure(
        .cannotCreate, "The folder \(path) cannot be made: \(reason(error))", "Choose another place.",
        at: path)
    }
  }

  /// Removes an unfinished folder. If that fails, names it.
  static func abandon(_ path: String) {
    try? FileManager.default.removeItem(atPath: path)
    if access(path, F_OK) == 0 { Terminal.note("What was begun is left in \(path). Remove it.") }
  }

  /// Writes a file and makes the folders above it; all is durable when it returns.
  static func write(_ bytes: [UInt8], to path: String) throws {
    let folder = (path as NSString).deletingLastPathComponent
    if !folder.isEmpty { try make(folder) }
    guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
      let file = FileHandle(forWritingAtPath: path)
    else { throw CocoaError(.fileWriteUnknown) }
    defer { try? file.close() }
    try file.write(contentsOf: Data(bytes))
    try file.synchronize()
  }

  static func reason(_ error: any Error) -> String { (error as NSError).localizedDescription }
}

/// A file that a command writes: under another name first, and renamed when it is whole. `-` is standard
/// output.
struct OutputFile {
  /// The kind of content, which decides how it is shown on a terminal.
  enum OutputKind {
    /// JSON, or lines of it.
    case json
    /// SVG.
    case markup
    case binary
  }

  private let path: String
  private let form: OutputKind

  init(_ path: String, as form: OutputKind) {
    self.path = path
    self.form = form
  }

  func write(_ bytes: [UInt8]) throws {
    try writing { sink in try sink(bytes) }
  }

  /// Calls `work` with a function that writes bytes. When `work` returns, the file is there and whole; when
  /// it throws, there is no file.
  func writing<Value>(_ work: (([UInt8]) throws -> Void) async throws -> Value) async throws -> Value {
    guard path != "-" else { return try await work { try Terminal.write($0, as: form) } }
    let part = try begin()
    do {
      let value = try await work { try part.write(contentsOf: Data($0)) }
      try finish(part)
      return value
    } catch {
      abandon(part)
      throw error
    }
  }

  private func writing(_ work: (([UInt8]) throws -> Void) throws -> Void) throws {
    guard path != "-" else { return try work { try Terminal.write($0, as: form) } }
    let part = try begin()
    do {
      try work { try part.write(contentsOf: Data($0)) }
      try finish(part)
    } catch {
      abandon(part)
      throw error
    }
  }

  private var partPath: String { path + ".part" }

  private func begin() throws -> FileHandle {
    guard
      FileManager.default.createFile(
        atPath: partPath, contents: nil, attributes: [.posixPermissions: 0o600]),
      let part = FileHandle(forWritingAtPath: partPath)
    else { throw Failure(.cannotCreate, "\(path) cannot be written.", "Choose another place.", at: path) }
    return part
  }

  private func finish(_ part: FileHandle) throws {
    try part.synchronize()
    try part.close()
    guard rename(partPath, path) == 0 else {
      throw Failure(
        .cannotCreate, "\(path) cannot be written (error \(errno)).", "Choose another place.", at: path)
    }
  }

  private func abandon(_ part: FileHandle) {
    try? part.close()
    NewFolder.abandon(partPath)
  }
}

/// A file that a command reads, in pieces. `-` is standard input.
struct InputFile {
  /// Bytes of one read: large enough that few calls are needed.
  private static let pieceBytes = 256 << 10
  let path: String
  private let handle: FileHandle
  /// The bytes of a part of a file that are not read yet; nil: the whole file is read.
  private let left: Left?

  private final class Left: Sendable {
    let bytes: Mutex<Int>
    init(_ bytes: Int) { self.bytes = Mutex(bytes) }
  }

  /// A part of a plain file.
  init(_ path: String, from offset: Int, bytes: Int) throws {
    self.path = path
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw Failure(.noInput, "\(path) is not a file that can be read.", at: path)
    }
    try file.seek(toOffset: UInt64(offset))
    handle = file
    left = Left(bytes)
  }

  init(_ path: String) throws {
    self.path = path
    left = nil
    guard path != "-" else {
      handle = .standardInput
      return
    }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw Failure(.noInput, "There is no file \(path).", "Check its name and its folder.", at: path)
    }
    let descriptor = isFolder.boolValue ? -1 : open(path, O_RDONLY | O_CLOEXEC | Self.openingPipe)
    guard descriptor >= 0 else {
      throw Failure(.noInput, "\(path) is not a file that can be read.", at: path)
    }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// A named pipe is opened without waiting, and `next` waits for a writer, because a call of `open` that
  /// waits cannot be interrupted by Ctrl-C. On macOS a pipe without a writer looks like one at its end, so
  /// that opening has to wait there.
  #if canImport(Darwin)
    private static let openingPipe: Int32 = 0
  #else
    private static let openingPipe = O_NONBLOCK
  #endif

  /// The size in bytes; nil if it is not known beforehand.
  var size: Int? {
    guard path != "-" else { return nil }
    return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? nil
  }

  /// The next piece; nil at the end. While there are no bytes yet, it checks every 100 ms for Ctrl-C.
  ///
  /// - Throws: `CancellationError`, `Failure`.
  func next() throws -> [UInt8]? {
    while true {
      try Task.checkCancellation()
      var wanted = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&wanted, 1, 100) != 0 else { continue }
      let wantedBytes = min(left?.bytes.withLock { $0 } ?? Self.pieceBytes, Self.pieceBytes)
      guard wantedBytes > 0 else { return nil }
      var piece = [UInt8](repeating: 0, count: wantedBytes)
      let count = read(handle.fileDescriptor, &piece, piece.count)
      if count < 0 {
        if errno == EINTR || errno == EAGAIN { continue }
        throw Failure(.io, "\(path) cannot be read on: \(String(cString: strerror(errno))).", at: path)
      }
      piece.removeSubrange(count...)
      left?.bytes.withLock { $0 -= count }
      return count > 0 ? piece : nil
    }
  }

  /// The whole content, at most 256 MiB, which is the most that is read as one JSON text.
  func whole(limit: Int = 256 << 20) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while let piece = try next() {
      bytes += piece
      guard bytes.count <= limit else {
        throw Failure(.badInput, "\(path) is larger than \(Text.size(limit)).", "Split it.", at: path)
      }
    }
    return bytes
  }

  func lines(_ body: (ArraySlice<UInt8>, Int) throws -> Void) throws {
    var rest: [UInt8] = []
    var number = 0
    while let piece = try next() {
      rest += piece
      var start = 0
      while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
        number += 1
        try body(rest[start..<end], number)
        start = end + 1
      }
      rest.removeFirst(start)
    }
    if !rest.isEmpty { try body(rest[...], number + 1) }
  }
}
