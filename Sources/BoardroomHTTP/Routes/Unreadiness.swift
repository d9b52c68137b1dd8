import BoardroomModel
import EventLogModel

/// Why a server takes no members at present.
public enum Unreadiness: Sendable, Hashable {
  case draining
  /// There is no space for events. It ends by itself when there is space again.
  case logFull
  /// The store met a failure and has stopped, with the call, the path and the system's number where there are any. The
  /// server ends.
  case logStopped(reason: String)
  /// A group commit has not returned for longer than `disk.patience`.
  case diskHangs(for: Duration)
  case logFailed(reason: String)
  /// The database waits for no standby any more, so that one lost disk would lose what was acknowledged.
  case notReplicated

  package init(_ error: LogError) {
    switch error {
    case .full: self = .logFull
    case .stopped(let reason): self = .logStopped(reason: reason)
    case .nodeFenced: self = .logStopped(reason: error.description)
    case .noSuchLog, .logExists, .deleted, .unfinished, .fenced, .conflict, .trimmed, .beyondEnd, .tooLarge,
      .io, .damaged, .locked, .incompatible, .missingPart, .readOnly, .unstarted, .elsewhere,
      .changingOwner:
      self = .logFailed(reason: error.description)
    }
  }

  /// The reason in a few words, always the same for one case.
  package var words: String {
    switch self {
    case .draining: "draining"
    case .logFull: "log full"
    case .logStopped: "log stopped"
    case .diskHangs: "disk hangs"
    case .logFailed: "log failed"
    case .notReplicated: "not replicated"
    }
  }

  /// Details for operators only.
  package var details: String? {
    switch self {
    case .draining, .logFull: nil
    case .logStopped(let reason), .logFailed(let reason): reason
    case .notReplicated:
      "synchronous_standby_names is empty; set it, or database.durability=external where the disks themselves are replicated"
    case .diskHangs(let time): "a group commit has not returned for \(time.components.seconds) s"
    }
  }

  /// The refusal with which it is answered. Only a full log is reported as one without space.
  var refusal: Refusal {
    switch self {
    case .draining: Refusal(.goingAway)
    case .logFull: Refusal(.logFull)
    case .logStopped, .logFailed:
      Refusal(
        .internalFailure, cause: "The log takes no events: the disk or the store has failed.",
        cure: "Try again in a minute; the operator's log says what failed.")
    case .notReplicated:
      Refusal(
        .internalFailure, cause: "The database waits for no standby: what is stored would be on one disk.",
        cure: "Try again in a minute; the operator's log says more.")
    case .diskHangs:
      Refusal(
        .internalFailure, cause: "The log takes no events: the disk does not answer.",
        cure: "Try again in a minute; the operator's log says more.")
    }
  }
}

/// Whether a server takes members, for `/readyz`.
package protocol Readiness: Sendable {
  /// Why the server takes no members; nil if it does.
  var notReady: Unreadiness? { get }
  /// Whether the server is ending, so that requests that are cut off are no faults.
  var isDraining: Bool { get }
}
