import BoardroomClient
import BoardroomCodec
import BoardroomConformance
import BoardroomModel
import EventLogModel
import Synchronization

/// Measures what an event costs a member's SDK: its decoding, the mirror of the room, and the callbacks.
///
/// The messages are those of a server; network, threads and the app's own work are not in it.
struct MirrorBench {
  /// Events of a message: a stroke of one writer, a busy board, and a catch-up.
  private static let sizes = [1, 8, 64]

  var report: Report

  func run(_ workload: Workload) throws {
    report.head("A member's SDK: what an event costs it")
    for size in Self.sizes {
      let cost = try measure(workload, size: size)
      report.row(
        Figure(
          "\(size) event\(size == 1 ? "" : "s") a message",
          cost.microseconds + " CPU an event, " + (1 / cost / 1e3).fixed(0) + ",000 events/s"))
    }
  }

  /// Seconds of processor time for an event that comes live.
  private func measure(_ workload: Workload, size: Int) throws -> Double {
    let script = try ServerScript(workload, size: size)
    let world = World()
    let transport = ScriptedTransport(script.join, on: world.loop)
    let sdk = WhiteSDK(
      sdkConfiguration: WhiteSdkConfiguration(
        endpoint: Endpoint(host: "scripted", port: 1), client: "bench"),
      context: world.loop, transport: transport)
    let listener = CallbackCounter()
    let config = WhiteRoomConfig(uuid: world.room.description, roomToken: "token", uid: "bench")
    let room = try world.perform { () -> Result<WhiteRoom, BoardroomError> in
      do throws(BoardroomError) {
        return .success(try await sdk.joinRoom(config, callbacks: listener))
      } catch { return .failure(error) }
    }.get()
    let began = Clock.cpu
    for message in script.live {
      transport.deliver(message)
      world.run(for: 0.02)
    }
    let seconds = Clock.cpu - began
    let shown = world.perform { await room.getElements().count }
    guard shown == script.state.elements.count, listener.count > 0 else {
      fatalError(
        "the SDK shows \(shown) elements of \(script.state.elements.count), after \(listener.count) callbacks"
      )
    }
    return seconds / Double(script.events)
  }
}

/// What a server sends one member who only watches: its join with the whole log, and then runs of the workload.
private struct ServerScript {
  private(set) var join: [[UInt8]] = []
  private(set) var live: [[UInt8]] = []
  /// Events in `live`.
  private(set) var events = 0
  /// The room at the end.
  private(set) var state = RoomState()

  private let codec = WireCodec(.binary)
  private var time = Timestamp(milliseconds: 1_700_000_000_000)

  init(_ workload: Workload, size: Int, members: Int = 5) throws {
    // The room is made and its members join; then the one that watches.
    let before = members + 1
    let (session, member) = (SessionID(high: 7, low: 99), MemberID(UInt64(members)))
    let joined = Event.members(
      .joined(
        MemberJoined(
          session: session, uid: "bench", role: .reader, writable: false, payload: nil, client: "bench")))
    var first = Array(workload.items.prefix(before))
    first.append(
      Workload.Item(
        kind: joined.kind, actor: Actor.member(member).code, step: 1,
        body: EventCodec.encodeBody(joined, counter: 0), points: 0))
    let log = try run(first[...])
    let plan = CatchUpPlan(
      mode: .delta, reason: .wholeLog, from: .zero, to: log.lastRevision, bytes: log.records.count)
    let welcome = Welcome(
      member: member, session: session, generation: Generation(1), ticket: "", resumed: false,
      epoch: Epoch(1), revision: log.lastRevision, time: time, lastCounter: 0, writable: false,
      timings: Timings(), limits: WireLimits())
    join = [.welcome(welcome), .catchUp(plan), .run(log), .live(log.lastRevision)].map {
      codec.encode(server: $0)
    }
    var items = workload.items.dropFirst(before)
    while !items.isEmpty {
      live.append(codec.encode(server: .run(try run(items.prefix(size)))))
      items = items.dropFirst(size)
    }
    events = workload.items.count - before
  }

  /// The next events of the log as one run, applied to `state`.
  private mutating func run(_ items: ArraySlice<Workload.Item>) throws -> Run {
    var builder = RunBuilder(first: state.revision.next)
    for item in items {
      time = time + .milliseconds(item.step)
      item.body.withUnsafeBytes {
        builder.append(kind: item.kind, actor: item.actor, time: time, body: $0)
      }
    }
    guard let run = builder.takeRun() else { fatalError("a run has events") }
    try run.forEach { view, _ throws in state.apply(try EventCodec.decode(view, in: run.records)) }
    return run
  }
}

/// A network on which a script answers the hello. Everything happens on the world's loop.
private final class ScriptedTransport: Transport {
  private let join: [[UInt8]]
  private let loop: VirtualLoop
  private struct ScriptListener {
    var take: @Sendable (TransportEvent) -> Void
  }
  private let listener = Mutex<ScriptListener?>(nil)

  init(_ join: [[UInt8]], on loop: VirtualLoop) { (self.join, self.loop) = (join, loop) }

  func open(
    _ endpoint: Endpoint, _ subprotocol: Subprotocol,
    events: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection {
    listener.withLock { $0 = ScriptListener(take: events) }
    loop.execute { events(.opened) }
    return ScriptedConnection(self)
  }

  /// A message comes at the next moment of the loop.
  func deliver(_ message: [UInt8]) {
    guard let listener = listener.withLock({ $0 }) else { return }
    loop.execute { listener.take(.received(message)) }
  }

  fileprivate func answerHello() { for message in join { deliver(message) } }

  private final class ScriptedConnection: TransportConnection {
    private let transport: ScriptedTransport
    private let isHello = Mutex(true)

    init(_ transport: ScriptedTransport) { self.transport = transport }

    func send(_ message: [UInt8]) {
      let isFirst = isHello.withLock { isHello in
        defer { isHello = false }
        return isHello
      }
      if isFirst { transport.answerHello() }
    }

    func close() {}
  }
}

/// Counts what the app is told.
private final class CallbackCounter: WhiteRoomCallbackDelegate, Sendable {
  private let told = Atomic(0)

  var count: Int { told.load(ordering: .relaxed) }

  func fireRoomStateChanged(_ modifyState: WhiteRoomState) { told.add(1, ordering: .relaxed) }
  func fireElementsChanged() { told.add(1, ordering: .relaxed) }
}
