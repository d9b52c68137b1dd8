import EventLogModel
import Synchronization

/// A node as the others reach it: by its one port, with the same bytes first that tell clients apart (docs/PROTOCOL.md,
/// section 12).
public struct NodeAddress: Sendable, Hashable {
  /// What the node calls itself. A preface names the node that it is meant for, so that it is good for no other one.
  public var name: String
  /// An address or a name. With TLS the node's certificate must be for it.
  public var host: String
  public var port: Int
  /// Whether its port speaks TLS.
  public var isSecure: Bool

  public init(name: String, host: String, port: Int, isSecure: Bool = false) {
    self.name = name
    self.host = host
    self.port = port
    self.isSecure = isSecure
  }
}

/// Which node appends to a log.
public enum SpaceOwner: Sendable, Hashable {
  /// This one.
  case here
  /// Another one.
  case at(NodeAddress)
  /// None for the moment: the last one is gone, and its logs are being recovered. Who waits asks again.
  case nobodyYet
}

/// Knows which node owns which log. A server that is alone has none, and owns all of them.
public protocol SpaceOwners: Sendable {
  /// The owner of a log now. An implementation that claims what nobody owns does so here, and answers `here`; what it
  /// answers is kept for `OwnerBook.keeps`. May take its time: clients wait for `OwnerBook.patience`. A log that is not
  /// there has this node as its owner, which tells the client so.
  ///
  /// Throws where nobody can be asked at present: then what was answered last holds on.
  ///
  /// Called in a task of its own, off the event loops; once at a time for each log.
  func owner(of log: LogID) async throws -> SpaceOwner

  /// Whether this node has a log of which `owner(of:)` said `here`. It answers at once, from memory: an answer `here` is kept only as long
  /// as this is true. A log that is not there no node has, and another one may make it in the next moment.
  ///
  /// Called on event loops.
  func has(_ log: LogID) -> Bool

  /// Gives up logs of this node, before it ends: nothing more is appended to them here (`changingOwner`), what was appended
  /// is acknowledged, and when this returns nobody owns them. With no logs it only does what would take long, so that the next call
  /// is short. False if it cannot be done now: then they are given up when the node has ended.
  func release(_ logs: [LogID]) async -> Bool
}

extension SpaceOwners {
  /// Of owners that answer `here` for logs of this node alone.
  public func has(_ log: LogID) -> Bool { true }
  public func release(_ logs: [LogID]) async -> Bool { false }
}

/// How time goes by for whoever waits for an owner: the system's time, or that of a virtual world, in which nothing may depend on how
/// fast the machine is.
package struct WaitingTime: Sendable {
  /// Since some moment.
  package var now: @Sendable () -> Duration
  /// May end early, with an error or without, when the task is cancelled.
  package var pause: @Sendable (Duration) async throws -> Void

  package init(
    now: @escaping @Sendable () -> Duration, pause: @escaping @Sendable (Duration) async throws -> Void
  ) {
    (self.now, self.pause) = (now, pause)
  }

  package static let system: WaitingTime = {
    let start = ContinuousClock.now
    return WaitingTime(now: { .now - start }, pause: { try await Task.sleep(for: $0) })
  }()
}

/// Asks for owners, and keeps the answers for a moment: a class that comes in together asks once.
package final class OwnerBook: Sendable {
  /// How long an answer is believed. 1 s: an owner that is none any more says so on the pipe.
  package static let keeps = Duration.seconds(1)
  /// How long a hello waits for its room to have an owner. 3 s: a lost node is noticed and its logs are recovered in 2.5 s.
  package static let patience = Duration.seconds(3)
  /// How long it may take to join a client to the owner: connection, TLS and its answer. 2 s: what is slower is as good
  /// as gone, and the client comes back.
  package static let joinsWithin = Duration.seconds(2)
  /// How long an answer is waited for where an earlier one is known. 500 ms: a database that works answers in a hundredth.
  package static let answersWithin = Duration.milliseconds(500)
  /// How often somebody who waits asks. 100 ms: a hundredth of what a client waits anyway until it tries again.
  package static let askEvery = Duration.milliseconds(100)
  /// Answers that are kept. When there are more, all are forgotten. 65,536: some MiB.
  package static let most = 65_536

  private struct Answers {
    var kept: [LogID: (owner: SpaceOwner, until: Timestamp)] = [:]
    var asked: [LogID: Task<SpaceOwner, Never>] = [:]
  }

  private let owners: any SpaceOwners
  /// Whether clients reach other nodes where this one does, so that it may send them there.
  package let isReachedByClients: Bool
  private let clock: @Sendable () -> Timestamp
  private let executor: (any TaskExecutor)?
  private let patience: Duration
  private let time: WaitingTime
  private let answers = Mutex(Answers())

  /// - Parameter patience: how long somebody waits for an owner; other than `OwnerBook.patience` in tests only.
  init(
    _ owners: any SpaceOwners, reachedByClients: Bool = false, executor: (any TaskExecutor)?,
    patience: Duration = OwnerBook.patience, time: WaitingTime = .system,
    clock: @escaping @Sendable () -> Timestamp
  ) {
    self.owners = owners
    self.time = time
    self.patience = patience
    isReachedByClients = reachedByClients
    self.executor = executor
    self.clock = clock
  }

  /// What was answered a moment ago; nil: it has to be asked. From any thread.
  package func kept(_ log: LogID) -> SpaceOwner? {
    let now = clock()
    let owner = answers.withLock { answers in
      answers.kept[log].flatMap { now < $0.until ? $0.owner : nil }
    }
    return isStill(owner, of: log) ? owner : nil
  }

  /// Whether this node has a log now. From any thread.
  package func has(_ log: LogID) -> Bool { owners.has(log) }

  /// Whether this node has a log of which it was said that it is here.
  private func isStill(_ owner: SpaceOwner?, of log: LogID) -> Bool { owner != .here || owners.has(log) }

  /// Something else was found than what was answered: the next one who asks gets a new answer. From any thread.
  package func forget(_ log: LogID) { answers.withLock { $0.kept[log] = nil } }

  /// A node is gone: nothing that was answered about it holds any more. From any thread.
  func forget(_ node: NodeAddress) {
    answers.withLock { answers in answers.kept = answers.kept.filter { $0.value.owner != .at(node) } }
  }

  /// Gives up logs of this node; false if that cannot be done now.
  func release(_ logs: [LogID]) async -> Bool {
    let isDone = await owners.release(logs)
    for log in logs { forget(log) }
    return isDone
  }

  /// The owner, as it was a moment ago at the earliest. While nobody answers who it is, the one that was known last: where
  /// owners are not to be asked, none of them changes either. If it has, it says so itself. Of a log of which nothing is known
  /// there is `nobodyYet` after `patience`.
  package func owner(of log: LogID) async -> SpaceOwner {
    if let kept = kept(log) { return kept }
    let task = asking(for: log)
    let known = answers.withLock { $0.kept[log]?.owner }
    let (last, limit) = (known ?? .nobodyYet, known == nil ? patience : Self.answersWithin)
    let (answered, answer) = AsyncStream.makeStream(of: SpaceOwner.self)
    let asked = Task(executorPreference: executor) { answer.yield(await task.value) }
    let late = Task(executorPreference: executor) { [time] in
      try await time.pause(limit)
      answer.yield(last)
    }
    defer {
      asked.cancel()
      late.cancel()
    }
    for await owner in answered { return owner }
    return last
  }

  private func asking(for log: LogID) -> Task<SpaceOwner, Never> {
    answers.withLock { answers in
      if let asked = answers.asked[log] { return asked }
      let task = Task(executorPreference: executor) { [owners] in
        do {
          let owner = try await owners.owner(of: log)
          self.keep(owner, of: log)
          return owner
        } catch {
          return self.known(log)
        }
      }
      answers.asked[log] = task
      return task
    }
  }

  /// The same, but a log without an owner is asked for again and again, until `patience` is over.
  package func settledOwner(of log: LogID) async -> SpaceOwner {
    let end = time.now() + patience
    while true {
      let owner = await owner(of: log)
      guard owner == .nobodyYet, !Task.isCancelled, time.now() < end else { return owner }
      try? await time.pause(Self.askEvery)
    }
  }

  /// Nobody can be asked at present: what was known last.
  private func known(_ log: LogID) -> SpaceOwner {
    answers.withLock { answers in
      answers.asked[log] = nil
      return answers.kept[log]?.owner ?? .nobodyYet
    }
  }

  private func keep(_ owner: SpaceOwner, of log: LogID) {
    let until = clock() + Self.keeps
    // Who waits for an owner wants to hear of it at once, and a log that nobody has may be another's in the next moment.
    let isKept = owner != .nobodyYet && isStill(owner, of: log)
    answers.withLock { answers in
      answers.asked[log] = nil
      if answers.kept.count >= Self.most { answers.kept.removeAll() }
      answers.kept[log] = isKept ? (owner, until) : nil
    }
  }
}
