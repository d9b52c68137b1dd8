import NIOCore

/// A WebSocket on an event loop whose conversation is held on another context. What either side says is handed over in order.
final class HandedConnection: TransportConnection {
  private let connection: WebSocketConnection
  private let loop: any EventLoop

  init(_ connection: WebSocketConnection, on loop: any EventLoop) {
    (self.connection, self.loop) = (connection, loop)
  }

  func send(_ message: [UInt8]) { loop.execute { [connection] in connection.send(message) } }
  func close() { loop.execute { [connection] in connection.close() } }
  func abandon() { loop.execute { [connection] in connection.abandon() } }
}

/// Counts the bytes that came and that the context has not dealt with yet. While there are too many nothing more is read from
/// the socket: an app that stands still costs a bounded amount of memory, and the server sees that its member is slow.
final class HandedBytes: Sendable {
  /// Above this many bytes reading stops; at half of it, it goes on. 1 MiB: more than any run but the largest.
  static let most = 1 << 20
  /// What one event counts beside its bytes: many small ones are bounded, too.
  static let each = 128

  private let waiting = Guarded(0)

  /// Whether reading is to stop now.
  func add(_ count: Int) -> Bool {
    waiting.with { waiting in
      let before = waiting
      waiting += count
      return before <= Self.most && waiting > Self.most
    }
  }

  /// Whether something may be read as things stand.
  var allowsReading: Bool { waiting.with { $0 <= Self.most } }

  /// Whether reading is to go on now, if `allowsReading` still holds by then.
  func remove(_ count: Int) -> Bool {
    waiting.with { waiting in
      let before = waiting
      waiting -= count
      return before > Self.most / 2 && waiting <= Self.most / 2
    }
  }
}
