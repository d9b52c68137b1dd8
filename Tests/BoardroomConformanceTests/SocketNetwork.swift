import BoardroomClient
import BoardroomCodec
import Synchronization

@testable import BoardroomConformance

/// The seconds of a timeline on a real clock.
final class Pace: Sendable {
  private let scale: Double
  private let zero = Mutex<ContinuousClock.Instant?>(nil)

  init(scale: Double) { self.scale = scale }

  /// 0 until it begins.
  var second: Double {
    guard let zero = zero.withLock({ $0 }) else { return 0 }
    return (ContinuousClock.now - zero) / Duration.seconds(1) * scale
  }

  func begin(at second: Double) {
    let start = ContinuousClock.now - Duration.seconds(1) * (second / scale)
    zero.withLock { $0 = start }
  }

  func reach(_ target: Double) async throws {
    while second < target {
      let rest = Duration.seconds(1) * ((target - second) / scale)
      try await Task.sleep(for: min(rest, .milliseconds(100)))
    }
  }
}

/// Real connections that can be held up: what is sent while they are waits, also the end of a connection, and new ones
/// are not made. Everything happens on the context.
final class GatedTransport: Transport {
  private struct State {
    var weather = Weather.clear
    var connections: [GatedConnection] = []
  }
  private let inner: any Transport
  let context: any ClientContext
  private let state = Mutex(State())

  init(_ inner: any Transport, _ context: any ClientContext) {
    self.inner = inner
    self.context = context
  }

  var weather: Weather { state.withLock { $0.weather } }

  func set(_ weather: Weather) {
    context.execute { [self] in
      let connections = state.withLock { state in
        state.weather = weather
        return state.connections
      }
      switch weather {
      case .clear: for connection in connections { connection.release() }
      case .cut: for connection in connections { connection.breakDown() }
      case .silent: break
      }
    }
  }

  func open(
    _ endpoint: Endpoint, _ subprotocol: Subprotocol, events: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection {
    let connection = GatedConnection(self, events)
    switch weather {
    case .clear:
      state.withLock { $0.connections.append(connection) }
      connection.use(inner.open(endpoint, subprotocol) { connection.heard($0) })
    case .cut: context.execute { events(.closed) }
    case .silent: break
    }
    return connection
  }
}

/// One of them.
final class GatedConnection: TransportConnection {
  private struct State {
    var inner: (any TransportConnection)?
    var outgoing: [[UInt8]] = []
    var incoming: [TransportEvent] = []
    /// The client has closed it: it hears no more, and the other side is still to be told.
    var isLetGo = false
  }
  private let gate: GatedTransport
  private let events: @Sendable (TransportEvent) -> Void
  private let state = Mutex(State())

  init(_ gate: GatedTransport, _ events: @escaping @Sendable (TransportEvent) -> Void) {
    self.gate = gate
    self.events = events
  }

  func use(_ inner: any TransportConnection) { state.withLock { $0.inner = inner } }

  private var isHeld: Bool { gate.weather == .silent }

  func heard(_ event: TransportEvent) {
    let isHeld = isHeld
    let passes = state.withLock { state in
      if isHeld, !state.isLetGo { state.incoming.append(event) }
      return !isHeld && !state.isLetGo
    }
    if passes { events(event) }
  }

  func send(_ message: [UInt8]) {
    guard !isHeld else { return state.withLock { $0.outgoing.append(message) } }
    state.withLock { $0.inner }?.send(message)
  }

  /// The end of a connection is on the wire like anything else: in silence nobody is told of it.
  func close() {
    let inner = state.withLock { state in
      state.isLetGo = true
      state.incoming = []
      return state.inner
    }
    if !isHeld { inner?.close() }
  }

  func breakDown() { state.withLock { $0.inner }?.close() }

  func release() {
    let held = state.withLock { state in
      defer { (state.outgoing, state.incoming) = ([], []) }
      return state
    }
    for message in held.outgoing { held.inner?.send(message) }
    if held.isLetGo { held.inner?.close() }
    for event in held.incoming { events(event) }
  }
}
