import EventLogModel
import Synchronization

// How a store ends when it must: nothing more is taken, and everyone who waits hears why.

extension Engine {
  /// The outcome of a write is unknown: nothing more is taken, nobody in the group is acknowledged.
  func fail(_ error: LogError, _ group: EngineState.Group = .init()) {
    let reason: LogError
    if case .stopped = error { reason = error } else { reason = .stopped(reason: "\(error)") }
    let (waiters, listeners) = state.withLock { state in state.stop(reason) }
    takenSignal.raise()
    commitSignal.raise()
    roomSignal.raise()
    sealSignal.raise()
    for (listener, logs) in listeners { listener.failed(logs, reason) }
    for waiter in group.waiters + waiters { waiter(reason) }
  }

  /// After an orderly shutdown: nobody failed, but who came too late hears that it is over.
  func end() {
    for waiter in state.withLock({ $0.stop(Self.isShutDown).waiters }) { waiter(Self.isShutDown) }
  }
}

extension EngineState {
  /// Ends the taking of events. Returns who must hear of it.
  fileprivate mutating func stop(
    _ reason: LogError
  ) -> (waiters: [Waiter], listeners: [(any CommitListener, [LogID])]) {
    guard stopped == nil else { return ([], []) }
    stopped = reason
    var waiting = waiters + sealWaiters
    waiting += snapshots.map(\.done) + segmentWaiters + clearing.works.map(\.done)
    waiting += erasures.map(\.done)
    erasures = []
    waiters = []
    segmentWaiters = []
    clearing.works = []
    sealWaiters = []
    snapshots = []
    var listeners: [ObjectIdentifier: (any CommitListener, [LogID])] = [:]
    for log in logs.values where log.isOpen {
      guard let listener = log.listener else { continue }
      listeners[ObjectIdentifier(listener), default: (listener, [])].1.append(log.log)
    }
    return (waiting, Array(listeners.values))
  }
}

extension Engine {
  /// Takes no more events; what was appended is still committed.
  func stopTaking() {
    state.withLock { $0.isStopping = true }
    takenSignal.raise()
    commitSignal.raise()
    roomSignal.raise()
  }

  /// Lets the threads end as soon as they can.
  func abandon(asKilled: Bool = false) {
    state.withLock {
      $0.isAbandoned = true
      $0.isKilled = asKilled
    }
    takenSignal.raise()
    commitSignal.raise()
    roomSignal.raise()
    sealSignal.raise()
  }
}
