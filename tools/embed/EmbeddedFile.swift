import Foundation

/// A file that becomes a raw literal of Swift: the compiler takes its text as it is, in a fraction of a second (ADR 0041).
struct EmbeddedFile {
  /// Below the folder that is embedded.
  let path: String
  let bytes: Data

  /// Why a file cannot be embedded.
  struct EmbedFailure: Error, Equatable {
    let sentence: String
  }

  /// No script and no style sheet contains this many number signs after quotation marks or a backslash.
  private static let delimiter = "####"

  static func source(of files: [EmbeddedFile]) throws -> String {
    var source = "extension BuiltInFile {\n  static let all: [BuiltInFile] = [\n"
    for file in files { source += try file.literal() }
    return source + "  ]\n}\n"
  }

  private func literal() throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw EmbedFailure(sentence: "\(path) is not UTF-8: it cannot be embedded.")
    }
    guard path.wholeMatch(of: /[A-Za-z0-9_.\/-]+/) != nil else {
      throw EmbedFailure(sentence: "\(path) has a name that the server does not serve.")
    }
    let forbidden: [(text: String, name: String)] = [
      ("\r", "a carriage return"), ("\0", "a zero byte"),
      (#"""""# + Self.delimiter, #"three quotation marks before \#(Self.delimiter)"#),
      (#"\"# + Self.delimiter, #"a backslash before \#(Self.delimiter)"#),
    ]
    // By bytes: to Swift, "\r\n" is one character, which contains no "\r".
    for sign in forbidden where bytes.firstRange(of: Data(sign.text.utf8)) != nil {
      throw EmbedFailure(sentence: "\(path) contains \(sign.name): write it another way.")
    }
    return """
          BuiltInFile(
            path: "\(path)",
            text: \(Self.delimiter)\"""
      \(text)
      \"""\(Self.delimiter)),

      """
  }
}
