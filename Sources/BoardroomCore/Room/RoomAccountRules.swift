import BoardroomModel
import EventLogModel

/// What a login may do in its own account (PARITY rows SIG-A, SIG-M).
extension Room {
  /// The service that a login of this account uses.
  public func service(of login: MemberID) -> Service? {
    state.members[login]?.uid.flatMap { Service(rawValue: $0) }
  }

  /// ACC-7, ACC-8: one's own attributes. `_conn_timeout` is kept as what it comes to.
  func setOwnAttributes(_ set: AttributesSet, by login: MemberID) throws(Refusal) -> Outcome {
    guard let service = service(of: login) else { throw Refusal(.notMember) }
    let limits = SpaceLimits.of(service)
    var fields: [AttributesSet.Field] = []
    for field in set.fields {
      try checkSize(field.name.utf8.count, limits.name, LimitName.attributeName)
      try checkName(field.name, of: "attribute")
      try checkSize(field.value?.utf8.count ?? 0, limits.value, LimitName.attributeValue)
      fields.append(service == .signaling ? try builtIn(field) : field)
    }
    try checkAttributes(merging: fields, of: service)
    return Outcome(event: .space(.attributesSet(AttributesSet(fields))), isVerbatim: fields == set.fields)
  }

  /// SIG-A2, SIG-A7: names with `_` are the server's, and it knows one of an account.
  private func builtIn(_ field: AttributesSet.Field) throws(Refusal) -> AttributesSet.Field {
    guard BuiltIn.isReserved(field.name) else { return field }
    guard field.name == BuiltIn.connectionTimeout else {
      throw Refusal(
        .badParameter, cause: "An attribute's name begins with _ and is not one that the server knows.",
        cure: "Give your own attributes other names.")
    }
    guard let value = field.value else { return field }
    guard let seconds = Int(value) else {
      throw Refusal(
        .badParameter, cause: "_conn_timeout is not a whole number of seconds.", cure: "Send 20 to 120.")
    }
    return .init(name: field.name, value: String(AccountPolicy.clamped(timeout: seconds)))
  }

  /// SPC-4: how many, and all of them together. What makes them no more and no larger is accepted (LIM-3).
  private func checkAttributes(
    merging fields: [AttributesSet.Field], of service: Service
  ) throws(Refusal) {
    let allowed = AccountPolicy.attributes(of: service)
    let before = state.space?.slots[service]?.attributes ?? [:]
    var after = before
    for field in fields { after[field.name] = field.value }
    if after.count > before.count, after.count > allowed.count {
      throw Refusal(
        .tooMany, actual: after.count, allowed: allowed.count, limit: LimitName.attributeCount)
    }
    let size = after.textSize
    if size > before.textSize { try checkSize(size, allowed.bytes, LimitName.attributeTotal) }
  }

  /// ASK-5: own attributes change as fast as those of a channel do from outside.
  mutating func charge(
    own command: SpaceCommand, to login: MemberID, at now: Timestamp
  ) -> (refusal: Refusal, bucket: UInt64)? {
    switch command {
    case .setAttributes, .clearAttributes: break
    case .say, .acknowledge: return nil
    }
    guard let service = service(of: login) else { return nil }
    var window = ownChanges[service] ?? AccountPolicy.changes(of: service)
    defer { ownChanges[service] = window }
    let bit = command.kind.bit
    guard window.take(at: now) else {
      let refusal = Refusal(
        .rateLimited, actual: window.count + 1, allowed: window.count,
        limit: LimitName.rate(of: command.kind))
      return (refusal, bit)
    }
    ledgers[login]?.dry &= ~bit
    return nil
  }

  /// ACC-15: up to a version that there is; what was acknowledged before changes nothing (IDEM-5).
  func acknowledge(_ version: UInt64, by login: MemberID) throws(Refusal) -> Outcome {
    guard case .account = state.space?.name, let service = service(of: login) else {
      throw Refusal(.unknownKind)
    }
    let slot = state.space?.slots[service] ?? AccountSlot()
    guard version <= slot.lastVersion else {
      throw Refusal(
        .badParameter, cause: "There is no such version in the mailbox.",
        cure: "Acknowledge what has come.")
    }
    guard version > slot.acked else { return .nothing }
    return Outcome(event: .space(.inboxAcked(version)), isVerbatim: true)
  }
}
