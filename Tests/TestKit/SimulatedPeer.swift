import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel

/// The other side of a simulated connection: speaks the protocol, keeps what came, and folds it into a mirror.
public final class SimulatedPeer {
  public let link: SimulatedLink
  public let handle: ConnectionHandle
  public let subprotocol: Subprotocol
  private let server: SimulatedServer
  private let home: HandLoop
  private let codec: WireCodec

  public private(set) var notices: [Notice] = []
  public private(set) var events: [RoomEvent] = []
  public private(set) var receipts: [Receipt] = []
  public private(set) var mirror = RoomState()
  /// What was wrong with what came: a gap, a repeat, bytes that cannot be read.
  public private(set) var faults: [String] = []
  private var snapshot: (root: [UInt8], parts: [[UInt8]], expected: Int, hash: [UInt8])?
  private var counter: CommandCounter = 0

  init(
    _ server: SimulatedServer, _ link: SimulatedLink, _ handle: ConnectionHandle, _ home: HandLoop,
    _ subprotocol: Subprotocol
  ) {
    self.server = server
    self.link = link
    self.handle = handle
    self.home = home
    self.subprotocol = subprotocol
    codec = WireCodec(subprotocol)
  }

  // MARK: Saying

  public func say(_ notice: ClientNotice) { say(bytes: codec.encode(client: notice)) }

  public func say(bytes: [UInt8]) {
    home.perform { handle.receive(bytes, at: server.now) }
    server.settle()
  }

  /// Gives commands in one message, with the next counters.
  public func command(_ commands: Command...) {
    say(
      .commands(
        commands.map { command in
          counter += 1
          return NumberedCommand(counter: counter, command: command)
        }))
  }

  /// Goes on with the counters of an earlier connection.
  public func count(from last: CommandCounter) { counter = last }

  /// The connection breaks: no leave, no farewell.
  public func cut() {
    home.perform { handle.closed(at: server.now) }
    server.settle()
  }

  // MARK: Hearing

  /// Takes in everything that is on its way, and what that lets through, until nothing comes any more.
  public func receive() {
    while receive(upTo: .max) {}
  }

  /// Takes in up to `limit` bytes of whole messages (one message at least); false if there was none.
  @discardableResult
  public func receive(upTo limit: Int) -> Bool {
    let (messages, drained) = link.take(upTo: limit)
    for message in messages { hear(message) }
    if drained { home.perform { handle.drained(at: server.now) } }
    server.settle()
    return !messages.isEmpty || drained
  }

  private func hear(_ message: [UInt8]) {
    do {
      let notice = try codec.decodeServer(message)
      notices.append(notice)
      try take(notice)
    } catch {
      faults.append("\(error)")
    }
  }

  private func take(_ notice: Notice) throws {
    switch notice {
    case .run(let run): try fold(run)
    case .block(let stored):
      let raw = try LZ4Block.decompress(stored.bytes, count: stored.rawLength)
      try fold(
        Run(first: stored.first, count: stored.count, base: stored.base, last: stored.last, records: raw))
    case .receipts(let more): receipts += more
    case .catchUp(let plan): if plan.mode != .snapshot, plan.from == .zero { mirror = RoomState() }
    case .snapshotRoot(_, _, let hash, let parts, let bytes): snapshot = (bytes, [], parts, hash)
    case .snapshotPart(let part): snapshot?.parts.append(part)
    case .welcome, .live, .refused, .heartbeat, .quiet, .farewell, .answer, .replayed: break
    }
    if let whole = snapshot, whole.parts.count == whole.expected {
      mirror = try StateDecoder.state(root: whole.root, parts: whole.parts)
      if StateEncoder.hash(of: mirror) != whole.hash { faults.append("a snapshot has another hash") }
      snapshot = nil
    }
  }

  private func fold(_ run: Run) throws {
    if run.first != mirror.revision.next {
      faults.append("a run begins at \(run.first) after \(mirror.revision)")
    }
    try run.forEach { view, _ throws in
      let event = try server.memo?.decode(view, in: run.records) ?? EventCodec.decode(view, in: run.records)
      if let anomaly = mirror.apply(event) { faults.append("\(anomaly)") }
      events.append(event)
    }
  }

  /// Starts from what an earlier connection of the same client holds.
  public func takeOver(_ earlier: SimulatedPeer) {
    mirror = earlier.mirror
    counter = earlier.counter
  }

  // MARK: Reading what came

  public var welcome: Welcome? {
    notices.lazy.compactMap { if case .welcome(let welcome) = $0 { welcome } else { nil } }.first
  }
  public var plan: CatchUpPlan? {
    notices.lazy.compactMap { if case .catchUp(let plan) = $0 { plan } else { nil } }.first
  }
  public var farewell: Farewell? {
    notices.lazy.compactMap { if case .farewell(let farewell) = $0 { farewell } else { nil } }.first
  }
  public var refusals: [(counter: CommandCounter, refusal: Refusal, revision: Revision)] {
    notices.compactMap { notice in
      if case .refused(let counter, let refusal, let revision) = notice {
        (counter, refusal, revision)
      } else {
        nil
      }
    }
  }
  public var isLive: Bool {
    notices.contains { if case .live = $0 { true } else { false } }
  }
  public var heartbeats: Int {
    notices.count { if case .heartbeat = $0 { true } else { false } }
  }

  /// What it was told of the replay that it watches.
  public var statuses: [ReplayStatus] {
    notices.compactMap { if case .replayed(let status) = $0 { status } else { nil } }
  }

  /// Makes a hello that goes on with this client's session from where it stands.
  public var comeBack: (inout Hello) -> Void {
    let (welcome, revision) = (welcome, mirror.revision)
    return { hello in
      guard let welcome else { return }
      hello.resume = Hello.Resume(
        session: welcome.session, generation: welcome.generation, ticket: welcome.ticket)
      hello.cursor = Cursor(epoch: welcome.epoch, revision: revision)
    }
  }
}
