import Foundation
import Synchronization
import Testing

/// A real server in a process of its own, on a port of the system's choice.
final class LiveServer: Sendable {
  private struct Running {
    var program: StartedProgram?
    var port = 0
    var log = ""
  }

  private let folder: Folder
  private let running = Mutex(Running())
  var port: Int { running.withLock { $0.port } }
  /// What it has logged since its last start.
  var log: String {
    (try? String(contentsOfFile: running.withLock { $0.log }, encoding: .utf8)) ?? ""
  }
  private let settings: [String]
  var url: String { "http://127.0.0.1:\(port)" }

  /// - Parameter settings: more words for `serve`.
  init(in folder: Folder, settings: [String] = []) { (self.folder, self.settings) = (folder, settings) }

  /// The folder goes after it: a server that still ends would write into it again.
  deinit { running.withLock { $0.program }?.endNow() }

  /// Starts it, again on the port that it had, and waits until it listens.
  func start() async throws {
    let log = folder.path + "/serve-\(UUID().uuidString).log"
    let program = try await StartedProgram(
      Program.url.path, ["serve", "--data", "data", "--port", "\(port)"] + settings, in: folder.path,
      output: StartedProgram.file(log))
    running.withLock { ($0.program, $0.log) = (program, log) }
    let found = try await until("the server listens") { () -> Int? in
      let text = try String(contentsOfFile: log, encoding: .utf8)
      guard let place = text.range(of: "listening ") else { return nil }
      let rest = text[place.upperBound...]
      return rest.range(of: "port=").flatMap { Int(rest[$0.upperBound...].prefix { $0.isNumber }) }
    }
    running.withLock { $0.port = found }
  }

  /// `kill -9`.
  func kill() async throws { _ = try await end(SIGKILL) }

  /// Ctrl-C; its exit status.
  func interrupt() async throws -> Int32 { try await end(SIGINT) }

  /// Its exit status, when it ends by itself.
  func ended() async throws -> Int32 {
    await (try #require(running.withLock { $0.program })).ended()
  }

  private func end(_ signal: Int32) async throws -> Int32 {
    let program = try #require(running.withLock { $0.program })
    program.send(signal)
    return await program.ended()
  }
}

struct TookTooLong: Error, CustomStringConvertible {
  var description: String
}

/// Looks again every 20 ms until there is a value; 30 s at most, for machines that are busy.
func until<Value>(_ what: String, _ look: () async throws -> Value?) async throws -> Value {
  for _ in 0..<1_500 {
    if let value = try await look() { return value }
    try await Task.sleep(for: .milliseconds(20))
  }
  throw TookTooLong(description: "It took too long until \(what).")
}
