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
  static func run(_ arguments: [String], input: String = "", in folder: Folder) async throws -> Answer {
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
    let words = Pipe()
    process.standardInput = words
    try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in ended.resume() }
      do {
        try process.run()
        words.fileHandleForWriting.write(Data(input.utf8))
        try words.fileHandleForWriting.close()
      } catch { ended.resume(throwing: error) }
    }
    return Answer(
      status: process.terminationStatus, output: try String(contentsOfFile: output, encoding: .utf8),
      errors: try String(contentsOfFile: errors, encoding: .utf8))
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
