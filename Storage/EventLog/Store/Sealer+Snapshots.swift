import EventLogModel
import Synchronization

extension Sealer {
  /// Each snapshot is a transaction. Who waits for a seal, as a log does that is given up and stands still, waits for one of
  /// them at most.
  func put(_ snapshots: [EngineState.SnapshotJob]) {
    var left = snapshots[...]
    while let next = left.popFirst() {
      put(next)
      let isInterrupted = engine.state.withLock { state in
        guard !left.isEmpty, !state.sealWaiters.isEmpty else { return false }
        state.snapshots = Array(left) + state.snapshots
        return true
      }
      guard !isInterrupted else { return }
    }
  }

  private func put(_ job: EngineState.SnapshotJob) {
    do throws(LogError) {
      try backend.put(job.snapshot, number: job.log.number)
      job.done(nil)
    } catch { job.done(error) }
  }
}
