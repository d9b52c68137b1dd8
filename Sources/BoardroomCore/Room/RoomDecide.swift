import BoardroomModel
import EventLogModel

extension Room {
  /// Decides on a member's command. Checks, in this order (DEC-2): member, counter, writable, rate, then what
  /// the command itself needs. The state stays as it is until the events come back by `apply`.
  ///
  /// `raw` is the command's body as it came (`uv counter | payload`); it goes on to `Proposed.rawBody`
  /// where the event's body is the same.
  public mutating func decide(
    _ numbered: NumberedCommand, from member: MemberID, at now: Timestamp, raw: ArraySlice<UInt8>? = nil
  ) -> Decision {
    guard let author = state.members[member] else { return .refused(Refusal(.notMember), []) }
    let last = ledger(of: author, at: now) { max($0.decided, author.lastCounter) }
    let (counter, command) = (numbered.counter, numbered.command)
    guard counter > last else { return .duplicate }
    let hasPaid = ledger(of: author, at: now) { $0.pay(at: now) }
    guard counter == last + 1 else { return refuseGap(numbered, after: last, by: member, hasPaid) }
    ledger(of: author, at: now) { $0.decided = counter }
    do throws(Refusal) {
      try checkWritable(author, for: command)
      try checkRate(hasPaid)
      let outcome = try outcome(of: command, by: author)
      ledger(of: author, at: now) { $0.isDry = false }
      return decision(outcome, of: numbered, by: author, at: now, raw)
    } catch {
      return record(error, of: numbered, by: author, hasPaid, at: now)
    }
  }

  /// Decides on a command that the server gives in its own name (REST): no counter, no rate, no role.
  /// Commands that only a member can give are refused as `badParameter`.
  public func decide(serverCommand command: Command) -> Decision {
    do throws(Refusal) {
      let outcome = try outcome(of: command, by: nil)
      return .events([Proposed(actor: .server, event: outcome.event)])
    } catch {
      return .refused(error, [])
    }
  }

  /// The events of pointers and cameras that were held back and may go by now.
  public mutating func due(at now: Timestamp) -> [Proposed] {
    var proposed: [Proposed] = []
    for member in ledgers.keys.sorted() {
      for kind in [PositionKind.pointer, .camera] {
        guard let time = dueTime(kind, of: member), time <= now,
          let released = release(kind, of: member, at: now)
        else { continue }
        proposed.append(released)
      }
    }
    return proposed
  }

  /// When `due` will have something; nil while nothing is held back.
  public var nextDue: Timestamp? {
    ledgers.keys.flatMap { member in
      [PositionKind.pointer, .camera].compactMap { dueTime($0, of: member) }
    }.min()
  }

  // MARK: Order and rate

  @discardableResult
  private mutating func ledger<Result>(
    of member: Member, at now: Timestamp, _ body: (inout MemberLedger) -> Result
  ) -> Result {
    let fresh = MemberLedger(decided: member.lastCounter, rate: policy.rate, at: now)
    return body(&ledgers[member.id, default: fresh])
  }

  /// The counter is not used up: the client may send what is missing, and then this one again.
  private func refuseGap(
    _ numbered: NumberedCommand, after last: CommandCounter, by member: MemberID, _ hasPaid: Bool
  ) -> Decision {
    let refusal = Refusal(
      .outOfOrder, cause: "The command's counter leaves a gap.",
      cure: "Send the commands that are missing, then this one again.",
      actual: Int(clamping: numbered.counter), allowed: Int(clamping: last + 1))
    let event = Event.refused(
      RefusedCommand(kind: numbered.command.kind.rawValue, code: .outOfOrder))
    return .refused(refusal, hasPaid ? [Proposed(actor: .member(member), event: event)] : [])
  }

  private func checkRate(_ hasPaid: Bool) throws(Refusal) {
    guard hasPaid else { throw Refusal(.rateLimited, allowed: policy.rate?.sustained) }
  }

  /// DEC-4: the first refusal of a flood is recorded, the others are not, or the flood would fill the log.
  private mutating func record(
    _ refusal: Refusal, of numbered: NumberedCommand, by author: Member, _ hasPaid: Bool, at now: Timestamp
  ) -> Decision {
    let isFirst = ledger(of: author, at: now) { ledger in
      defer { ledger.isDry = !hasPaid }
      return hasPaid || !ledger.isDry
    }
    guard isFirst else { return .refused(refusal, []) }
    let event = Event.refused(
      RefusedCommand(kind: numbered.command.kind.rawValue, code: refusal.code))
    return .refused(
      refusal, [Proposed(actor: .member(author.id), counter: numbered.counter, event: event)])
  }

  // MARK: Positions

  private enum PositionKind { case pointer, camera }

  private func pace(_ kind: PositionKind) -> RoomPolicy.Pace {
    switch kind {
    case .pointer: policy.pointers
    case .camera: policy.cameras
    }
  }

  private func dueTime(_ kind: PositionKind, of member: MemberID) -> Timestamp? {
    guard let ledger = ledgers[member], case .every(let pace) = pace(kind) else { return nil }
    switch kind {
    case .pointer: return ledger.pointer.due(pace)
    case .camera: return ledger.camera.due(pace)
    }
  }

  private mutating func release(
    _ kind: PositionKind, of member: MemberID, at now: Timestamp
  ) -> Proposed? {
    switch kind {
    case .pointer: ledgers[member]?.pointer.release(at: now)
    case .camera: ledgers[member]?.camera.release(at: now)
    }
  }

  private mutating func decision(
    _ outcome: Outcome, of numbered: NumberedCommand, by author: Member, at now: Timestamp,
    _ raw: ArraySlice<UInt8>?
  ) -> Decision {
    let proposed = Proposed(
      actor: .member(author.id), counter: numbered.counter, event: outcome.event,
      rawBody: outcome.isVerbatim ? raw : nil)
    switch numbered.command {
    case .pointer: return paced(proposed, .pointer, author, at: now)
    case .camera: return paced(proposed, .camera, author, at: now)
    case .stroke, .setWritable, .globalState, .memberState, .viewMode, .putScenes, .switchScene, .erase,
      .putElement, .magix, .clientPhases:
      return .events([proposed])
    }
  }

  private mutating func paced(
    _ position: Proposed, _ kind: PositionKind, _ author: Member, at now: Timestamp
  ) -> Decision {
    switch pace(kind) {
    case .all: return .events([position])
    case .off: return .events([])
    case .every(let pace):
      let released = ledger(of: author, at: now) { ledger in
        switch kind {
        case .pointer: ledger.pointer.take(position, pace: pace, at: now)
        case .camera: ledger.camera.take(position, pace: pace, at: now)
        }
      }
      if let released { return .events([released]) }
      return .later(dueTime(kind, of: author.id) ?? now)
    }
  }
}
