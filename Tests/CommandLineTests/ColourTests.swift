import Foundation
import Testing

private let room = SampleLog.room
private let (bold, red, plain) = ("\u{1b}[1m", "\u{1b}[31m", "\u{1b}[0m")

@Suite("Command line: colours")
struct ColourTests {
  private let folder: Folder
  init() async throws {
    folder = try Folder()
    try folder.write(SampleLog.text, to: "room.jsonl")
    let made = try await Program.run("import", "room.jsonl", "--data", "data", "--room", room, in: folder)
    try #require(made.status == 0, "\(made.errors)")
  }

  private func run(
    _ words: [String], terminal: Bool = true, _ variables: [String: String] = ["TERM": "xterm"]
  ) async throws -> Program.Answer {
    try await Program.run(
      words, terminal: terminal, errorTerminal: terminal, variables: variables, in: folder)
  }

  @Test("TERM-4: on a terminal errors are red and headings bold")
  func coloured() async throws {
    let missing = try await run(["replay", room, "--data", "nowhere"])
    #expect(missing.status == 66)
    #expect(missing.errors.hasPrefix(red + "There is no folder nowhere."), "\(missing.errors)")
    #expect(missing.errors.contains("--data." + plain))
    let wrong = try await run(["replay", room, "--no-such-flag"])
    #expect(wrong.status == 64)
    #expect(wrong.errors.hasPrefix(red + "Error: "), "\(wrong.errors)")
    #expect(wrong.errors.contains("Usage: "))
    let help = try await run(["replay", "--help"])
    for heading in ["OVERVIEW:", "USAGE:", "OPTIONS:"] {
      #expect(help.output.contains(bold + heading + plain), "\(heading)")
    }
    #expect(try await run(["inspect", room]).output.contains(bold + "events" + plain + "    1 to 60"))
    #expect(try await run(["replay", room]).output.contains(bold + "roster" + plain))
  }

  @Test(
    "TERM-4: no colours on what is no terminal, without TERM or a dumb one, with NO_COLOR, or with --json")
  func colourless() async throws {
    let commands = [
      ["replay", room, "--data", "nowhere"], ["replay", room, "--no-such-flag"], ["replay", "--help"],
      ["inspect", room], ["replay", room], ["verify"],
    ]
    let cases: [(Bool, [String: String], [String])] = [
      (false, ["TERM": "xterm"], []), (true, [:], []), (true, ["TERM": "dumb"], []),
      (true, ["TERM": ""], []), (true, ["TERM": "xterm", "NO_COLOR": "1"], []),
      (true, ["TERM": "xterm"], ["--json"]),
    ]
    for (terminal, variables, more) in cases {
      for words in commands where more.isEmpty || words.last != "--help" {
        let answer = try await run(words + more, terminal: terminal, variables)
        let all = answer.output + answer.errors
        #expect(!all.isEmpty, "\(words)")
        // A line of progress, which slow work shows, may be written again where the terminal knows how (TERM-1).
        let isUnderstood = !["", "dumb"].contains(variables["TERM"] ?? "")
        #expect(!all.contains(/\u{1b}\[[0-9;]*m/), "\(words) \(variables)")
        #expect(isUnderstood || !all.contains("\u{1b}"), "\(words) \(variables)")
      }
    }
  }

  @Test("TERM-4: an empty NO_COLOR is none")
  func empty() async throws {
    let answer = try await run(["inspect", room], ["TERM": "xterm", "NO_COLOR": ""])
    #expect(answer.output.contains(bold))
  }

  @Test("TERM-1, TERM-4: what a person names goes to a terminal escaped, between the program's own colours")
  func escaped() async throws {
    let answer = try await run(["replay", room, "--data", "no\u{1b}[1mwhere"])
    let own = answer.errors.replacingOccurrences(of: red, with: "").replacingOccurrences(of: plain, with: "")
    #expect(!own.contains("\u{1b}"), "\(answer.errors)")
    #expect(own.contains("no\\u{1b}[1mwhere"), "\(own)")
    let wrong = try await run(["replay", room, "--\u{1b}[1m"])
    let left = wrong.errors.replacingOccurrences(of: red, with: "").replacingOccurrences(of: plain, with: "")
    #expect(!left.contains("\u{1b}"), "\(wrong.errors)")
  }
}
