import BoardroomClient
import BoardroomCodec
import BoardroomHosting
import EventLogModel
import Synchronization

/// A network between one client and the server that behaves like TCP: bytes arrive later, in order, or not at
/// all. Everything happens on the world's loop. A test calls the controls from its own thread, between runs.
public final class SimulatedNetwork: Transport {
  /// The state of the network.
  public enum Weather: Sendable {
    case clear
    /// Connections break at once and new ones are refused.
    case cut
    /// Nothing arrives, and neither side gets an error. What was sent arrives when the network works again,
    /// if both ends are still there.
    case silent
    /// The same, in one direction only.
    case halfOpen(Direction)
  }

  /// One of the two directions of a connection.
  public enum Direction: Sendable, CaseIterable { case toServer, toClient }

  struct State {
    var weather = Weather.clear
    var lines: [SimulatedLine] = []
    /// Bytes that may still pass before every connection breaks, by direction.
    var budget: [Direction: Int] = [:]
    var passed: [Direction: Int] = [:]
    /// Bytes per second that reach the client; nil: no limit.
    var pace: Int?
  }

  let loop: VirtualLoop
  private let server: @Sendable () -> RoomServerEngine
  /// The engine that runs now.
  var engine: RoomServerEngine { server() }
  /// The servers, if there are several.
  let nodes: WorldNodes?
  /// One way, in milliseconds.
  let latency: ClosedRange<Int>
  let state = Mutex(State())

  public convenience init(
    loop: VirtualLoop, latency: ClosedRange<Int> = 5...25, server: @escaping @Sendable () -> RoomServerEngine
  ) {
    self.init(loop: loop, latency: latency, nodes: nil, server: server)
  }

  init(
    loop: VirtualLoop, latency: ClosedRange<Int>, nodes: WorldNodes?,
    server: @escaping @Sendable () -> RoomServerEngine
  ) {
    self.loop = loop
    self.server = server
    self.nodes = nodes
    self.latency = latency
  }

  public func open(
    _ endpoint: Endpoint, _ subprotocol: Subprotocol,
    events: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection {
    let line = SimulatedLine(self, subprotocol, events: events)
    state.withLock { state in
      state.lines.removeAll(where: \.isOver)
      state.lines.append(line)
    }
    line.connect()
    return line
  }

  // MARK: What a test does to it

  /// Changes the state of the network. Called from the test's thread, between runs.
  public func set(_ weather: Weather) {
    let lines = state.withLock { state in
      state.weather = weather
      return state.lines
    }
    loop.execute {
      switch weather {
      case .clear, .halfOpen: for line in lines { line.deliverHeld() }
      case .cut: for line in lines { line.breakDown() }
      case .silent: break
      }
    }
  }

  /// The network works, and no break is planned.
  public func heal() {
    state.withLock { $0.budget = [:] }
    set(.clear)
  }

  /// All connections break once this many more bytes have passed. The message with the last of them does not
  /// arrive whole.
  public func breakAfter(_ bytes: Int, _ direction: Direction) {
    state.withLock { $0.budget[direction] = bytes }
  }

  /// From now on at most so many bytes per second reach the client; a large message arrives in parts.
  public func slowDown(to pace: Int?) { state.withLock { $0.pace = pace } }

  /// How long these bytes take once they are the next, in milliseconds.
  func duration(of bytes: Int, _ direction: Direction) -> Int {
    guard direction == .toClient, let pace = state.withLock({ $0.pace }) else { return 0 }
    return bytes * 1_000 / pace
  }

  /// Bytes that have arrived so far.
  public func passed(_ direction: Direction) -> Int { state.withLock { $0.passed[direction] ?? 0 } }

  // MARK: What lines ask

  func blocks(_ direction: Direction) -> Bool {
    switch state.withLock({ $0.weather }) {
    case .clear, .cut: false
    case .silent: true
    case .halfOpen(let blocked): blocked == direction
    }
  }

  /// Whether the network fails, or is going to fail.
  public var isBad: Bool {
    state.withLock { state in
      guard state.budget.isEmpty else { return true }
      switch state.weather {
      case .clear: return false
      case .cut, .silent, .halfOpen: return true
      }
    }
  }

  var isCut: Bool {
    switch state.withLock({ $0.weather }) {
    case .cut: true
    case .clear, .silent, .halfOpen: false
    }
  }

  /// Whether so many bytes may pass; if not, all connections break here.
  func pass(_ bytes: Int, _ direction: Direction) -> Bool {
    let lines: [SimulatedLine]? = state.withLock { state in
      guard let budget = state.budget[direction] else {
        state.passed[direction, default: 0] += bytes
        return nil
      }
      guard budget < bytes else {
        state.budget[direction] = budget - bytes
        state.passed[direction, default: 0] += bytes
        return nil
      }
      state.budget[direction] = nil
      return state.lines
    }
    guard let lines else { return true }
    for line in lines { line.breakDown() }
    return false
  }
}
