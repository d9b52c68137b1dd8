import Foundation

/// `embed OUTPUT FOLDER PATH…` writes a Swift file with the texts of the files at these paths of a folder. The build runs it,
/// by the plugin EmbedPage.
@main
struct Embed {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let output = arguments.first, let folder = arguments.dropFirst().first else {
      fail("Usage: embed OUTPUT FOLDER PATH…")
    }
    let files = try arguments.dropFirst(2).map { path in
      EmbeddedFile(path: path, bytes: try Data(contentsOf: URL(fileURLWithPath: folder + "/" + path)))
    }
    do {
      try write(try EmbeddedFile.source(of: files), to: output)
    } catch let failure as EmbeddedFile.EmbedFailure {
      fail(failure.sentence)
    }
  }

  private static func write(_ source: String, to output: String) throws {
    // A file that is not written anew is not compiled anew.
    if (try? String(contentsOfFile: output, encoding: .utf8)) == source { return }
    try Data(source.utf8).write(to: URL(fileURLWithPath: output), options: .atomic)
  }

  private static func fail(_ sentence: String) -> Never {
    FileHandle.standardError.write(Data("error: \(sentence)\n".utf8))
    exit(1)
  }
}
