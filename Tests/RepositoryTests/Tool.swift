import Foundation
import Subprocess

#if canImport(System)
  import System
#else
  import SystemPackage
#endif

/// A tool of the repository that is written in Python, as the repository tests run it.
enum Tool {
  struct Finished {
    var status: Int32
    var output: String
    var errors: String
  }

  /// Whether this machine can run them; continuous integration can, Tests/EndToEnd/run sees to it.
  static func hasPython() async -> Bool {
    (try? await execute("/usr/bin/env", ["python3", "--version"]))?.status == 0
  }

  static func run(_ name: String, _ arguments: [String]) async throws -> Finished {
    try await execute(
      "/usr/bin/env", ["python3", Repository.root.appending(path: "tools/\(name)").path] + arguments)
  }

  static func execute(_ program: String, _ arguments: [String]) async throws -> Finished {
    let result = try await Subprocess.run(
      .path(FilePath(program)), arguments: Arguments(arguments), output: .string(limit: 1 << 20),
      error: .string(limit: 1 << 20))
    guard case .exited(let status) = result.terminationStatus else { throw CocoaError(.executableLoad) }
    return Finished(status: status, output: result.standardOutput, errors: result.standardError)
  }
}
