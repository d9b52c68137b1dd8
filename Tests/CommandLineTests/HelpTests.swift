import Testing

@Suite("Command line: help")
struct HelpTests {
  private static let commands = [
    "perform", "watch", "replay", "export", "import", "inspect", "verify", "backup", "repair", "sample",
    "serve",
    "token",
    "room", "signaling", "migrate", "database",
  ]

  @Test("Every command has help with examples that begin with the program's name", arguments: commands)
  func examples(command: String) async throws {
    let answer = try await Program.run(command, "--help", in: try Folder())
    #expect(answer.status == 0)
    #expect(answer.output.contains("OVERVIEW: "))
    #expect(answer.output.contains("  boardroom \(command)"))
  }

  @Test("The program alone lists its commands")
  func overview() async throws {
    let answer = try await Program.run("--help", in: try Folder())
    #expect(answer.status == 0)
    for command in Self.commands { #expect(answer.output.contains("  \(command) "), "no \(command)") }
  }
}
