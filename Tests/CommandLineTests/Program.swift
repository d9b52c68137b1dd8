import Foundation
import Subprocess
import Synchronization
import Testing

#if canImport(System)
  import System
#else
  import SystemPackage
#endif

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
    return Repository.root.appending(path: ".build/debug/boardroom")
  }()

  private enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  }

  static func run(_ arguments: String..., input: String = "", in folder: Folder) async throws -> Answer {
    try await run(arguments, input: input, in: folder)
  }

  /// Runs in the folder, with an environment that holds nothing of the one who tests.
  /// `terminal`: its output goes to one, `errorTerminal`: its errors do; `variables` are all that its environment has
  /// besides.
  static func run(
    _ arguments: [String], input: String = "", terminal: Bool = false, errorTerminal: Bool = false,
    variables: [String: String] = [:], in folder: Folder
  ) async throws -> Answer {
    let name = UUID().uuidString
    let (output, errors) = (folder.path + "/\(name).out", folder.path + "/\(name).err")
    let pair = terminal ? try PseudoTerminal() : nil
    let errorPair = errorTerminal ? try PseudoTerminal() : nil
    let words = try FileDescriptor.pipe()
    let program = try await StartedProgram(
      url.path, arguments, in: folder.path, input: words.readEnd,
      output: try pair?.program ?? StartedProgram.file(output),
      errors: try errorPair?.program ?? StartedProgram.file(errors), variables: variables)
    // Writing waits for a program that does not read.
    Thread.detachNewThread {
      _ = try? words.writeEnd.closeAfter { try words.writeEnd.writeAll(input.utf8) }
    }
    let status = await program.ended()
    return Answer(
      status: status,
      output: try await pair?.shown() ?? String(contentsOfFile: output, encoding: .utf8),
      errors: try await errorPair?.shown() ?? String(contentsOfFile: errors, encoding: .utf8))
  }
}

/// A program that a test has started and may end.
///
/// swift-subprocess starts it: Foundation's `Process` crashes by chance in a process that has more than some 1,360
/// files open, as these tests have. Files of the tests that are open are closed in it.
final class StartedProgram: Sendable {
  let number: Int32
  private let ending: Ended<Int32>

  /// The files are closed here once it has them. Without a file for errors they stand in the output. It sees nothing of the environment of the one who tests.
  init(
    _ path: String, _ arguments: [String], in folder: String, input: FileDescriptor? = nil,
    output: FileDescriptor,
    errors: FileDescriptor? = nil, variables: [String: String] = [:]
  ) async throws {
    let (started, ending) = (Ended<Result<Int32, any Error>>(), Ended<Int32>())
    let input = try input ?? FileDescriptor.open("/dev/null", .readOnly)
    let errors = try errors ?? output.duplicate()
    // Nobody writes to a program that has ended, but that ends only the writing.
    signal(SIGPIPE, SIG_IGN)
    let usual: [Environment.Key: String] = ["PATH": "/usr/bin:/bin", "HOME": folder]
    let more = variables.map { (Environment.Key(stringLiteral: $0.key), $0.value) }
    let environment = usual.merging(more) { $1 }
    Task {
      do {
        let result = try await Subprocess.run(
          .path(FilePath(path)), arguments: Arguments(arguments),
          environment: .custom(environment), workingDirectory: FilePath(folder),
          input: .fileDescriptor(input, closeAfterSpawningProcess: true),
          output: .fileDescriptor(output, closeAfterSpawningProcess: true),
          error: .fileDescriptor(errors, closeAfterSpawningProcess: true)
        ) { started.end(with: .success($0.processIdentifier.value)) }
        switch result.terminationStatus {
        case .exited(let status), .signaled(let status): ending.end(with: status)
        }
      } catch {
        started.end(with: .failure(error))
        ending.end(with: -1)
      }
    }
    number = try await started.value().get()
    self.ending = ending
  }

  /// Whoever drops it needs it no longer; a test that fails may leave it running.
  deinit { if !ending.isOver { endNow() } }

  /// An empty file to write to.
  static func file(_ path: String) throws -> FileDescriptor {
    try FileDescriptor.open(path, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
  }

  func send(_ signal: Int32) { _ = kill(number, signal) }

  /// `kill -9`; returns when it is gone.
  func endNow() {
    guard kill(number, SIGKILL) == 0 else { return }
    var information = siginfo_t()
    // Its status stays for swift-subprocess, which waits for it.
    while waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
  }

  /// Waits until it has ended; its exit status, or the number of the signal that ended it.
  func ended() async -> Int32 { await ending.value() }
}

/// Waits for processes and threads without holding one of Swift's few threads.
final class Ended<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiting: [CheckedContinuation<Value, Never>] = []
  }
  private let state = Mutex(State())
  var isOver: Bool { state.withLock { $0.value != nil } }

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

/// A terminal that keeps what it is shown.
private final class PseudoTerminal: Sendable {
  /// The program's side; closed by who starts it.
  let program: FileDescriptor
  private let own: FileHandle
  private let reading = Ended<[UInt8]>()

  struct Failure: Error {}

  init() throws {
    let (master, slave) = Self.pair()
    guard master >= 0, slave >= 0 else { throw Failure() }
    let own = FileHandle(fileDescriptor: master, closeOnDealloc: true)
    self.own = own
    program = FileDescriptor(rawValue: slave)
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
    String(decoding: await reading.value(), as: UTF8.self)
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
