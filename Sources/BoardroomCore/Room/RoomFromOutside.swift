import BoardroomModel
import EventLogModel

/// What an account does to a channel without being in it (SIG-M5, spec 7.3). The event names the account.
extension Room {
  public mutating func decide(
    spaceCommand command: SpaceCommand, by account: String, at now: Timestamp
  ) throws(Refusal) -> [Proposed] {
    guard case .channel(let service, _) = state.space?.name else { throw Refusal(.unknownKind) }
    let event: SpaceEvent
    switch command {
    case .setAttributes(let set):
      try check(set, of: service)
      event = .attributesSet(AttributesSet(set.fields, by: account))
    case .clearAttributes: event = .attributesCleared(by: account)
    case .say(let message):
      try checkSize(message.text.utf8.count, SpaceLimits.of(service).text, LimitName.text)
      event = .channelMessage(ChannelMessage(id: message.id, text: message.text, by: account))
    case .acknowledge: throw Refusal(.unknownKind)
    }
    return [Proposed(actor: .server, event: .space(event))]
  }

  private func check(_ set: AttributesSet, of service: Service) throws(Refusal) {
    let limits = SpaceLimits.of(service)
    for field in set.fields {
      try checkSize(field.name.utf8.count, limits.name, LimitName.attributeName)
      try checkName(field.name, of: "attribute")
      try checkSize(field.value?.utf8.count ?? 0, limits.value, LimitName.attributeValue)
    }
  }
}
