import EventLogModel
import Synchronization

// How a store stops after a failure: it takes no more events, and all waiting callers get the error.

extension Engine {
  /// The outcome of a write is unknown: no more events are taken, and no event of the group is acknowledged.
  func fail(_ error: LogError, _ group: EngineState.Group = .init()) {
    let reason: LogError
    switch error {
    case .stopped, .nodeFenced: reason = error
    default: reason = .stopped(reason: "\(error)")
    }
    let (waiters, listeners) = state.withLock { state in state.stop(reason) }
    takenSignal.raise()
    commitSignal.raise()
    roomSignal.raise()
    sealSignal.raise()
    for (listener, logs) in listeners { listener.failed(logs, reason) }
    for waiter in group.waiters + waiters { waiter(reason) }
  }

  /// After an orderly shutdown. Nothing failed, but calls that came too late get the error that the store has
  /// stopped.
  func end() {
    for waiter in state.withLock({ $0.stop(Self.isShutDown).waiters }) { waiter(Self.isShutDown) }
  }
}

extension EngineState {
  /// From here on no events are taken. Returns what must be called to tell of it.
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
