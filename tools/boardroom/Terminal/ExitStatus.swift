import ArgumentParser
import BoardroomClient
import BoardroomModel
import BoardroomReplay
import EventLogModel
import Foundation

/// How every program ends; docs/OPERATIONS.md lists them. The numbers from 64 on are those of BSD's sysexits.
enum ExitStatus: Int32 {
  case ok = 0
  /// The work was done and its answer is no: damage found, hashes differ, members did not finish.
  case answerIsNo = 1
  /// The command line is not understood.
  case usage = 64
  /// A named file or room has the wrong form or cannot be read.
  case badInput = 65
  /// A file, folder or room that was named does not exist.
  case noInput = 66
  /// The server does not answer.
  case unavailable = 69
  /// Something exists already, or cannot be made.
  case cannotCreate = 73
  /// The operating system failed at reading or writing.
  case io = 74
  /// Another process has locked it; try again.
  case busy = 75
  /// The token or the key does not allow it.
  case forbidden = 77
  /// Ctrl-C.
  case interrupted = 130
}

/// Ends a program: what is wrong, in one sentence, and what helps.
struct Failure: Error, CustomStringConvertible {
  var status: ExitStatus
  /// What went wrong, for programs.
  var code: String
  /// What is wrong.
  var what: String
  /// What helps; empty if nothing does.
  var help: String
  /// The file, folder or address that it is about; nil: the command alone is named.
  var place: String?

  var description: String { help.isEmpty ? what : "\(what) \(help)" }

  /// - Parameter code: nil: the name of the exit status.
  init(
    _ status: ExitStatus, _ what: String, _ help: String = "", at place: String? = nil, code: String? = nil
  ) {
    (self.status, self.what, self.help, self.place) = (status, what, help, place)
    self.code = code ?? "\(status)"
  }

  /// - Parameter sentences: what is wrong, and after it, in sentences of their own, what helps.
  init(_ status: ExitStatus, sentences: String, at place: String? = nil, code: String? = nil) {
    let (what, help) = Self.parts(of: sentences, naming: place)
    self.init(status, what, help, at: place, code: code)
  }

  /// The first sentence, and the others. A full stop in the name of `place` ends none.
  static func parts(of sentences: String, naming place: String?) -> (what: String, help: String) {
    var from = sentences.startIndex
    let named = place.flatMap { $0.isEmpty ? nil : sentences.range(of: $0) }
    while let end = sentences[from...].range(of: ". ") {
      from = end.upperBound
      let rest = sentences[from...]
      if let named, named.overlaps(end) { continue }
      if rest.first.map({ $0.isUppercase || $0 == "`" || $0 == "-" }) ?? false {
        return (String(sentences[..<end.lowerBound]) + ".", String(rest))
      }
    }
    return (sentences, "")
  }
}

extension ExitStatus {
  init(_ error: LogError) {
    switch error {
    case .noSuchLog, .deleted, .unfinished, .beyondEnd, .trimmed, .unstarted: self = .noInput
    case .logExists, .conflict: self = .cannotCreate
    case .locked, .fenced, .elsewhere, .changingOwner, .nodeFenced: self = .busy
    case .damaged, .missingPart, .incompatible, .tooLarge: self = .badInput
    case .full, .stopped, .io, .readOnly: self = .io
    }
  }

  init(_ error: ReplayError) {
    switch error {
    case .log(let error): self.init(error)
    case .event, .gap, .unreadable, .notWhole: self = .badInput
    }
  }

  init(_ code: RefusalCode) {
    switch code {
    case .tokenInvalid, .tokenExpired, .forbidden, .banned, .notWritable, .kicked, .replaced,
      .locked:
      self = .forbidden
    case .notFound, .noSuchScene, .noSuchElement, .notMember, .nothingToUndo, .noSuchInvite, .notRecorded:
      self = .noInput
    case .networkLost, .goingAway, .timeout, .tooSlowHello, .notConnected, .roomsFull, .writerLimit,
      .membersFull, .connectionLimit, .peerOffline:
      self = .unavailable
    case .unsupportedVersion, .badName, .badParameter, .malformed, .tooLarge, .tooMany, .rateLimited,
      .unknownKind,
      .outOfOrder, .conflict, .pending, .noBroadcaster, .repeatedInvite:
      self = .badInput
    case .logFull, .internalFailure: self = .io
    }
  }
}

/// Runs a command's work and turns what goes wrong into one sentence, or one object, and an exit status.
func answering(_ work: () async throws -> Void) async throws {
  do {
    try await work()
  } catch let exit as ExitCode {
    throw exit
  } catch let error as ValidationError {
    // The command line is wrong: `Boardroom.main` says so.
    throw error
  } catch is CancellationError {
    throw ExitCode(ExitStatus.interrupted.rawValue)
  } catch {
    try ErrorReport(error).end()
  }
}
