import ArgumentParser
import BoardroomCodec

/// Which command has which flag, as a table for docs/OPERATIONS.md: the flags that several commands have, by their names
/// (CLI-3). Made from what ArgumentParser knows of the commands.
enum FlagReference {
  private struct CommandFlag: Hashable {
    var name: String
    /// What the value is called; empty for a flag without one.
    var value: String
  }

  static var markdown: String {
    var commands: [CommandFlag: [String]] = [:]
    for (command, flags) in tree { for flag in flags { commands[flag, default: []].append(command) } }
    let rows = commands.filter { $0.value.count > 1 }.sorted { $0.key.name < $1.key.name }
    let lines = rows.map { flag, commands in
      "| `\(flag.name)` | \(flag.value.isEmpty ? "" : "`\(flag.value)`") | \(grouped(commands)) |"
    }
    return (["| Flag | Value | Commands |", "|---|---|---|"] + lines).joined(separator: "\n")
  }

  /// Commands below one are written together: `room (create, list)`.
  private static func grouped(_ commands: [String]) -> String {
    var inner: [String: [String]] = [:]
    var names: [String] = []
    for command in commands {
      let words = command.split(separator: " ").map(String.init)
      if inner[words[0]] == nil { names.append(words[0]) }
      inner[words[0], default: []] += words.dropFirst()
    }
    return names.map { name in
      let below = (inner[name] ?? []).map { "`\($0)`" }
      return "`\(name)`" + (below.isEmpty ? "" : " (\(below.joined(separator: ", ")))")
    }.joined(separator: ", ")
  }

  /// Each command without commands below it, with the flags that its help shows.
  private static var tree: [(String, [CommandFlag])] {
    guard let root = (try? JSONValue.parse(Array(dump.utf8)))?["command"] else { return [] }
    return leaves(below: root, [])
  }

  private static var dump: String {
    do {
      _ = try Boardroom.parseAsRoot(["--experimental-dump-help"])
      return ""
    } catch { return Boardroom.fullMessage(for: error) }
  }

  private static func leaves(below command: JSONValue, _ words: [String]) -> [(String, [CommandFlag])] {
    let inner = (command["subcommands"]?.array ?? []).filter { $0["commandName"]?.string != "help" }
    guard inner.isEmpty else {
      return inner.flatMap { leaves(below: $0, words + [$0["commandName"]?.string ?? ""]) }
    }
    let flags = (command["arguments"]?.array ?? []).compactMap(flag)
    return [(words.joined(separator: " "), flags)]
  }

  private static func flag(_ argument: JSONValue) -> CommandFlag? {
    guard argument["shouldDisplay"]?.bool != false, let kind = argument["kind"]?.string, kind != "positional",
      let name = argument["preferredName"]?["name"]?.string, !["help", "version"].contains(name)
    else { return nil }
    return CommandFlag(name: "--\(name)", value: kind == "flag" ? "" : argument["valueName"]?.string ?? "")
  }
}
