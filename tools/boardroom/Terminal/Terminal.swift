import Foundation
import Synchronization

/// What the programs say to people. Results go to standard output; everything else to standard error.
enum Terminal {
  static func line(_ text: String) { write(text + "\n", to: .standardOutput) }
  static func note(_ text: String) { write(text + "\n", to: .standardError) }
  static func bytes(_ bytes: [UInt8]) throws { try FileHandle.standardOutput.write(contentsOf: Data(bytes)) }

  static var errorsAreSeen: Bool { isatty(FileHandle.standardError.fileDescriptor) == 1 }

  /// A reader that has gone away (`| head`) ends the program at its next word, quietly.
  private static func write(_ text: String, to handle: FileHandle) {
    do { try handle.write(contentsOf: Data(text.utf8)) } catch { exit(ExitStatus.ok.rawValue) }
  }
}

/// A line on standard error that says how far long work has come. On a terminal it is rewritten in place, at
/// most ten times a second; elsewhere a line comes every ten seconds, so that a log shows life.
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
    isQuiet = quiet
  }

  func show(_ text: @autoclosure () -> String) {
    guard !isQuiet else { return }
    let pause: Duration = Terminal.errorsAreSeen ? .milliseconds(100) : .seconds(10)
    let due = state.withLock { state in
      guard state.shown.duration(to: .now) >= pause else { return false }
      state.shown = .now
      state.isDirty = true
      return true
    }
    guard due else { return }
    let line = "\(what): \(text())"
    FileHandle.standardError.write(Data((Terminal.errorsAreSeen ? "\r\u{1b}[K" + line : line + "\n").utf8))
  }

  func show(_ done: Int, of total: Int) {
    show("\(done) of \(total) (\(total == 0 ? 100 : done * 100 / total) %)")
  }

  /// Ends the line, if one was begun.
  func end() {
    let wasDirty = state.withLock { $0.isDirty }
    if wasDirty, Terminal.errorsAreSeen { FileHandle.standardError.write(Data("\r\u{1b}[K".utf8)) }
  }
}
