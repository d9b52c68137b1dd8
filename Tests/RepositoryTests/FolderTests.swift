import Foundation
import Testing

/// The folders of one target, and which of them use types of which other.
private struct Folders {
  /// From a folder to those that it needs, each with a type that shows it.
  private(set) var needs: [String: [String: String]] = [:]

  /// - Parameter files: texts by their paths inside of the target; what lies in no folder belongs to the folder "".
  init(_ files: [String: String]) {
    let code = files.mapValues(Self.code)
    var homes: [String: String] = [:]
    for (path, text) in code.sorted(by: { $0.key < $1.key }) {
      for name in text.matches(Self.outermost) where homes[name[0]] == nil {
        homes[name[0]] = Self.folder(of: path)
      }
    }
    for (path, text) in code.sorted(by: { $0.key < $1.key }) {
      let own = Set(text.matches(Self.nested).map { $0[0] })
      for word in Set(text.matches(#"(?<![\w.])([A-Z]\w*)"#).map { $0[0] }).subtracting(own).sorted() {
        guard let home = homes[word], home != Self.folder(of: path) else { continue }
        needs[Self.folder(of: path), default: [:]][home] = word
      }
    }
  }

  /// The folders of a target of this repository.
  init(of target: String) {
    self.init(
      Dictionary(
        uniqueKeysWithValues: Repository.files(under: [target], ending: ".swift").map {
          (String($0.dropFirst(target.count + 1)), Repository.text($0) ?? "")
        }))
  }

  /// Pairs of folders that need each other, on whatever way.
  var circles: [String] {
    let all = Set(needs.keys).union(needs.values.flatMap(\.keys)).sorted()
    return all.flatMap { one in
      all.filter { one < $0 && reaches(one, $0) && reaches($0, one) }.map { "\(one) ⇄ \($0)" }
    }
  }

  private func reaches(_ start: String, _ end: String) -> Bool {
    var (seen, due): (Set<String>, [String]) = ([], [start])
    while let next = due.popLast() {
      for folder in (needs[next] ?? [:]).keys where seen.insert(folder).inserted { due.append(folder) }
    }
    return seen.contains(end)
  }

  private static let kind = "(?:struct|class|enum|protocol|actor|typealias)"
  private static let attributes = #"(?:@\w+(?:\([^)]*\))? )*"#
  /// What other files can see; `nested` also finds what only its own file sees.
  private static let outermost = "^\(attributes)(?:(?:public|package|final|indirect) )*\(kind) (\\w+)"
  private static let nested =
    "^(?: +\(attributes)(?:\\w+ )*|(?:private|fileprivate) (?:\\w+ )*)\(kind) (\\w+)"

  private static func folder(of path: String) -> String {
    let parts = path.split(separator: "/")
    return parts.count > 1 ? String(parts[0]) : ""
  }

  /// Without comments and texts.
  private static func code(_ text: String) -> String {
    var (lines, isText): ([String], Bool) = ([], false)
    for line in text.components(separatedBy: "\n") {
      let marks = line.components(separatedBy: "\"\"\"").count - 1
      if !isText, marks == 0 {
        // A name that stands in a lower module now is declared there.
        guard line.prefixMatch(of: #/public typealias \w+ = Boardroom\w+\./#) == nil else { continue }
        let plain = line.replacing(#/"(?:\\.|[^"\\])*"/#, with: "")
        lines.append(plain.components(separatedBy: "//")[0])
      }
      if marks == 1 { isText.toggle() }
    }
    return lines.joined(separator: "\n")
  }
}

/// Targets whose folders stand in an order: none needs another that needs it.
private let ordered = [
  "Sources/BoardroomModel", "Sources/BoardroomDrawing", "Sources/BoardroomReplay", "Sources/BoardroomHosting",
  "Sources/BoardroomAccess", "Sources/BoardroomWeb", "Sources/BoardroomWebhooks", "Sources/BoardroomHTTP",
  "Sources/BoardroomServer",
]

@Test("No two folders of a target need each other", arguments: ordered)
func foldersPointOneWay(_ target: String) {
  let folders = Folders(of: target)
  #expect(folders.circles == [], "\(folders.needs)")
}

@Test(
  "Two folders that need each other are found, also on a way over a third; words in comments need nothing")
func circlesAreFound() {
  let folders = Folders([
    "A/One.swift": "struct One { let two: Two }\n",
    "B/Two.swift": "package final class Two { let three: Three }",
    "C/Three.swift": "enum Three { case one(One) }",
    "D/Four.swift": "// One\nstruct Four { let x = \"One\" }",
    "Five.swift": "struct Five {\n  struct One {}\n  let (one, four): (One, Four)\n}",
  ])
  #expect(folders.circles == ["A ⇄ B", "A ⇄ C", "B ⇄ C"])
  #expect(folders.needs["D"] == nil)
  #expect(folders.needs[""] == ["D": "Four"])
}
