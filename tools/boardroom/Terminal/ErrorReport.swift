import ArgumentParser
import BoardroomClient
import BoardroomModel
import BoardroomReplay
import EventLogModel
import Foundation

/// What went wrong, as a person reads it and, with --json, as a program does (CLI-1).
struct ErrorReport {
  private let failure: Failure
  /// The sentences for people.
  private let sentence: String

  init(_ error: any Error) {
    switch error {
    case let error as Failure: self.init(of: error)
    case let error as ReplayError: self.init(of: error)
    case let error as LogError: self.init(of: error)
    case ReplaySourceError.failed(let error): self.init(error)
    case ReplaySourceError.gap(let gap): self.init(of: ReplayError.gap(gap, wanted: gap.last))
    case let error as BoardroomError:
      self.init(
        of: Failure(ExitStatus(error), error.cause, error.cure, code: error.code.rawValue), error.description)
    case let refusal as Refusal:
      self.init(
        of: Failure(ExitStatus(refusal.code), refusal.cause, refusal.cure, code: refusal.code.rawValue),
        refusal.description)
    case let error as CocoaError:
      // Any other error of Foundation about a file.
      let path = (error.userInfo[NSFilePathErrorKey] as? String) ?? error.url?.path
      self.init(of: Failure(.io, error.localizedDescription, at: path))
    default: self.init(of: Failure(.io, "\(error)", code: "unexpected"))
    }
  }

  private init(of failure: Failure, _ sentence: String? = nil) {
    (self.failure, self.sentence) = (failure, sentence ?? failure.description)
  }

  private init(of error: ReplayError) {
    func report(_ code: String, at place: String? = nil) -> Failure {
      Failure(ExitStatus(error), sentences: error.description, at: place, code: code)
    }
    switch error {
    case .log(let cause): self.init(of: cause)
    case .event: self.init(of: report("event"))
    case .gap: self.init(of: report("gap"))
    case .unreadable(let place, _): self.init(of: report("unreadable", at: place))
    case .notWhole(let place, _, _): self.init(of: report("notWhole", at: place))
    }
  }

  private init(of error: LogError) {
    self.init(of: Failure(ExitStatus(error), sentences: error.description, at: error.place, code: error.name))
  }

  /// A command line that is not understood; `sentence` says why.
  init(usage sentence: String) {
    self.init(
      of: Failure(.usage, sentence, "See `\(CalledCommand.name) --help`."), sentence)
  }

  /// One object on one line.
  var json: String {
    let fields = [
      ("code", Text.json(failure.code)), ("what", Text.json(VisibleText.line(failure.what))),
      ("where", Text.json(VisibleText.line(failure.place ?? CalledCommand.name))),
      ("help", Text.json(VisibleText.line(failure.help))), ("exitStatus", "\(failure.status.rawValue)"),
    ]
    return "{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
  }

  /// Tells it on standard error.
  func tell() { Terminal.isJSON ? Terminal.noteJSON(json) : Terminal.error(sentence) }

  /// Tells it, and ends the command with its status.
  func end() throws -> Never {
    tell()
    throw ExitCode(failure.status.rawValue)
  }
}

/// The command that was called.
enum CalledCommand {
  /// Words of the command line up to the first that is no command's name, as `boardroom room kick`.
  static let name = words(CommandLine.arguments.dropFirst(), Boardroom.self).joined(separator: " ")

  private static func words(
    _ arguments: ArraySlice<String>, _ command: any ParsableCommand.Type
  ) -> [String] {
    let own = command.configuration.commandName ?? ""
    let commands =
      command.configuration.subcommands
      + command.configuration.groupedSubcommands.flatMap(\.subcommands)
    guard let word = arguments.first,
      let next = commands.first(where: { $0.configuration.commandName == word })
    else { return [own] }
    return [own] + words(arguments.dropFirst(), next)
  }
}

extension LogError {
  /// The name of the case.
  fileprivate var name: String {
    switch self {
    case .noSuchLog: "noSuchLog"
    case .logExists: "logExists"
    case .deleted: "deleted"
    case .unfinished: "unfinished"
    case .fenced: "fenced"
    case .conflict: "conflict"
    case .trimmed: "trimmed"
    case .beyondEnd: "beyondEnd"
    case .tooLarge: "tooLarge"
    case .full: "full"
    case .stopped: "stopped"
    case .io: "io"
    case .damaged: "damaged"
    case .locked: "locked"
    case .incompatible: "incompatible"
    case .unstarted: "unstarted"
    case .missingPart: "missingPart"
    case .readOnly: "readOnly"
    case .elsewhere: "elsewhere"
    case .changingOwner: "changingOwner"
    case .nodeFenced: "nodeFenced"
    }
  }

  /// The log, file or folder that it is about; nil if it names none.
  fileprivate var place: String? {
    switch self {
    case .noSuchLog(let log), .logExists(let log), .deleted(let log), .unfinished(let log, _, _),
      .fenced(let log), .conflict(let log, _, _), .trimmed(let log, _), .beyondEnd(let log, _, _),
      .missingPart(let log, _), .elsewhere(let log, _, _), .changingOwner(let log):
      log.description
    case .full(let place, _), .io(_, let place, _), .locked(let place), .incompatible(let place, _, _),
      .unstarted(let place), .nodeFenced(let place):
      place
    case .damaged(let damage): damage.place
    case .tooLarge, .stopped, .readOnly: nil
    }
  }
}
