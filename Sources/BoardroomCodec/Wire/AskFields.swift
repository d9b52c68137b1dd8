import BoardroomModel
import EventLogModel

// The fields of `ask` and `answer`, both ways.

extension JSONWriter {
  mutating func ask(_ ask: Ask) {
    field("ask", ask.number)
    field("do", ask.question.name)
    switch ask.question {
    case .userStatus(let account), .userAttributes(let account): field("account", account)
    case .usersStatus(let accounts): list("accounts", accounts) { $0.value($1) }
    case .channelAttributes(let channel), .channelCount(let channel), .clearChannelAttributes(let channel),
      .leaveChannel(let channel):
      field("channel", channel)
    case .isInChannel(let channel, let account):
      field("channel", channel)
      field("account", account)
    case .channelUsers(let channel, let limit):
      field("channel", channel)
      field("limit", limit)
    case .setChannelAttributes(let channel, let set):
      field("channel", channel)
      attributesSet(set)
    case .say(let channel, let message):
      field("channel", channel)
      field("id", message.id)
      field("text", message.text)
    case .send(let account, let id, let text, let holds):
      field("account", account)
      field("id", id)
      field("text", text)
      field("holds", holds)
    case .invite(let channel, let account, let extra, let needsPeer, let timeout):
      field("channel", channel)
      field("account", account)
      field("extra", extra)
      field("needsPeer", needsPeer)
      if let timeout { field("timeoutMs", timeout) }
    case .moveInvite(let caller, let serial, let act):
      field("caller", caller)
      field("invite", serial)
      inviteAct(act)
    }
  }

  private mutating func inviteAct(_ act: InviteAct) {
    switch act {
    case .ring: field("act", "ring")
    case .accept(let extra): inviteAct("accept", extra)
    case .refuse(let extra): inviteAct("refuse", extra)
    case .end(let extra): inviteAct("end", extra)
    case .tones(let digits):
      field("act", "tones")
      field("digits", digits)
    }
  }

  private mutating func inviteAct(_ name: String, _ extra: String) {
    field("act", name)
    field("extra", extra)
  }

  mutating func answer(_ answer: Answer) {
    field("ask", answer.number)
    switch answer.result {
    case .failure(let refusal): self.refusal(refusal)
    case .success(.done): field("done", true)
    case .success(.number(let number)): field("number", number)
    case .success(.attributes(let attributes)):
      field("attributes") { writer in
        for name in attributes.keys.sorted(by: precedes) { writer.field(name, attributes[name]) }
      }
    case .success(.users(let users, let total)):
      list("users", users) { $0.value($1) }
      field("total", total)
    case .success(.invite(let serial)): field("invite", serial)
    }
  }
}

extension JSONFields {
  func ask() throws(CodecError) -> Ask {
    Ask(number: try number("ask", upTo: FieldRanges.exactInteger), question: try question())
  }

  private func question() throws(CodecError) -> Question {
    switch try string("do") {
    case "userStatus": return .userStatus(account: try string("account"))
    case "usersStatus": return .usersStatus(accounts: try accounts("accounts"))
    case "userAttributes": return .userAttributes(account: try string("account"))
    case "channelAttributes": return .channelAttributes(channel: try string("channel"))
    case "channelCount": return .channelCount(channel: try string("channel"))
    case "isInChannel":
      return .isInChannel(channel: try string("channel"), account: try string("account"))
    case "channelUsers":
      return .channelUsers(channel: try string("channel"), limit: try count("limit"))
    case "setChannelAttributes":
      return .setChannelAttributes(
        channel: try string("channel"), AttributesSet(try attributesSet().fields))
    case "clearChannelAttributes": return .clearChannelAttributes(channel: try string("channel"))
    case "say":
      return .say(
        channel: try string("channel"), ChannelMessage(id: try label("id"), text: try string("text")))
    case "send":
      return .send(
        account: try string("account"), id: try label("id"), text: try string("text"),
        holds: try bool("holds"))
    case "invite":
      return .invite(
        channel: try string("channel"), account: try string("account"), extra: try string("extra"),
        needsPeer: try bool("needsPeer"), timeout: has("timeoutMs") ? try milliseconds("timeoutMs") : nil)
    case "moveInvite":
      return .moveInvite(
        caller: try optionalString("caller"), serial: try number("invite"), try inviteAct())
    case "leaveChannel": return .leaveChannel(channel: try string("channel"))
    default: throw error("do", "is not a question that docs/PROTOCOL.md lists")
    }
  }

  private func inviteAct() throws(CodecError) -> InviteAct {
    switch try string("act") {
    case "ring": .ring
    case "accept": .accept(extra: try string("extra"))
    case "refuse": .refuse(extra: try string("extra"))
    case "end": .end(extra: try string("extra"))
    case "tones": .tones(digits: try string("digits"))
    default: throw error("act", "is not one of the values that docs/PROTOCOL.md lists")
    }
  }

  func answer() throws(CodecError) -> Answer {
    Answer(number: try number("ask"), result: try reply())
  }

  private func reply() throws(CodecError) -> Result<Reply, Refusal> {
    if has("code") { return .failure(try refusal()) }
    if has("number") { return .success(.number(Int(try signed("number", in: -(1 << 53)...1 << 53)))) }
    if has("invite") { return .success(.invite(try number("invite"))) }
    if has("attributes") {
      let inner = try fields("attributes")
      var attributes: [String: String] = [:]
      for (name, _) in inner.object.members { attributes[name] = try inner.string(name) }
      return .success(.attributes(attributes))
    }
    if has("users") { return .success(.users(try accounts("users"), total: try count("total"))) }
    return .success(.done)
  }

  private func accounts(_ key: String) throws(CodecError) -> [String] {
    var accounts: [String] = []
    for item in try array(key) {
      guard let account = item.string else { throw error(key, "must hold accounts") }
      accounts.append(account)
    }
    return accounts
  }
}
