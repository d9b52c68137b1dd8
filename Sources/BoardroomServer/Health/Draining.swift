import Synchronization

/// When the ending began. A step that comes after the time to drain still gets a short time.
final class DrainDeadline: Sendable {
  /// 100 ms: the shortest time to drain that can be set.
  private static let moment = Duration.milliseconds(100)
  private let began = Mutex<ContinuousClock.Instant?>(nil)

  func begin() { began.withLock { $0 = $0 ?? .now } }

  func left(of limit: Duration) -> Duration {
    begin()
    let began = began.withLock { $0 } ?? .now
    return max(Self.moment, limit - (ContinuousClock.now - began))
  }
}

/// Whether `work` ends in time. If it does not, it goes on and nobody waits for it.
func returns(within limit: Duration, _ work: @escaping @Sendable () async -> Void) async -> Bool {
  let (answers, answer) = AsyncStream<Bool>.makeStream()
  let working = Task {
    await work()
    answer.yield(true)
  }
  let waiting = Task {
    try await Task.sleep(for: limit)
    answer.yield(false)
  }
  defer { waiting.cancel() }
  // A task of its own, because the caller's may be cancelled already, which would give no answer.
  let isDone = await Task { await answers.first { _ in true } ?? false }.value
  if !isDone { working.cancel() }
  return isDone
}
