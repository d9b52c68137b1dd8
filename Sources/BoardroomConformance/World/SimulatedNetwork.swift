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
  /// One way, in milliseconds.
  let latency: ClosedRange<Int>
  let state = Mutex(State())

  public init(
    loop: VirtualLoop, latency: ClosedRange<Int> = 5...25, server: @escaping @Sendable () -> RoomServerEngine
  ) {
    self.loop = loop
    self.server = server
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

/// One connection over a simulated network: the client's and the server's socket in one object.
final class SimulatedLine: TransportConnection, MemberLink {
  private enum Parcel: Sendable {
    case open
    case accepted
    case message([UInt8])
    case close

    var bytes: Int {
      switch self {
      case .message(let bytes): bytes.count
      case .open, .accepted, .close: 0
      }
    }
  }

  private struct State {
    var handle: ConnectionHandle?
    var clientIsOpen = true
    var serverIsOpen = false
    var held: [SimulatedNetwork.Direction: [Parcel]] = [:]
    /// The latest arrival so far, by direction, so that bytes stay in order.
    var last: [SimulatedNetwork.Direction: Timestamp] = [:]
    /// Bytes sent to the client that have not arrived.
    var flying = 0
    var wasFull = false
    /// The client has closed its socket: bytes that are still under way are lost.
    var isAbandoned = false
  }

  private let network: SimulatedNetwork
  private let subprotocol: Subprotocol
  private let events: @Sendable (TransportEvent) -> Void
  private let state = Mutex(State())
  private var loop: VirtualLoop { network.loop }

  init(
    _ network: SimulatedNetwork, _ subprotocol: Subprotocol,
    events: @escaping @Sendable (TransportEvent) -> Void
  ) {
    self.network = network
    self.subprotocol = subprotocol
    self.events = events
  }

  var isOver: Bool { state.withLock { !$0.clientIsOpen && !$0.serverIsOpen } }

  func connect() {
    if network.isCut { return loop.execute { self.breakDown() } }
    send(.open, .toServer)
  }

  // MARK: The wire

  private func send(_ parcel: Parcel, _ direction: SimulatedNetwork.Direction) {
    let wait = loop.random(network.latency)
    let duration = network.duration(of: parcel.bytes, direction)
    let (begin, time) = state.withLock { state in
      let begin = max(state.last[direction] ?? .zero, loop.now + .milliseconds(Int64(wait)))
      let time = begin + .milliseconds(Int64(duration))
      state.last[direction] = time
      return (begin, time)
    }
    for second in 0..<duration / 1_000 {
      loop.schedule(at: begin + .seconds(second)) { self.heardPart(direction) }
    }
    loop.schedule(at: time) { self.arrived(parcel, direction) }
  }

  private func heardPart(_ direction: SimulatedNetwork.Direction) {
    guard !network.blocks(direction), state.withLock({ $0.clientIsOpen }) else { return }
    events(.heard)
  }

  private func arrived(_ parcel: Parcel, _ direction: SimulatedNetwork.Direction) {
    let waits = network.blocks(direction)
    let isHeld = state.withLock { state in
      guard waits || !(state.held[direction] ?? []).isEmpty else { return false }
      if state.isAbandoned, direction == .toServer, parcel.bytes > 0 { return true }
      state.held[direction, default: []].append(parcel)
      return true
    }
    if !isHeld { deliver(parcel, direction) }
  }

  func deliverHeld() {
    for direction in SimulatedNetwork.Direction.allCases where !network.blocks(direction) {
      let parcels = state.withLock { state in
        defer { state.held[direction] = nil }
        return state.held[direction] ?? []
      }
      for parcel in parcels { deliver(parcel, direction) }
    }
  }

  private func deliver(_ parcel: Parcel, _ direction: SimulatedNetwork.Direction) {
    switch (parcel, direction) {
    case (.open, _): accept()
    case (.accepted, _): if state.withLock({ $0.clientIsOpen }) { events(.opened) }
    case (.message(let bytes), .toServer):
      guard state.withLock({ $0.serverIsOpen }), network.pass(bytes.count, direction) else { return }
      state.withLock { $0.handle }?.receive(bytes, at: loop.now)
    case (.message(let bytes), .toClient):
      landed(bytes.count)
      guard state.withLock({ $0.clientIsOpen }), network.pass(bytes.count, direction) else { return }
      events(.received(bytes))
    case (.close, .toServer): endServer()
    case (.close, .toClient): endClient()
    }
  }

  private func accept() {
    guard state.withLock({ $0.clientIsOpen }) else { return }
    let engine = network.engine
    let home: any RoomLoop = engine.loops[0]
    let process = home as? ServerProcess
    guard process?.isAlive ?? true else { return endClient() }
    let handle = engine.connect(self, on: home, subprotocol: subprotocol, from: nil, at: loop.now)
    state.withLock { state in
      state.handle = handle
      state.serverIsOpen = true
    }
    process?.whenKilled { [weak self] in self?.serverIsKilled() }
    send(.accepted, .toClient)
  }

  /// The server's end is closed by its system, and nobody there hears of it.
  private func serverIsKilled() {
    let wasOpen = state.withLock { state in
      defer { (state.serverIsOpen, state.handle) = (false, nil) }
      return state.serverIsOpen
    }
    if wasOpen { send(.close, .toClient) }
  }

  /// Breaks the connection; both ends are told at once.
  func breakDown() {
    state.withLock { $0.held = [:] }
    endServer()
    endClient()
  }

  private func endServer() {
    let handle = state.withLock { state -> ConnectionHandle? in
      defer { state.serverIsOpen = false }
      return state.serverIsOpen ? state.handle : nil
    }
    handle?.closed(at: loop.now)
  }

  private func endClient() {
    let wasOpen = state.withLock { state in
      defer { state.clientIsOpen = false }
      return state.clientIsOpen
    }
    if wasOpen { events(.closed) }
  }

  private func landed(_ bytes: Int) {
    let limit = network.engine.policy.outbox
    let handle = state.withLock { state -> ConnectionHandle? in
      state.flying -= bytes
      guard state.wasFull, state.flying <= limit / 4 else { return nil }
      state.wasFull = false
      return state.handle
    }
    handle?.drained(at: loop.now)
  }

  // MARK: The client's end

  func send(_ message: [UInt8]) {
    guard state.withLock({ $0.clientIsOpen }) else { return }
    send(.message(message), .toServer)
  }

  func close() {
    let wasOpen = state.withLock { state in
      defer { state.clientIsOpen = false }
      return state.clientIsOpen
    }
    if wasOpen { send(.close, .toServer) }
  }

  /// Drops the bytes that wait for the network.
  func abandon() {
    state.withLock { state in
      state.held[.toServer] = nil
      state.isAbandoned = true
    }
    close()
  }

  // MARK: The server's end

  func write(_ bytes: SharedBytes) {
    let payload = bytes.payload
    let isOpen = state.withLock { state in
      guard state.serverIsOpen else { return false }
      state.flying += payload.count
      return true
    }
    if isOpen { send(.message(payload), .toClient) }
  }

  func flush() {}

  func close(code: UInt16, reason: String) {
    let wasOpen = state.withLock { state in
      defer { state.serverIsOpen = false }
      return state.serverIsOpen
    }
    if wasOpen { send(.close, .toClient) }
  }

  var isFull: Bool {
    let limit = network.engine.policy.outbox
    return state.withLock { state in
      if state.flying > limit { state.wasFull = true }
      return state.flying > limit
    }
  }
}
