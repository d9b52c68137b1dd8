import BoardroomModel
import Foundation
import Synchronization

/// The output of the programs. Results go to standard output, everything else to standard error. All commands
/// write through this type, so that texts of members can do no harm: each call is one line, and characters
/// that could control a terminal are escaped (TERM-1).
enum Terminal {
  /// - Parameter isJSON: whether the line is one JSON value, which is written byte for byte, except on a
  ///   terminal (TERM-2).
  static func line(_ text: String, isJSON: Bool = false) {
    write(isJSON ? (isSeen ? VisibleText.json(text) : text) : VisibleText.line(text), to: .standardOutput)
  }
  static func lines(_ lines: [String]) { for text in lines { line(text) } }

  /// Lines that begin with a name each, as `events    60`.
  static func facts(_ lines: [String]) {
    for text in lines { write(colour.labelled(VisibleText.line(text)), to: .standardOutput) }
  }

  /// A result that is bad news.
  static func wrong(_ text: String) { write(colour.wrong(VisibleText.line(text)), to: .standardOutput) }

  /// What went wrong, for people.
  static func error(_ text: String) { write(errorColour.wrong(VisibleText.line(text)), to: .standardError) }

  /// A text of ArgumentParser's, of several lines: a help, or what is wrong with a command line.
  static func help(_ text: String) { write(colour.help(text), to: .standardOutput) }
  static func usage(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
      VisibleText.line(String($0))
    }
    let rest = lines.dropFirst().map { "\n" + $0 }.joined()
    write(errorColour.wrong(lines.first ?? "") + rest, to: .standardError)
  }

  /// A line on standard error; with --json it is an object, too, with the text as `note` (CLI-1).
  static func note(_ text: String) {
    let line = VisibleText.line(text)
    write(isJSON ? "{\"note\":\(Text.json(line))}" : line, to: .standardError)
  }

  /// One JSON value on standard error.
  static func noteJSON(_ text: String) {
    write(errorsAreSeen ? VisibleText.json(text) : text, to: .standardError)
  }

  /// The same, but the line is dropped if nobody reads standard error, so that the call never waits.
  static func noteIfTaken(_ text: String) {
    var errors = pollfd(fd: FileHandle.standardError.fileDescriptor, events: Int16(POLLOUT), revents: 0)
    if poll(&errors, 1, 0) == 1 { note(text) }
  }

  /// Writes the content of a whole file. A terminal gets text only, line by line (TERM-2).
  static func write(_ bytes: [UInt8], as form: OutputFile.OutputKind) throws {
    guard isSeen else { return try FileHandle.standardOutput.write(contentsOf: Data(bytes)) }
    switch form {
    case .json:
      for text in bytes.split(separator: UInt8(ascii: "\n")) {
        line(String(decoding: text, as: UTF8.self), isJSON: true)
      }
    case .markup:
      for text in bytes.split(separator: UInt8(ascii: "\n")) { line(String(decoding: text, as: UTF8.self)) }
    case .binary:
      throw Failure(
        .usage, "This is nothing that a terminal can show.", "Name a file, or lead it into a program.")
    }
  }

  /// Whether a program reads what this one says: --json was given. A command line that is wrong is read for it, too.
  static let isJSON = CommandLine.arguments.dropFirst().prefix { $0 != "--" }.contains("--json")

  private static let isSeen = isatty(FileHandle.standardOutput.fileDescriptor) == 1
  private static let colour = TerminalColour(isSeen: isSeen)
  private static let errorColour = TerminalColour(isSeen: errorsAreSeen)
  static let errorsAreSeen = isatty(FileHandle.standardError.fileDescriptor) == 1
  /// Whether a line of progress can be written again in its place (TERM-1).
  static let rewritesLines = errorsAreSeen && TerminalColour.isUnderstood

  /// If the reader has gone (`| head`), the program ends quietly at its next write.
  private static func write(_ line: String, to handle: FileHandle) {
    let shown = Text.withoutAddresses(line)
    do { try handle.write(contentsOf: Data((shown + "\n").utf8)) } catch { exit(ExitStatus.ok.rawValue) }
  }
}

/// A line on standard error that says how far long work has come. On a terminal it is rewritten in place, at
/// most ten times a second. Elsewhere a line is written every ten seconds.
final class Progress: Sendable {
  private struct State {
    var shown = ContinuousClock.now
    var isDirty = false
  }

  private let what: String
  private let isQuiet: Bool
  private let state = Mutex(State())

  init(_ what: String, quiet: Bool = false) {
    self.what = what
    // Lines of progress are no JSON. On a terminal a person looks on, and each is gone when the work is done.
    isQuiet = quiet || Terminal.isJSON && !Terminal.rewritesLines
  }

  func show(_ text: @autoclosure () -> String) {
    guard !isQuiet else { return }
    let pause: Duration = Terminal.rewritesLines ? .milliseconds(100) : .seconds(10)
    let due = state.withLock { state in
      guard state.shown.duration(to: .now) >= pause else { return false }
      state.shown = .now
      state.isDirty = true
      return true
    }
    guard due else { return }
    let line = VisibleText.line("\(what): \(text())")
    FileHandle.standardError.write(Data((Terminal.rewritesLines ? "\r\u{1b}[K" + line : line + "\n").utf8))
  }

  func show(_ done: Int, of total: Int) {
    show("\(done) of \(total) (\(total == 0 ? 100 : done * 100 / total) %)")
  }

  /// Ends the line, if one was begun.
  func end() {
    let wasDirty = state.withLock { $0.isDirty }
    if wasDirty, Terminal.rewritesLines { FileHandle.standardError.write(Data("\r\u{1b}[K".utf8)) }
  }
}
