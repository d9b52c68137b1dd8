import Foundation
import Synchronization
import Testing

/// The built `boardroom`, as a person runs it.
enum Program {
  struct Answer: Sendable {
    var status: Int32
    var output: String
    var errors: String
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// Beside the test bundle, which is built into the same folder.
  static let url: URL = {
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    var folder = bundle.deletingLastPathComponent()
    while folder.path != "/" {
      let program = folder.appending(path: "boardroom")
      if FileManager.default.isExecutableFile(atPath: program.path) { return program }
      folder.deleteLastPathComponent()
    }
    return House.root.appending(path: ".build/debug/boardroom")
  }()

  private enum House {
    static let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  }

  static func run(_ arguments: String..., input: String = "", in folder: Folder) async throws -> Answer {
    try await run(arguments, input: input, in: folder)
  }

  /// Runs in the folder, with an environment that holds nothing of the one who tests.
  /// `terminal`: its output goes to one.
  static func run(
    _ arguments: [String], input: String = "", terminal: Bool = false, in folder: Folder
  ) async throws -> Answer {
    let process = Process()
    process.executableURL = url
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path]
    let name = UUID().uuidString
    let (output, errors) = (folder.path + "/\(name).out", folder.path + "/\(name).err")
    for file in [output, errors] { _ = FileManager.default.createFile(atPath: file, contents: nil) }
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle(forWritingAtPath: errors)
    let pair = terminal ? try PseudoTerminal() : nil
    if let pair { process.standardOutput = pair.program }
    let words = Pipe()
    process.standardInput = words
    try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in ended.resume() }
      do {
        try process.run()
        // Writing waits for a program that does not read.
        Thread.detachNewThread {
          try? words.fileHandleForWriting.write(contentsOf: Data(input.utf8))
          try? words.fileHandleForWriting.close()
        }
      } catch { ended.resume(throwing: error) }
    }
    let seen = await pair?.shown()
    return Answer(
      status: process.terminationStatus,
      output: try seen ?? String(contentsOfFile: output, encoding: .utf8),
      errors: try String(contentsOfFile: errors, encoding: .utf8))
  }
}

/// Waits for processes and threads without holding one of Swift's few threads.
final class Ended<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiting: [CheckedContinuation<Value, Never>] = []
  }
  private let state = Mutex(State())

  func end(with value: Value) {
    let waiting = state.withLock { state in
      state.value = value
      defer { state.waiting = [] }
      return state.waiting
    }
    for one in waiting { one.resume(returning: value) }
  }

  func value() async -> Value {
    await withCheckedContinuation { waiting in
      let value = state.withLock { state in
        if state.value == nil { state.waiting.append(waiting) }
        return state.value
      }
      if let value { waiting.resume(returning: value) }
    }
  }
}

extension Process {
  /// Waits until it has ended; its exit status.
  func ended() async -> Int32 {
    let ended = Ended<Int32>()
    Thread.detachNewThread {
      self.waitUntilExit()
      ended.end(with: self.terminationStatus)
    }
    return await ended.value()
  }
}

/// A terminal that keeps what it is shown.
private final class PseudoTerminal: Sendable {
  /// The program's side.
  let program: FileHandle
  private let own: FileHandle
  private let reading = Ended<[UInt8]>()

  struct Failure: Error {}

  init() throws {
    let (master, slave) = Self.pair()
    guard master >= 0, slave >= 0 else { throw Failure() }
    let own = FileHandle(fileDescriptor: master, closeOnDealloc: true)
    self.own = own
    program = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
    // A thread of its own: reading waits, and Swift's few threads must stay free for the servers of other tests.
    Thread.detachNewThread { [reading] in
      var (all, piece) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
      // The end is an error here: nobody has the other side open any more. `FileHandle` would give up with it what it
      // has read before.
      while true {
        let count = read(own.fileDescriptor, &piece, piece.count)
        guard count > 0 else { break }
        all += piece.prefix(count)
      }
      reading.end(with: all)
    }
  }

  /// Closed in programs that other tests start meanwhile: a terminal ends when nobody has it open any more.
  private static func pair() -> (master: Int32, slave: Int32) {
    #if canImport(Darwin)
      let master = posix_openpt(O_RDWR | O_NOCTTY)
      guard grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master) else { return (-1, -1) }
      return (master, open(name, O_RDWR | O_NOCTTY | O_CLOEXEC))
    #else
      // As glibc does it; its own functions are not declared for Swift. Numbers of asm-generic/ioctls.h.
      let (unlock, number): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
      let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      var (isLocked, place): (Int32, Int32) = (0, 0)
      guard ioctl(master, unlock, &isLocked) == 0, ioctl(master, number, &place) == 0 else { return (-1, -1) }
      return (master, open("/dev/pts/\(place)", O_RDWR | O_NOCTTY | O_CLOEXEC))
    #endif
  }

  /// All of it, once the program has ended.
  func shown() async -> String {
    try? program.close()
    return String(decoding: await reading.value(), as: UTF8.self)
  }
}

/// A folder of a test's own, gone with it.
final class Folder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "boardroom-commands-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }
  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
  }
  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
  }
  func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }
}
