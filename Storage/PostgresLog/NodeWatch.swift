import EventLog
import EventLogModel
import NodeCore
import Synchronization

/// How far one clock is ahead of another, which said its time between two moments of the first; all in milliseconds since 1970.
struct ClockDifference {
  /// A second: logs of one node that another one goes on with would have times that far apart.
  static let mostUntold: Int64 = 1_000

  var asked: Int64
  var said: Int64
  var answered: Int64

  /// The least that it can be: 0 where what was said lies between the two moments. Negative: behind.
  var ahead: Int64 { said < asked ? asked - said : said > answered ? answered - said : 0 }
}

/// Beats for this node, looks at the beats of others, and ends those that are dead. One thread beats and
/// judges; another fences and recovers, so that a long recovery does not make this node silent.
final class NodeWatch: @unchecked Sendable {
  private struct State {
    /// The nodes that were alive at the last look, this one included.
    var nodes: [PostgresLogStore.LivingNode] = []
    /// Whether commits waited for a standby at the last look.
    var waitsForStandby = true
    /// When the last look was answered, on the clock of `PostgresConnection.milliseconds`.
    var answered = PostgresConnection.milliseconds
    /// What this machine's clock was ahead of the database's by then, in milliseconds; negative: behind it.
    var clockAhead: Int64 = 0
    /// Whether it was told that the clocks differ.
    var hasToldClock = false
    /// Nodes that this one has recovered.
    var recovered = 0
    /// Incarnations that are to be fenced and recovered.
    var due: Set<Int64> = []
    var isStopping = false
    /// For tests: the node stands still.
    var isStill = false
  }

  private let address: DatabaseAddress
  private let incarnation: Int64
  private let sharing: PostgresLogStore.Sharing
  private let base: EngineStore
  private let ending: NodeEnd
  private let state = Mutex(State())
  private let beatSignal = Signal()
  private let endSignal = Signal()
  private let threads = Mutex<[WorkerThread]>([])
  // Used by the beating thread only.
  private var connection: PostgresConnection?
  /// When it was made, on the clock of `PostgresConnection.milliseconds`.
  private var connected = 0
  private var judge: NodeJudge

  init(
    address: DatabaseAddress, incarnation: Int64, sharing: PostgresLogStore.Sharing, openBlock: Int,
    base: EngineStore
  ) {
    (self.address, self.incarnation, self.sharing, self.base) = (address, incarnation, sharing, base)
    ending = NodeEnd(address: address, incarnation: incarnation, openBlock: openBlock)
    judge = NodeJudge(
      silence: sharing.silence.wholeMilliseconds, grace: sharing.grace.wholeMilliseconds)
    threads.withLock { threads in
      threads = [WorkerThread { [self] in beatOn() }, WorkerThread { [self] in endOthers() }]
    }
  }

  var nodes: [PostgresLogStore.LivingNode] { state.withLock { $0.nodes } }

  var waitsForStandby: Bool { state.withLock { $0.waitsForStandby } }

  /// What the watch has seen and done.
  var figures: PostgresLogStore.NodeFigures {
    let now = PostgresConnection.milliseconds
    return state.withLock { state in
      PostgresLogStore.NodeFigures(
        incarnation: incarnation, nodes: state.nodes.count, recovered: state.recovered,
        silence: .milliseconds(max(0, now - state.answered)), clockAhead: .milliseconds(state.clockAhead))
    }
  }

  /// Why this node cannot take events as far as its beats know; nil: they are answered. A node in which nothing is
  /// written notices by them alone that nobody answers.
  var refusal: LogError? {
    let answered = state.withLock { $0.answered }
    guard Int64(PostgresConnection.milliseconds - answered) >= deadlySilence.wholeMilliseconds else {
      return nil
    }
    return address.silent
  }

  /// After so long without an answer others take this node for dead, or soon will.
  var deadlySilence: Duration { sharing.silence + sharing.beat }

  /// Others have fenced this node, and the database does not answer here.
  func heardThatItIsFenced() {
    base.fail(.nodeFenced(place: address.place))
    // It says so, and beats no more.
    beatSignal.raise()
  }

  /// Ends the threads. Blocks until what is under way is done.
  func stop() {
    state.withLock { $0.isStopping = true }
    beatSignal.raise()
    endSignal.raise()
    for thread in threads.withLock({ $0 }) { thread.join() }
  }

  /// Fences and recovers this node itself, after it has stopped. What cannot be done now others do.
  func leave() { _ = try? ending.end(incarnation, because: .leaves) }

  /// For tests: beats and looks stop until they are let go on.
  func standStill(_ isStill: Bool) {
    state.withLock { $0.isStill = isStill }
    beatSignal.raise()
  }

  // MARK: Beating and judging

  /// What became of a beat.
  private enum Beat {
    case answered
    /// Nobody has answered, or the connection was lost.
    case lost
    /// This node is fenced, or its store has stopped: others shall have its logs.
    case isLast
  }

  /// The pause after a beat that was lost: a tenth of a second, as for all who connect anew. After a silence that was short the others see
  /// this node's next beat before they take it for dead.
  private static let afterLoss = Duration.milliseconds(100)

  private func beatOn() {
    while true {
      let ticket = beatSignal.ticket
      let (isStopping, isStill) = state.withLock { ($0.isStopping, $0.isStill) }
      guard !isStopping else { break }
      let last = isStill ? Beat.answered : beat()
      guard last != .isLast else { break }
      let pause = last == .lost ? min(Self.afterLoss, sharing.beat) : sharing.beat
      beatSignal.wait(after: ticket, nanoseconds: UInt64(max(1, pause.wholeMilliseconds)) * 1_000_000)
    }
    connection = nil
  }

  /// One beat and one look.
  private func beat() -> Beat {
    if let reason = base.stopped {
      if case .nodeFenced = reason { sharing.onEvent(.fenced) }
      return .isLast
    }
    do throws(PostgresFailure) {
      let open: PostgresConnection
      if let connection {
        open = connection
      } else {
        judge.lostConnection()
        open = try PostgresConnection(address, incarnation: incarnation)
        connected = PostgresConnection.milliseconds
      }
      connection = open
      let silence = Int(sharing.silence.wholeMilliseconds)
      let asked = WallClock.milliseconds
      let found = try open.run(beatAndLook) { milliseconds throws(PostgresFailure) in
        if milliseconds >= silence { throw .unknown(reason: "no answer in \(silence) ms") }
      }
      if !found[2].isEmpty { compareClocks(asked, found[2].integer(0, 5), WallClock.milliseconds) }
      if isLeft(found[2]) { connection = nil }
      return take(found[2]) ? .answered : .isLast
    } catch {
      connection = nil
      return .lost
    }
  }

  /// One transaction, which waits for no standby: a beat that is lost is followed by the next.
  private var beatAndLook: [Query] {
    [
      Query("begin"), Query("set local synchronous_commit = off"),
      Query(
        """
        select id, node, coalesce(address, ''), coalesce((extract(epoch from at) * 1000)::bigint, 0),
          (exists (select 1 from fence where incarnation = id and fenced))::int::bigint,
          (extract(epoch from clock_timestamp()) * 1000)::bigint,
          (current_setting('synchronous_standby_names') <> '')::int::bigint,
          (select count(*) from pg_stat_get_wal_senders() where coalesce(state, 'streaming') = 'streaming')
        from incarnation left join beat on incarnation = id where not recovered order by id
        """),
      Query("update beat set at = clock_timestamp() where incarnation = $1", .integer(incarnation)),
      Query("commit"),
    ]
  }

  /// The database said its time between two moments of this machine. A difference above a second is told, once until it is gone.
  private func compareClocks(_ asked: Int64, _ said: Int64, _ answered: Int64) {
    let ahead = ClockDifference(asked: asked, said: said, answered: answered).ahead
    let isTold = state.withLock { state in
      state.clockAhead = ahead
      let isFar = abs(ahead) > ClockDifference.mostUntold
      defer { state.hasToldClock = isFar }
      return isFar && !state.hasToldClock
    }
    if isTold { sharing.onEvent(.clockDiffers(ahead: .milliseconds(ahead))) }
  }

  /// Milliseconds for which a connection to a server that no standby follows is used.
  private static let doubt = 1_000

  /// Whether no standby follows a server that waits for one: then it may be an old primary, which answers beats, because
  /// they wait for nobody, and acknowledges nothing. All servers are asked anew which of them takes writes.
  private func isLeft(_ rows: Rows) -> Bool {
    guard address.hasChoice, !rows.isEmpty, rows.integer(0, 6) != 0, rows.integer(0, 7) == 0 else {
      return false
    }
    return PostgresConnection.milliseconds - connected >= Self.doubt
  }

  /// False if this node is fenced.
  private func take(_ rows: Rows) -> Bool {
    var seen: [NodeSight.SeenNode] = []
    var nodes: [Int64: PostgresLogStore.LivingNode] = [:]
    let waitsForStandby = rows.isEmpty || rows.integer(0, 6) != 0
    for row in 0..<rows.count {
      let id = rows.integer(row, 0)
      seen.append(.init(incarnation: id, beat: rows.integer(row, 3), isFenced: rows.integer(row, 4) != 0))
      nodes[id] = PostgresLogStore.LivingNode(
        incarnation: id, name: rows.text(row, 1), address: rows.text(row, 2))
    }
    let sight = NodeSight(seen, now: rows.isEmpty ? 0 : rows.integer(0, 5), own: incarnation)
    guard let look = sight.look else {
      state.withLock { $0.nodes = [] }
      base.fail(.nodeFenced(place: address.place))
      sharing.onEvent(.fenced)
      return false
    }
    let dead = judge.dead(look, at: Int64(PostgresConnection.milliseconds), reachable: sharing.reachable())
    let living = sight.open.filter { !dead.contains($0) }.compactMap { nodes[$0] }
    let gone = state.withLock { state in
      defer { state.nodes = living }
      state.waitsForStandby = waitsForStandby
      state.answered = PostgresConnection.milliseconds
      // Those that somebody has fenced and not recovered are done at once.
      state.due = Set(dead + sight.fenced)
      return state.nodes.filter { known in
        !living.contains { $0.name == known.name && $0.address == known.address }
      }
    }
    for node in gone { sharing.onEvent(.gone(node)) }
    if !dead.isEmpty || !sight.fenced.isEmpty { endSignal.raise() }
    return true
  }

  // MARK: Fencing and recovering

  /// A recovery that failed.
  private struct FailedRecovery {
    var error: LogError
    /// When it may be tried again, and how long to wait if it fails once more; milliseconds.
    var next: Int
    var pause: Int
  }

  /// The longest pause between two attempts to recover a node, in milliseconds.
  private static let longestPause = 30_000

  private func endOthers() {
    var failed: [Int64: FailedRecovery] = [:]
    while true {
      let ticket = endSignal.ticket
      let (isStopping, next) = state.withLock { state in
        (state.isStopping, state.isStopping || state.isStill ? nil : state.due.popFirst())
      }
      guard !isStopping else { return }
      guard let next else {
        endSignal.wait(after: ticket)
        continue
      }
      if let before = failed[next], PostgresConnection.milliseconds < before.next { continue }
      let silence = sharing.silence.wholeMilliseconds
      do throws(LogError) {
        guard let outcome = try ending.end(next, because: .silent(milliseconds: silence)) else { continue }
        failed[next] = nil
        state.withLock { $0.recovered += 1 }
        sharing.onEvent(
          .recovered(
            .init(incarnation: next, name: outcome.node.name, address: outcome.node.address),
            logs: outcome.logs))
      } catch {
        // It is found again at the next look.
        let before = failed[next]
        let pause = before.map { min(2 * $0.pause, Self.longestPause) } ?? 500
        failed[next] = FailedRecovery(
          error: error, next: PostgresConnection.milliseconds + pause, pause: pause)
        if before?.error != error { sharing.onEvent(.recoveryFailed(incarnation: next, error)) }
      }
    }
  }
}
