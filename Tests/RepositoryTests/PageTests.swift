import Foundation
import Testing

@Test("Every link of every page leads to a file, and to a heading of it", arguments: Repository.pages)
func linksResolve(page: String) {
  let folder = page.split(separator: "/").dropLast().joined(separator: "/")
  for link in prose(page).matches(#"\]\(([^)\s]+)\)"#).map({ $0[0] }) where !link.contains("://") {
    let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let target = parts[0].isEmpty ? page : normalised(folder.isEmpty ? parts[0] : folder + "/" + parts[0])
    #expect(Repository.exists(target), "\(page) links to \(link)")
    guard parts.count == 2, target.hasSuffix(".md") else { continue }
    #expect(headings(target).contains(parts[1]), "\(page) links to \(link), which has no such heading")
  }
}

/// A page without its code.
private func prose(_ page: String) -> String {
  var inCode = false
  return (Repository.text(page) ?? "").components(separatedBy: "\n").filter { line in
    if line.hasPrefix("```") {
      inCode.toggle()
      return false
    }
    return !inCode
  }.joined(separator: "\n")
}

private func normalised(_ path: String) -> String {
  var parts: [Substring] = []
  for part in path.split(separator: "/") where part != "." {
    if part == ".." { _ = parts.popLast() } else { parts.append(part) }
  }
  return parts.joined(separator: "/")
}

private func headings(_ page: String) -> Set<String> {
  Set(
    prose(page).matches(#"^#+ +(.+)$"#).map { groups in
      String(groups[0].lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) })
        .replacingOccurrences(of: " ", with: "-")
    })
}

@Test("Code fences of every page are closed, and those of JSON are JSON", arguments: Repository.pages)
func fencesAreWhole(page: String) {
  var fence: (language: String, lines: [String])?
  for line in (Repository.text(page) ?? "").components(separatedBy: "\n") {
    if line.hasPrefix("```") {
      if let open = fence {
        check(open.language, open.lines, on: page)
        fence = nil
      } else {
        fence = (String(line.dropFirst(3)).trimmingCharacters(in: .whitespaces), [])
      }
    } else {
      fence?.lines.append(line)
    }
  }
  #expect(fence == nil, "\(page) ends inside a code fence")
}

private func check(_ language: String, _ lines: [String], on page: String) {
  guard language == "json" || language == "jsonl" else { return }
  for text in language == "json" ? [lines.joined(separator: "\n")] : lines {
    let value = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    #expect(value != nil, "\(page) shows JSON that is none: \(text.prefix(60))")
  }
}

@Test("The README names only scripts and pages that exist")
func readmeNamesWhatExists() {
  let readme = Repository.text("README.md") ?? ""
  let named = Set(readme.matches(#"(?:^|[\s`(])((?:tools|\.ci)/[\w/.-]*\w)"#).map { $0[0] })
  #expect(named.isSuperset(of: ["tools/run", "tools/test"]))
  for script in named { #expect(Repository.exists(script), "README names \(script)") }
}

@Test("Scripts are executable and run under a strict shell")
func scriptsAreStrict() {
  for script in [
    "tools/run", "tools/test", "tools/check", "tools/format", "Tests/EndToEnd/run", "tools/web", ".ci/run",
  ] {
    #expect(FileManager.default.isExecutableFile(atPath: Repository.root.appending(path: script).path))
    let text = Repository.text(script) ?? ""
    #expect(text.contains("set -euo pipefail") || text.contains("/common.sh"), "\(script) is not strict")
  }
}
