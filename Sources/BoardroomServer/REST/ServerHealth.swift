import EventLogModel
import Synchronization

/// Whether the server takes work: `/healthz` says that it lives, `/readyz` that it is worth sending people to.
public final class ServerHealth: Sendable {
  private let draining = Atomic<Bool>(false)
  private let storeRefusal: @Sendable () -> LogError?

  /// `storeRefusal`: why the store takes no events, if so.
  public init(storeRefusal: @escaping @Sendable () -> LogError? = { nil }) {
    self.storeRefusal = storeRefusal
  }

  public func beginDrain() { draining.store(true, ordering: .releasing) }
  public var isDraining: Bool { draining.load(ordering: .acquiring) }

  /// Why nobody should be sent here, in a few words; nil if all is well.
  public var notReady: String? {
    if isDraining { return "draining" }
    switch storeRefusal() {
    case nil: return nil
    case .full: return "log full"
    case .stopped: return "log stopped"
    case .noSuchLog, .logExists, .deleted, .unfinished, .fenced, .conflict, .trimmed, .beyondEnd, .tooLarge,
      .io, .damaged,
      .locked, .incompatible, .missingPart, .readOnly, .unstarted:
      return "log failed"
    }
  }
}
