import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// The one channel that a Signaling client is in, or is on its way into (SIG-C2). The special channels are beside it.
struct SignalingChannel {
  var current: String?
  /// What follows once the current one is left.
  var next: String?
  /// `_userNotification` 0: who comes and goes is not told.
  var isQuiet = false
}

extension SignalingCore {
  // MARK: Joining and leaving

  func join(_ name: String) {
    guard status == .loggedIn else {
      return failJoin(name, .notLogin, "Log in first.")
    }
    if let obstacle = SignalingLimits.obstacle(toName: name) {
      return failJoin(name, obstacle, "A channel's name is 1 to 128 bytes of visible characters.")
    }
    if SpaceName.channel(.signaling, name).isSpecial { return joinSpecial(name) }
    if let passed = channel.next, passed != name {
      failJoin(passed, .failed, "Another channel was joined meanwhile.")
    }
    channel.next = nil
    guard let current = channel.current else { return enter(name) }
    guard current != name else { return again(name) }
    channel.next = name
    session.leave(current, .moved)
  }

  /// SIG-C8: beside the one channel.
  private func joinSpecial(_ name: String) {
    if session.isIn(name) { return report(.channelJoined(channelID: name)) }
    if session.channels[name] == nil { session.join(name) }
  }

  private func again(_ name: String) {
    if session.channels[name]?.leaving != nil { channel.next = name }
    if session.isIn(name) { report(.channelJoined(channelID: name)) }
  }

  private func enter(_ name: String) {
    channel = SignalingChannel(current: name)
    session.join(name)
  }

  private func failJoin(_ name: String, _ code: SignalingCode, _ what: String) {
    report(.channelJoinFailed(channelID: name, ecode: .joinChannelOther))
    complain("channelJoin", code, what)
  }

  func leave(_ name: String) {
    guard status == .loggedIn else { return complain("channelLeave", .notLogin, "Log in first.") }
    guard session.channels[name] != nil else {
      return report(.channelLeaved(channelID: name, ecode: .leaveChannelByUser))
    }
    session.leave(name)
  }

  // MARK: What the session tells

  func handleChannelNews(_ news: ChannelNews, of name: String) {
    switch news {
    case .joined(let members, let attributes): joined(name, members, attributes)
    case .notJoined(let error):
      over(name) {
        failJoin(name, FaceCodes(error.code).signaling.general, error.description)
      }
    case .happened(let happening): happened(happening, in: name)
    case .left(let cause): over(name) { left(name, cause) }
    }
  }

  private func joined(_ name: String, _ members: [String], _ attributes: [String: String]) {
    if channel.current == name { channel.isQuiet = attributes[BuiltIn.userNotification] == "0" }
    let newest = Self.newest(members)
    report(.channelJoined(channelID: name))
    report(.channelUserList(accounts: newest, uids: newest.map { _ in 0 }))
    for (key, value) in attributes.sorted(by: { $0.key < $1.key }) {
      report(.channelAttrUpdated(channelID: name, name: key, value: value, type: "update"))
    }
  }

  private static func newest(_ members: [String]) -> [String] {
    Array(members.suffix(SignalingLimits.userList))
  }

  /// The newest 200 of a channel that one is in; empty if one is not.
  func users(of name: String) -> [String] {
    Self.newest(session.known(of: name)?.members ?? [])
  }

  private func over(_ name: String, _ say: () -> Void) {
    let next = channel.next
    say()
    guard channel.current == name else { return }
    channel = SignalingChannel()
    guard let next else { return }
    if status == .loggedIn { enter(next) } else { failJoin(next, .notLogin, "The login is over.") }
  }

  private func isQuiet(_ name: String) -> Bool { channel.isQuiet && channel.current == name }

  private func left(_ name: String, _ cause: ChannelLeaveCause) {
    switch cause {
    case .left, .moved:
      if !isQuiet(name) { report(.channelUserLeaved(account: session.account, uid: 0)) }
      report(.channelLeaved(channelID: name, ecode: .success))
    case .logout, .replaced: report(.channelLeaved(channelID: name, ecode: .leaveChannelLogout))
    case .offline: report(.channelLeaved(channelID: name, ecode: .leaveChannelDisconnected))
    case .kicked: report(.channelLeaved(channelID: name, ecode: .leaveChannelKicked))
    }
  }

  private func happened(_ happening: SpaceHappening, in name: String) {
    switch happening {
    case .joined(let user):
      if user != session.account, !isQuiet(name) { report(.channelUserJoined(account: user, uid: 0)) }
    case .left(let user, _):
      if user != session.account, !isQuiet(name) { report(.channelUserLeaved(account: user, uid: 0)) }
    case .event(let event, let user): happened(event, by: user, in: name)
    }
  }

  private func happened(_ event: SpaceEvent, by user: String?, in name: String) {
    func update(_ key: String, _ value: String, _ type: String) {
      report(.channelAttrUpdated(channelID: name, name: key, value: value, type: type))
    }
    switch event {
    case .channelMessage(let said):
      report(.messageChannelReceive(channelID: name, account: user ?? "", uid: 0, msg: said.text))
    case .attributesSet(let set):
      for field in set.fields {
        if field.name == BuiltIn.userNotification { channel.isQuiet = field.value == "0" }
        update(field.name, field.value ?? "", field.value == nil ? "del" : "update")
      }
    case .attributesCleared:
      channel.isQuiet = false
      update("", "", "clear")
    case .numbersTold(let numbers):
      update(BuiltIn.memberNumber, "\(numbers.members)", "update")
      if let total = numbers.total { update(BuiltIn.totalNumber, "\(total)", "update") }
    case .presence(let presence): tellPresence(presence, in: name)
    case .created, .expired, .inboxMessage, .inboxAcked, .inboxExpired, .channelEntered, .channelLeft,
      .inviteMoved, .inviteHeard, .questionApplied:
      break
    }
  }

  /// In the special channels (SIG-C6, SIG-C7), as a message of whom it is about.
  private func tellPresence(_ presence: Presence, in name: String) {
    var fields: [(String, JSONValue)] = [("account", .string(presence.account))]
    if let channel = presence.channel { fields.append(("channel", .string(channel))) }
    let (come, go) = presence.channel == nil ? ("login", "logout") : ("join", "leave")
    fields.append(("event", .string(presence.isHere ? come : go)))
    let text = JSONValue.object(fields).text.text
    report(.messageChannelReceive(channelID: name, account: presence.account, uid: 0, msg: text))
  }

  // MARK: Attributes and numbers

  func setAttribute(_ method: String, _ channel: String, _ key: String, _ value: String?) {
    if let obstacle = SignalingLimits.obstacle(toAttribute: key, value: value, ofChannel: true) {
      return complain(
        method, obstacle, "Names are up to 128 bytes, values up to 8,096; those with _ are built in.")
    }
    let set = AttributesSet([.init(name: key, value: value)])
    change(method, channel, .setAttributes(set), orAsk: .setChannelAttributes(channel: channel, set))
  }

  func clearAttributes(_ channel: String) {
    change("channelClearAttr", channel, .clearAttributes, orAsk: .clearChannelAttributes(channel: channel))
  }

  /// In the channel as its member, otherwise from outside.
  private func change(_ method: String, _ name: String, _ command: SpaceCommand, orAsk question: Question) {
    let complain: (BoardroomError?) -> Void = { [weak self] error in
      if let error { self?.complain(method, error) }
    }
    if session.isIn(name) {
      session.submit(command, in: name, complain)
    } else {
      session.ask(question) { complain($0.failure) }
    }
  }

  func countUsers(_ name: String) {
    session.ask(.channelCount(channel: name)) { [weak self] result in
      guard let self else { return }
      switch result.flatMap({ $0.asNumber }) {
      case .success(let number):
        report(.channelQueryUserNumResult(channelID: name, ecode: .success, num: number))
      case .failure(let error):
        let code = FaceCodes(error.code).signaling.query
        report(.channelQueryUserNumResult(channelID: name, ecode: code, num: 0))
      }
    }
  }
}

extension Reply {
  var asNumber: Result<Int, BoardroomError> {
    if case .number(let number) = self { .success(number) } else { .failure(.strangeAnswer) }
  }
  var asAttributes: Result<[String: String], BoardroomError> {
    if case .attributes(let attributes) = self { .success(attributes) } else { .failure(.strangeAnswer) }
  }
}
