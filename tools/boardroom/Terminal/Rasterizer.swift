import Foundation

/// Pixels from SVG, by librsvg's own program: the house draws paths and leaves filling them to others.
enum Rasterizer {
  private static let program = "rsvg-convert"

  static func png(of svg: [UInt8]) async throws -> [UInt8] {
    guard let path = find() else {
      throw Failure(
        .unavailable,
        "There is no \(program) on the PATH. Install librsvg2-bin (Debian) or librsvg (Homebrew), or write --svg."
      )
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "boardroom-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (picture, pixels) = (folder.appending(path: "in.svg"), folder.appending(path: "out.png"))
    try Data(svg).write(to: picture)
    try await run(path, ["--output", pixels.path, picture.path])
    guard let bytes = try? Data(contentsOf: pixels), !bytes.isEmpty else {
      throw Failure(.io, "\(program) made no picture. Write --svg and look at that.")
    }
    return Array(bytes)
  }

  private static func find() -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.lazy.map { "\($0)/\(program)" }.first(where: FileManager.default.isExecutableFile)
  }

  private static func run(_ path: String, _ arguments: [String]) async throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in ended.resume() }
      do { try process.run() } catch { ended.resume(throwing: error) }
    }
    guard process.terminationStatus == 0 else {
      throw Failure(
        .io,
        "\(program) could not draw the picture (status \(process.terminationStatus)). Write --svg instead."
      )
    }
  }
}
