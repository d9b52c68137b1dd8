import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLog
import EventLogModel
import StorageTestKit
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A server without sockets, threads or time of its own: engine, store and clock, all turned by the test.
public final class SimulatedServer {
  public let clock: VirtualClock
  public let store: MemoryLogStore
  public let loops: [HandLoop]
  public let executor = HandExecutor()
  public let engine: RoomServerEngine
  private let gatekeeper: any Gatekeeper
  private let policy: ServerPolicy
  private let courier: (any SpaceCourier)?
  /// Whether appended events become durable whenever the server comes to rest.
  public var commits = true
  /// Set where many peers read the same.
  var memo: EventMemo?

  /// - Parameters:
  ///   - store: give the one of an earlier server to start again after a crash.
  ///   - seeing: what the engine sees of the store; the store itself if left out.
  ///   - courier: carries what spaces ask each other; nil: the loops do.
  ///   - time: how the engine's tasks wait.
  package init(
    policy: ServerPolicy = ServerPolicy(), gatekeeper: any Gatekeeper = TicketGate(), loops: Int = 1,
    clock: VirtualClock = VirtualClock(), store: MemoryLogStore = MemoryLogStore(commits: .whenTold),
    seeing view: (MemoryLogStore) -> any LogStore = { $0 }, courier: (any SpaceCourier)? = nil,
    time: WaitingTime = .system
  ) {
    self.clock = clock
    self.store = store
    self.loops = (0..<loops).map { _ in HandLoop() }
    self.gatekeeper = gatekeeper
    self.policy = policy
    self.courier = courier
    engine = RoomServerEngine(
      store: view(store), gatekeeper: gatekeeper, policy: policy, loops: self.loops, storeExecutor: executor,
      courier: courier, time: time, clock: { clock.now })
  }

  /// Another server on the same log and clock, as after `kill -9`: the old one is never heard of again.
  public func restarted() -> SimulatedServer {
    let next = SimulatedServer(
      policy: policy, gatekeeper: gatekeeper, loops: loops.count, clock: clock, store: store, courier: courier
    )
    next.memo = memo
    return next
  }

  public var now: Timestamp { clock.now }

  /// Runs everything that can run without time going by.
  public func settle() {
    var moved = true
    (courier as? FaultyCourier)?.deliverDue()
    while moved {
      moved = false
      for loop in loops where loop.drain() { moved = true }
      if executor.drain() { moved = true }
      guard !moved, commits else { continue }
      store.commitPending()
      for loop in loops where loop.drain() { moved = true }
    }
  }

  /// Commits once, then comes to rest; for tests that turned `commits` off.
  public func commit() {
    store.commitPending()
    settle()
  }

  /// Lets time go by in steps of a quarter second, as the server's timer does.
  public func advance(by duration: Duration, _ eachStep: () -> Void = {}) {
    var left = duration
    while left > .zero {
      let step = min(left, .milliseconds(250))
      clock.advance(by: step)
      engine.tick(at: now)
      settle()
      eachStep()
      left -= step
    }
  }

  /// Waits for something asynchronous by turning everything until it is done.
  public func wait<Value: Sendable>(for work: @escaping @Sendable () async -> Value) -> Value {
    let answer = begin(work)
    // A busy machine may keep a thread of the executor waiting: it is let through.
    for _ in 0..<1_000_000 {
      settle()
      if let value = answer.value { return value }
      sched_yield()
    }
    preconditionFailure("the simulated server came to rest without an answer")
  }

  /// Begins something asynchronous that waits for time to go by; `advance` brings it on.
  public func begin<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Answer<Value> {
    let answer = Answer<Value>()
    Task(executorPreference: executor) { answer.give(await work()) }
    return answer
  }

  public final class Answer<Value: Sendable>: Sendable {
    private let held = Mutex<Value?>(nil)
    public var value: Value? { held.withLock { $0 } }
    fileprivate func give(_ value: Value) { held.withLock { $0 = value } }
  }

  @discardableResult
  public func createRoom(
    _ room: RoomID = RoomID(high: 1, low: 1), limit: Int = 0, isRecord: Bool = true
  ) -> RoomID {
    let (engine, now) = (engine, now)
    let made = wait { () async -> Bool in
      do {
        try await engine.create(
          room, as: RoomCreated(name: "room", limit: limit, isRecord: isRecord), at: now)
        return true
      } catch {
        return false
      }
    }
    precondition(made, "the room could not be made")
    return room
  }

  /// A connection that has said nothing yet.
  public func connect(
    _ subprotocol: Subprotocol = .binary, loop: Int = 0, outbox: Int = 256 << 10
  ) -> SimulatedPeer {
    let link = SimulatedLink(outbox: outbox)
    let home = loops[loop]
    let handle = home.perform {
      engine.connect(link, on: home, subprotocol: subprotocol, from: "192.0.2.1", at: now)
    }
    return SimulatedPeer(self, link, handle, home, subprotocol)
  }

  /// The same into an account or a channel.
  public func join(_ place: Place, loop: Int = 0, change: (inout Hello) -> Void = { _ in }) -> SimulatedPeer {
    join(place.space.log, loop: loop) {
      $0.place = place
      change(&$0)
    }
  }

  /// A connection that has said hello and received all that there is.
  public func join(
    _ room: RoomID, uid: String? = nil, _ subprotocol: Subprotocol = .binary, loop: Int = 0,
    outbox: Int = 256 << 10, change: (inout Hello) -> Void = { _ in }
  ) -> SimulatedPeer {
    let peer = connect(subprotocol, loop: loop, outbox: outbox)
    var hello = Hello(room: room, token: "", uid: uid)
    change(&hello)
    peer.say(.hello(hello))
    peer.receive()
    return peer
  }
}
