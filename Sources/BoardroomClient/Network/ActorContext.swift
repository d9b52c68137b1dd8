import EventLogModel

/// The context of an app whose objects belong to an actor, such as the main actor: the SDK works and calls back there. Its
/// sockets and timers stay on an event loop.
///
/// What is to be done is done in the order in which it was asked for, whatever order the actor's own jobs run in.
public final class ActorContext: ClientContext {
  /// How many pieces of work run before the actor gets to do something else.
  static let turn = 128

  private struct Waiting {
    /// What stands in the place of work that was taken.
    private static let nothing: @Sendable () -> Void = {}

    private var works: [@Sendable () -> Void] = []
    private var first = 0
    /// Whether a task is on its way to the actor, or at work on it.
    var isTaken = false

    var isEmpty: Bool { first == works.count }

    mutating func append(_ work: @escaping @Sendable () -> Void) { works.append(work) }

    /// The oldest, up to `most`. Nothing of them is kept: their last owner may be a room, which asks for work of this context when
    /// it goes, and so may not go while the queue is locked.
    mutating func removeFirst(upTo most: Int) -> [@Sendable () -> Void] {
      let end = min(first + most, works.count)
      defer {
        first = end
        // The places of what was taken are given back now and then, so that each is moved a bounded number of times.
        if first * 2 >= works.count {
          works.removeFirst(first)
          first = 0
        }
      }
      let taken = Array(works[first..<end])
      for place in first..<end { works[place] = Self.nothing }
      return taken
    }
  }

  /// Where sockets and timers are.
  let network: LoopContext
  private let actor: any Swift.Actor
  private let waiting = Guarded(Waiting())

  /// - Parameters:
  ///   - actor: where callbacks and completions are called, for example `MainActor.shared`.
  ///   - network: whose event loop the sockets and timers are on, and whose clock counts.
  public init(_ actor: any Swift.Actor, network: LoopContext = LoopContext()) {
    self.actor = actor
    self.network = network
  }

  /// The time of this context. It never goes back.
  public var now: Timestamp { network.now }

  /// Runs the work on the actor, after all that was asked for before.
  public func execute(_ work: @escaping @Sendable () -> Void) {
    let isFree = waiting.with { waiting in
      waiting.append(work)
      defer { waiting.isTaken = true }
      return !waiting.isTaken
    }
    if isFree { begin() }
  }

  /// Runs the work on the actor at the time, or at once if the time has passed.
  public func schedule(at time: Timestamp, _ work: @escaping @Sendable () -> Void) {
    network.schedule(at: time) { [weak self] in self?.execute(work) }
  }

  /// A random number from 0 up to 1, for the spread of retries.
  public func chance() -> Double { network.chance() }

  /// As urgent as what a user waits for, whoever asked first: what others ask for meanwhile is done by the same tasks, one after
  /// the other, for as long as there is work. Detached, so that nothing else of who asked goes along.
  private func begin() {
    Task.detached(priority: .userInitiated) { [self, actor] in await run(on: actor) }
  }

  private func run(on actor: isolated any Swift.Actor) {
    for work in waiting.with({ $0.removeFirst(upTo: Self.turn) }) { work() }
    let isDone = waiting.with { waiting in
      waiting.isTaken = !waiting.isEmpty
      return waiting.isEmpty
    }
    if !isDone { begin() }
  }

  // MARK: SerialExecutor

  /// Runs a job of Swift's concurrency on the actor.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    execute { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// The actor's own executor.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { actor.unownedExecutor }
}

/// Where an SDK calls the callbacks and completions of its app.
public enum CallbackExecutor: Sendable {
  /// An event loop of the SDK's own. Nothing waits for the app's other work, and no object of the main actor can be called.
  case ownLoop
  /// An actor of the app's.
  case actor(any Swift.Actor)

  /// The main actor.
  public static var main: CallbackExecutor { .actor(MainActor.shared) }

  /// What an SDK does that was not told: the main actor on Apple's platforms, where apps have their objects there; a loop of
  /// its own elsewhere, where a program may never let its main thread go.
  public static var usual: CallbackExecutor {
    #if canImport(Darwin)
      .main
    #else
      .ownLoop
    #endif
  }

  /// A context that calls there, and WebSockets for it.
  package func ground(trust: TrustRoots?) -> (context: any ClientContext, transport: any Transport) {
    switch self {
    case .ownLoop:
      let context = LoopContext()
      return (context, WebSocketTransport(on: context, trust: trust))
    case .actor(let actor):
      let context = ActorContext(actor)
      return (context, WebSocketTransport(on: context, trust: trust))
    }
  }
}
