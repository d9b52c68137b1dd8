import Crypto
import Foundation
import Testing

@Test("Nothing is left for later: no marks of unfinished work in the code")
func nothingIsLeftForLater() {
  let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X:"]
  for file in Repository.swiftFiles + Repository.webFiles + Repository.pages {
    let text = Repository.text(file) ?? ""
    for mark in marks { #expect(!text.contains(mark), "\(file) holds \(mark)") }
  }
}

@Test(
  "Other programs are started by swift-subprocess: Foundation's Process may crash where many files are open")
func programsAreStartedSafely() {
  let name = "Process" + "()"
  for file in Repository.swiftFiles {
    #expect(Repository.text(file)?.contains(" \(name)") == false, "\(file) makes a \(name)")
  }
}

@Test("Files are opened for this process alone (O_CLOEXEC): a program that it starts holds none of them open")
func filesAreOpenedForOneProcess() {
  for file in Repository.swiftFiles where !file.hasPrefix("Tests/") {
    for line in (Repository.text(file) ?? "").components(separatedBy: "\n") where line.contains("open(") {
      guard ["O_RDONLY", "O_WRONLY", "O_RDWR"].contains(where: line.contains) else { continue }
      #expect(line.contains("O_CLOEXEC"), "\(file): \(line)")
    }
  }
}

@Test("The client is one isolation domain a connection: it is entered in one file (ADR 0043)")
func theClientIsEnteredInOneFile() {
  let entrance = "Sources/BoardroomClient/Link/ClientContext.swift"
  let ways = ["assumeIsolated", "preconditionIsolated", "nonisolated(unsafe)", "@unchecked Sendable"]
  let files = Repository.files(
    under: ["Sources/BoardroomClient", "Sources/BoardroomLegacy"], ending: ".swift")
  #expect(files.contains(entrance))
  for file in files where file != entrance {
    let text = Repository.text(file) ?? ""
    for way in ways { #expect(!text.contains(way), "\(file) holds \(way)") }
  }
  let count = (Repository.text(entrance) ?? "").components(separatedBy: ways[0]).count - 1
  #expect(count == 1, "\(entrance) holds \(ways[0]) \(count) times")
}

@Test(
  "What an app awaits is begun where the app is isolated, so that the tasks of one actor keep their order (ADR 0043)"
)
func whatIsAwaitedKeepsTheCallersIsolation() throws {
  // These ask a server or paint a page, which takes long: they do that away from the app's actor.
  let away = ["isPlayable", "getSceneSnapshotImage", "getScenePreviewImage", "getLocalSnapShot"]
  let declaration = try Regex(#"(?m)^ *[a-z()@ ]*\bfunc ([A-Za-z]+)[^{}]*\)\s*async\b[^{}]*\{"#)
  let files =
    Repository.files(under: ["Sources/BoardroomClient/Room", "Sources/BoardroomLegacy"], ending: ".swift")
    + Repository.files(under: ["Sources/BoardroomClient/Player"], ending: ".swift")
    .filter { $0.contains("/WhitePlayer") || $0.contains("/WhiteCombine") }
  var count = 0
  for file in files {
    for match in (Repository.text(file) ?? "").matches(of: declaration) {
      let name = String(match.output[1].substring ?? "")
      count += 1
      guard !away.contains(name) else { continue }
      #expect(match.output[0].substring?.contains("nonisolated(nonsending)") == true, "\(file): \(name)")
    }
  }
  #expect(count > 100, "the declarations are found: \(count)")
}

@Test(
  "A lock holds a closure only within a type: in one by itself each look wraps it once more, until the stack is full"
)
func locksHoldNoBareClosures() throws {
  let bare = try Regex(#"(?:Mutex|Guarded|Box)<\(+[^>=\n]*->"#)
  for file in Repository.swiftFiles {
    let found = (Repository.text(file) ?? "").firstMatch(of: bare)
    #expect(found == nil, "\(file) holds \(found.map { String($0.0) } ?? "")")
  }
}

@Test("A Swift file holds one idea: none is over 400 lines")
func filesAreShort() {
  for file in Repository.files(under: ["Storage", "Sources", "tools"], ending: ".swift") {
    let text = Repository.text(file) ?? ""
    let lines = text.components(separatedBy: "\n").count - 1
    #expect(lines <= 400, "\(file) has \(lines) lines")
  }
}

@Test("Golden files are those of the list, to the byte: formats that were written once stay readable")
func goldenFilesAreUnchanged() {
  let list = "Tests/Golden/checksums.txt"
  let listed = Dictionary(
    uniqueKeysWithValues: (Repository.text(list) ?? "").matches(#"^([0-9a-f]{64})  (\S+)$"#).map {
      ($0[1], $0[0])
    }
  )
  var found: [String: String] = [:]
  for file in Repository.files(under: ["Tests/Golden", "tools/samples"])
  where file != list && !file.hasSuffix(".md") {
    guard let bytes = Repository.bytes(file) else { continue }
    found[file] = SHA256.hash(data: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
  let different = Set(found.keys).union(listed.keys).filter { found[$0] != listed[$0] }.sorted()
  #expect(different == [], "tools/golden writes the list anew, if the change is meant")
}
