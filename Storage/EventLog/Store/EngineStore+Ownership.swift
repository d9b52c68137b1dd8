import EventLogModel
import Synchronization

// For a store that shares its sealed half with other nodes: it holds only the logs that it owns. Which these
// are is said from outside, by whoever asks the owners' table.

extension EngineStore {
  package enum Holding: Sendable {
    /// Not here.
    case none
    case held
    /// Here for reading, until `drop`.
    case givenUp
  }

  package func holding(of log: LogID) -> Holding {
    engine.state.withLock { state in
      state.logs[log].map { $0.isReleased ? .givenUp : .held } ?? .none
    }
  }

  /// Why no log of this name can be made, as far as it is known here; nil if nothing is.
  package func obstacle(toMaking log: LogID) -> LogError? {
    engine.state.withLock { state in
      if let obstacle = state.cannotTake { return obstacle }
      guard let known = state.logs[log] else { return nil }
      if known.isLeaving { return .deleted(log) }
      return known.unfinished ?? .logExists(log)
    }
  }

  /// Takes a log that this store owns from now on, with everything of it sealed. One that is held already
  /// stays as it is.
  package func adopt(_ found: RecoveredLog) {
    engine.state.withLock { state in
      guard state.logs[found.log] == nil else { return }
      state.logs[found.log] = LogState(found, at: JournalPlace(segment: state.segment, frame: state.frame))
      state.nextNumber = max(state.nextNumber, found.number + 1)
      state.sortedLogs = nil
    }
  }

  /// Gives up logs: from here on nothing of them is written, and their appenders throw `changingOwner`. Returns once all
  /// that was appended is committed and sealed. They are still read here until `drop`.
  ///
  /// - Returns: those that are held here and not deleted.
  package func giveUp(_ names: [LogID]) async throws(LogError) -> [LogID] {
    // What takes more than one transaction is sealed while the logs still take events, so that their pause is short.
    if engine.state.withLock({ $0.unsealedBytes > Sealer.transactionBytes }) { try await seal() }
    let given = try locked { state -> Result<[LogID], LogError> in
      if let stopped = state.stopped { return .failure(stopped) }
      return .success(
        names.filter { name in
          guard let log = state.logs[name], !log.isLeaving, !log.isReleased else { return false }
          log.isReleased = true
          log.writer += 1
          log.isOpen = false
          return true
        })
    }
    try await wait { engine.whenCommitted($0) }
    try await seal()
    return given
  }

  /// Holds logs no more. To be called before another node can own them.
  package func drop(_ names: [LogID]) {
    engine.state.withLock { state in
      for name in names {
        guard let log = state.logs.removeValue(forKey: name) else { continue }
        state.unsealed[log.number] = nil
        log.listener = nil
      }
      state.sortedLogs = nil
    }
  }

  /// Stops the store: no event is taken any more, and listeners and waiting callers are told.
  package func fail(_ error: LogError) { engine.fail(error) }

  /// Why the store takes no more events for good; nil if it has not stopped.
  package var stopped: LogError? { engine.state.withLock { $0.stopped } }

  /// Runs `body` with a connection that reads the sealed half, on a thread of its own.
  package func onSealedHalf<Value: Sendable>(
    _ body: @escaping @Sendable (any SealedReading) throws(LogError) -> Value
  ) async throws(LogError) -> Value {
    try await onDisk(body)
  }
}
