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
    waiting[last] = command
    said[last, default: []].append(command)
    return NumberedCommand(counter: last, command: command)
  }

  /// A number that is used up by something that cannot be read.
  func skip() -> CommandCounter {
    last += 1
    said[last, default: []] = []
    return last
  }

  /// A number that leaves a gap.
  func gap() -> CommandCounter {
    gaps.insert(last + 3)
    return last + 3
  }

  /// What is to be said again on a new connection.
  func resume(decidedThrough counter: CommandCounter) -> [NumberedCommand] {
    renumbered = nil
    for old in waiting.keys where old <= counter { waiting[old] = nil }
    return left
  }

  private var left: [NumberedCommand] {
    waiting.sorted { $0.key < $1.key }.map { NumberedCommand(counter: $0.key, command: $0.value) }
  }

  /// The newest ones that were said, whether or not they were decided.
  func newest(_ count: Int) -> [NumberedCommand] {
    guard last > 0 else { return [] }
    let first = last > CommandCounter(count) ? last - CommandCounter(count) + 1 : 1
    return (first...last).compactMap { counter in
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
      guard !gaps.contains(counter), let expected = refusal.allowed.map({ CommandCounter($0) }), expected <= last,
        expected != renumbered
      else { return [] }
      renumbered = expected
      let commands = left.map(\.command)
      waiting = [:]
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
