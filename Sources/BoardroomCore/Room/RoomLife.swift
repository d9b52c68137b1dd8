import BoardroomModel
import EventLogModel

/// The family `room`: what operators do to a room. Each gives the events to be recorded, all in one append.
extension Room {
  /// RE-4: bans the room, which removes everybody, or lifts that ban. Nothing if it is so already.
  public func ban(_ isBanned: Bool) throws(Refusal) -> [Proposed] {
    try checkThere()
    guard state.isBanned != isBanned else { return [] }
    let event = Proposed(actor: .server, event: .room(.banned(isBanned)))
    return [event] + (isBanned ? kickEverybody(.roomBan) : [])
  }

  /// Deletes the room, which removes everybody. Nothing if it was deleted before.
  public func delete() throws(Refusal) -> [Proposed] {
    guard state.created != nil else { throw Refusal(.notFound) }
    guard !state.isDeleted else { return [] }
    return [Proposed(actor: .server, event: .room(.deleted))] + kickEverybody(.roomDelete)
  }

  /// Limits of this room over the server's; nil takes one back.
  public func setLimits(_ patch: LimitsPatch) throws(Refusal) -> [Proposed] {
    try checkThere()
    for field in patch.fields {
      guard let limit = RoomLimit.named(field.name) else {
        throw Refusal(
          .badParameter, cause: "There is no limit of this name.",
          cure: "Use a name that docs/OPERATIONS.md lists.")
      }
      guard let value = field.value, !limit.range.contains(value) else { continue }
      throw Refusal(
        .badParameter, cause: "The limit \(limit.name) cannot be set to this.",
        cure: "Set it from \(limit.range.lowerBound) to \(limit.range.upperBound).", actual: value,
        allowed: value < limit.range.lowerBound ? limit.range.lowerBound : limit.range.upperBound,
        limit: limit.name)
    }
    return [Proposed(actor: .server, event: .room(.limitsSet(patch)))]
  }

  func checkThere() throws(Refusal) {
    guard state.created != nil else { throw Refusal(.notFound) }
    try checkOpen()
  }

  private func kickEverybody(_ reason: KickReason) -> [Proposed] {
    state.roster.flatMap { member in
      [
        Proposed(
          actor: .server, event: .members(.kicked(MemberKicked(member: member.id, reason: reason)))),
        Proposed(actor: .member(member.id), event: .members(.left(.kicked))),
      ]
    }
  }

  // MARK: Zombies

  /// When the room becomes a zombie, if nobody does anything until then; nil: never, it is empty, or no room.
  public var nextSweep: Timestamp? {
    guard let after = inForce.zombieAfter, state.space == nil, !state.members.isEmpty else { return nil }
    return lastAct + after
  }

  /// Removes everybody from a room whose members have said nothing for too long. Being connected is not saying
  /// something; joining is.
  public func sweep(at now: Timestamp) -> [Proposed] {
    guard let due = nextSweep, due <= now else { return [] }
    return kickEverybody(.roomZombie)
  }

  // MARK: The operators' log

  /// RE-22: sets a ban, or another one in place of that with this number. It needs a room, a uid, an address or a token;
  /// its own number says nothing.
  public func setBan(_ wanted: Ban, over number: UInt64? = nil) throws(Refusal) -> [Proposed] {
    guard wanted.room != nil || wanted.namesPerson || wanted.address != nil else {
      throw Refusal(
        .badParameter, cause: "The ban names neither room nor uid nor address.", cure: "Name one or more.")
    }
    if let number, state.bans[number] == nil {
      throw Refusal(.notFound, cause: "There is no such ban.", cure: "Check its number.")
    }
    var ban = wanted
    ban.number = number ?? state.revision.next.rawValue
    return [Proposed(actor: .server, event: .room(.banSet(ban)))]
  }

  public func liftBan(_ number: UInt64) throws(Refusal) -> [Proposed] {
    guard state.bans[number] != nil else {
      throw Refusal(.notFound, cause: "There is no such ban.", cure: "Check its number.")
    }
    return [Proposed(actor: .server, event: .room(.banLifted(number)))]
  }

  /// Lifts the bans that have ended.
  public func liftEndedBans(at now: Timestamp) -> [Proposed] {
    state.bans.values.filter { $0.until.map { $0 <= now } ?? false }.map(\.number).sorted()
      .map { Proposed(actor: .server, event: .room(.banLifted($0))) }
  }
}
