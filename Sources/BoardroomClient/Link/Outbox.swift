import BoardroomModel
import EventLogModel

/// Called on the context of the link.
package typealias CommandCompletion = (Result<Receipt, BoardroomError>) -> Void

/// The commands of one session that have no receipt yet. Pure but for the completions, which it hands back to
/// be called, so that nothing runs while it is changed.
struct Outbox {
  struct WaitingCommand {
    var command: NumberedCommand
    let completion: CommandCompletion
    /// The revision of its receipt, if that came before the events up to it.
    var revision: Revision?
    /// What the log says of it, if it was refused; the notice with all details may still come.
    var refusedCode: RefusalCode?
    /// When its author is told that it failed, if there is no receipt by then; nil: it waits as long as the session lasts.
    var due: Timestamp?
    /// Its author was told so. It is not sent again; if it turns out to be done, its completion is called again, with
    /// success.
    var isWithdrawn = false
    /// As `PendingNews` numbers commands; it stays the same when counters change.
    var number: UInt64 = 0
    /// Its size, if it was given in an outage and has not been sent; nil: it was sent.
    var awayBytes: Int?
    /// The call that it comes from, if a task waits for that.
    var call: CallToken?
  }

  /// A completion and what to call it with.
  typealias Settled = (completion: CommandCompletion, result: Result<Receipt, BoardroomError>)

  /// Commands that may wait. 10,000: twenty seconds at the rate that a server allows (500/s).
  static let limit = 10_000

  private(set) var last: CommandCounter = 0
  /// The highest counter that may have reached a server: which command it is of stays so, until a server says that it expects
  /// it or a lower one.
  private var sent: CommandCounter = 0
  private var waiting: [CommandCounter: WaitingCommand] = [:]
  /// Counters whose receipt came before their events.
  private var ripening: [CommandCounter] = []
  /// Where counters were made to go on by `renumber`.
  private var renumbered: CommandCounter?
  /// When one may be overdue at the earliest; nil: none waits for a time.
  private(set) var due: Timestamp?
  /// How many of those that wait have failed for their authors.
  private var withdrawn = 0
  /// What was given in an outage and has not been sent.
  private(set) var away = AwayQueue()

  /// Those that wait, in order.
  var pending: [WaitingCommand] { counters.compactMap { waiting[$0] }.filter { !$0.isWithdrawn } }
  var count: Int { waiting.count - withdrawn }
  var isFull: Bool { waiting.count >= Self.limit }
  /// Those that wait, in order.
  var counters: [CommandCounter] { waiting.keys.sorted() }

  mutating func add(
    _ command: Command, due: Timestamp? = nil, number: UInt64 = 0, awayBytes: Int? = nil,
    _ completion: @escaping CommandCompletion
  ) -> NumberedCommand {
    last += 1
    let numbered = NumberedCommand(counter: last, command: command)
    waiting[last] = WaitingCommand(
      command: numbered, completion: completion, due: due, number: number, awayBytes: awayBytes,
      call: CallToken.current)
    if let awayBytes { away.add(awayBytes) } else { sent = last }
    if let due { self.due = min(self.due ?? due, due) }
    return numbered
  }

  /// Those whose time is over: they have failed, and are not sent again.
  mutating func overdue(at now: Timestamp) -> [Settled] {
    guard let due, due <= now else { return [] }
    var settled: [Settled] = []
    self.due = nil
    for counter in counters {
      guard let one = waiting[counter], let due = one.due, !one.isWithdrawn else { continue }
      if due <= now {
        waiting[counter]?.isWithdrawn = true
        withdrawn += 1
        settled.append((one.completion, .failure(.noReceipt)))
      } else {
        self.due = min(self.due ?? due, due)
      }
    }
    return settled
  }

  /// Those of a call that was cancelled which have not been sent: they have failed, and never are.
  mutating func withdraw(_ call: CallToken) -> [(counter: CommandCounter, settled: Settled)] {
    counters.compactMap { counter in
      guard let one = waiting[counter], one.call === call, !one.isWithdrawn, let bytes = one.awayBytes,
        one.command.command.isTakenBack
      else { return nil }
      away.remove(bytes)
      waiting[counter]?.awayBytes = nil
      waiting[counter]?.isWithdrawn = true
      withdrawn += 1
      return (counter, (one.completion, .failure(.cancelled)))
    }
  }

  /// An event of one's own with this counter was applied: the command is done, and seen.
  mutating func sawEvent(_ counter: CommandCounter, at revision: Revision) -> Settled? {
    settleCommand(counter, .success(Receipt(counter: counter, revision: revision)))
  }

  mutating func sawRefusal(_ counter: CommandCounter, _ code: RefusalCode) {
    waiting[counter]?.refusedCode = code
  }

  mutating func refused(_ counter: CommandCounter, _ error: BoardroomError) -> Settled? {
    settleCommand(counter, .failure(error))
  }

  /// A receipt counts once the mirror has the events up to it, so that whoever waits reads what it wrote.
  mutating func receipt(_ receipt: Receipt, reached: Revision) -> Settled? {
    guard receipt.revision > reached else { return settleCommand(receipt.counter, .success(receipt)) }
    guard waiting[receipt.counter] != nil else { return nil }
    waiting[receipt.counter]?.revision = receipt.revision
    ripening.append(receipt.counter)
    return nil
  }

  mutating func reached(_ revision: Revision) -> [Settled] {
    guard !ripening.isEmpty else { return [] }
    var settled: [Settled] = []
    var rest: [CommandCounter] = []
    for counter in ripening {
      guard let due = waiting[counter]?.revision else { continue }
      if due > revision {
        rest.append(counter)
      } else if let one = settleCommand(counter, .success(Receipt(counter: counter, revision: due))) {
        settled.append(one)
      }
    }
    ripening = rest
    return settled
  }

  /// What becomes of the commands that waited when a session goes on.
  struct Resumed {
    var settled: [Settled] = []
    /// Done, although their authors were told that they failed.
    var late: [Settled] = []
    /// To be sent again, and the counters that they had before.
    var again: [NumberedCommand] = []
    var before: [CommandCounter] = []
  }

  /// After a resumed catch-up: what the server had decided is settled by what the log said, the rest is to
  /// be sent again under the old counters. Those that were withdrawn are not, and leave a gap where they were sent: only the
  /// server knows whether it has decided them, for not all that it decides is in the log. If it has not, it says so
  /// (`renumber`). What was never sent follows without a gap.
  ///
  /// - Parameters:
  ///   - last: the highest counter whose event is in the log.
  ///   - taken: the highest that the server has decided; never below `last`.
  mutating func resume(
    decidedThrough last: CommandCounter, takenThrough taken: CommandCounter, at revision: Revision,
    sawEvents: Bool
  ) -> Resumed {
    // Another server may forget the same numbers again.
    renumbered = nil
    // A stay that was taken up from where it was kept has said more than this program.
    if self.last < taken { self.last = taken }
    var resumed = Resumed()
    for counter in waiting.keys.sorted() where counter <= last {
      guard let one = waiting[counter] else { continue }
      let result: Result<Receipt, BoardroomError>
      if let code = one.refusedCode {
        result = .failure(BoardroomError(code))
      } else if sawEvents {
        result = .success(Receipt(counter: counter, revision: one.revision ?? revision))
      } else {
        result = .failure(.outcomeUnknown)
      }
      guard let done = settleCommand(counter, result) else { continue }
      if one.isWithdrawn { resumed.late.append(done) } else { resumed.settled.append(done) }
    }
    markSent()
    resumed.before = counters.filter { waiting[$0]?.isWithdrawn == false }
    sent = max(sent, taken)
    removeWithdrawn(from: last + 1)
    resumed.again = counters.filter { $0 <= sent }.compactMap { waiting[$0]?.command }
    resumed.again += number(from: sent + 1)
    return resumed
  }

  /// All that waits goes out now.
  private mutating func markSent() {
    guard away.count > 0 else { return }
    away = AwayQueue()
    for counter in waiting.keys { waiting[counter]?.awayBytes = nil }
  }

  private mutating func removeWithdrawn(from first: CommandCounter) {
    for (counter, one) in waiting where counter >= first && one.isWithdrawn {
      waiting[counter] = nil
      withdrawn -= 1
    }
  }

  /// Those that have this counter or a higher one get counters from it on, in their order, and are to be sent.
  private mutating func number(from first: CommandCounter) -> [NumberedCommand] {
    let left = counters.filter { $0 >= first }.compactMap { waiting.removeValue(forKey: $0) }
    ripening.removeAll { $0 >= first }
    last = first - 1
    defer { sent = last }
    return left.map { one in
      last += 1
      var one = one
      one.command = NumberedCommand(counter: last, command: one.command.command)
      one.revision = nil
      waiting[last] = one
      return one.command
    }
  }

  /// A server that was restarted knows only of commands that led to an event; positions may have had a
  /// receipt without one. It refuses the gap and says which counter it expects: what waits under that or a higher one takes
  /// the counters from there on and is to be sent again. What waits under a lower one is decided, and its answer is on its
  /// way (IDEM-7). Nothing if that was done before.
  mutating func renumber(from expected: CommandCounter) -> (
    before: [CommandCounter], again: [NumberedCommand]
  ) {
    guard expected > 0, expected != renumbered else { return ([], []) }
    renumbered = expected
    removeWithdrawn(from: expected)
    let before = counters.filter { $0 >= expected }
    return (before, number(from: expected))
  }

  /// The session is over: nothing more of it will be decided.
  mutating func abandon(_ error: BoardroomError) -> [Settled] {
    let settled = waiting.keys.sorted().compactMap { counter -> Settled? in
      guard let one = waiting[counter], !one.isWithdrawn else { return nil }
      return (one.completion, .failure(one.refusedCode.map { BoardroomError($0) } ?? error))
    }
    self = Outbox()
    return settled
  }

  private mutating func settleCommand(
    _ counter: CommandCounter, _ result: Result<Receipt, BoardroomError>
  ) -> Settled? {
    guard let one = waiting.removeValue(forKey: counter) else { return nil }
    if let awayBytes = one.awayBytes { away.remove(awayBytes) }
    if one.isWithdrawn { withdrawn -= 1 }
    // That it failed was said.
    if one.isWithdrawn, case .failure = result { return nil }
    return (one.completion, result)
  }
}
