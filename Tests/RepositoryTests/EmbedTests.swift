import Foundation
import Testing

@testable import embed

@Test("Files of the page become literals of Swift that hold their bytes, whatever signs of Swift are in them")
func pageIsEmbedded() throws {
  let text = ##"""
    const a = `\n\u{1}\(x) ${""}`; // 白板 """#

    """##
  let source = try EmbeddedFile.source(of: [
    EmbeddedFile(path: "a.js", bytes: Data(text.utf8)), EmbeddedFile(path: "b/c.css", bytes: Data()),
  ])
  #expect(source.contains("path: \"a.js\""))
  #expect(source.contains("####\"\"\"\n\(text)\n\"\"\"####"))
  #expect(source.contains("path: \"b/c.css\""))
}

@Test(
  "A file that no literal can hold, or with a name that is not served, is not embedded",
  arguments: [
    ("a.js", Array("a\r\n".utf8)), ("a.js", [0]), ("a.js", Array("\"\"\"####".utf8)),
    ("a.js", Array("\\####(x)".utf8)), ("a.js", [0xFF]), ("a b.js", []),
  ])
func pageIsNotEmbedded(path: String, bytes: [UInt8]) {
  let error = #expect(throws: EmbeddedFile.EmbedFailure.self) {
    try EmbeddedFile.source(of: [EmbeddedFile(path: path, bytes: Data(bytes))])
  }
  #expect(error?.sentence.hasPrefix(path) == true)
}
