import BoardroomHosting
import Synchronization

/// The requests to other nodes that are under way. A node that is gone answers none of them any more, and where it stands still or the network
/// is cut nothing on the connection says so.
final class RequestsUnderWay: Sendable {
  private struct State {
    var last: UInt64 = 0
    var ends: [NodeAddress: [UInt64: @Sendable () -> Void]] = [:]
  }

  private let state = Mutex(State())

  /// Returns what `body` returns. It is cancelled when the node is gone, or when the caller is.
  func untilGone<Value: Sendable>(
    _ node: NodeAddress, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task { try await body() }
    let number = state.withLock { state in
      state.last += 1
      state.ends[node, default: [:]][state.last] = { task.cancel() }
      return state.last
    }
    defer {
      state.withLock { state in
        state.ends[node]?[number] = nil
        if state.ends[node]?.isEmpty == true { state.ends[node] = nil }
      }
    }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// The node is gone.
  func end(at node: NodeAddress) {
    let ends = state.withLock { $0.ends[node] ?? [:] }
    for end in ends.values { end() }
  }
}
