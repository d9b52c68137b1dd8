import Foundation
import Testing

/// Declarations of a library that apps can see, and that no comment explains.
private enum PublicSymbols {
  private static let declaration =
    #"^ *(?:@\w+(?:\([^)]*\))? )*public (?:\w+(?:\(set\))? )*(?:func|var|let|class|struct|enum|protocol|typealias|init|actor|subscript)\b"#

  static func undocumented(in text: String) -> [String] {
    let lines = text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    return lines.indices.filter { number in
      guard !lines[number].matches(declaration).isEmpty else { return false }
      return lines[..<number].last { !$0.hasPrefix("@") }?.hasPrefix("///") != true
    }.map { "\($0 + 1): \(lines[$0])" }
  }
}

@Test("Every declaration of the SDK that says public has a comment")
func everyPublicSymbolHasAComment() {
  let files = Repository.files(
    under: ["Sources/BoardroomClient", "Sources/BoardroomLegacy"], ending: ".swift")
  #expect(files.count > 50)
  for file in files {
    #expect(PublicSymbols.undocumented(in: Repository.text(file) ?? "") == [], "\(file)")
  }
}

@Test(
  "A public symbol without a comment is found",
  arguments: [
    ("  public var width: Double", true),
    ("  /// In pixels.\n  public var width: Double", false),
    ("  /// In pixels.\n  public internal(set) var width: Double\n  public let height: Double", true),
    ("  // No comment for apps.\n  @discardableResult\n  public func draw() -> Int { 1 }", true),
    ("  /// Draws.\n  @discardableResult\n  public func draw() -> Int { 1 }", false),
    ("  var width: Double", false),
  ])
func undocumentedSymbolsAreFound(_ text: String, _ isFault: Bool) {
  #expect(PublicSymbols.undocumented(in: text).isEmpty != isFault)
}

/// Arithmetic operators of a module's public types, by type.
private func operators(in texts: [String]) -> [String: Set<String>] {
  var found: [String: Set<String>] = [:]
  for text in texts {
    var type = ""
    for line in text.components(separatedBy: "\n") {
      if let name = line.matches(#"^(?:public |final )*(?:struct|enum|class|extension) (\w+)"#).first?[0] {
        type = name
      }
      for name in line.matches(#"^  (?:@\w+ )*public static func ([-+*/%]+)=? \("#) {
        found[type, default: []].insert(name[0])
      }
    }
  }
  return found
}

@Test(
  "What a product re-exports of a type are also the type's operators, which the import of a type leaves out")
func operatorsAreExported() {
  var count = 0
  for product in ["BoardroomClient/Exports", "BoardroomReplay/Exports", "BoardroomServer/PublicNames"] {
    let exports = Repository.text("Sources/\(product).swift") ?? ""
    let types = exports.matches(#"@_exported import (?:struct|enum|class) (\w+)\.(\w+)"#)
    for (module, own) in Dictionary(grouping: types, by: { $0[0] }) {
      let folder = module.hasPrefix("EventLog") ? "Storage/\(module)" : "Sources/\(module)"
      let files = Repository.files(under: [folder], ending: ".swift")
      let found = operators(in: files.map { Repository.text($0) ?? "" })
      for name in Set(own.flatMap { found[$0[1]] ?? [] }) {
        count += 1
        #expect(exports.contains("import func \(module) . \(name)\n"), "\(product): \(name) of \(module)")
      }
    }
  }
  #expect(count >= 6)
}
