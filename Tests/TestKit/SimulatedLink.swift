import BoardroomHosting
import Synchronization

/// One connection without a socket: what the server writes waits in an outbox until the test lets it through.
public final class SimulatedLink: MemberLink {
  private struct State {
    var written: [SharedBytes] = []
    var flushed: [SharedBytes] = []
    var waiting = 0
    var flushes = 0
    var close: (code: UInt16, reason: String)?
    var wasFull = false
    var mostBytes = 0
    var allBytes = 0
  }
  private let state = Mutex(State())
  /// Bytes that the outbox may hold before the link counts as full.
  public let outbox: Int

  public init(outbox: Int = 256 << 10) { self.outbox = outbox }

  public func write(_ bytes: SharedBytes) {
    state.withLock { state in
      guard state.close == nil else { return }
      state.written.append(bytes)
      state.waiting += bytes.count
      state.allBytes += bytes.count
      state.mostBytes = max(state.mostBytes, state.waiting)
      if state.waiting > outbox { state.wasFull = true }
    }
  }

  public func flush() {
    state.withLock { state in
      guard !state.written.isEmpty else { return }
      state.flushes += 1
      state.flushed += state.written
      state.written = []
    }
  }

  public func close(code: UInt16, reason: String) {
    state.withLock { if $0.close == nil { $0.close = (code, reason) } }
  }

  public var isFull: Bool { state.withLock { $0.waiting > outbox } }
  /// Whether nothing waits to be taken.
  public var isQuiet: Bool { state.withLock { $0.flushed.isEmpty && !($0.wasFull && $0.waiting <= outbox) } }

  // MARK: The test's side

  /// Takes up to `limit` bytes of whole messages out, one message at least, as the network would. `drained`
  /// says that the link was full and no longer is: the handle is to be told.
  public func take(upTo limit: Int = .max) -> (messages: [[UInt8]], drained: Bool) {
    state.withLock { state in
      var taken: [[UInt8]] = []
      var bytes = 0
      while let first = state.flushed.first, taken.isEmpty || bytes + first.count <= limit {
        bytes += first.count
        taken.append(first.payload)
        state.flushed.removeFirst()
      }
      state.waiting -= bytes
      let drained = state.wasFull && state.waiting <= outbox
      if drained { state.wasFull = false }
      return (taken, drained)
    }
  }

  /// How the server closed the connection; nil while it is open.
  public var closeCode: UInt16? { state.withLock { $0.close?.code } }
  /// How often something was sent: one system call each, on a socket.
  public var flushes: Int { state.withLock { $0.flushes } }
  /// The bytes of everything that was ever written.
  public var allBytes: Int { state.withLock { $0.allBytes } }
  /// The most bytes that ever waited at once.
  public var mostBytes: Int { state.withLock { $0.mostBytes } }
}
