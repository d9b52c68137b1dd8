import BoardroomHTTP
import Foundation

#if canImport(Subprocess)
  import Subprocess

  #if canImport(System)
    import System
  #else
    import SystemPackage
  #endif
#endif

/// Runs `rsvg-convert` of librsvg as a process of its own, so that a fault in it cannot harm the server.
///
/// It is started by swift-subprocess and not by Foundation's `Process`: with more than some 1,360 open files
/// the latter reads up to 256 bytes beyond its list of them on Linux, and may crash.
package struct RsvgConvert: PictureRenderer {
  /// A full page takes some tenths of a second; after 5 s something is wrong with it.
  package static let usualLimit = Duration.seconds(5)
  /// The most bytes of output: 4,096 by 4,096 pixels of 4 bytes, not compressed.
  static let largest = 64 << 20

  let program: String
  let limit: Duration

  /// Nil if it is in none of the folders of `path`, which are separated by colons.
  package init?(
    path: String = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
    limit: Duration = usualLimit
  ) {
    let found = path.split(separator: ":").map { "\($0)/rsvg-convert" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let found else { return nil }
    self.init(program: found, limit: limit)
  }

  init(program: String, limit: Duration) {
    self.program = program
    self.limit = limit
  }

  /// Drawing and picture go through pipes. So the program has no folder from which it could open files, and a
  /// killed server leaves no files behind.
  package func png(of svg: [UInt8]) async throws(PictureError) -> [UInt8] {
    #if canImport(Subprocess)
      let answer: [UInt8]?
      do {
        answer = try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
          group.addTask {
            let result = try await run(
              .path(FilePath(program)), arguments: ["--format=png"], input: .array(svg),
              output: .bytes(limit: Self.largest), error: .discarded)
            return result.terminationStatus.isSuccess ? result.standardOutput : nil
          }
          // If the task is cancelled, the process is killed.
          group.addTask {
            try await Task.sleep(for: limit)
            return nil
          }
          defer { group.cancelAll() }
          return try await group.next() ?? nil
        }
      } catch {
        throw .failed
      }
      guard let answer, !answer.isEmpty else { throw .failed }
      return answer
    #else
      throw .noRenderer
    #endif
  }
}
