import Foundation

/// A folder of a test's own, gone with it.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() {
    path = NSTemporaryDirectory() + "boardroom-test-\(UUID().uuidString)"
    // A test that cannot make a folder fails at its first use of it, with the path in the error.
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  public func bytes(of name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
  }

  public func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
  }

  public func names(in folder: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path + "/" + folder).sorted()
  }
}
