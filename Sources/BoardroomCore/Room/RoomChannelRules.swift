import BoardroomModel
import EventLogModel

/// What one may do to a channel, from inside of it and from outside.
extension Room {
  /// Decides on a command that an account gives from outside of the channel, over the connection of its account
  /// (SIG-M5): the events, in the server's name and with the account as `by`.
  ///
  /// Throws what a member would be refused with, but for what concerns members only: neither counter nor role.
  public mutating func decide(
    spaceCommand command: SpaceCommand, by account: String, at now: Timestamp
  ) throws(Refusal) -> [Proposed] {
    guard case .channel(let service, _) = state.space?.name else { throw Refusal(.unknownKind) }
    try checkOpen()
    guard !state.isBanned else { throw Refusal(.banned) }
    if let flood = pay(for: command, by: account, in: service, at: now) { throw flood.refusal }
    try check(channel: command, of: service)
    return [Proposed(actor: .server, event: .space(Self.event(of: command, from: account)))]
  }

  /// Takes a command's share of the channel's rates; what it ran into, or nil.
  mutating func pay(
    for command: SpaceCommand, by account: String, in service: Service, at now: Timestamp
  ) -> ChannelRates.Flood? {
    guard let space = state.space else { return nil }
    return channelRates.pay(
      for: command, by: account, in: space, of: service, ceiling: inForce.channelMessages, at: now)
  }

  func check(channel command: SpaceCommand, of service: Service) throws(Refusal) {
    guard state.space?.name.isSpecial == false else {
      throw Refusal(
        .forbidden, cause: "In this channel only the server speaks.", cure: "Use a channel of your own.")
    }
    switch command {
    case .setAttributes(let set): try check(set, of: service)
    case .clearAttributes: return
    case .say(let message):
      try checkSize(message.text.utf8.count, SpaceLimits.of(service).text, LimitName.text)
      try checkSize(message.id.utf8.count, AccountPolicy.messageName, LimitName.messageName)
    case .acknowledge: throw Refusal(.unknownKind)
    }
  }

  private func check(_ set: AttributesSet, of service: Service) throws(Refusal) {
    let limits = SpaceLimits.of(service)
    for field in set.fields {
      try checkSize(field.name.utf8.count, limits.name, LimitName.attributeName)
      try SpaceName.check(visible: field.name, of: "attribute")
      try checkSize(field.value?.utf8.count ?? 0, limits.value, LimitName.attributeValue)
      if service == .signaling, BuiltIn.isReserved(field.name) {
        try ChannelBuiltIn.check(field, messages: inForce.channelMessages)
      }
    }
    try checkTotals(set, limits)
  }

  /// What makes a channel's attributes no more and no larger is accepted whatever the limits (LIM-3).
  private func checkTotals(_ set: AttributesSet, _ limits: SpaceLimits) throws(Refusal) {
    let before = state.space?.attributes ?? [:]
    var after = before
    for field in set.fields { after[field.name] = field.value }
    if after.count > before.count, after.count > limits.items {
      throw Refusal(
        .tooMany, actual: after.count, allowed: limits.items, limit: LimitName.attributeCount)
    }
    let size = after.textSize
    if size > before.textSize { try checkSize(size, limits.total, LimitName.attributeTotal) }
  }
}

extension [String: String] {
  /// Bytes of names and values.
  var textSize: Int { reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }
}

/// What the attributes of a Signaling channel say that mean something to the server (PARITY rows SIGB): whole numbers in
/// decimal, without sign or leading zeros.
enum ChannelBuiltIn {
  /// The largest whole number that the source system's own clients can say.
  private static let most = Int(Int32.max)

  /// What may be set to what; nil: the server's own, or not known.
  private static func range(of name: String, messages: Int) -> ClosedRange<Int>? {
    switch name {
    case BuiltIn.userNotification: 0...1
    case BuiltIn.channelTTL, BuiltIn.autoUpdate, BuiltIn.autoUpdateTotal, BuiltIn.attributeLimit: 0...most
    case BuiltIn.messageLimit: 1...max(1, messages)
    default: nil
    }
  }

  /// Taking one away is setting it to its default. Signaling's code for all that is wrong here is 1004.
  static func check(_ field: AttributesSet.Field, messages: Int) throws(Refusal) {
    guard let range = range(of: field.name, messages: messages) else {
      let isServers = field.name == BuiltIn.memberNumber || field.name == BuiltIn.totalNumber
      throw Refusal(
        .badParameter,
        cause: isServers ? "Only the server sets \(field.name)." : "No built-in attribute has this name.",
        cure: "Names that begin with _ are built in; give your own attributes others.")
    }
    guard let text = field.value else { return }
    guard let value = Int(text), String(value) == text, range.contains(value) else {
      throw Refusal(
        .badParameter, cause: "\(field.name) cannot be set to this.",
        cure: "Set it to a whole number from \(range.lowerBound) to \(range.upperBound).",
        actual: Int(text), allowed: range.upperBound, limit: field.name)
    }
  }
}

extension SpaceState {
  /// A built-in attribute of a Signaling channel as a number; nil where it was not set, or this is none.
  func builtIn(_ name: String) -> Int? {
    guard case .channel(.signaling, _) = self.name else { return nil }
    return attributes[name].flatMap { Int($0) }
  }
}
