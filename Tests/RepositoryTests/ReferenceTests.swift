import Foundation
import Testing

/// What comments and pages may refer to: rules, rows, decisions, pages with their headings, files, types.
private struct Targets: Sendable {
  var ids: Set<String> = []
  /// Letters before the first hyphen of an id: of `SIG-C3` that is `SIG`.
  var letters: Set<String> = []
  /// Numbers of decisions, four digits each.
  var decisions: Set<String> = []
  /// Headings of the pages of docs/, by the page's name without folder and ending.
  var headings: [String: [String]] = [:]
  var types: Set<String> = []
  var exists: @Sendable (String) -> Bool = { _ in true }

  /// - Parameter pages: texts of pages by their path.
  init(spec: String, rows: String, decisions: [String], pages: [String: String], types: Set<String>) {
    for cell in spec.matches(#"^\| ([A-Z]+-[^|]*) \|"#) { ids.formUnion(Self.rules(of: cell[0])) }
    ids.formUnion(rows.matches(#"^([A-Z]+-[^\t]+)\t"#).map { $0[0] })
    letters = Set(ids.compactMap { $0.split(separator: "-").first.map(String.init) })
    self.decisions = Set(decisions.compactMap { $0.matches(#"adr/(\d{4})-"#).first?[0] })
    for (path, text) in pages {
      let name = path.split(separator: "/").last?.split(separator: ".").first.map(String.init) ?? path
      headings[name] = text.matches(#"^#+ +(.+)$"#).map { $0[0] }
    }
    self.types = types
  }

  /// `A-1, A-2` and `A-1 to A-4`, as the tables of docs/SPEC.md write them.
  private static func rules(of cell: String) -> [String] {
    cell.components(separatedBy: ", ").flatMap { one -> [String] in
      guard let range = one.matches(#"^([A-Z]+)-(\d+) to [A-Z]+-(\d+)$"#).first, let first = Int(range[1]),
        let last = Int(range[2])
      else { return [one] }
      return (first...max(first, last)).map { "\(range[0])-\($0)" }
    }
  }

  static let ours: Targets = {
    let pages = Repository.files(under: ["docs"], ending: ".md")
    var targets = Targets(
      spec: Repository.text("docs/SPEC.md") ?? "", rows: Repository.text("docs/parity/rows.tsv") ?? "",
      decisions: pages,
      pages: Dictionary(
        uniqueKeysWithValues: pages.filter { !$0.hasPrefix("docs/adr/") }.map {
          ($0, Repository.text($0) ?? "")
        }),
      types: Repository.types)
    targets.exists = { Repository.exists($0) }
    return targets
  }()

  /// References of a text that lead nowhere.
  func missing(in text: String) -> [String] {
    // A reference may go over the end of a line of a comment.
    let text = text.replacing(#/\n *(?:\/\/\/?|\*)? */#, with: " ")
    return missingRules(text) + missingDecisions(text) + missingPages(text) + outside(text)
  }

  private func missingRules(_ text: String) -> [String] {
    let found = text.matches(#"(?<![\w`./"-])([A-Z]{1,5})-([A-Z]?\d+|[a-z_]\w+)\b(?![\w(])"#)
      .filter { letters.contains($0[0]) }.map { "\($0[0])-\($0[1])" }
    let groups = text.matches(#"PARITY rows ((?:[A-Z-]+[A-Z], |[A-Z], )*[A-Z-]*[A-Z])\b"#)
      .flatMap { $0[0].components(separatedBy: ", ") }
      .filter { group in !ids.contains { $0.hasPrefix(group) } }
    return found.filter { !ids.contains($0) } + groups.map { "PARITY rows \($0)" }
  }

  private func missingDecisions(_ text: String) -> [String] {
    text.matches(#"\bADR (\d+)"#).map { $0[0] }.filter { !decisions.contains($0) }.map { "ADR \($0)" }
  }

  /// `docs/NAME.md`, `docs/NAME.md, section 6` and `docs/NAME.md, "Heading"`.
  private func missingPages(_ text: String) -> [String] {
    let section = #"\b(?:docs/)?([A-Z][A-Z-]+)(?:\.md)?(?:\]\([^)]*\))?, sections? (\d+a?)()"#
    let heading = #"\bdocs/([A-Z][A-Z-]+)\.md, ()"([^"]+)""#
    let places = (text.matches(section) + text.matches(heading)).filter { headings[$0[0]] != nil }.compactMap
    { groups -> String? in
      let known = headings[groups[0]] ?? []
      if !groups[1].isEmpty {
        return known.contains { $0.hasPrefix(groups[1] + ".") } ? nil : "\(groups[0]), section \(groups[1])"
      }
      return known.contains(groups[2]) ? nil : "\(groups[0]), \"\(groups[2])\""
    }
    let files = text.matches(#"\b(docs/[\w/-]+\.(?:md|py|json|tsv|txt))\b"#).map { $0[0] }
    return places + files.filter { !exists($0) }
  }

  /// The specification of the source systems and older designs are not part of this repository.
  private func outside(_ text: String) -> [String] {
    text.matches(#"(?i)\b((?:spec|specification) (?:section )?\d+\.\d+|storage design|\.\./shared/spec)"#)
      .map { $0[0] }
  }

  /// Names of types, files and folders, written as code, that a page says and that are not there.
  func missingNames(in page: String) -> [String] {
    let types = page.matches(#"`([A-Z][a-z]\w*[A-Z]\w*)(?:\.\w+)?`"#).map { $0[0] }
      .filter { !self.types.contains($0) && !foreign.contains($0) }
    let files = page.matches(#"`((?:Storage|Sources|Tests|tools|docs|Boardroom[A-Z]\w+|Page)/[\w/.+-]+)`"#)
      .map { $0[0] }.filter { !exists(Self.whole($0)) }
    return types + files
  }

  /// Pages may leave out the folders in which the targets and the page lie.
  private static func whole(_ path: String) -> String {
    if path.hasPrefix("Page/") { return "Sources/BoardroomWeb/" + path }
    return path.hasPrefix("Boardroom") ? "Sources/" + path : path
  }
}

/// Names of other libraries that pages say.
private let foreign: Set<String> = ["WebSocketFrame", "WeakMap"]

/// Pages that are about the sources. Others also name headers of HTTP, and libraries of the source systems.
private let pagesAboutSources = [
  "docs/ARCHITECTURE.md", "docs/GLOSSARY.md", "docs/SPEC.md", "docs/STYLE.md", "docs/ADDING-A-KIND.md",
  "docs/FORMAT.md", "docs/CONFORMANCE.md", "CONTRIBUTING.md", "README.md",
]

extension Repository {
  /// All types that the Swift sources declare, and the targets of the manifest.
  fileprivate static var types: Set<String> {
    let access = "(?:(?:public|package|private|fileprivate|final|indirect|@\\w+) +)*"
    let pattern = "^ *\(access)(?:struct|class|enum|protocol|actor|typealias) +([A-Z]\\w*)"
    let declared = swiftFiles.flatMap { (text($0) ?? "").matches(pattern).map { $0[0] } }
    let files = swiftFiles.compactMap { $0.split(separator: "/").last?.split(separator: ".").first }
    return Set(declared).union(Manifest.ours.targets.keys).union(files.map(String.init))
  }
}

/// Sources and pages that people read. Golden files are bytes, rows.tsv is what is referred to.
private var readFiles: [String] {
  let endings = [".swift", ".js", ".css", ".html", ".py", ".c", ".h", ".md", ".sh", ".ts"]
  let sources = Repository.files(under: Repository.sourceFolders + ["docs"]).filter { file in
    endings.contains(where: file.hasSuffix) || file.matches(#"^tools/[a-z-]+$"#) != []
  }
  let ownCases = ["Tests/RepositoryTests/ReferenceTests.swift", "Tests/RepositoryTests/ParityTests.swift"]
  return (sources + Repository.pages).filter { file in
    !file.hasPrefix("Tests/Golden/") && !file.hasSuffix("/PageFiles.swift") && !ownCases.contains(file)
      && file != "tools/parity" && file != "CHANGELOG.md"
  }
}

@Test("What comments and pages refer to is in this repository: rules, rows, decisions, pages and sections")
func referencesLeadSomewhere() {
  #expect(readFiles.count > 500)
  for file in Set(readFiles).sorted() {
    #expect(Targets.ours.missing(in: Repository.text(file) ?? "") == [], "\(file)")
  }
}

@Test("Types, files and folders that a page names are there", arguments: pagesAboutSources)
func namesOfPagesAreThere(page: String) {
  #expect(Targets.ours.missingNames(in: Repository.text(page) ?? "") == [])
}

@Test("The layers of docs/ARCHITECTURE.md are those of the manifest test")
func layersAreListed() {
  let rows = (Repository.text("docs/ARCHITECTURE.md") ?? "").matches(#"^\| (\d+|programs) \| (`[^|]+`) \|"#)
  var listed: [String: Set<String>] = [:]
  for row in rows { listed[row[0], default: []].formUnion(row[1].matches("`(\\w+)`").map { $0[0] }) }
  let known = layers.enumerated().map {
    ($0.offset == layers.count - 1 ? "programs" : "\($0.offset)", Set($0.element))
  }
  #expect(listed == Dictionary(uniqueKeysWithValues: known))
}

@Test(
  "A reference that leads nowhere is found",
  arguments: [
    ("/// As AB-2 has it.", ["AB-2"]), ("// AB-1, CD-word and CD-9; UTF-8", ["CD-9"]),
    ("AB-3, AB-4 and AB-5", ["AB-5"]), ("(PARITY rows CD, EF)", ["PARITY rows EF"]),
    ("ADR 0001, ADR 0009", ["ADR 0009"]), ("docs/PAGE.md, section 2, PAGE, section 3", ["PAGE, section 3"]),
    ("docs/PAGE.md, \"Some thing\" and\n/// docs/PAGE.md, \"No\n/// thing\"", ["PAGE, \"No thing\""]),
    ("docs/OTHER.md", ["docs/OTHER.md"]), ("(spec 2.5)", ["spec 2.5"]),
    ("Specification\n  // 4.3", ["Specification 4.3"]), ("the storage design says", ["storage design"]),
  ])
func missingReferencesAreFound(text: String, missing: [String]) {
  #expect(made.missing(in: text) == missing)
}

@Test("A name that is nothing's is found on a page")
func missingNamesAreFound() {
  #expect(
    made.missingNames(in: "`SomeType`, `OtherType`, `SomeType.part`, `docs/PAGE.md`, `Sources/None`, `Host`")
      == ["OtherType", "Sources/None"])
}

/// A made-up repository.
private var made: Targets {
  var targets = Targets(
    spec: "| Id | Rule |\n|---|---|\n| AB-1, AB-3 to AB-4 | Some. |\n", rows: "id\tsection\nCD-word\t2.1\n",
    decisions: ["docs/adr/0001-one.md"], pages: ["docs/PAGE.md": "# Page\n## 2. Two\n### Some thing\n"],
    types: ["SomeType"])
  targets.exists = { $0 == "docs/PAGE.md" }
  return targets
}
