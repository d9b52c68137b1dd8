import BoardroomModel
import EventLogModel
import Synchronization

/// Why nobody should be sent to a server.
public enum Unreadiness: Sendable, Hashable {
  case draining
  /// No space for events; ends by itself when there is some.
  case logFull
  /// The store met a failure and has stopped, with the call, the path and the system's number where there are any. The
  /// server ends.
  case logStopped(reason: String)
  /// A group commit has not returned for longer than `disk.patience`.
  case diskHangs(for: Duration)
  case logFailed(reason: String)

  init(_ error: LogError) {
    switch error {
    case .full: self = .logFull
    case .stopped(let reason): self = .logStopped(reason: reason)
    case .noSuchLog, .logExists, .deleted, .unfinished, .fenced, .conflict, .trimmed, .beyondEnd, .tooLarge,
      .io, .damaged, .locked, .incompatible, .missingPart, .readOnly, .unstarted:
      self = .logFailed(reason: error.description)
    }
  }

  /// In a few words, always the same for one case.
  var words: String {
    switch self {
    case .draining: "draining"
    case .logFull: "log full"
    case .logStopped: "log stopped"
    case .diskHangs: "disk hangs"
    case .logFailed: "log failed"
    }
  }

  /// What an operator has to know and nobody else.
  var details: String? {
    switch self {
    case .draining, .logFull: nil
    case .logStopped(let reason), .logFailed(let reason): reason
    case .diskHangs(let time): "a group commit has not returned for \(time.components.seconds) s"
    }
  }

  /// What is answered for it. Only a full log is said to have no space.
  var refusal: Refusal {
    switch self {
    case .draining: Refusal(.goingAway)
    case .logFull: Refusal(.logFull)
    case .logStopped, .logFailed:
      Refusal(
        .internalFailure, cause: "The log takes no events: the disk or the store has failed.",
        cure: "Try again in a minute; the operator's log says what failed.")
    case .diskHangs:
      Refusal(
        .internalFailure, cause: "The log takes no events: the disk does not answer.",
        cure: "Try again in a minute; the operator's log says more.")
    }
  }
}

/// Whether the server takes work: `/healthz` says that it lives, `/readyz` that it is worth sending people to.
public final class ServerHealth: Sendable {
  private let draining = Atomic<Bool>(false)
  private let store: StoreWatch
  private let patience: Duration

  /// - Parameters:
  ///   - store: what the log says of itself.
  ///   - patience: how long a group commit may take before the disk counts as hanging.
  public init(_ store: StoreWatch = StoreWatch(), patience: Duration = .seconds(10)) {
    self.store = store
    self.patience = patience
  }

  public func beginDrain() { draining.store(true, ordering: .releasing) }
  public var isDraining: Bool { draining.load(ordering: .acquiring) }

  /// Why nobody should be sent here; nil if all is well.
  public var notReady: Unreadiness? {
    if isDraining { return .draining }
    if let error = store.refusal() { return Unreadiness(error) }
    let time = store.commitUnderWay()
    return time > patience ? .diskHangs(for: time) : nil
  }
}
