import BoardroomClient
import BoardroomCodec
import BoardroomHosting
import EventLogModel
import Synchronization

/// One connection over a simulated network: the client's and the server's socket in one object.
final class SimulatedLine: TransportConnection, PipeLink {
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

  /// Where the client's messages go in place of the handle.
  private enum LineDetour {
    /// The owner of the client's space is looked for: they wait.
    case held([[UInt8]])
    /// To the owner.
    case piped
    /// Nowhere: the owner has parted from the client.
    case over
  }

  private struct State {
    var handle: ConnectionHandle?
    var process: ServerProcess?
    var detour: LineDetour?
    /// Open, or being opened.
    var pipe: WorldPipe?
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
      receive(bytes)
    case (.message(let bytes), .toClient):
      landed(bytes.count)
      guard state.withLock({ $0.clientIsOpen }), network.pass(bytes.count, direction) else { return }
      events(.received(bytes))
    case (.close, .toServer): endServer()
    case (.close, .toClient): endClient()
    }
  }

  private func receive(_ bytes: [UInt8]) {
    let (handle, pipe) = state.withLock { state -> (ConnectionHandle?, WorldPipe?) in
      switch state.detour {
      case nil: return (state.handle, nil)
      case .piped: return (nil, state.pipe)
      case .over: return (nil, nil)
      case .held(let waiting):
        state.detour = .held(waiting + [bytes])
        return (nil, nil)
      }
    }
    handle?.receive(bytes, at: loop.now)
    pipe?.passToOwner(bytes)
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
      state.process = process
      state.serverIsOpen = true
    }
    process?.whenKilled { [weak self] in self?.serverIsKilled() }
    send(.accepted, .toClient)
  }

  /// The server's end is closed by its system, and nobody there hears of it.
  private func serverIsKilled() {
    let (wasOpen, pipe) = state.withLock { state in
      defer { (state.serverIsOpen, state.handle, state.pipe) = (false, nil, nil) }
      return (state.serverIsOpen, state.pipe)
    }
    pipe?.middleIsKilled()
    if wasOpen { send(.close, .toClient) }
  }

  /// Breaks the connection; both ends are told at once.
  func breakDown() {
    state.withLock { $0.held = [:] }
    endServer()
    endClient()
  }

  private func endServer() {
    let (handle, pipe) = state.withLock { state -> (ConnectionHandle?, WorldPipe?) in
      defer { state.serverIsOpen = false }
      return state.serverIsOpen ? (state.handle, state.pipe) : (nil, nil)
    }
    pipe?.end()
    handle?.closed(at: loop.now)
  }

  private func endClient() {
    let wasOpen = state.withLock { state in
      defer { state.clientIsOpen = false }
      return state.clientIsOpen
    }
    if wasOpen { events(.closed) }
  }

  /// Bytes are no longer on their way to the client.
  func landed(_ bytes: Int) {
    let limit = network.engine.policy.outbox
    let (handle, pipe) = state.withLock { state -> (ConnectionHandle?, WorldPipe?) in
      state.flying -= bytes
      guard state.wasFull, state.flying <= limit / 4 else { return (nil, nil) }
      state.wasFull = false
      return (state.handle, state.pipe)
    }
    handle?.drained(at: loop.now)
    pipe?.clientTakes()
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
    guard state.withLock({ $0.serverIsOpen }) else { return }
    let payload = bytes.payload
    departs(payload.count)
    send(.message(payload), .toClient)
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

  // MARK: Clients of other nodes' spaces

  func holdReading() {
    state.withLock { if $0.detour == nil { $0.detour = .held([]) } }
  }

  func goOn() {
    let waiting = state.withLock { state -> [[UInt8]] in
      guard case .held(let waiting) = state.detour else { return [] }
      state.detour = nil
      return waiting
    }
    for message in waiting { receive(message) }
  }

  func openPipe(_ request: PipeRequest, answer: @escaping (PipeOpening) -> Bool) {
    guard let nodes = network.nodes, let middle = state.withLock({ $0.process }) else {
      _ = answer(.failed)
      return
    }
    let pipe = WorldPipe(request, for: self, from: middle, of: nodes, answer: answer)
    state.withLock { $0.pipe = pipe }
  }

  func endPipe() -> Bool {
    let pipe = state.withLock { state -> WorldPipe? in
      guard case .piped = state.detour else { return nil }
      defer { (state.detour, state.pipe) = (.over, nil) }
      return state.pipe
    }
    return pipe?.end() ?? true
  }

  /// The owner has the client. Returns what was held for it.
  func joined(by pipe: WorldPipe) -> [[UInt8]] {
    state.withLock { state in
      guard case .held(let waiting) = state.detour else { return [] }
      state.detour = .piped
      return waiting
    }
  }

  /// Bytes for the client are on their way, at the latest from here on.
  func departs(_ bytes: Int) { state.withLock { $0.flying += bytes } }

  /// Sends a message to the client, if that is connected.
  func pass(_ message: [UInt8]) {
    guard state.withLock({ $0.serverIsOpen }) else { return landed(message.count) }
    send(.message(message), .toClient)
  }

  /// The owner has closed the connection: the client has heard all that there is to hear.
  func ownerHasClosed() {
    let handle = partFromOwner()
    handle?.ownerHasParted()
    handle?.closed(at: loop.now)
    close(code: CloseCode.goingAway, reason: "")
  }

  /// The owner is dead.
  func ownerIsGone() { partFromOwner()?.lostOwner() }

  private func partFromOwner() -> ConnectionHandle? {
    state.withLock { state in
      (state.detour, state.pipe) = (.over, nil)
      return state.handle
    }
  }
}
