import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// The spectators of one room at this node, whose log this one or another node owns. It asks for what the log has gained, and
/// hands it to all of them (SPECT-2).
final class SpectatorHost: WatcherHost {
  /// What spectators are told was gathered for so long. 50 ms: twenty times a second, which is enough to see a pen move.
  static let every = Duration.milliseconds(50)
  /// How often it is asked in a room in which nothing happens. 200 ms: as a reaction that short passes for at once.
  static let restEvery = Duration.milliseconds(200)
  /// A room rests when its log has gained nothing for so long.
  private static let restAfter = Duration.seconds(1)
  /// How long after a question that failed it is asked again.
  private static let afterFailure = Duration.milliseconds(500)
  /// Spectators of a log that cannot be read for so long are sent off to come back. 30 s: longer than a database takes to have
  /// another primary.
  static let patience = Duration.seconds(30)

  private struct GatheredDelivery {
    let run: Run
    let watchers: [Watcher]
    var message: EncodedOnce
    var place = 0
  }

  private let log: SpectatedLog
  private let executor: (any TaskExecutor)?
  private let sight: () -> RoomSight
  private var delivery: GatheredDelivery?
  private var failing: Timestamp?
  /// How often the log was asked.
  private var looks = 0
  /// Who has seen more than is shown, as after a change of nodes, with how often the log had been asked when it came.
  private var ahead: [(watcher: Watcher, looks: Int)] = []
  /// What could not be read, and when it is tried again.
  private var retries: [(due: Timestamp, again: () -> Void)] = []
  /// When it asks again; nil while an answer, or a delivery, is under way.
  private var nextLook: Timestamp?
  /// When the log gained something last.
  private var gainedLast: Timestamp

  init(
    _ info: LogInfo, log: SpectatedLog, executor: (any TaskExecutor)?, sight: @escaping () -> RoomSight,
    loop: any RoomLoop, storeQueue: StoreQueue, turns: Turns, policy: ServerPolicy, wire: WireMessages,
    clock: @escaping @Sendable () -> Timestamp, whenGone: @escaping (ConnectionID) -> Void,
    whenClosed: @escaping () -> Void
  ) {
    self.log = log
    self.executor = executor
    self.sight = sight
    gainedLast = clock()
    super.init(
      info, shown: info.last, loop: loop, storeQueue: storeQueue, turns: turns, policy: policy, wire: wire,
      clock: clock, whenGone: whenGone, whenClosed: whenClosed)
    look()
  }

  override func known(to watcher: Watcher) -> Revision? {
    guard let cursor = cursor(of: watcher), cursor <= shown, cursor.next >= low else { return nil }
    return cursor
  }

  private func cursor(of watcher: Watcher) -> Revision? {
    watcher.entry.hello.cursor.flatMap { $0.epoch == epoch ? $0.revision : nil }
  }

  /// Who has seen more than is shown waits until the log was asked: it would be told everything again otherwise.
  override func lookUpWay(for watcher: Watcher) {
    guard let cursor = cursor(of: watcher), cursor > shown else { return super.lookUpWay(for: watcher) }
    ahead.append((watcher, looks))
    if let nextLook { lookIfDue(at: nextLook) }
  }

  /// - Parameter last: the log's, as it was said to the question of this number.
  private func letInThoseAhead(upTo last: Revision, asOf look: Int) {
    let waiting = ahead
    ahead = []
    for (watcher, looks) in waiting where watchers[watcher.id] === watcher {
      // What no answer has that was asked for since is of a log that was set back.
      if let cursor = cursor(of: watcher), cursor > shown, cursor <= last || look <= looks {
        ahead.append((watcher, looks))
      } else {
        super.lookUpWay(for: watcher)
      }
    }
  }

  /// What cannot be read now may be in a moment: the log's owner changes. What is not there any more concerns those alone who
  /// lack it.
  override func cannotRead(
    _ error: LogError, for waiting: [Watcher], at now: Timestamp, again: @escaping () -> Void
  ) {
    switch error {
    case .noSuchLog, .deleted: return close(with: Self.removed)
    case .trimmed, .damaged, .missingPart:
      if case .trimmed(_, let first) = error { low = max(low, first) }
      for watcher in waiting { part(from: watcher, Farewell(Refusal(error), comeBack: true), at: now) }
    default:
      for watcher in waiting {
        let since = watcher.failing ?? now
        watcher.failing = since
        guard now >= since + Self.patience else { continue }
        part(from: watcher, Farewell(Refusal(error), comeBack: true), at: now)
      }
      retries.append((now + Self.afterFailure, again))
    }
  }

  private func retry(at now: Timestamp) {
    let due = retries.filter { $0.due <= now }
    retries.removeAll { $0.due <= now }
    for retry in due where !isClosed { retry.again() }
  }

  override var isHandingOut: Bool { delivery != nil }

  override func quietInterval(at now: Timestamp) -> Duration? {
    now >= gainedLast + policy.quietAfter ? policy.quietInterval : nil
  }

  /// Where the loop has no timers, time goes by with ticks alone.
  override func tick(at now: Timestamp) {
    super.tick(at: now)
    retry(at: now)
    lookIfDue(at: now)
    dispatch()
  }

  override func emptied(at now: Timestamp) {
    close(with: Farewell(Refusal(.goingAway), comeBack: true))
  }

  override func receive(_ inbox: Inbox) {
    guard let watcher = listener(to: inbox) else { return }
    refuse(inbox, of: watcher, Self.refusals, at: inbox.at)
    if inbox.leaves {
      let refusal = Refusal(
        .notMember, cause: "The spectator has left the room.", cure: "Join again to come back.")
      part(from: watcher, Farewell(refusal, comeBack: false), code: CloseCode.left, at: inbox.at)
    }
    dispatch()
  }

  private static let refusals = (
    command: Refusal(
      .notWritable, cause: "The room has so many members that you see it as a spectator.",
      cure: "Come in with a writer's token."),
    ask: Refusal(
      .unknownKind, cause: "A spectator asks nothing.",
      cure: "Ask over the connection of an account that is signed in.")
  )

  private static let removed = Farewell(Refusal(.notFound), kick: .roomDelete, comeBack: false)

  // MARK: What the log has gained

  private func look() {
    looks += 1
    let (log, room, after, limit, loop, number) = (log, room, shown, policy.piece, loop, looks)
    let began = clock()
    let me = Confined(WeakSpectatorHost(self), to: loop)
    Task(executorPreference: executor) {
      let result: Result<LogNews, LogError>
      do throws(LogError) {
        result = .success(try await log.news(of: room, after: after, limit: limit))
      } catch {
        result = .failure(error)
      }
      loop.execute { me.value.host?.looked(result, number, began) }
    }
  }

  private func lookAgain(at due: Timestamp, _ now: Timestamp) {
    nextLook = due
    guard due > now else { return lookIfDue(at: now) }
    let me = Confined(WeakSpectatorHost(self), to: loop)
    // The timer's word counts: the server's clock may run otherwise.
    loop.execute(after: due - now) { me.value.host?.lookIfDue(at: due) }
  }

  private func lookIfDue(at now: Timestamp) {
    guard !isClosed, let nextLook, nextLook <= now else { return }
    self.nextLook = nil
    look()
  }

  private func looked(_ result: Result<LogNews, LogError>, _ look: Int, _ began: Timestamp) {
    guard !isClosed else { return }
    let now = clock()
    switch result {
    case .failure(let error): failed(error, at: now)
    case .success(let news):
      switch news.sight == .open ? sight() : news.sight {
      case .open: break
      case .banned: return close(with: Farewell(Refusal(.banned), kick: .roomBan, comeBack: false))
      case .deleted: return close(with: Self.removed)
      }
      // The log was set back, or was written anew: what spectators have is not its beginning.
      guard news.epoch == epoch, news.last >= shown else { return close(with: .movingRoom) }
      guard let run = gained(news.runs) else {
        // It is there and cannot be read.
        if news.last > shown { return failed(.changingOwner(room), at: now) }
        failing = nil
        letInThoseAhead(upTo: news.last, asOf: look)
        return lookAgain(at: began + (now < gainedLast + Self.restAfter ? Self.every : Self.restEvery), now)
      }
      (gainedLast, failing) = (now, nil)
      tail.append(run)
      let live = watchers.values.filter(\.isLive)
      shown = run.lastRevision
      let wire = wire
      delivery = GatheredDelivery(
        run: run, watchers: live, message: EncodedOnce { wire.run(run, in: $0) })
      letInThoseAhead(upTo: news.last, asOf: look)
      deliver(began, at: now)
    }
  }

  /// What comes after what is shown, as one run; nil if there is nothing.
  private func gained(_ runs: [StoredRun]) -> Run? {
    var all: Run?
    for stored in runs {
      guard let run = try? log.unpack(stored, of: room).suffix(after: all?.lastRevision ?? shown) else {
        break
      }
      guard run.first == (all?.lastRevision ?? shown).next else { break }
      all = all?.joined(with: run) ?? run
      if let all, all.records.count >= policy.piece { break }
    }
    return all
  }

  private func failed(_ error: LogError, at now: Timestamp) {
    switch error {
    case .noSuchLog, .deleted: return close(with: Self.removed)
    default: break
    }
    let since = failing ?? now
    failing = since
    guard now < since + Self.patience else { return close(with: Farewell(Refusal(error), comeBack: true)) }
    lookAgain(at: now + Self.afterFailure, now)
  }

  /// Hands out what was gained: to all, or to as many as this turn of the loop allows. Then it asks again.
  private func deliver(_ began: Timestamp, at now: Timestamp) {
    guard !isClosed, var delivery else { return }
    self.delivery = nil
    while delivery.place < delivery.watchers.count {
      guard !turns.isSpent else {
        self.delivery = delivery
        dispatch()
        return turns.later { [weak self] in
          guard let self else { return }
          deliver(began, at: clock())
        }
      }
      hand(&delivery, at: now)
    }
    dispatch()
    lookAgain(at: began + Self.every, now)
  }

  private func hand(_ delivery: inout GatheredDelivery, at now: Timestamp) {
    let watcher = delivery.watchers[delivery.place]
    delivery.place += 1
    // Who went live since has it from its catch-up.
    guard case .live = watcher.stage, watcher.handed < delivery.run.first else { return }
    guard !watcher.line.isFull else {
      watcher.stage = .behind(CatchUp(cursor: delivery.run.first.previous))
      return
    }
    let bytes = delivery.message.bytes(in: watcher.line.subprotocol)
    watcher.send(bytes, at: now)
    watcher.handed = delivery.run.lastRevision
    turns.spend(bytes.count)
  }
}

/// So that a question keeps no host alive.
private final class WeakSpectatorHost {
  private(set) weak var host: SpectatorHost?
  init(_ host: SpectatorHost) { self.host = host }
}
