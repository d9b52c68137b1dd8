import BoardroomModel
import EventLogModel

/// One stay of a person as the person saw it: what it said under which number, and how each ended.
final class Stay {
  let member: MemberID
  let session: SessionID
  let epoch: Epoch
  var ticket: String
  /// Of the newest welcome that was heard.
  var generation: Generation
  private(set) var last: CommandCounter = 0
  /// Said, and not known to be decided.
  private(set) var waiting: [CommandCounter: Command] = [:]
  private(set) var receipts: [(receipt: Receipt, command: Command)] = []
  private(set) var refusals: [(counter: CommandCounter, refusal: Refusal, revision: Revision)] = []
  /// All that was ever said under a number: a server that forgot receipts makes numbers be used again.
  private(set) var said: [CommandCounter: [Command]] = [:]
  private var renumbered: CommandCounter?
  /// The server at which the newest welcome was heard is not there any more.
  private var isServerNew = false
  /// Numbers of commands that had their answer, and that the server does not know since it was restarted. Whoever says one
  /// of them again gives a new command (docs/PROTOCOL.md, section 2): it takes a number that the next
  /// refusal of a gap gives to another one, and that one then hears what became of the first (seed 2604).
  private var forgotten: Set<CommandCounter> = []
  /// Numbers that were given on purpose to leave a gap.
  private var gaps: Set<CommandCounter> = []

  init(_ welcome: Welcome) {
    member = welcome.member
    session = welcome.session
    epoch = welcome.epoch
    ticket = welcome.ticket
    generation = welcome.generation
  }

  func number(_ command: Command) -> NumberedCommand {
    last += 1
    forgotten.remove(last)
    waiting[last] = command
    said[last, default: []].append(command)
    return NumberedCommand(counter: last, command: command)
  }

  /// A number that is used up by something that cannot be read.
  func skip() -> CommandCounter {
    last += 1
    forgotten.remove(last)
    said[last, default: []] = []
    return last
  }

  /// A number that leaves a gap.
  func gap() -> CommandCounter {
    gaps.insert(last + 3)
    return last + 3
  }

  /// The server is gone, with all that is not in its log.
  func loseServer() { isServerNew = true }

  /// What is to be said again on a new connection.
  func resume(decidedThrough counter: CommandCounter) -> [NumberedCommand] {
    renumbered = nil
    for old in waiting.keys where old <= counter { waiting[old] = nil }
    if isServerNew, counter < last { forgotten = Set(counter + 1...last).subtracting(waiting.keys) }
    isServerNew = false
    return left
  }

  private var left: [NumberedCommand] {
    waiting.sorted { $0.key < $1.key }.map { NumberedCommand(counter: $0.key, command: $0.value) }
  }

  /// The newest ones that were said, whether or not they were decided; but for those that would be new commands.
  func newest(_ count: Int) -> [NumberedCommand] {
    guard last > 0 else { return [] }
    let first = last > CommandCounter(count) ? last - CommandCounter(count) + 1 : 1
    return (first...last).filter { !forgotten.contains($0) }.compactMap { counter in
      said[counter]?.last.map { NumberedCommand(counter: counter, command: $0) }
    }
  }

  func hear(_ receipt: Receipt) {
    if let command = waiting.removeValue(forKey: receipt.counter) ?? said[receipt.counter]?.last {
      receipts.append((receipt, command))
    }
  }

  /// Refused; what is to be said again under other numbers, if the server knows fewer of them than we do.
  func hear(_ refusal: Refusal, of counter: CommandCounter, at revision: Revision) -> [NumberedCommand] {
    guard refusal.code != .outOfOrder else {
      guard !gaps.contains(counter), let expected = refusal.allowed.map({ CommandCounter($0) }),
        expected <= last,
        expected != renumbered
      else { return [] }
      renumbered = expected
      // Those below are decided: they keep their numbers, under which their answers come.
      let commands = left.filter { $0.counter >= expected }.map(\.command)
      waiting = waiting.filter { $0.key < expected }
      last = expected - 1
      return commands.map { number($0) }
    }
    waiting[counter] = nil
    refusals.append((counter, refusal, revision))
    return []
  }

  /// An event of one's own: the command is done, whatever became of its receipt.
  func see(_ event: RoomEvent) { waiting[event.counter] = nil }
}
