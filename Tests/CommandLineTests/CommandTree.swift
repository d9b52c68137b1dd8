import BoardroomCodec
import Testing

/// The commands that the program says it has: a new one is in every test of all commands.
struct CommandTree {
  /// A command without commands below it.
  struct Leaf: Sendable, CustomTestStringConvertible {
    /// As `room kick`.
    var name: String
    var options: [Option]
    var testDescription: String { name }
    var words: [String] { name.split(separator: " ").map(String.init) }
  }

  struct Option: Sendable, Hashable {
    /// All its spellings, as `--output` and `-o`.
    var names: [String]
    /// Whether it takes a value.
    var kind: String
    /// What the value is called in the help; empty for a flag.
    var value: String
    var isShown: Bool
  }

  static let leaves = Task { try await read() }

  private static func read() async throws -> [Leaf] {
    let answer = try await Program.run("--experimental-dump-help", in: try Folder())
    let tree = try JSONValue.parse(Array(answer.output.utf8))
    let root = try #require(tree["command"])
    return leaves(below: root, [])
  }

  private static func leaves(below command: JSONValue, _ words: [String]) -> [Leaf] {
    let inner = (command["subcommands"]?.array ?? []).filter { $0["commandName"]?.string != "help" }
    guard inner.isEmpty else {
      return inner.flatMap { leaves(below: $0, words + [$0["commandName"]?.string ?? ""]) }
    }
    let arguments = command["arguments"]?.array ?? []
    return [Leaf(name: words.joined(separator: " "), options: arguments.compactMap(option))]
  }

  private static func option(_ argument: JSONValue) -> Option? {
    let names = (argument["names"]?.array ?? []).compactMap { name -> String? in
      guard let text = name["name"]?.string else { return nil }
      return (name["kind"]?.string == "long" ? "--" : "-") + text
    }
    guard !names.isEmpty, let kind = argument["kind"]?.string else { return nil }
    return Option(
      names: names, kind: kind, value: kind == "flag" ? "" : argument["valueName"]?.string ?? "",
      isShown: argument["shouldDisplay"]?.bool ?? true)
  }
}
