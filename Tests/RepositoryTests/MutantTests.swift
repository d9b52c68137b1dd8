import Foundation
import Testing

/// A made-up repository with one test file, which is no package: nothing of it can be built.
private func repository(_ body: String) throws -> (folder: URL, file: URL) {
  let folder = FileManager.default.temporaryDirectory.appending(path: "mutants-\(UUID().uuidString)")
  let file = folder.appending(path: "Tests/SomeTests/Some.swift")
  for (path, text) in [
    "docs/parity/rows.tsv": "id\tsection\tstatus\ttext\nAA-1\t2.1\tMUST\tone", "docs/SPEC.md": "# Rules\n",
    "Tests/SomeTests/Some.swift": "@" + "Test(\"AA-1: one\") func one() { \(body) }\n",
  ] {
    let url = folder.appending(path: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: url, atomically: true, encoding: .utf8)
  }
  return (folder, file)
}

@Suite("tools/mutants", .enabled("needs python3") { await Tool.hasPython() })
struct MutantTests {
  @Test("tools/mutants chooses by the seed, of few targets, and only tests that quote ids")
  func sample() async throws {
    let list = ["--list", "--root", Repository.root.path, "--count", "9", "--targets", "2"]
    let one = try await Tool.run("mutants", list + ["--seed", "7"])
    #expect(one.status == 0, "\(one.errors)")
    let lines = one.output.split(separator: "\n")
    #expect(lines.count == 9)
    #expect(Set(lines.map { $0.prefix { $0 != "." } }).count <= 2)
    #expect(try await Tool.run("mutants", list + ["--seed", "7"]).output == one.output)
    #expect(try await Tool.run("mutants", list + ["--seed", "8"]).output != one.output)
  }

  @Test("tools/mutants puts a file back whatever happens: here the inverted one cannot be built")
  func restored() async throws {
    let (folder, file) = try repository("#" + "expect(1 == 1)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let before = try Data(contentsOf: file)
    let found = try await Tool.run("mutants", ["--root", folder.path, "--without-web"])
    #expect(found.status == 2)
    #expect(found.errors.contains("the build with inverted assertions failed"), "\(found.errors)")
    #expect(try Data(contentsOf: file) == before)
    #expect(!FileManager.default.fileExists(atPath: folder.appending(path: ".build/mutants").path))
  }

  @Test("tools/mutants puts back what a killed run has left")
  func left() async throws {
    let (folder, file) = try repository("#" + "expect(1 == 1)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let kept = folder.appending(path: ".build/mutants")
    try FileManager.default.createDirectory(at: kept, withIntermediateDirectories: true)
    try "as it was\n".write(to: kept.appending(path: "0"), atomically: true, encoding: .utf8)
    let list = #"{"process": 999999999, "files": ["Tests/SomeTests/Some.swift"]}"#
    try list.write(to: kept.appending(path: "files.json"), atomically: true, encoding: .utf8)
    let found = try await Tool.run("mutants", ["--root", folder.path, "--restore"])
    #expect(found.status == 0)
    #expect(found.errors.contains("put back 1 files"), "\(found.errors)")
    #expect(try String(contentsOf: file, encoding: .utf8) == "as it was\n")
  }

  @Test("tools/mutants edits no file that has changes of somebody")
  func changed() async throws {
    let (folder, file) = try repository("#" + "expect(1 == 1)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for words in [["init", "--quiet"], ["add", "Tests"]] {
      let git = try await Tool.execute("/usr/bin/env", ["git", "-C", folder.path] + words)
      try #require(git.status == 0, "\(git.errors)")
    }
    let before = try Data(contentsOf: file)
    let found = try await Tool.run("mutants", ["--root", folder.path, "--without-web"])
    #expect(found.status == 2)
    #expect(found.errors.contains("Tests/SomeTests/Some.swift. Commit them first"), "\(found.errors)")
    #expect(try Data(contentsOf: file) == before)
  }
}
