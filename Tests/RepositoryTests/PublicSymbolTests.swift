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
  let files = Repository.files(under: ["Sources/BoardroomClient"], ending: ".swift")
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
