import MemoryLog

/// What a session answers to a request.
enum Answer {
  case done(warnings: Int)
  case refused(state: String)
  /// The connection has ended. `hasRows`: the rows of the statement arrived before.
  case closed(hasRows: Bool)
  /// Nothing came in time.
  case silent
}

/// One statement, or several that are sent together.
struct SessionRequest {
  enum Effect {
    case writes([TablesModel.Write])
    case refused(String)
  }

  /// What the statement is, as others see it among those that are under way.
  var tag: String
  /// What must hold when it begins, before it waits for locks; else it does nothing.
  var condition: ((TablesModel) -> Bool)?
  var wishes: [LockWish] = []
  /// Called with what is visible once it has its locks.
  var body: (TablesModel) -> Effect
  /// Whether the transaction ends with it.
  var ends = true
  /// Whether the commit waits for a standby.
  var isSync = true
  /// Called when what it wrote is visible.
  var shown: () -> Void = {}
  var answer: (Answer) -> Void = { _ in }
}

/// A server's end of a connection.
final class Session {
  enum Stage { case idle, begun, waitsForStandby, ended }

  let server: DatabaseServer
  /// The incarnation whose connection it is.
  var incarnation: Int?
  var locked: [LockName] = []
  private(set) var stage = Stage.idle
  private(set) var current: SessionRequest?
  private var requests: [SessionRequest] = []
  private var collected: [TablesModel.Write] = []
  private var hasLocked = false
  private var isInTransaction = false
  private var isWithoutClient = false
  /// Microseconds after which the server ends a transaction whose client is silent.
  var idleLimit: Int?
  private var turns = 0
  /// What is told when the session ends by itself.
  var onEnd: () -> Void = {}

  init(_ server: DatabaseServer) { self.server = server }

  func receive(_ request: SessionRequest) {
    guard stage != .ended else { return }
    requests.append(request)
    if stage == .idle { next() }
  }

  private func next() {
    guard !requests.isEmpty else {
      if isWithoutClient { end() }
      return
    }
    let request = requests.removeFirst()
    (current, stage) = (request, .begun)
    turns += 1
    let turn = turns
    server.process.after(server.luck(60...200)) { [self] in
      guard stage == .begun, turn == turns else { return }
      guard request.condition?(server.shown) ?? true else { return finish(request) }
      server.locks.take(request.wishes, for: self) { [self] got in
        guard stage == .begun, turn == turns else { return }
        switch got {
        case .all:
          if request.wishes.contains(where: { isRow($0.name) }) { hasLocked = true }
          carryOut(request)
        case .skipped: finish(request)
        case .deadlock: refuse("40P01")
        }
      }
    }
  }

  /// Whether there is a row of a table to be locked.
  private func isRow(_ name: LockName) -> Bool {
    switch name {
    case .fence(let id, _), .incarnation(let id): server.shown.incarnations[id] != nil
    case .log: true
    case .start, .table, .frame: false
    }
  }

  private func carryOut(_ request: SessionRequest) {
    switch request.body(server.shown) {
    case .refused(let state): refuse(state)
    case .writes(let writes):
      collected += writes
      // Between the checks of a statement and its commit is a moment, and now and then more than one.
      let turn = turns
      let pause =
        server.isSlow && server.isLucky(1, in: 3) ? server.luck(1_000...40_000) : server.luck(10...100)
      server.process.after(pause) { [self] in if stage == .begun, turn == turns { finish(request) } }
    }
  }

  private func refuse(_ state: String) {
    rollBack()
    tell(.refused(state: state))
  }

  private func finish(_ request: SessionRequest) {
    guard request.ends else {
      isInTransaction = true
      let turn = turns
      if let idleLimit {
        server.process.after(idleLimit) { [self] in
          if turn == turns, stage == .idle, isInTransaction { terminate() }
        }
      }
      return tell(.done(warnings: 0))
    }
    isInTransaction = false
    // A row that is locked has the transaction's number, which is written to the log: its end is answered as one with writes,
    // when a standby has all that was there before it.
    let writes = collected.isEmpty && hasLocked ? [.message] : collected
    (collected, hasLocked) = ([], false)
    guard !writes.isEmpty else {
      server.locks.release(self)
      return tell(.done(warnings: 0))
    }
    stage = .waitsForStandby
    server.commit(writes, of: self, isSync: request.isSync)
  }

  /// The commit is visible: it is on a standby, or nobody waits for that any more.
  func committed(warnings: Int = 0) {
    current?.shown()
    server.locks.release(self)
    tell(.done(warnings: warnings))
  }

  private func tell(_ answer: Answer) {
    guard let request = current else { return }
    (current, stage) = (nil, .idle)
    request.answer(answer)
    next()
  }

  private func rollBack() {
    (collected, isInTransaction, hasLocked) = ([], false, false)
    server.locks.release(self)
  }

  /// `pg_cancel_backend`.
  func cancel() {
    switch stage {
    case .waitsForStandby: server.stopWaiting(self, warnings: 1)
    case .begun: refuse("57014")
    case .idle, .ended: break
    }
  }

  /// `pg_terminate_backend`.
  func terminate() {
    let request = current
    let hasRows = stage == .waitsForStandby
    if hasRows { server.show(self) }
    end()
    request?.answer(.closed(hasRows: hasRows))
    onEnd()
  }

  /// The client has gone. What is under way goes on.
  func loseClient() {
    isWithoutClient = true
    if stage == .idle { end() }
  }

  /// The session ends; what it has not committed is rolled back.
  func end() {
    guard stage != .ended else { return }
    rollBack()
    (stage, current, requests) = (.ended, nil, [])
    server.sessions.removeAll { $0 === self }
  }

  /// The server is gone: nothing is rolled back, because nothing is left.
  func vanish() {
    let request = current
    (stage, current, requests, locked) = (.ended, nil, [], [])
    request?.answer(.closed(hasRows: false))
    onEnd()
  }
}

/// One server of PostgreSQL: a primary with its write-ahead log, or a standby that receives one.
final class DatabaseServer {
  enum Role { case primary, standby }

  struct WALRecord {
    var id: Int
    var writes: [TablesModel.Write]
  }

  let number: Int
  private let timeline: Timeline
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
  /// When it was started last.
  private(set) var started = 0
  weak var upstream: DatabaseServer?
  var followers: () -> [DatabaseServer] = { [] }
  /// A standby that receives nothing at present.
  var isPaused = false { didSet { if !isPaused { upstream?.send(to: self) } } }
  private var acknowledged: [Int: Int] = [:]
  private var waiting: [(end: Int, id: Int, session: Session)] = []
  var isWaiting: Bool { !waiting.isEmpty }
  /// Whether commits wait for a standby at all.
  var waitsForStandbys = true

  init(_ number: Int, _ timeline: Timeline, _ dice: Dice, empty: TablesModel, role: Role) {
    (self.number, self.timeline, self.dice, self.empty, self.role) = (number, timeline, dice, empty, role)
    process = SimulatedProcess(timeline)
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
    timeline.after(luck(80...500)) { [weak self] in
      guard let self else { return }
      process.run { [self] in
        let end = flushed
        follower.process.run { [self] in
          guard follower.upstream === self, !follower.isPaused, follower.wal.count < end else { return }
          follower.wal += wal[follower.wal.count..<end]
          follower.flushed = end
          timeline.after(luck(80...500)) { [self] in
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
    wal = Array(wal.prefix(flushed))
    let lost = sessions
    (sessions, waiting, acknowledged, locks) = ([], [], [:], RowLocks())
    for session in lost { session.vanish() }
  }

  /// Starts again. As a primary it shows at once all that is on its disk, whether a standby has it or not.
  func start(as role: Role, following upstream: DatabaseServer? = nil) {
    process = SimulatedProcess(timeline)
    (self.role, started) = (role, timeline.now)
    rebuild()
    self.upstream = nil
    if let upstream { follow(upstream) }
    if role == .primary { for follower in followers() { send(to: follower) } }
  }

  func promote() {
    (role, upstream, isPaused, acknowledged) = (.primary, nil, false, [:])
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
    (self.upstream, role) = (upstream, .standby)
    upstream.send(to: self)
  }

  private func rebuild() {
    shown = empty
    for record in wal { shown.apply(record.writes) }
  }
}

/// All chance of one life.
final class Dice {
  private var luck: SeededGenerator
  private var record = 0

  init(seed: UInt64) { luck = SeededGenerator(seed: seed) }

  func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &luck) }
  func isLucky(_ part: Int, in count: Int) -> Bool { number(0...count - 1) < part }
  func pick<Element>(_ list: [Element]) -> Element? { list.isEmpty ? nil : list[number(0...list.count - 1)] }
  func nextRecord() -> Int {
    record += 1
    return record
  }
}
