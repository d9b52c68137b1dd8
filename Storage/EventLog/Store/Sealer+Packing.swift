import EventLogModel
import Synchronization

extension Sealer {
  /// How many blocks one portion packs; it takes some hundredths of a second.
  private static let packedBlocks = 8
  /// The least time between two searches for idle logs that are not packed yet, in nanoseconds.
  private static let packPause: UInt64 = 60_000_000_000

  /// Packs a portion of the blocks of idle logs, if there is nothing else to do. Packing is never urgent: it
  /// can be left out at any tick.
  func pack(_ now: UInt64) {
    guard let idle = engine.options.packAfter, !isClosed, now >= packNext,
      let backend = backend as? any PackingBackend
    else { return }
    let isBusy = engine.state.withLock { state in
      !state.takesEvents || state.isSealerFull || !state.ripe.isEmpty || !state.sealWaiters.isEmpty
        || !state.erasures.isEmpty || !state.clearing.works.isEmpty
    }
    guard !isBusy else { return }
    let idleTime = max(0, idle.wholeNanoseconds)
    packNext = now &+ min(Self.packPause, max(Self.tick, UInt64(idleTime) / 4))
    do throws(LogError) {
      let since = WallClock.milliseconds - idleTime / 1_000_000
      let packed = try backend.pack(
        .init(idleSince: Timestamp(milliseconds: since), shapes: engine.options.bodyShapes),
        blocks: Self.packedBlocks)
      if packed.hasMore { packNext = now }
      engine.state.withLock { state in
        state.statistics.packedBlocks += packed.blocks
        state.statistics.packedSavings += packed.saved
      }
    } catch {
      if case .damaged = error { return }
      guard !ErrorNumber.canPass(error) else { return }
      engine.fail(error)
    }
  }
}
