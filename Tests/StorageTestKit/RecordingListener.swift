import EventLogModel
import Synchronization

/// Remembers what it was told, and checks that runs come in order and without gaps.
public final class RecordingListener: CommitListener {
  fileprivate struct State {
    var runs: [LogID: [Run]] = [:]
    var calls: [[LogID]] = []
    var failures: [(logs: [LogID], error: LogError)] = []
    var complaints: [String] = []
    var waiters: [(log: LogID, revision: Revision, continuation: CheckedContinuation<Void, Never>)] = []
  }

  fileprivate let state = Mutex(State())
  private let onCommit: @Sendable ([CommittedRun]) -> Void

  public init(onCommit: @escaping @Sendable ([CommittedRun]) -> Void = { _ in }) { self.onCommit = onCommit }

  public func committed(_ runs: [CommittedRun]) {
    onCommit(runs)
    let ready = state.withLock { state in
      state.calls.append(runs.map(\.log))
      for committed in runs {
        let known = state.runs[committed.log]?.last
        if let known, known.lastRevision.next != committed.run.first {
          state.complaints.append(
            "\(committed.run.first) follows \(known.lastRevision) in \(committed.log)")
        }
        if let known, known.last > committed.run.base {
          state.complaints.append("time falls in \(committed.log) at \(committed.run.first)")
        }
        state.runs[committed.log, default: []].append(committed.run)
      }
      return state.takeReady()
    }
    for continuation in ready { continuation.resume() }
  }

  public func failed(_ logs: [LogID], _ error: LogError) {
    let ready = state.withLock { state in
      state.failures.append((logs, error))
      return state.takeReady(all: true)
    }
    for continuation in ready { continuation.resume() }
  }

  public func runs(of log: LogID) -> [Run] { state.withLock { $0.runs[log] ?? [] } }
  public func records(of log: LogID) -> [Record] { runs(of: log).flatMap(\.unpacked) }
  public func last(of log: LogID) -> Revision { runs(of: log).last?.lastRevision ?? .zero }
  /// The logs of each call, in order.
  public var calls: [[LogID]] { state.withLock { $0.calls } }
  public var failures: [(logs: [LogID], error: LogError)] { state.withLock { $0.failures } }
  /// Broken promises; must be empty.
  public var complaints: [String] { state.withLock { $0.complaints } }

  /// Waits until `revision` of `log` was reported, or the store failed.
  public func reached(_ revision: Revision, of log: LogID) async {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state in
        state.waiters.append((log, revision, continuation))
        return state.takeReady(all: !state.failures.isEmpty)
      }
      for continuation in ready { continuation.resume() }
    }
  }
}

extension RecordingListener.State {
  fileprivate mutating func takeReady(all: Bool = false) -> [CheckedContinuation<Void, Never>] {
    var ready: [CheckedContinuation<Void, Never>] = []
    waiters.removeAll { waiter in
      guard all || (runs[waiter.log]?.last?.lastRevision ?? .zero) >= waiter.revision else { return false }
      ready.append(waiter.continuation)
      return true
    }
    return ready
  }
}

extension LogAppender {
  /// Appends a body given as an array.
  @discardableResult
  public func append(
    kind: UInt8 = 1, actor: UInt64 = 0, at time: Timestamp = .zero, _ body: [UInt8]
  ) throws(LogError) -> Revision {
    let result = body.withUnsafeBytes { bytes -> Result<Revision, LogError> in
      do throws(LogError) {
        return .success(try append(kind: kind, actor: actor, time: time, body: bytes))
      } catch { return .failure(error) }
    }
    return try result.get()
  }
}
