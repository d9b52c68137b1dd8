import BoardroomModel
import EventLogModel

extension Room {
  /// Decides on a member's command. Checks, in this order (DEC-2): member, counter, authority, rate, then
  /// what the command itself needs. The state stays as it is until the events come back by `apply`.
  ///
  /// `raw` is the command's body as it came (`uv counter | payload`); it goes on to `Proposed.rawBody`
  /// where the event's body is the same.
  public mutating func decide(
    _ numbered: NumberedCommand, from member: MemberID, at now: Timestamp, raw: ArraySlice<UInt8>? = nil
  ) -> Decision {
    guard let author = standing(of: member) else { return .refused(Refusal(.notMember), []) }
    let (counter, command) = (numbered.counter, numbered.command)
    let entry = ledger(of: member, author.lastCounter, at: now) {
      $0.enter(counter, author.lastCounter, at: now)
    }
    switch entry {
    case .again:
      return .duplicate
    case .gap(let last, let hasPaid):
      return refuseGap(numbered, after: last, by: member, hasPaid, at: now)
    case .next(let hasPaid):
      do throws(Refusal) {
        try check(author, member, for: command)
        try checkRate(hasPaid)
        try checkCopies(command, of: member, at: now)
        if let flooded = charge(command, to: member, at: now) {
          return record(flooded.refusal, of: numbered, by: member, flooding: flooded.bucket, at: now)
        }
        let outcome = try outcome(of: command, by: member)
        return decision(outcome, of: numbered, by: member, at: now, raw)
      } catch {
        return record(
          error, of: numbered, by: member, flooding: hasPaid ? nil : MemberLedger.member, at: now)
      }
    }
  }

  /// Decides on a command that the server gives in its own name (REST): no counter, no role, and with a time the rates
  /// of one member (BOUND-6). Commands that only a member can give are refused as `badParameter`.
  public mutating func decide(serverCommand command: Command, at now: Timestamp? = nil) -> Decision {
    do throws(Refusal) {
      try checkServer(for: command)
      if let now { try chargeServer(for: command, at: now) }
      let outcome = try outcome(of: command, by: nil)
      return .events(outcome.event.map { [Proposed(actor: .server, event: $0)] } ?? [])
    } catch {
      return .refused(error, [])
    }
  }

  // MARK: Order and rate

  /// All that backends do to a room by REST is one member's, as far as rates go.
  private mutating func chargeServer(for command: Command, at now: Timestamp) throws(Refusal) {
    guard serverLedger.pay(more: cost(of: command), at: now) else {
      throw Self.tooFast(inForce.rate, LimitName.rate)
    }
    let kind = command.kind
    if ratedKinds & kind.bit != 0, let rate = inForce.rates[kind],
      !serverLedger.pay(kind, rate, at: now)
    {
      throw Self.tooFast(rate, LimitName.rate(of: kind))
    }
    guard roomBucket?.take(at: now) ?? true else { throw Self.tooFast(inForce.roomRate, LimitName.roomRate) }
  }

  /// As how many commands of its rate this one counts: copies by the bytes that they make, 4 KiB each, and by their
  /// number, 8 each, since every element keeps a place for ever (BOUND-2).
  private func cost(of command: Command) -> Int {
    guard case .elements(.copy(let copies)) = command else { return 1 }
    return max(1, bytes(of: copies) / Self.copied, copies.count / 8)
  }

  /// 4 KiB: with the usual rate 2 MB a second, and 8 MB at once.
  static let copied = 4 << 10

  private mutating func checkCopies(_ command: Command, of member: MemberID, at now: Timestamp)
    throws(Refusal)
  {
    guard case .elements(.copy) = command else { return }
    let more = cost(of: command) - 1
    guard more == 0 || ledgers[member]?.pay(more: more, at: now) ?? true else {
      throw Self.tooFast(inForce.rate, LimitName.rate)
    }
  }

  /// A command of this number that could not be read is refused. It uses the number up; says whether that is recorded
  /// (BOUND-7).
  public mutating func refused(_ counter: CommandCounter, of member: MemberID, at now: Timestamp) -> Bool {
    ledger(of: member, state.members[member]?.lastCounter ?? 0, at: now) { ledger in
      ledger.decided = max(ledger.decided, counter)
      return ledger.recordsRefusal(at: now)
    }
  }

  private mutating func ledger<Result>(
    of member: MemberID, _ lastCounter: CommandCounter, at now: Timestamp,
    _ body: (inout MemberLedger) -> Result
  ) -> Result {
    if let place = ledgers.index(forKey: member) { return body(&ledgers.values[place]) }
    var fresh = MemberLedger(decided: lastCounter, rate: inForce.rate, at: now)
    defer { ledgers[member] = fresh }
    return body(&fresh)
  }

  /// The counter is not used up: the client may send what is missing, and then this one again.
  public static func gap(_ counter: CommandCounter, after last: CommandCounter) -> Refusal {
    Refusal(
      .outOfOrder, cause: "The command's counter leaves a gap.",
      cure: "Send the commands that are missing, then this one again.",
      actual: Int(clamping: counter), allowed: Int(clamping: last + 1))
  }

  private mutating func refuseGap(
    _ numbered: NumberedCommand, after last: CommandCounter, by member: MemberID, _ hasPaid: Bool,
    at now: Timestamp
  ) -> Decision {
    let refusal = Self.gap(numbered.counter, after: last)
    let event = Event.diagnostics(
      .refused(
        RefusedCommand(kind: numbered.command.kind.rawValue, code: .outOfOrder)))
    guard hasPaid, ledgers[member]?.recordsRefusal(at: now) ?? true else { return .refused(refusal, []) }
    return .refused(refusal, [Proposed(actor: .member(member), event: event)])
  }

  private func checkRate(_ hasPaid: Bool) throws(Refusal) {
    guard hasPaid else { throw Self.tooFast(inForce.rate, LimitName.rate) }
  }

  /// How many came is not counted: it is more than are allowed.
  private static func tooFast(_ rate: RoomPolicy.Rate?, _ limit: String) -> Refusal {
    Refusal(
      .rateLimited, actual: rate.map { $0.sustained + 1 }, allowed: rate?.sustained, limit: limit)
  }

  /// Every rate that the command has to pass; nil if all let it through.
  private mutating func charge(
    _ command: Command, to member: MemberID, at now: Timestamp
  ) -> (refusal: Refusal, bucket: UInt64)? {
    if let flooded = charge(command.kind, to: member, at: now) { return flooded }
    guard case .space(let command) = command else { return nil }
    guard case .channel(let service, _) = state.space?.name else {
      return charge(own: command, to: member, at: now)
    }
    let account = state.members[member]?.uid ?? ""
    guard let flood = pay(for: command, by: account, in: service, at: now) else {
      ledgers[member]?.dry &= ~ChannelRates.bits(of: command)
      return nil
    }
    return (flood.refusal, flood.bit)
  }

  /// The rates of this kind and of the whole room; nil if both let it through.
  private mutating func charge(
    _ kind: EventKind, to member: MemberID, at now: Timestamp
  ) -> (refusal: Refusal, bucket: UInt64)? {
    if ratedKinds & kind.bit != 0, let rate = inForce.rates[kind],
      ledgers[member]?.pay(kind, rate, at: now) == false
    {
      return (Self.tooFast(rate, LimitName.rate(of: kind)), kind.bit)
    }
    guard roomBucket != nil else { return nil }
    guard roomBucket?.take(at: now) == true else {
      return (Self.tooFast(inForce.roomRate, LimitName.roomRate), MemberLedger.room)
    }
    ledgers[member]?.dry &= ~MemberLedger.room
    return nil
  }

  /// DEC-4: the first refusal of a flood is recorded, the others are not, or the flood would fill the log. BOUND-7: nor
  /// are other refusals within a second.
  private mutating func record(
    _ refusal: Refusal, of numbered: NumberedCommand, by author: MemberID, flooding bucket: UInt64?,
    at now: Timestamp
  ) -> Decision {
    let isKnown = bucket.map { (ledgers[author]?.dry ?? 0) & $0 != 0 } ?? false
    guard !isKnown, ledgers[author]?.recordsRefusal(at: now) ?? true else { return .refused(refusal, []) }
    if let bucket { ledgers[author]?.dry |= bucket }
    let event = Event.diagnostics(
      .refused(
        RefusedCommand(
          kind: numbered.command.kind.rawValue, code: refusal.code, id: Self.name(of: numbered.command))))
    return .refused(
      refusal, [Proposed(actor: .member(author), counter: numbered.counter, event: event)])
  }

  /// By which its sender knows what was refused. A name that is too long to be one is left out.
  private static func name(of command: Command) -> String? {
    guard case .space(.say(let message)) = command, message.id.utf8.count <= AccountPolicy.messageName
    else {
      return nil
    }
    return message.id
  }

  private mutating func decision(
    _ outcome: Outcome, of numbered: NumberedCommand, by author: MemberID, at now: Timestamp,
    _ raw: ArraySlice<UInt8>?
  ) -> Decision {
    // IDEM-5: what left no trace would be carried out at its second coming, in another state of the room.
    let event =
      outcome.event ?? .diagnostics(.nothingChanged(kind: numbered.command.kind.rawValue))
    let proposed = Proposed(
      actor: .member(author), counter: numbered.counter, event: event,
      rawBody: outcome.isVerbatim ? raw : nil)
    guard case .drawing(let act) = numbered.command else { return .events([proposed]) }
    return paced(proposed, act, author, at: now)
  }
}
