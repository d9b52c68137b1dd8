/// One server of PostgreSQL: a primary with its write-ahead log, or a standby that receives one.
final class DatabaseServer {
  enum Role { case primary, standby }

  struct WALRecord {
    var id: Int
    var writes: [TablesModel.Write]
  }

  let number: Int
  private let clock: LifeClock
  private let dice: Dice
  let empty: TablesModel
  private(set) var process: SimulatedProcess
  private(set) var role: Role
  private(set) var wal: [WALRecord] = []
  /// Records that are on its disk.
  private var flushed = 0
  private(set) var shown: TablesModel
  private(set) var locks = RowLocks()
  var sessions: [Session] = []
  /// When it was started or promoted last.
  private(set) var isThereSince = 0
  weak var upstream: DatabaseServer?
  var followers: () -> [DatabaseServer] = { [] }
  /// Each promotion begins a higher one. A primary that is started again goes on with its own.
  private(set) var timeline = 1
  /// Whether a standby is connected, as `pg_stat_replication` says.
  var hasFollower: Bool { followers().contains { $0.isUp } }
  /// A standby that receives nothing at present.
  var isPaused = false { didSet { if !isPaused { upstream?.send(to: self) } } }
  private var acknowledged: [Int: Int] = [:]
  private var waiting: [(end: Int, id: Int, session: Session)] = []
  var isWaiting: Bool { !waiting.isEmpty }
  /// Told what was written and is gone with a crash.
  var whenLost: ([TablesModel.Write]) -> Void = { _ in }
  /// Whether commits wait for a standby at all.
  var waitsForStandbys = true

  init(_ number: Int, _ clock: LifeClock, _ dice: Dice, empty: TablesModel, role: Role) {
    (self.number, self.clock, self.dice, self.empty, self.role) = (number, clock, dice, empty, role)
    process = SimulatedProcess(clock)
    shown = empty
  }

  /// Statements take long here, now and then.
  var isSlow = false

  func isLucky(_ part: Int, in count: Int) -> Bool { dice.isLucky(part, in: count) }

  /// `pg_terminate_backend`: a signal, which is heard a moment later.
  func signalEnd(_ session: Session) {
    process.after(isLucky(1, in: 8) ? luck(1_000...60_000) : luck(10...1_500)) {
      if session.stage != .ended { session.terminate() }
    }
  }

  /// At the end of a life: nobody holds anybody any more.
  func dissolve() {
    process.end()
    (sessions, waiting, locks) = ([], [], RowLocks())
  }

  func luck(_ range: ClosedRange<Int>) -> Int { dice.number(range) }
  var isUp: Bool { process.condition != .ended }
  var isTakingWrites: Bool { isUp && role == .primary }
  var received: Int { wal.count }

  // MARK: Commits

  func commit(_ writes: [TablesModel.Write], of session: Session, isSync: Bool) {
    wal.append(WALRecord(id: dice.nextRecord(), writes: writes))
    let end = wal.count
    guard isSync else {
      shown.apply(writes)
      session.committed()
      process.after(200_000) { [self] in flush(to: end) }
      return
    }
    waiting.append((end, wal[end - 1].id, session))
    process.after(luck(80...300)) { [self] in
      flush(to: end)
      if !waitsForStandbys { answerReplicated(through: end) }
    }
  }

  private func flush(to end: Int) {
    guard end > flushed else { return }
    flushed = end
    for follower in followers() { send(to: follower) }
  }

  func send(to follower: DatabaseServer) {
    guard isUp, follower.isUp, follower.upstream === self, !follower.isPaused else { return }
    clock.after(luck(80...500)) { [weak self] in
      guard let self else { return }
      process.run { [self] in
        let end = flushed
        follower.process.run { [self] in
          guard follower.upstream === self, !follower.isPaused, follower.wal.count < end else { return }
          follower.wal += wal[follower.wal.count..<end]
          follower.flushed = end
          clock.after(luck(80...500)) { [self] in
            process.run { [self] in
              acknowledged[follower.number] = end
              answerReplicated(through: acknowledged.values.max() ?? 0)
            }
          }
        }
      }
    }
  }

  private func answerReplicated(through end: Int) {
    let due = waiting.filter { $0.end <= end }
    waiting.removeAll { $0.end <= end }
    for one in due {
      shown.apply(wal[one.end - 1].writes)
      one.session.committed()
    }
  }

  /// A session waits for no standby any more: what it has committed is visible.
  func stopWaiting(_ session: Session, warnings: Int) {
    show(session)
    session.committed(warnings: warnings)
  }

  func show(_ session: Session) {
    for one in waiting where one.session === session { shown.apply(wal[one.end - 1].writes) }
    waiting.removeAll { $0.session === session }
  }

  // MARK: Ends and starts

  /// The process is killed: what is not on its disk is lost.
  func crash() {
    guard isUp else { return }
    process.end()
    whenLost(wal.dropFirst(flushed).flatMap(\.writes))
    wal = Array(wal.prefix(flushed))
    let lost = sessions
    (sessions, waiting, acknowledged, locks) = ([], [], [:], RowLocks())
    for session in lost { session.vanish() }
  }

  /// Starts again. As a primary it shows at once all that is on its disk, whether a standby has it or not.
  func start(as role: Role, following upstream: DatabaseServer? = nil) {
    process = SimulatedProcess(clock)
    (self.role, isThereSince) = (role, clock.now)
    rebuild()
    self.upstream = nil
    if let upstream { follow(upstream) }
    if role == .primary { for follower in followers() { send(to: follower) } }
  }

  func promote() {
    (role, upstream, isPaused, acknowledged) = (.primary, nil, false, [:])
    isThereSince = clock.now
    timeline += 1
    flushed = wal.count
    rebuild()
  }

  /// Follows another server, after a rewind to what both have.
  func follow(_ upstream: DatabaseServer) {
    var common = 0
    while common < wal.count, common < upstream.wal.count, wal[common].id == upstream.wal[common].id {
      common += 1
    }
    wal.removeLast(wal.count - common)
    flushed = wal.count
    (self.upstream, role, timeline) = (upstream, .standby, upstream.timeline)
    upstream.send(to: self)
  }

  private func rebuild() {
    shown = empty
    for record in wal { shown.apply(record.writes) }
  }
}
