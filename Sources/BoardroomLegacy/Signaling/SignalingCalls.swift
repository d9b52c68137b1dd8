import BoardroomClient
import BoardroomCore
import BoardroomModel
import EventLogModel

// Messages, users and invitations of Signaling.

extension SignalingCore {
  // MARK: Messages

  /// An empty name is made one (SIG-M2).
  private func named(_ id: String) -> String { id.isEmpty ? session.newName() : id }

  private func sent(_ id: String) -> (BoardroomError?) -> Void {
    { [weak self] error in
      guard let self else { return }
      guard let error else { return report(.messageSendSuccess(messageID: id)) }
      report(.messageSendError(messageID: id, ecode: FaceCodes(error.code).signaling.message))
    }
  }

  /// The name it goes under; nil if it does not go.
  private func begin(_ msg: String, _ id: String) -> String? {
    let id = named(id)
    guard status == .loggedIn else {
      report(.messageSendError(messageID: id, ecode: .sendMessageTimeout))
      return nil
    }
    if let obstacle = SignalingLimits.obstacle(toText: msg) {
      report(.messageSendError(messageID: id, ecode: obstacle))
      return nil
    }
    return id
  }

  func send(_ account: String, _ msg: String, _ id: String, holds: Bool) {
    guard let id = begin(msg, id) else { return }
    if let obstacle = SignalingLimits.obstacle(toName: account) {
      return report(.messageSendError(messageID: id, ecode: obstacle))
    }
    let sent = sent(id)
    session.ask(.send(account: account, id: id, text: msg, holds: holds)) { sent($0.failure) }
  }

  func say(_ channel: String, _ msg: String, _ id: String) {
    guard let id = begin(msg, id) else { return }
    let sent = sent(id)
    session.say(msg, id: id, in: channel, late: { sent(nil) }, sent)
  }

  func sayFromOutside(_ channel: String, _ msg: String, _ id: String) {
    guard let id = begin(msg, id) else { return }
    let sent = sent(id)
    session.ask(.say(channel: channel, ChannelMessage(id: id, text: msg))) { sent($0.failure) }
  }

  // MARK: Users

  func queryStatus(_ name: String) {
    session.ask(.userStatus(account: name)) { [weak self] result in
      guard let self else { return }
      switch result.flatMap({ $0.asNumber }) {
      case .success(let number): report(.queryUserStatusResult(name: name, status: number == 1 ? "1" : "0"))
      case .failure(let error): complain("queryUserStatus", error)
      }
    }
  }

  func setOwn(_ name: String, _ value: String, _ completion: @escaping (BoardroomError?) -> Void) {
    if let obstacle = SignalingLimits.obstacle(toAttribute: name, value: value, ofChannel: false) {
      return completion(BoardroomError(obstacle == .largeParam ? .tooLarge : .badParameter))
    }
    let seconds = name == BuiltIn.connectionTimeout ? Int(value) : nil
    guard name != BuiltIn.connectionTimeout || seconds != nil else {
      return completion(BoardroomError(.badParameter))
    }
    session.setAttributes([.init(name: name, value: value)]) { [weak self] error in
      if error == nil, let seconds { self?.follow(timeout: seconds) }
      completion(error)
    }
  }

  /// Nil: one's own.
  func attributes(
    _ method: String, of account: String?,
    _ answer: @escaping (SignalingCore, String, [String: String]) -> Void
  ) {
    let account = account ?? session.account
    session.ask(.userAttributes(account: account)) { [weak self] result in
      guard let self else { return }
      switch result.flatMap({ $0.asAttributes }) {
      case .success(let attributes): answer(self, account, attributes)
      case .failure(let error): complain(method, error)
      }
    }
  }

  // MARK: Invitations

  func invite(_ channel: String, _ account: String, _ extra: String) {
    func fail(_ code: SignalingCode) {
      report(.inviteFailed(channelID: channel, account: account, uid: 0, ecode: code, extra: extra))
    }
    guard status == .loggedIn else { return fail(.inviteNet) }
    let names = [SignalingLimits.obstacle(toName: account), SignalingLimits.obstacle(toName: channel)]
    if let obstacle = names.compactMap(\.self).first { return fail(obstacle) }
    let options: SignalingInviteOptions
    do throws(SignalingCode) { options = try SignalingInviteOptions(extra) } catch { return fail(error) }
    session.invite(
      account, to: channel, extra: extra, needsPeer: options.needsPeer, timeout: options.timeout
    ) { [weak self] result in
      guard case .failure(let error) = result else { return }
      let code = FaceCodes(error.code).signaling.invite
      self?.report(.inviteFailed(channelID: channel, account: account, uid: 0, ecode: code, extra: extra))
    }
  }

  func answer(_ method: String, _ channel: String, _ caller: String, _ extra: String, _ act: InviteAct) {
    do throws(SignalingCode) { _ = try SignalingLimits.object(extra) } catch {
      return complain(
        method, error, "An extra is a JSON object of up to \(SignalingLimits.text) bytes, or empty.")
    }
    let key = session.call(from: caller, to: channel)
    move(method, key.map { ($0.caller, $0.serial) }, act)
  }

  /// The newest invitation between the two.
  func moveEither(_ method: String, _ channel: String, _ account: String, _ act: InviteAct) {
    move(method, session.invitation(with: account, to: channel), act)
  }

  private func move(_ method: String, _ which: (caller: String?, serial: UInt64)?, _ act: InviteAct) {
    guard status == .loggedIn else { return complain(method, .notLogin, "Log in first.") }
    guard let which else { return complain(method, BoardroomError(.noSuchInvite)) }
    session.ask(.moveInvite(caller: which.caller, serial: which.serial, act)) { [weak self] result in
      if let error = result.failure { self?.complain(method, error) }
    }
  }

  func tones(_ method: String, _ channel: String, _ account: String, _ digits: String) {
    guard SignalingLimits.isTones(digits) else {
      return complain(method, .wrongParam, "Tones are 1 to 64 of 0-9 * #.")
    }
    moveEither(method, channel, account, .tones(digits: digits))
  }

  /// To the other side of the newest call that is open.
  func sendTones(_ digits: String, _ id: String) {
    guard let id = begin(digits, id) else { return }
    guard SignalingLimits.isTones(digits) else {
      return report(.messageSendError(messageID: id, ecode: .wrongParam))
    }
    guard let which = session.newestCall else {
      return report(.messageSendError(messageID: id, ecode: .sendMessageOther))
    }
    let sent = sent(id)
    session.ask(.moveInvite(caller: which.caller, serial: which.serial, .tones(digits: digits))) {
      sent($0.failure)
    }
  }

  // MARK: What becomes of them

  func handleInviteMoved(_ invitation: Invitation, _ move: InviteMoved.Move) {
    let (channel, callee) = (invitation.channel, invitation.callee)
    switch move {
    case .ringing: report(.inviteReceivedByPeer(channelID: channel, account: callee, uid: 0))
    case .accepted(let extra):
      report(.inviteAcceptedByPeer(channelID: channel, account: callee, uid: 0, extra: extra))
    case .refused(let extra):
      report(.inviteRefusedByPeer(channelID: channel, account: callee, uid: 0, extra: extra))
    case .failed(let code):
      let code = SignalingCode(rawValue: code) ?? .inviteOther
      report(
        .inviteFailed(channelID: channel, account: callee, uid: 0, ecode: code, extra: invitation.extra))
    case .ended(let byCaller, let extra): tellEnd(channel, callee, byMyself: byCaller, extra)
    case .tones(byCaller: false, let digits): tellTones(channel, callee, digits)
    case .created, .waiting, .sent, .tones: break
    }
  }

  func handleInviteHeard(_ key: CallKey, _ call: Call, _ news: InviteHeard.News) {
    switch news {
    case .withdrawn: tellEnd(call.channel, key.caller, byMyself: false, "")
    case .ended(let byCaller, let extra): tellEnd(call.channel, key.caller, byMyself: !byCaller, extra)
    case .tones(let digits): tellTones(call.channel, key.caller, digits)
    case .offered, .accepted, .refused: break
    }
  }

  private func tellEnd(_ channel: String, _ other: String, byMyself: Bool, _ extra: String) {
    report(
      byMyself
        ? .inviteEndByMyself(channelID: channel, account: other, uid: 0)
        : .inviteEndByPeer(channelID: channel, account: other, uid: 0, extra: extra))
  }

  private func tellTones(_ channel: String, _ other: String, _ digits: String) {
    report(
      .inviteMsg(
        channelID: channel, account: other, uid: 0, msgType: "DTMF", msgData: digits, extra: ""))
  }
}
