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
    request?.answer(hasRows ? .closed(hasRows: true) : .refused(state: "57P01"))
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
