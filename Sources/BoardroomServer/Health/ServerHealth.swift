import BoardroomHTTP
import BoardroomModel
import EventLogModel
import Synchronization

/// Whether the server takes work: `/healthz` says that the program runs, `/readyz` whether it takes members.
public final class ServerHealth: Readiness {
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

  /// From here on the server counts as ending: `/readyz` answers 503. May be called from any thread.
  public func beginDrain() { draining.store(true, ordering: .releasing) }
  public var isDraining: Bool { draining.load(ordering: .acquiring) }

  /// Why the server takes no members; nil if it does.
  public var notReady: Unreadiness? {
    if isDraining { return .draining }
    if let error = store.refusal() { return Unreadiness(error) }
    if !store.isReplicated() { return .notReplicated }
    let time = store.commitUnderWay()
    return time > patience ? .diskHangs(for: time) : nil
  }
}
