import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel
import MemoryLog
import Synchronization

/// A server, its log and any number of clients under one virtual clock and one seed. In place of the server there can be two
/// nodes, for the kit's own timelines.
public final class World: Sendable {
  /// Its time and its random numbers.
  public let loop: VirtualLoop
  /// Runs tasks in its virtual time.
  public let tasks: VirtualTasks
  /// The logs, which stay when a server ends.
  public let store: MemoryLogStore
  /// The server that runs now.
  public var engine: RoomServerEngine {
    switch servers {
    case .one(let running): running.value
    case .two(let nodes): nodes.front.engine
    }
  }
  private let servers: Servers
  /// The room that is there from the beginning.
  public let room: RoomID
  /// When the world began: the zero of the timelines in seconds.
  public let start: Timestamp

  /// - Parameters:
  ///   - seed: the begin of the random numbers: the same seed gives the same world.
  ///   - policy: the server's limits and times.
  ///   - gate: decides who may join.
  ///   - created: how the one room is made.
  ///   - canBeKilled: whether `killServer` may be called. Then the server's loop is one of its own, and not `loop`.
  public convenience init(
    seed: UInt64 = 1, policy: ServerPolicy = ServerPolicy(), gate: any Gatekeeper = TicketGate(),
    created: RoomCreated = RoomCreated(name: "simulated"), canBeKilled: Bool = false
  ) {
    self.init(
      seed: seed, policy: policy, gate: gate, created: created, canBeKilled: canBeKilled, apart: nil)
  }

  /// - Parameters:
  ///   - apart: nil: there is one server. Otherwise there are two nodes, and the second one has these logs.
  ///   - fault: what is wrong between the nodes.
  init(
    seed: UInt64, policy: ServerPolicy, gate: any Gatekeeper,
    created: RoomCreated = RoomCreated(name: "simulated"), canBeKilled: Bool = false, apart: Set<LogID>?,
    fault: WorldNodes.PlantedFault? = nil
  ) {
    let loop = VirtualLoop(seed: seed)
    self.loop = loop
    tasks = VirtualTasks(loop)
    store = MemoryLogStore(commits: .whenTold)
    let (store, tasks) = (store, tasks)
    servers =
      if let apart {
        .two(
          WorldNodes(loop: loop, store: store, apart: apart, fault: fault) { process, courier, owners in
            RoomServerEngine(
              store: store, gatekeeper: gate, policy: policy, loops: [process], storeExecutor: process,
              courier: courier, owners: owners, time: .of(process, loop), clock: { loop.now })
          })
      } else {
        .one(
          Running {
            let process = canBeKilled ? ServerProcess(loop) : nil
            let engine = RoomServerEngine(
              store: store, gatekeeper: gate, policy: policy, loops: [process ?? loop],
              storeExecutor: process ?? tasks, clock: { loop.now })
            return (process, engine)
          })
      }
    var names = SeededGenerator(seed: seed)
    room = RoomID.random(using: &names)
    start = loop.now
    perform { [engine, room] in _ = try? await engine.create(room, as: created, at: loop.now) }
    if let nodes { nodes.start() } else { engine.start() }
  }

  /// The nodes, if there are two.
  var nodes: WorldNodes? {
    switch servers {
    case .one: nil
    case .two(let nodes): nodes
    }
  }

  /// The engine that has a log.
  func engine(of log: LogID) -> RoomServerEngine { nodes?.node(with: log).engine ?? engine }

  /// Seconds since the beginning.
  public var seconds: Double { Double((loop.now - start).wholeMilliseconds) / 1_000 }

  // MARK: Time

  /// Runs up to and with this second. Events that are appended at one instant are durable at its end.
  public func run(to second: Double) {
    let limit = start + .milliseconds(Int64((second * 1_000).rounded()))
    step(until: limit) { false }
    loop.advance(to: limit)
  }

  /// Runs for so many seconds.
  public func run(for duration: Double) { run(to: seconds + duration) }

  /// Runs until `condition` holds; false if it does not within `limit` seconds.
  @discardableResult
  public func run(atMost limit: Double = 120, until condition: () -> Bool) -> Bool {
    step(until: loop.now + .milliseconds(Int64(limit * 1_000)), condition)
    return condition()
  }

  private func step(until limit: Timestamp, _ isDone: () -> Bool) {
    while !isDone() {
      // The simulated disk takes no time, but commits only after everything of this instant has run.
      if loop.nextTime.map({ $0 > loop.now }) ?? true {
        store.commitPending()
        if isDone() { return }
      }
      guard loop.runNext(until: limit) else { return }
    }
  }

  /// Runs `body` as a task of this world until it is done.
  @discardableResult
  public func perform<Value: Sendable>(
    atMost limit: Double = 600, _ body: @escaping @Sendable () async -> Value
  ) -> Value {
    let result = Promise<Value>()
    Task(executorPreference: tasks) { result.set(await body()) }
    run(atMost: limit) { result.value != nil }
    guard let value = result.value else {
      preconditionFailure("a task of a simulated world did not end within \(limit) s")
    }
    return value
  }

  // MARK: Actors of the world

  /// A client of this world, with a network of its own.
  public func client(
    _ name: String = "client", latency: ClosedRange<Int> = 5...25, subprotocol: Subprotocol = .binary
  ) -> SimulatedClient {
    SimulatedClient(self, name, latency: latency, subprotocol: subprotocol)
  }

  /// Removes a member, as REST does.
  public func kick(_ member: UInt64, reason: KickReason = .kickByAdmin) {
    perform { [engine, room] in
      _ = try? await engine.kick(MemberID(member), from: room, reason: reason)
    }
  }

  /// Puts an event into the log without a decision, as a faulty server might.
  public func inject(_ event: RoomEvent) {
    let record = Record(
      kind: event.event.kind, time: event.time, actor: event.actor.code,
      body: EventCodec.encodeBody(event.event, counter: event.counter))
    perform { [store, room] in
      _ = try? await store.append([record], to: room, expecting: nil, epoch: nil)
    }
  }

  /// Tells all clients to come back later, as before a restart.
  public func drain() { perform { [engine] in await engine.drain() } }

  /// Replaces the server by another one, on the same logs.
  public func restart() {
    drain()
    startNext()
  }

  /// The server ends as by `kill -9`: its connections close, and new ones are refused until another one, which has its logs,
  /// is there. That one looks after the logins among them, as a node does that has recovered the logs of a lost one.
  ///
  /// - Parameter seconds: how long there is none.
  public func killServer(for seconds: Double) {
    guard let process = running.process else {
      preconditionFailure("this world was made without canBeKilled")
    }
    loop.execute {
      // What its log does not hold yet is gone with it.
      self.store.losePending()
      process.kill()
    }
    loop.execute(after: .milliseconds(Int64(seconds * 1_000))) {
      self.startNext()
      Task(executorPreference: self.tasks) { await self.engine.takeUpLogins() }
    }
  }

  /// The server of a world that has one.
  private var running: Running {
    guard case .one(let running) = servers else {
      preconditionFailure("of several nodes it has to be said which one")
    }
    return running
  }

  private func startNext() {
    running.renew()
    engine.start()
  }

  // MARK: What is true

  /// The server's state of the room.
  public var serverState: RoomState? {
    perform { [engine, room] in await engine.summary(of: room)?.state }
  }

  /// All events of the log, as they are stored.
  public var log: [RoomEvent] {
    let runs = perform { [store, room] in
      var runs: [Run] = []
      var last = Revision.zero
      while let next = try? await store.runs(of: room, after: last, limit: 1 << 20), let end = next.last {
        runs += next
        last = end.lastRevision
      }
      return runs
    }
    var events: [RoomEvent] = []
    for run in runs {
      run.forEach { view, _ in
        if let event = try? EventCodec.decode(view, in: run.records) { events.append(event) }
      }
    }
    return events
  }

  /// The fold of the log.
  public var foldedState: RoomState {
    var state = RoomState()
    for event in log { state.apply(event) }
    return state
  }
}

private enum Servers {
  case one(Running)
  case two(WorldNodes)
}

/// The server that runs now, and how to make another.
private final class Running: Sendable {
  typealias StartedServer = (process: ServerProcess?, engine: RoomServerEngine)

  private let make: @Sendable () -> StartedServer
  private let held: Mutex<StartedServer>

  init(_ make: @escaping @Sendable () -> StartedServer) {
    self.make = make
    held = Mutex(make())
  }

  var value: RoomServerEngine { held.withLock { $0.engine } }
  var process: ServerProcess? { held.withLock { $0.process } }
  func renew() { held.withLock { $0 = make() } }
}

/// A value that is set later.
final class Promise<Value: Sendable>: Sendable {
  private let held = Mutex<Value?>(nil)
  var value: Value? { held.withLock { $0 } }
  func set(_ value: Value) { held.withLock { $0 = value } }
}
