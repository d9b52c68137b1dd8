import EventLogModel
import Synchronization

extension EngineStore: ErasingStore {
  package func erase(
    in log: LogID, keepingSnapshotAt base: Revision?,
    replacing: @escaping @Sendable (Run) throws(LogError) -> Run?
  ) async throws(LogError) -> Epoch {
    let found = try locked { state -> Result<LogState, LogError> in
      if let obstacle = state.cannotTake { return .failure(obstacle) }
      return state.find(log).map { found in
        found.writer += 1
        found.isOpen = false
        return found
      }
    }
    let epoch = Epoch.random()
    try await seal()
    let erasure = SealedErasure(
      number: found.number, epoch: epoch, base: base, replacing: replacing)
    try await wait { engine.erase(erasure, done: $0) }
    try locked { state in
      found.epoch = epoch
      found.tail.forgetRecent()
      state.clearing.isDue = true
      state.clearing.removals += 1
      return .success(())
    }
    return epoch
  }

  package func erasedBlocks(of log: LogID) async throws(LogError) -> [ErasedBlock] {
    let number = try locked { state in state.find(log).map(\.number) }
    return try await onDisk { reader throws(LogError) in
      try reader.erasedBlocks(number: number, log: log)
    }
  }
}

extension Engine {
  /// Gives an erasure to the sealer's thread, which calls `done` after it.
  func erase(_ erasure: SealedErasure, done: @escaping EngineState.Waiter) {
    let stopped = state.withLock { state -> LogError? in
      if let stopped = state.stopped { return stopped }
      if state.isSealerDone { return Self.isShutDown }
      state.erasures.append(.init(erasure: erasure, done: done))
      return nil
    }
    if let stopped { return done(stopped) }
    sealSignal.raise()
  }
}
