import Foundation

/// Files that were written once and must be readable for ever: `Tests/Golden/v1`, and a folder for each later version.
public enum GoldenFiles {
  public static var folder: URL { folder(of: 1) }

  private static func folder(of version: Int) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Golden/v\(version)")
  }

  /// Only then are files written; a test run otherwise never changes them.
  public static var isRecording: Bool { ProcessInfo.processInfo.environment["BOARDROOM_GOLDEN"] == "record" }

  public static func read(_ name: String, version: Int = 1) throws -> [UInt8] {
    Array(try Data(contentsOf: folder(of: version).appendingPathComponent(name)))
  }

  /// Writes a file when recording and none is there: what was published is never replaced.
  public static func record(_ name: String, _ bytes: [UInt8], version: Int = 1) throws {
    let file = folder(of: version).appendingPathComponent(name)
    guard isRecording, !FileManager.default.fileExists(atPath: file.path) else { return }
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }
}
