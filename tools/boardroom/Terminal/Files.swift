import Foundation
import Synchronization

/// Folders that a command makes, and files in them. Nobody but their owner may look into them (FILE-1).
enum NewFolder {
  static func make(_ path: String) throws {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw Failure(
        .cannotCreate, "The folder \(path) cannot be made: \(reason(error)) Choose another place.")
    }
  }

  /// Takes away what could not be finished, or says where it is.
  static func abandon(_ path: String) {
    try? FileManager.default.removeItem(atPath: path)
    if access(path, F_OK) == 0 { Terminal.note("What was begun is left in \(path). Remove it.") }
  }

  /// A file and the folders above it, durable when it returns.
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

/// A file that a command writes: beside its place first, then moved there whole. `-` is standard output.
struct OutputFile {
  /// What is in it: how it is shown where standard output is a terminal.
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

  /// Gives `work` a sink; the file is there, whole, when it returns, and not at all when it throws.
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
    else { throw Failure(.cannotCreate, "\(path) cannot be written. Choose another place.") }
    return part
  }

  private func finish(_ part: FileHandle) throws {
    try part.synchronize()
    try part.close()
    guard rename(partPath, path) == 0 else {
      throw Failure(.cannotCreate, "\(path) cannot be written (error \(errno)). Choose another place.")
    }
  }

  private func abandon(_ part: FileHandle) {
    try? part.close()
    NewFolder.abandon(partPath)
  }
}

/// A file that a command reads, in pieces. `-` is standard input.
struct InputFile {
  /// Large enough that reading costs few calls.
  private static let pieceBytes = 256 << 10
  let path: String
  private let handle: FileHandle
  /// Of a part of a file: what is not read yet.
  private let left: Left?

  private final class Left: Sendable {
    let bytes: Mutex<Int>
    init(_ bytes: Int) { self.bytes = Mutex(bytes) }
  }

  /// A part of a plain file.
  init(_ path: String, from offset: Int, bytes: Int) throws {
    self.path = path
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw Failure(.noInput, "\(path) is not a file that can be read.")
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
      throw Failure(.noInput, "There is no file \(path).")
    }
    let descriptor = isFolder.boolValue ? -1 : open(path, O_RDONLY | O_CLOEXEC | Self.openingPipe)
    guard descriptor >= 0 else { throw Failure(.noInput, "\(path) is not a file that can be read.") }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// A named pipe is open at once, and `next` waits for who writes into it: opening would wait and not look up. On
  /// macOS a pipe that nobody has opened for writing looks like one at its end, so that opening has to wait there.
  #if canImport(Darwin)
    private static let openingPipe: Int32 = 0
  #else
    private static let openingPipe = O_NONBLOCK
  #endif

  /// In bytes; nil where it is not known beforehand.
  var size: Int? {
    guard path != "-" else { return nil }
    return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? nil
  }

  /// The next piece; nil at the end. Where there is nothing yet, it looks up every 100 ms for a Ctrl-C.
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
        throw Failure(.io, "\(path) cannot be read on: \(String(cString: strerror(errno))).")
      }
      piece.removeSubrange(count...)
      left?.bytes.withLock { $0 -= count }
      return count > 0 ? piece : nil
    }
  }

  /// All of it, at most 256 MiB: as much as is ever read as one JSON text.
  func whole(limit: Int = 256 << 20) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while let piece = try next() {
      bytes += piece
      guard bytes.count <= limit else {
        throw Failure(.badInput, "\(path) is larger than \(Text.size(limit)). Split it.")
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
