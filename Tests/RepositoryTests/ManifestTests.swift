import Testing

/// Package.swift read as text: the targets, where they lie and what they see.
struct Manifest {
  struct Target {
    var name: String
    var folder: String
    var sees: Set<String>
  }

  var targets: [String: Target] = [:]

  init(_ text: String) {
    let products = Dictionary(
      uniqueKeysWithValues: text.matches(#"let (\w+) = product\("(\w+)""#).map { ($0[0], $0[1]) })
    let lower = text.matches(#"let lower: \[Target\.Dependency\] = \[([^\]]*)\]"#).first?[0] ?? ""
    let database =
      text.matches(#"let database: \[Target\.Dependency\] = withPostgres \? \[([^\]]*)\]"#).first?[0] ?? ""
    let pattern =
      #"(layer|program|tests)\(\s*"(\w+)",(?: in: "(\w+)",)?\s*sees: (lower(?: \+ )?)?(?:\[([^\]]*)\])?( \+ database)?"#
    for groups in text.matches(pattern) {
      let names =
        (groups[3].isEmpty ? "" : lower + ",") + groups[4] + (groups[5].isEmpty ? "" : "," + database)
      let quoted = names.matches(#""(\w+)""#).map { $0[0] }
      let variables = names.replacing(#/"\w+"/#, with: "").matches(#"\w+"#).compactMap { products[$0[0]] }
      let folder =
        switch groups[0] {
        case "layer": groups[2] + "/" + groups[1]
        case "program": "tools/" + groups[2]
        default: "Tests/" + groups[1]
        }
      targets[groups[1]] = Target(name: groups[1], folder: folder, sees: Set(quoted + variables))
    }
  }

  static let ours = Manifest(Repository.text("Package.swift") ?? "")
}

/// The layers, the lowest first. Targets of one layer never import one another. docs/ARCHITECTURE.md has the same table.
let layers: [[String]] = [
  ["CLZ4", "CSQLite", "CChecksum", "CZlib", "CPostgres", "EventLogModel"],
  ["EventLogFormat", "MemoryLog", "NodeCore"],
  ["EventLog"],
  ["PostgresLog", "BoardroomModel", "BoardroomVersion"],
  ["BoardroomCodec", "BoardroomCore"], ["BoardroomDrawing"],
  ["BoardroomReplay", "BoardroomHosting", "BoardroomClient"],
  ["BoardroomAccess", "BoardroomLegacy"], ["BoardroomConformance", "BoardroomWeb", "BoardroomWebhooks"],
  ["BoardroomHTTP"],
  ["BoardroomServer"],
  ["boardroom", "bench", "simulate", "disklives", "instructions", "embed"],
]

private func layer(of target: String) -> Int? { layers.firstIndex { $0.contains(target) } }

@Test("The manifest is read: every target of Package.swift is found with its folder")
func manifestIsRead() {
  let manifest = Manifest.ours
  #expect(manifest.targets.count >= 20)
  for target in manifest.targets.values {
    #expect(Repository.exists(target.folder), "\(target.name) has no folder \(target.folder)")
  }
  let known = manifest.targets.values.filter { !$0.folder.hasPrefix("Tests/") }
  for target in known { #expect(layer(of: target.name) != nil, "\(target.name) stands in no layer") }
}

@Test("Every target of the manifest imports only targets of lower layers")
func arrowsPointDown() {
  #expect(upwardArrows(Manifest.ours) == [])
}

private func upwardArrows(_ manifest: Manifest) -> [String] {
  manifest.targets.values.flatMap { target -> [String] in
    guard let own = layer(of: target.name) else { return [] }
    return target.sees.compactMap { seen in
      if let other = layer(of: seen) { return other < own ? nil : "\(target.name) → \(seen)" }
      // The simulations are tests that are too long for the suite: they stand on what tests use.
      let isForTests =
        manifest.targets[seen] != nil && !["simulate", "disklives", "instructions"].contains(target.name)
      return isForTests ? "\(target.name) → \(seen), which is for tests" : nil
    }
  }.sorted()
}

@Test("An import of a higher layer, or of the same one, is found")
func upwardArrowsAreFound() {
  let text = """
    layer("EventLogModel", in: "Storage", sees: ["EventLog"]),
    layer("BoardroomCodec", in: "Sources", sees: ["BoardroomCore", "EventLogModel"]),
    tests("TestKit", sees: []),
    layer("EventLog", in: "Storage", sees: ["TestKit"]),
    """
  #expect(
    upwardArrows(Manifest(text)) == [
      "BoardroomCodec → BoardroomCore", "EventLog → TestKit, which is for tests",
      "EventLogModel → EventLog",
    ])
}

@Test("The client, and the legacy faces on it, reach no storage engine and no C library")
func clientReachesNoEngine() {
  #expect(
    reach(of: "BoardroomLegacy").isDisjoint(with: [
      "EventLog", "EventLogFormat", "CLZ4", "CSQLite", "CChecksum", "CZlib",
    ]))
}

/// All that a target sees, and what that sees, and so on.
private func reach(of target: String) -> Set<String> {
  var (seen, due): (Set<String>, Set<String>) = ([], [target])
  while let next = due.popFirst() {
    guard seen.insert(next).inserted else { continue }
    due.formUnion(Manifest.ours.targets[next]?.sees ?? [])
  }
  return seen
}

@Test(
  "Rooms are hosted without a socket, HTTP or TLS: of NIO nothing but NIOCore, and no package besides Crypto")
func hostingReachesNoNetwork() {
  let packages = reach(of: "BoardroomHosting").subtracting(Manifest.ours.targets.keys)
  #expect(packages == ["NIOCore", "Crypto"])
}

@Test("Tests of apps, by BoardroomConformance, bring no server: no HTTP server, no page, no metrics")
func conformanceReachesNoServer() {
  let server: Set = [
    "BoardroomServer", "BoardroomAccess", "BoardroomHTTP", "BoardroomWeb", "BoardroomWebhooks", "Hummingbird",
    "HummingbirdCore", "Metrics", "CoreMetrics", "EventLog", "CSQLite", "Subprocess",
  ]
  #expect(reach(of: "BoardroomConformance").isDisjoint(with: server))
}

/// Where a text uses what there is not on iOS: starting processes, and C libraries of Linux outside of `#if`.
private func missingOnIOS(in text: String) -> [String] {
  var depth = 0
  return text.split(separator: "\n").map(String.init).filter { line in
    let code =
      line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init) ?? ""
    if !code.matches(#"^ *#if"#).isEmpty { depth += 1 }
    if !code.matches(#"^ *#endif"#).isEmpty { depth -= 1 }
    let starts = !code.matches(#"\b(?:Process|posix_spawn|fork|execve?|system)\("#).isEmpty
    let imports = !code.matches(#"import (?:Glibc|Musl|Subprocess|SystemPackage)\b"#).isEmpty
    return starts || (imports && depth == 0)
  }
}

@Test("What an app and its tests link compiles without what iOS lacks: no processes, no C library of Linux")
func appsLinkNothingThatIOSLacks() {
  let targets = reach(of: "BoardroomConformance").union(reach(of: "BoardroomLegacy"))
  let folders = targets.compactMap { Manifest.ours.targets[$0]?.folder }
  let files = Repository.files(under: folders.sorted(), ending: ".swift")
  #expect(files.count > 200)
  for file in files { #expect(missingOnIOS(in: Repository.text(file) ?? "") == [], "\(file)") }
}

@Test("What iOS lacks is found")
func missingOnIOSIsFound() {
  // In two parts, because no file may hold the call itself.
  let call = "Process" + "()"
  let text = """
    import Glibc
    #if canImport(Glibc)
      import Glibc
    #endif
    let process = \(call)
    process.run() // \(call)
    """
  #expect(missingOnIOS(in: text) == ["import Glibc", "let process = \(call)"])
}

@Test("Every import of one of our targets is declared in the manifest")
func importsAreDeclared() {
  let manifest = Manifest.ours
  let own = Set(manifest.targets.keys).union(layers[0])
  for target in manifest.targets.values {
    for file in Repository.files(under: [target.folder], ending: ".swift") {
      for imported in imports(of: file) where own.contains(imported) {
        #expect(
          target.sees.contains(imported), "\(file) imports \(imported), which \(target.name) may not see")
      }
    }
  }
}

private func imports(of file: String) -> [String] {
  (Repository.text(file) ?? "").matches(
    #"^\s*(?:@\w+ )*(?:public |package |internal )?import (?:\w+ )?(\w+)"#
  )
  .map { $0[0] }
}

@Test("Of the layers up to replay, these four targets import no Foundation")
func foundationStaysOut() {
  let folders = [
    "Storage/EventLogModel", "Sources/BoardroomModel", "Sources/BoardroomCore", "Sources/BoardroomReplay",
  ]
  for file in Repository.files(under: folders, ending: ".swift") {
    #expect(!imports(of: file).contains("Foundation"), "\(file) imports Foundation")
  }
}
