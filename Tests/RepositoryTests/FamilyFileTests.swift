import BoardroomModel
import Testing

/// What the names of a family's own files hold.
private let stems: [EventFamily: [String]] = [
  // Positions are pointers and cameras; the mirror of drawing is read and written without
  // a tree of JSON.
  .drawing: ["Drawing", "Positions", "MirrorLine", "MirrorText"], .elements: ["Element"], .scenes: ["Scene"],
  .state: ["State"], .history: ["Histor", "Undo"], .members: ["Member", "Joining"],
  .moderation: ["Moderation"], .room: ["RoomLife"], .custom: ["Custom"],
  .space: ["Space", "Account", "Channel", "Invitation"], .diagnostics: ["Diagnostic"],
]

private func isOwn(_ file: String, of family: EventFamily) -> Bool {
  let name = file.split(separator: "/").last ?? ""
  return (stems[family] ?? []).contains { name.contains($0) }
}

/// The cases of a file's switches: the line of the switch, and what each of its cases matches.
private func switches(in text: String) -> [(subject: String, cases: [String])] {
  var open: [(indent: Int, subject: String, cases: [String])] = []
  var all: [(subject: String, cases: [String])] = []
  for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
    let indent = line.prefix { $0 == " " }.count
    let words = line.dropFirst(indent)
    if words.hasPrefix("}"), let last = open.last, last.indent == indent {
      all.append((last.subject, last.cases))
      open.removeLast()
    }
    if !words.hasPrefix("//"), let subject = String(words).matches(#"\bswitch (.*)\{$"#).first?.first {
      open.append((indent, subject, []))
    } else if words.hasPrefix("case "), let last = open.indices.last, open[last].indent == indent {
      open[last].cases.append(String(words.dropFirst(5)))
    } else if words.hasPrefix("."), let last = open.indices.last, open[last].indent + 2 == indent,
      let label = open[last].cases.popLast()
    {
      open[last].cases.append(label + " " + words)
    }
  }
  return all
}

/// The families whose kinds a case picks out, as in `.members(.left)`.
private func families(in label: String) -> Set<EventFamily> {
  Set(EventFamily.allCases.filter { label.contains(".\($0.rawValue)(.") })
}

@Test("KIND-1: in model, codec and core only a family's own files match its kinds; others hand the family on")
func familiesAreHandedOn() {
  let kinds = Dictionary(uniqueKeysWithValues: EventKind.allCases.map { ($0.name, $0.family) })
  let layers = ["BoardroomModel", "BoardroomCodec", "BoardroomCore"].map { "Sources/" + $0 }
  var found = 0
  for file in Repository.files(under: layers, ending: ".swift") {
    for (subject, cases) in switches(in: Repository.text(file) ?? "") {
      for label in cases {
        var matched = families(in: label)
        if subject.contains("kind"), !subject.contains("family") {
          for name in String(label.prefix { $0 != ":" }).matches(#"\.(\w+)"#).compactMap(\.first) {
            if let family = kinds[name] { matched.insert(family) }
          }
        }
        found += matched.count
        for family in matched where !isOwn(file, of: family) {
          Issue.record("\(file) matches kinds of \(family): case \(label)")
        }
      }
    }
  }
  #expect(found > 60, "kinds are found where they are read")
}

@Test("KIND-1: no case of a switch lists kinds of several families")
func familiesAreNotMixed() {
  for file in Repository.files(under: ["Sources", "tools"], ending: ".swift") {
    for (_, cases) in switches(in: Repository.text(file) ?? "") {
      for label in cases where families(in: label).count > 1 {
        Issue.record("\(file) lists kinds of several families: case \(label)")
      }
    }
  }
}
