import BoardroomClient
import BoardroomCore
import BoardroomModel
import EventLogModel

extension SpaceSession {
  /// Joins a channel that the session is not in. `.joined` or `.notJoined` is told, once.
  func join(_ name: String) {
    let place = Place(service: rules.service, account: account, channel: name)
    var policy = rules.policy
    // A channel's connection lasts as long as its login does.
    policy.giveUpAfter = nil
    policy.reconnectTries = nil
    policy.afterTakeover = .closed
    lastChannel += 1
    let number = lastChannel
    let space = makeLink(place, token, policy) { [weak self] news in
      guard let self, channels[name]?.number == number else { return }
      handleChannelLinkNews(news, of: name)
    }
    channels[name] = Channel(space: space, number: number)
    // The question that ends the stay before would end this one, too.
    if unheardLeaves.contains(name) { space.hold(true) }
    begin(space)
  }

  func isIn(_ name: String) -> Bool { channels[name].map { $0.hasJoined && $0.leaving == nil } ?? false }

  /// `.left` follows once the server has heard of it.
  func leave(_ name: String, _ cause: ChannelLeaveCause = .left) {
    guard channels[name] != nil, channels[name]?.leaving == nil else { return }
    channels[name]?.leaving = cause
    channels[name]?.space.leave()
  }

  /// The login is over or another: so are its channels, and what is still said over their connections is not told.
  func endChannels(_ cause: ChannelLeaveCause) {
    let ending = channels.sorted { $0.key < $1.key }
    channels = [:]
    for (name, channel) in ending {
      if cause != .logout { channel.space.leave() }
      if channel.hasJoined {
        delegate?.handleChannelNews(.left(cause), of: name)
      } else {
        delegate?.handleChannelNews(.notJoined(.left), of: name)
      }
    }
  }

  /// The login goes on, and the account says that it is in a channel no longer: this side did not leave, so it was removed.
  func endRemovedChannels() {
    guard let space = login?.space else { return }
    let there = Set(space.slots[rules.service]?.channels ?? [])
    for (name, channel) in channels.sorted(by: { $0.key < $1.key })
    where channel.hasJoined && channel.leaving == nil && !there.contains(name) {
      gone(name, .kicked)
    }
  }

  /// The account's log says so while the channel's own connection is away, and cannot.
  func removed(_ left: ChannelLeft) {
    guard left.service == rules.service, left.cause == .kicked, let channel = channels[left.channel],
      channel.hasJoined, channel.leaving == nil,
      channel.space.phase != .connected
    else { return }
    gone(left.channel, .kicked)
  }

  private func handleChannelLinkNews(_ news: SpaceNews, of name: String) {
    guard let channel = channels[name] else { return }
    switch news {
    case .entered(.first):
      channels[name]?.hasJoined = true
      let (members, attributes) = (channel.space.accounts, channel.space.space?.attributes ?? [:])
      delegate?.handleChannelNews(.joined(members: members, attributes: attributes), of: name)
    case .entered(.anew):
      if !rules.comesBack { gone(name, .offline) }
    case .happened(let happening): delegate?.handleChannelNews(.happened(happening), of: name)
    case .ended(let end, let wasJoining): ended(name, end, wasJoining: wasJoining)
    case .tokenExpired: login?.askForToken()
    case .connecting, .entered(.resumed), .reconnecting, .mended, .attempt, .lost, .tokenWillExpire,
      .tokenRenewed:
      break
    }
  }

  private func gone(_ name: String, _ cause: ChannelLeaveCause) {
    let channel = channels.removeValue(forKey: name)
    channel?.space.leave()
    // Nobody listens any more to whether that was heard. Who was removed has nothing to leave.
    if cause == .offline { leaveByLogin(name) }
    delegate?.handleChannelNews(.left(cause), of: name)
  }

  private func ended(_ name: String, _ end: ConnectionEnd, wasJoining: Bool) {
    let channel = channels.removeValue(forKey: name)
    if let channel, end.isOfThisSide, !channel.space.leaveIsConfirmed { leaveByLogin(name) }
    if wasJoining {
      delegate?.handleChannelNews(.notJoined(end.error(after: channel?.space.lastFailure)), of: name)
    } else {
      delegate?.handleChannelNews(.left(channel?.leaving ?? ChannelLeaveCause(end)), of: name)
    }
  }

  // MARK: Leaves that nobody has heard

  /// The channel's connection ended without the server's word that the member has left, and the login keeps the member in the channel
  /// (ACC-12): the account's server is asked to leave it, at once or when the login is connected again.
  private func leaveByLogin(_ name: String) {
    if unheardLeaves.insert(name).inserted { askToLeave(name) }
  }

  /// The login goes on: what it could not ask, or had no answer to, is asked now.
  func leaveAgain() {
    for name in unheardLeaves.sorted() { askToLeave(name) }
  }

  private func askToLeave(_ name: String) {
    guard let login, let accepts = login.acceptsLeaveChannel else { return }
    // A server of before would end the login: the member stays for as long as that lasts.
    guard accepts else { return noteLeft(name) }
    login.ask(.leaveChannel(channel: name)) { [weak self, stay] result in
      guard let self, self.stay == stay else { return }
      switch result.failure?.code {
      // The connection is lost or about to be, or there is too much on it.
      case .networkLost, .notConnected, .goingAway, .rateLimited: break
      default: noteLeft(name)
      }
    }
  }

  /// The stay is over, as far as can be known: another one may begin.
  private func noteLeft(_ name: String) {
    guard unheardLeaves.remove(name) != nil, isConnected else { return }
    channels[name]?.space.hold(false)
  }

  // MARK: In the channel

  func say(
    _ text: String, id: String, in name: String, late: @escaping () -> Void,
    _ completion: @escaping (BoardroomError?) -> Void
  ) {
    submit(.say(ChannelMessage(id: id, text: text)), in: name, late: late, completion)
  }

  func submit(
    _ command: SpaceCommand, in name: String, late: @escaping () -> Void = {},
    _ completion: @escaping (BoardroomError?) -> Void
  ) {
    guard isConnected else { return completion(BoardroomError(.notConnected)) }
    guard isIn(name), let space = channels[name]?.space else { return completion(BoardroomError(.notMember)) }
    let answer = Self.answer(completion, late: late)
    space.submit(command, answer)
  }

  /// Members, oldest first, and attributes, as far as the log has come; nil if the session is not in it.
  func known(of name: String) -> (members: [String], attributes: [String: String])? {
    guard isIn(name), let space = channels[name]?.space else { return nil }
    return (space.accounts, space.space?.attributes ?? [:])
  }
}

extension ConnectionEnd {
  /// Whether the server may not know of it.
  fileprivate var isOfThisSide: Bool {
    switch self {
    case .left, .joinLimit, .gaveUp: true
    case .refused: false
    }
  }
}

extension ChannelLeaveCause {
  /// Why a stay in a channel is over, as its connection's or its login's end says.
  init(_ end: ConnectionEnd) {
    switch end {
    case .left: self = .left
    case .joinLimit, .gaveUp: self = .offline
    case .refused(let farewell):
      self = FaceCodes(farewell.code).leave
    }
  }
}
