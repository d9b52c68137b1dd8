/// A process's end of a connection to a server. What was sent arrives in its order, sooner or later, also when the
/// process has given the connection up meanwhile; a connection that is cut may lose it.
final class Connection {
  private let owner: SimulatedProcess
  private let network: Network
  let session: Session
  /// That of the server when it was made.
  private let timeline: Int
  /// One to an old primary is used like any other: a planted fault.
  var isUsedWhenOld = false
  private var sent = 0
  private var heard = 0
  private(set) var isOpen = true
  /// Whether what is under way to the server is lost.
  private var losesSent = false
  private var pending: [Int: (Answer) -> Void] = [:]
  private var asked = 0
  /// Questions after whose answer a transaction is open.
  private var opening: Set<Int> = []
  /// The next question is cut short.
  var cutsNext: (after: Int, losing: Bool, silently: Bool)?
  /// The next question arrives so much later, and the connection is cut meanwhile; microseconds.
  var holdsNext = 0
  /// The next question arrives so much later; microseconds.
  var delaysNext = 0

  init(_ owner: SimulatedProcess, _ network: Network, _ server: DatabaseServer) {
    (self.owner, self.network) = (owner, network)
    (session, timeline) = (Session(server), server.timeline)
    server.sessions.append(session)
    owner.whenEnded.append { [weak self] in self?.drop() }
    session.onEnd = { [weak self] in
      guard let self else { return }
      network.carry(from: nil, to: owner, after: &heard, isDatabase: true) { [weak self] in self?.close() }
    }
  }

  /// Asks the server. `answer` is called once, at the latest after `limit` microseconds; never if the process ends.
  func ask(_ request: SessionRequest, limit: Int?, answer: @escaping (Answer) -> Void) {
    // The process has seen a later primary meanwhile.
    if timeline < owner.newestTimeline, !isUsedWhenOld { drop() }
    guard isOpen else { return answer(.closed(hasRows: false)) }
    asked += 1
    let number = asked
    pending[number] = answer
    if !request.ends { opening.insert(number) }
    var request = request
    request.answer = { [weak self] found in
      guard let self else { return }
      network.carry(from: nil, to: owner, after: &heard, isDatabase: true) { [weak self] in
        self?.hear(number, found)
      }
    }
    if delaysNext > 0 {
      sent = max(sent, network.clock.now + delaysNext)
      delaysNext = 0
    }
    if holdsNext > 0 {
      sent = max(sent, network.clock.now + holdsNext)
      holdsNext = 0
      network.clock.after(network.dice.number(0...1_000)) { [weak self] in
        self?.cut(losing: false, silently: false)
      }
    }
    let session = session
    network.carry(from: owner, to: session.server.process, after: &sent, isDatabase: true) { [self] in
      guard !losesSent else { return }
      session.receive(request)
    }
    if let cut = cutsNext {
      cutsNext = nil
      network.clock.after(cut.after) { [weak self] in self?.cut(losing: cut.losing, silently: cut.silently)
      }
    }
    if let limit { owner.after(limit) { [weak self] in self?.hear(number, .silent) } }
  }

  private func hear(_ number: Int, _ answer: Answer) {
    guard let waiter = pending.removeValue(forKey: number) else { return }
    if case .closed = answer { isOpen = false }
    if opening.contains(number), let strike = owner.strikeInside {
      owner.strikeInside = nil
      strike()
    }
    owner.run { waiter(answer) }
  }

  private func close() {
    isOpen = false
    let waiters = pending.sorted { $0.key < $1.key }
    pending = [:]
    for waiter in waiters { waiter.value(.closed(hasRows: false)) }
  }

  /// The process gives it up. The server notices when it has nothing to do.
  func drop() {
    guard isOpen else { return }
    isOpen = false
    pending = [:]
    loseClient(after: network.dice.number(100...3_000))
  }

  /// Somebody cuts it: the process hears of it, the server when it has nothing to do.
  func cut(losing: Bool, silently: Bool) {
    guard isOpen else { return }
    losesSent = losing
    loseClient(after: silently ? 8_000_000 : network.dice.number(100...20_000))
    owner.after(network.dice.number(50...500)) { [weak self] in self?.close() }
  }

  private func loseClient(after delay: Int) {
    let session = session
    // Behind what was sent before.
    let due = max(network.clock.now + delay, sent)
    network.clock.after(due - network.clock.now) { session.server.process.run { session.loseClient() } }
  }
}

/// What carries messages: mostly within a millisecond, now and then seconds late, and not at all while a process is cut
/// off: then they come afterwards.
final class Network {
  let clock: LifeClock
  let dice: Dice
  /// Of 1,000 messages how many are late, and by how many milliseconds at most.
  var late = 0
  var lateMilliseconds = 100
  private var cutOff: [(process: SimulatedProcess, until: Int, ofDatabaseOnly: Bool)] = []

  init(_ clock: LifeClock, _ dice: Dice) { (self.clock, self.dice) = (clock, dice) }

  func cutOff(_ process: SimulatedProcess, for microseconds: Int, ofDatabaseOnly: Bool) {
    cutOff.removeAll { $0.process === process || $0.until < clock.now }
    cutOff.append((process, clock.now + microseconds, ofDatabaseOnly))
  }

  func heal() { cutOff = [] }

  /// Whether it reaches nobody, or, with `ofDatabase`, no database.
  func isCutOff(_ process: SimulatedProcess, ofDatabase: Bool = true) -> Bool {
    cutOff.contains {
      $0.process === process && $0.until > clock.now && (ofDatabase || !$0.ofDatabaseOnly)
    }
  }

  /// - Parameter last: when the last message of this direction arrived.
  func carry(
    from sender: SimulatedProcess?, to receiver: SimulatedProcess, after last: inout Int,
    isDatabase: Bool = false,
    _ action: @escaping () -> Void
  ) {
    var delay = dice.number(60...400)
    if late > 0, dice.isLucky(late, in: 1_000) { delay += dice.number(1...lateMilliseconds) * 1_000 }
    var time = max(last + 1, clock.now + delay)
    for cut in cutOff where cut.until > time && (cut.process === sender || cut.process === receiver) {
      guard isDatabase || !cut.ofDatabaseOnly else { continue }
      time = max(time, cut.until + dice.number(1...1_000))
    }
    last = time
    clock.after(time - clock.now) { receiver.hear(action) }
  }
}
