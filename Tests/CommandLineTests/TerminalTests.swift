import BoardroomCodec
import BoardroomModel
import EventLogModel
import Foundation
import Testing

/// A log in which every text does what a terminal obeys.
private enum Hostile {
  static let room = "0123456789abcdef0123456789abcdef"
  static let text =
    "\u{1b}]0;mine\u{7}\u{9b}31m\u{7f}\u{202e}\u{2066}\u{200f}\u{61c}\u{2028}\u{85}\u{200b}"
    + "a" + String(repeating: "\u{301}", count: 40)

  static let lines: [String] = {
    var builder = RunBuilder(first: 1)
    for (index, (actor, event)) in events.enumerated() {
      builder.append(
        Record(
          kind: event.kind, time: Timestamp(milliseconds: 1_700_000_000_000 + Int64(index)),
          actor: actor.code, body: EventCodec.encodeBody(event, counter: 0)))
    }
    guard let run = builder.takeRun() else { return [] }
    return RecordMirror.lines(of: run).map { line in
      String(decoding: line.last == UInt8(ascii: "\n") ? line.dropLast() : line[...], as: UTF8.self) + "\n"
    }
  }()

  private static var quoted: JSONText { JSONText(unchecked: JSONValue.string(text).text.text) }

  private static let events: [(Actor, Event)] = {
    let eve = Actor.member(0)
    let joined = MemberJoined(
      session: SessionID(high: 1, low: 2), uid: text, role: .writer, writable: true, payload: quoted,
      client: text)
    let patch = JSONPatch(
      raw: JSONText(unchecked: "{\(quoted.text):\(quoted.text)}"), fields: [(text, quoted)])
    return [
      (.server, .room(.created(RoomCreated(name: text)))), (eve, .members(.joined(joined))),
      (eve, .diagnostics(.clientPhases([ClientPhase(phase: String(text.prefix(8)) + "\nforged", ago: 1)]))),
      (eve, .state(.global(patch))), (eve, .state(.member(patch))),
      (eve, .magix(MagixEvent(name: text, payload: quoted))),
      (eve, .state(.storeSet(StoreSet(store: text, patch: patch)))),
      (
        eve, .scenes(.put(ScenesPut(directory: "/" + text, index: 0, scenes: [SceneSpec(id: 2, name: text)])))
      ),
      (eve, .members(.left(.left))),
    ]
  }()
}

/// What a terminal was sent that is no text.
private func raw(_ output: String) -> [Unicode.Scalar] {
  var (found, marks): ([Unicode.Scalar], Int) = ([], 0)
  for scalar in output.unicodeScalars where scalar != "\n" && scalar != "\r" {
    let category = scalar.properties.generalCategory
    marks = category == .nonspacingMark ? marks + 1 : 0
    let isHidden = [.control, .format, .lineSeparator, .paragraphSeparator].contains(category)
    if isHidden || marks > 8 { found.append(scalar) }
  }
  return found
}

private let commands: [(arguments: [String], input: String)] = [
  (["replay", Hostile.room, "--at", "end"], ""), (["replay", Hostile.room, "--at", "8"], ""),
  (["replay", Hostile.room, "--play", "--speed", "0"], ""),
  (["replay", Hostile.room, "--step"], "n\nn\nn\nn\nn\nn\nn\nn\nn\nb\n3\ne\nq\n"), (["inspect"], ""),
  (["inspect", Hostile.room], ""), (["inspect", Hostile.room, "--block", "4"], ""),
  (["replay", Hostile.room, "--scene", "/none", "--at", "8", "--svg", "-"], ""),
  (["verify", "--level", "deep"], ""),
]

/// The same in JSON.
private let values: [[String]] = [
  ["replay", Hostile.room, "--at", "8", "--json"],
  ["replay", Hostile.room, "--play", "--speed", "0", "--json"],
  ["inspect", Hostile.room, "--block", "4", "--json"],
  ["export", Hostile.room],
]

@Suite("Command line: what members wrote")
struct TerminalTests {
  private let folder: Folder

  init() async throws {
    folder = try Folder()
    let text = Hostile.lines.joined()
    try text.write(toFile: folder.path + "/log.jsonl", atomically: true, encoding: .utf8)
    let done = try await Program.run(
      "import", "log.jsonl", "--data", "data", "--room", Hostile.room, in: folder)
    try #require(done.status == 0, "\(done.errors)")
  }

  @Test(
    "TERM-1: no command prints a member's control characters, also where its output is no terminal",
    arguments: commands.indices)
  func text(row: Int) async throws {
    let (arguments, input) = commands[row]
    for isTerminal in [false, true] {
      let answer = try await Program.run(
        arguments + ["--data", "data"], input: input, terminal: isTerminal, in: folder)
      #expect(raw(answer.output) == [], "\(arguments) \(isTerminal)")
      #expect(raw(answer.errors) == [], "\(arguments) \(isTerminal)")
      #expect(!(answer.output + answer.errors).isEmpty, "a terminal is shown what a file is")
      #expect(!answer.output.contains("\nforged"), "a text ends no line")
    }
  }

  @Test("TERM-2: JSON is exact in a file, and the same value in escapes on a terminal", arguments: values)
  func json(_ arguments: [String]) async throws {
    let file = try await Program.run(arguments + ["--data", "data"], in: folder)
    let seen = try await Program.run(arguments + ["--data", "data"], terminal: true, in: folder)
    #expect(raw(file.output) != [])
    #expect(raw(seen.output) == [])
    let (exact, shown) = (file.lines, seen.output.split(whereSeparator: \.isNewline).map(String.init))
    #expect(exact.count == shown.count, "\(exact.count) lines, \(shown.count) shown")
    #expect(!exact.isEmpty, "\(exact.count) lines, \(shown.count) shown")
    for (one, other) in zip(exact, shown) {
      #expect(try JSONValue.parse(Array(one.utf8)).compact == JSONValue.parse(Array(other.utf8)).compact)
    }
    if arguments[0] == "export" { #expect(file.output == Hostile.lines.joined()) }
  }

  @Test("TERM-2: what is no text is not written to a terminal")
  func binary() async throws {
    let seen = try await Program.run(
      ["export", Hostile.room, "--blocks", "--data", "data"], terminal: true, in: folder)
    #expect(seen.status == 64)
    #expect(seen.output == "")
    #expect(seen.errors.contains("Name a file"))
  }
}
