import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Another program, started with an environment of its own. Its lines are told on a thread of their own.
final class SpawnedProgram: Sendable {
  private let process: pid_t

  /// Nil if it cannot be started.
  init?(
    _ words: [String], environment: [String: String] = [:],
    line: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    var process: pid_t = 0
    let code = Self.withStrings(words) { arguments in
      Self.withStrings(all.map { "\($0)=\($1)" }) { environment in
        posix_spawn(&process, words[0], &actions, nil, arguments, environment)
      }
    }
    close(ends[1])
    self.process = process
    let output = ends[0]
    guard code == 0 else {
      close(output)
      return nil
    }
    Thread.detachNewThread { Self.read(output, line) }
  }

  func signal(_ signal: Int32) { kill(process, signal) }

  /// Ends it, also if it stands still, and waits for that.
  func end() {
    signal(SIGKILL)
    var status: Int32 = 0
    waitpid(process, &status, 0)
  }

  private static func read(_ output: Int32, _ line: (String) -> Void) {
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 12)
    while true {
      let count = buffer.withUnsafeMutableBytes { recv($0, from: output) }
      guard count > 0 else { break }
      text += buffer.prefix(count)
      while let end = text.firstIndex(of: 10) {
        line(String(decoding: text[..<end], as: UTF8.self))
        text.removeFirst(end + 1)
      }
    }
    close(output)
  }

  private static func recv(_ buffer: UnsafeMutableRawBufferPointer, from output: Int32) -> Int {
    while true {
      let count = Foundation.read(output, buffer.baseAddress, buffer.count)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  /// Calls `body` with C strings, a null after the last.
  private static func withStrings<Result>(
    _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }
}
