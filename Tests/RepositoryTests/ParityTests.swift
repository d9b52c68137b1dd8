import Foundation
import Testing

/// A made-up repository in which `tools/parity` finds seven rows, two rules and what a case says of them.
struct ParityCase: CustomTestStringConvertible, Sendable {
  var name: String
  var rows = ParityCase.rows
  /// Titles of tests; the attribute is written by `swift`.
  var titles: [String] = []
  /// Titles of tests of the client.
  var client = ["DD-1: told", "EE-1: settled"]
  var source = ""
  /// Rows of the table of what is left out.
  var leftOut: [String] = []
  var prose = ""
  var specification: String?
  /// What is wrong; empty if nothing is. Each is part of one line, and no other line is there.
  var wrong: [String] = []
  var testDescription: String { name }

  static let rows = """
    id\tsection\tstatus\ttext
    AA-1\t2.1\tMUST\tone
    AA-2\t2.1\tSHOULD\ttwo
    AA-3\t2.2\tMAY\tthree
    BB-word\t4.3\tSHOULD\tfour
    DD-1\t2.3\tSHOULD\ta callback
    CC-1\t9.1\tMUST\tnot in force
    EE-1\t11\tDECIDE\ta contradiction
    """
  /// Nine rows more.
  static let many = "\n" + (1...9).map { "FF-\($0)\t9.2\tMAY\tword\($0)" }.joined(separator: "\n")
  /// What a specification says of BB-word, which has no id there.
  static let word = "### 4.3 Two\n| Word | Status |\n|---|---|\n| word | SHOULD |\n"
  static let reason = "because the app draws it, and this library does not"

  /// What makes everything well: the cases below take from it or add to it.
  static let all = ["AA-1, AA-2: both", "BB-word: a word", "DEC-1: a rule", "DEC-2: another"]

  static func test(_ title: String, _ traits: String = "", body: String = "#" + "expect(one == 1)") -> String
  {
    "@" + "Test(\"\(title)\"\(traits)) func one() { \(body) }\n"
  }

  func write(to folder: URL) throws {
    let leftOutTable =
      leftOut.isEmpty ? "" : "\n| Left out | Why |\n|---|---|\n" + leftOut.joined(separator: "\n")
    let files = [
      "docs/parity/rows.tsv": rows,
      "docs/SPEC.md": "| Id | Rule |\n|---|---|\n| DEC-1, DEC-2 | Two rules. |\n",
      "docs/PARITY.md": "# Parity\n\(prose)\n\(leftOutTable)\n",
      "Tests/SomeTests/Some.swift": titles.map { Self.test($0) }.joined() + source,
      "Tests/BoardroomClientTests/Some.swift": client.map { Self.test($0) }.joined(),
      "tools/some": "#!/usr/bin/env bash\n",
    ]
    for (path, text) in files {
      let file = folder.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    try specification?.write(to: folder.appending(path: "spec.md"), atomically: true, encoding: .utf8)
  }
}

private func without(_ title: String) -> [String] { ParityCase.all.filter { $0 != title } }

private let cases: [ParityCase] = [
  ParityCase(name: "all is well", titles: ParityCase.all),
  ParityCase(
    name: "a MUST without a test", titles: ["AA-2, BB-word, DEC-1, DEC-2"], wrong: ["AA-1 (MUST) has no test"]
  ),
  ParityCase(
    name: "a reason does not stand in for the test of a MUST", titles: ["AA-2, BB-word, DEC-1, DEC-2"],
    leftOut: ["| AA-1 | \(ParityCase.reason) |"], wrong: ["AA-1 (MUST) has no test"]),
  ParityCase(
    name: "a SHOULD with neither", titles: without("BB-word: a word"),
    wrong: ["BB-word (SHOULD) has neither a test nor a line"]),
  ParityCase(
    name: "a SHOULD with a reason", titles: without("BB-word: a word"),
    leftOut: ["| BB-word, AA-3 | \(ParityCase.reason) |"]),
  ParityCase(
    name: "a reason that is none", titles: without("BB-word: a word"), leftOut: ["| BB-word | no |"],
    wrong: ["gives no reason"]),
  ParityCase(
    name: "test and reason", titles: ParityCase.all, leftOut: ["| BB-word | \(ParityCase.reason) |"],
    wrong: ["BB-word is left out in PARITY.md, and proved by"]),
  ParityCase(
    name: "a title with an id that is not there", titles: ParityCase.all + ["AA-9: nothing"],
    wrong: ["claims AA-9, which is not there"]),
  ParityCase(
    name: "a word that is not there", titles: ParityCase.all + ["BB-other: nothing"],
    wrong: ["claims BB-other, which is not there"]),
  ParityCase(
    name: "letters that begin no id are none", titles: ParityCase.all + ["UTF-8 and SHA-256 and ZZ-1"]),
  ParityCase(
    name: "PARITY.md names what is not there", titles: ParityCase.all, prose: "See AA-12.",
    wrong: ["there is no AA-12"]),
  ParityCase(
    name: "a rule that no test quotes", titles: without("DEC-2: another"),
    wrong: ["no test quotes the rule DEC-2"]),
  ParityCase(name: "ranges", titles: ["AA-1..2", "BB-word", "DEC-1 to DEC-2"]),
  ParityCase(
    name: "ranges with ids at both ends", titles: ["AA-1..AA-2: x", "BB-word", "DEC-1–2"]),
  ParityCase(
    name: "the end of a range has to be there", titles: ParityCase.all + ["AA-1..AA-7"],
    wrong: ["claims AA-7, which is not there"]),
  ParityCase(
    name: "a number after `to` is no id", titles: ["AA-1 to 2 things", "BB-word", "DEC-1, DEC-2"],
    wrong: ["AA-2 (SHOULD) has neither"]),
  ParityCase(
    name: "a callback is proved at the client only", titles: ParityCase.all + ["DD-1: decided", "EE-1"],
    client: [],
    wrong: [
      "DD-1 (SHOULD) is proved by Tests/SomeTests/Some.swift, but by none of Tests/BoardroomClientTests/"
    ]),
  ParityCase(
    name: "a contradiction that nobody settled", titles: ParityCase.all, client: ["DD-1: told"],
    wrong: ["EE-1 (DECIDE) has neither a test of its rule nor a line"]),
  ParityCase(
    name: "a contradiction that PARITY.md settles", titles: ParityCase.all, client: ["DD-1: told"],
    leftOut: ["| EE-1 | \(ParityCase.reason) |"]),
  ParityCase(name: "letters said once", titles: ["AA-1, -2: x", "BB-word", "DEC-1 and -2"]),
  ParityCase(
    name: "letters said once, of what is not there", titles: ParityCase.all + ["BB-word, -other"],
    wrong: ["claims BB-other, which is not there"]),
  ParityCase(
    name: "a disabled test proves nothing", titles: without("BB-word: a word"),
    source: ParityCase.test("BB-word: off", ", .disabled(\"later\")"), wrong: ["BB-word (SHOULD) has neither"]
  ),
  ParityCase(
    name: "nor does one in a comment", titles: without("BB-word: a word"),
    source: "  // " + ParityCase.test("BB-word: off"), wrong: ["BB-word (SHOULD) has neither"]),
  ParityCase(
    name: "the specification agrees", titles: ParityCase.all,
    specification: "### 2.1 One\n| AA-1 | x | **MUST** S1 |\n| AA-2 | y | SHOULD / DECIDE |\n"
      + ParityCase.word),
  ParityCase(
    name: "the specification has more", titles: ParityCase.all,
    specification: "### 2.1 One\n| AA-1 | x | **MUST** S1 |\n| AA-4 | y | MAY |\n" + ParityCase.word,
    wrong: ["the specification has AA-4 (section 2.1), rows.tsv has not"]),
  ParityCase(
    name: "the specification asks more", titles: ParityCase.all,
    specification: "### 2.1 One\n| AA-2 | x | **MUST** S1 |\n" + ParityCase.word,
    wrong: ["AA-2 is SHOULD in rows.tsv and MUST in the specification"]),
  ParityCase(
    name: "a worded row is said in its section, with its status", titles: ParityCase.all,
    specification:
      "### 2.1 One\n| AA-1 | x | MUST |\n### 4.3 Two\n| Word | Status |\n|---|---|\n| word | SHOULD |\n"),
  ParityCase(
    name: "a worded row of which the specification says nothing", titles: ParityCase.all,
    specification: "### 2.1 One\n| AA-1 | x | MUST |\n### 4.3 Two\nNothing.\n",
    wrong: ["BB-word is in rows.tsv; section 4.3 of the specification has no such words"]),
  ParityCase(
    name: "a worded row of which the specification asks more", titles: ParityCase.all,
    specification:
      "### 2.1 One\n| AA-1 | x | MUST |\n### 4.3 Two\n| Word | Status |\n|---|---|\n| word | MUST |\n",
    wrong: ["BB-word is SHOULD in rows.tsv and MUST in the specification"]),
  ParityCase(
    name: "a row of the specification that has no id there, and none here", titles: ParityCase.all,
    specification: "### 2.1 One\n| AA-1 | x | MUST |\n" + ParityCase.word + "| other | MUST |\n",
    wrong: ["the specification has 'other' (section 4.3), rows.tsv has not"]),
  ParityCase(
    name: "a test that asserts nothing", titles: without("BB-word: a word"),
    source: ParityCase.test("BB-word: a word", body: "print(1)"),
    wrong: ["Tests/SomeTests/Some.swift:4: SomeTests.one asserts nothing: BB-word: a word"]),
  ParityCase(
    name: "an assertion in a comment or a text is none", titles: without("BB-word: a word"),
    source: ParityCase.test("BB-word: a word", body: "print(\"#expect(true)\") // #expect(true)\n"),
    wrong: ["asserts nothing: BB-word: a word"]),
  ParityCase(
    name: "a test that asserts by a helper", titles: without("BB-word: a word"),
    source: ParityCase.test("BB-word: a word", body: "check()") + "func check() { again() }\n"
      + "func again() { #" + "expect(1 == 1) }\n"),
  ParityCase(
    name: "a title of many rows has to be kept by its test", rows: ParityCase.rows + ParityCase.many,
    titles: ParityCase.all,
    source: ParityCase.test("FF-1 to FF-9", body: "#" + "expect(one == \"FF-3\")"),
    wrong: [
      "a title claims 9 rows, and nothing in its test names FF-1, FF-2, FF-4, FF-5, FF-6, FF-7, FF-8, FF-9;"
    ]),
  ParityCase(
    name: "a title of many rows that its cases name", rows: ParityCase.rows + ParityCase.many,
    titles: ParityCase.all,
    source: "let cases = [\(((1...9).map { "\"FF-\($0)\"" }).joined(separator: ", "))]\n"
      + ParityCase.test("FF-1 to FF-9", ", arguments: cases")),
  ParityCase(
    name: "a specification without ids", titles: ParityCase.all, specification: "# Something else\n",
    wrong: ["no id was found in spec.md"]),
]

@Suite("tools/parity", .enabled("needs python3") { await Tool.hasPython() })
struct ParityTests {
  @Test(
    "tools/parity fails on exactly what is wrong between rows, titles, reasons and rules", arguments: cases)
  func verdict(of one: ParityCase) async throws {
    let found = try await parity(one, "--quiet")
    #expect(found.status == (one.wrong.isEmpty ? 0 : 1), "\(found.errors)")
    let lines = found.errors.components(separatedBy: "\n").filter { $0.hasPrefix("✘") }
    #expect(lines.count == one.wrong.count, "\(found.errors)")
    for (line, part) in zip(lines, one.wrong) { #expect(line.contains(part)) }
    #expect(found.output.contains("Left out: comparing ids") == (one.specification == nil))
  }

  @Test("tools/parity marks what is proved by raw values alone, and counts it")
  func rawValues() async throws {
    let one = ParityCase(
      name: "raw", titles: without("BB-word: a word"),
      source: ParityCase.test("BB-word: a word", body: "#" + "expect(Kind.word.rawValue == 3)"))
    let table = try await parity(one).output
    #expect(table.contains(/BB-word .*\[by raw values\]/))
    #expect(table.contains(/Section 4 +1 proved, 0 left out, 0 open \(in force\); 1 by raw values alone/))
  }

  @Test("tools/parity lists each row with the test that proves it, the reason, or that it is open")
  func listing() async throws {
    let one = ParityCase(
      name: "listing", titles: without("BB-word: a word"), leftOut: ["| BB-word | \(ParityCase.reason) |"])
    let table = try await parity(one).output
    #expect(table.contains(/AA-1 +MUST +proved +AA-1, AA-2: both/))
    #expect(table.contains(/AA-1 .*\[named only in a title\]/))
    #expect(table.contains(/AA-3 +MAY +open +open: three/))
    #expect(table.contains(/BB-word +SHOULD +left out +because the app draws it/))
    #expect(!table.contains("CC-1"))
    #expect(try await parity(one, "--section", "9").output.contains(/CC-1 +MUST +open/))
    let json =
      try JSONSerialization.jsonObject(with: Data(await parity(one, "--json").output.utf8)) as? [String: Any]
    #expect((json?["rows"] as? [[String: Any]])?.compactMap { $0["id"] as? String }.count == 6)
  }
}

private func parity(_ one: ParityCase, _ arguments: String...) async throws -> Tool.Finished {
  let folder = FileManager.default.temporaryDirectory.appending(path: "parity-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: folder) }
  try one.write(to: folder)
  let specification = folder.appending(path: "spec.md").path
  return try await Tool.run("parity", ["--root", folder.path, "--spec", specification] + arguments)
}
