import Foundation

/// `rsvg-convert` of librsvg, run as a program of its own: what it does with a drawing cannot harm the server.
struct RsvgConvert: PictureRenderer {
  /// A full page takes some tenths of a second; after 5 s something is wrong with it.
  static let limit = Duration.seconds(5)

  let program: URL
  var limit = Self.limit

  /// Nil if it is in none of the folders of `path`.
  init?(path: String = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin") {
    let found = path.split(separator: ":").map { "\($0)/rsvg-convert" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let found else { return nil }
    program = URL(fileURLWithPath: found)
  }

  init(program: URL, limit: Duration) {
    self.program = program
    self.limit = limit
  }

  func png(of svg: [UInt8]) async throws(PictureError) -> [UInt8] {
    // A folder of its own: the program opens files that lie beside the one it draws, and there are none.
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("boardroom-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (source, target) = (folder.appendingPathComponent("in.svg"), folder.appendingPathComponent("out.png"))
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try Data(svg).write(to: source)
      guard try await run(["--format=png", "--output", target.path, source.path]) else {
        throw PictureError.failed
      }
      return Array(try Data(contentsOf: target))
    } catch {
      throw .failed
    }
  }

  /// Whether it ended by itself, with success.
  private func run(_ arguments: [String]) async throws -> Bool {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let (endings, ended) = AsyncStream<Bool>.makeStream()
    process.terminationHandler = {
      ended.yield($0.terminationReason == .exit && $0.terminationStatus == 0)
      ended.finish()
    }
    try process.run()
    let (number, limit) = (process.processIdentifier, limit)
    let watchdog = Task {
      try await Task.sleep(for: limit)
      kill(number, SIGKILL)
    }
    defer { watchdog.cancel() }
    for await success in endings { return success }
    return false
  }
}
