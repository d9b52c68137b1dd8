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

/// Ends a program with one sentence on standard error.
struct Failure: Error, CustomStringConvertible {
  var status: ExitStatus
  var description: String

  init(_ status: ExitStatus, _ sentence: String) {
    self.status = status
    description = sentence
  }
}

extension ExitStatus {
  init(_ error: LogError) {
    switch error {
    case .noSuchLog, .deleted, .unfinished, .beyondEnd, .trimmed, .unstarted: self = .noInput
    case .logExists, .conflict: self = .cannotCreate
    case .locked, .fenced: self = .busy
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

/// Runs a command's work and turns what goes wrong into one sentence and an exit status.
func answering(_ work: () async throws -> Void) async throws {
  do {
    try await work()
  } catch let exit as ExitCode {
    throw exit
  } catch let failure as Failure {
    try end(failure.status, failure.description)
  } catch let error as ReplayError {
    try end(ExitStatus(error), error.description)
  } catch let error as LogError {
    try end(ExitStatus(error), error.description)
  } catch let error as BoardroomError {
    try end(ExitStatus(error), error.description)
  } catch let refusal as Refusal {
    try end(ExitStatus(refusal.code), refusal.description)
  } catch let error as CocoaError {
    // Any other error of Foundation about a file.
    try end(.io, error.localizedDescription)
  } catch is CancellationError {
    throw ExitCode(ExitStatus.interrupted.rawValue)
  }
}

private func end(_ status: ExitStatus, _ sentence: String) throws -> Never {
  Terminal.note(sentence)
  throw ExitCode(status.rawValue)
}
