import BoardroomClient
import BoardroomCore
import BoardroomModel
import EventLogModel

// What comes to an account: messages, and news of invitations. Each is told once, whether it came as an event or lay in
// the account when the login came.

extension SpaceSession {
  /// What lay there when the login came, or was between two snapshots.
  func deliver(heldIn space: SpaceState) {
    let slot = space.slots[rules.service] ?? AccountSlot()
    for held in slot.inbox { deliver(held.version, from: held.from, id: held.id, text: held.text) }
    for (serial, invitation) in space.invitations where invitation.service == rules.service {
      if invitations[serial] == nil { invitations[serial] = invitation }
    }
    for (key, call) in space.calls.sorted(by: { $0.key < $1.key }) where call.service == rules.service {
      // What an earlier login accepted goes on: it can be ended, and heard to end (INV-6).
      if call.isAccepted {
        calls[key] = call
      } else if unrung.contains(key) {
        ring(key)
      } else {
        offer(key, call)
      }
    }
    acknowledge()
  }

  func happened(_ happening: SpaceHappening) {
    guard case .event(let event, _) = happening else { return }
    switch event {
    case .inboxMessage(let message):
      // What was missed may be over by now: it was held for its time, or taken by another login.
      guard message.service == rules.service, isHeld(message.version) else { return }
      deliver(message.version, from: message.from, id: message.id, text: message.text)
    case .inviteMoved(let moved): handleInviteMoved(moved)
    case .inviteHeard(let heard):
      if heard.service == rules.service { handleInviteHeard(heard) }
    case .channelLeft(let left): removed(left)
    case .created, .attributesSet, .attributesCleared, .channelMessage, .numbersTold, .expired, .inboxAcked,
      .inboxExpired, .channelEntered, .presence, .questionApplied:
      return
    }
  }

  private func isHeld(_ version: UInt64) -> Bool {
    let slot = (login?.space ?? spaceRead?())?.slots[rules.service]
    return slot?.inbox.contains { $0.version == version } ?? false
  }

  private func deliver(_ version: UInt64, from: String, id: String, text: String) {
    guard version > delivered else { return }
    // One acknowledgement for all that comes in one turn.
    if !isToAcknowledge {
      isToAcknowledge = true
      context.executeConfined { [weak self] in self?.acknowledge() }
    }
    delivered = version
    delegate?.handleAccountNews(.message(from: from, id: id, text: text))
  }

  /// One that fails is given again when the login comes back, or with the next message.
  private func acknowledge() {
    isToAcknowledge = false
    guard delivered > acknowledged else { return }
    let (version, before) = (delivered, acknowledged)
    acknowledged = version
    submit(.acknowledge(version)) { [weak self] error in
      guard error != nil, let self, acknowledged == version else { return }
      acknowledged = before
    }
  }

  // MARK: Own invitations

  private func handleInviteMoved(_ moved: InviteMoved) {
    if case .created(let service, let channel, let callee, let extra, let needsPeer, let until) = moved.move {
      guard service == rules.service else { return }
      let now = context.now
      invitations[moved.serial] = Invitation(
        serial: moved.serial, service: service, channel: channel, callee: callee, extra: extra,
        needsPeer: needsPeer, until: until, began: now, since: now)
    }
    guard let invitation = invitations[moved.serial] else { return }
    switch moved.move {
    case .refused, .failed, .ended: invitations[moved.serial] = nil
    // RTM's is over with its answer, and nothing is told of it after that (PARITY rows SIG-I, SIGI).
    case .accepted:
      if rules.service == .rtm { invitations[moved.serial] = nil }
      invitations[moved.serial]?.step = .accepted
    case .created, .waiting, .sent, .ringing, .tones: break
    }
    delegate?.handleAccountNews(.moved(invitation, moved.move))
  }

  // MARK: Invitations of others

  private func offer(_ key: CallKey, _ call: Call) {
    guard calls[key] == nil else { return }
    calls[key] = call
    delegate?.handleAccountNews(.offered(key, call))
    ring(key)
  }

  /// The device has it: nobody has to say so but this client (SIG-I2). Where that is lost with the connection it is said again over the
  /// next one, or the caller's wait for a device would end the call.
  private func ring(_ key: CallKey) {
    unrung.insert(key)
    ask(.moveInvite(caller: key.caller, serial: key.serial, .ring)) { [weak self] result in
      if case .success = result { self?.unrung.remove(key) }
    }
  }

  private func handleInviteHeard(_ heard: InviteHeard) {
    let key = CallKey(caller: heard.caller, serial: heard.serial)
    if case .offered(let extra) = heard.news {
      let call = Call(service: heard.service, channel: heard.channel, extra: extra, since: context.now)
      return offer(key, call)
    }
    guard let call = calls[key] else { return }
    switch heard.news {
    case .accepted: if rules.service == .rtm { calls[key] = nil } else { calls[key]?.isAccepted = true }
    case .withdrawn, .refused, .ended: calls[key] = nil
    case .offered, .tones: break
    }
    if calls[key]?.isAccepted ?? true { unrung.remove(key) }
    delegate?.handleAccountNews(.heard(key, call, heard.news))
  }

  // MARK: Asking

  /// `completion` gets the serial of a new invitation.
  func invite(
    _ callee: String, to channel: String, extra: String, needsPeer: Bool, timeout: Duration?,
    _ completion: @escaping (Result<UInt64, BoardroomError>) -> Void
  ) {
    let question = Question.invite(
      channel: channel, account: callee, extra: extra, needsPeer: needsPeer, timeout: timeout)
    ask(question) { result in
      completion(
        result.flatMap { reply in
          if case .invite(let serial) = reply { .success(serial) } else { .failure(.strangeAnswer) }
        })
    }
  }

  /// The newest open invitation from this account to that channel.
  func call(from caller: String, to channel: String) -> CallKey? {
    calls.filter { $0.key.caller == caller && $0.value.channel == channel }.keys.max()
  }

  /// The newest call that was accepted, from whichever side: one's own has no caller.
  var newestCall: (caller: String?, serial: UInt64)? {
    let own = invitations.values.filter { $0.step == .accepted }.max { $0.began < $1.began }
    let theirs = calls.filter { $0.value.isAccepted }.max {
      ($0.value.since, $0.key) < ($1.value.since, $1.key)
    }
    guard let theirs, theirs.value.since > own?.began ?? .zero else { return own.map { (nil, $0.serial) } }
    return (theirs.key.caller, theirs.key.serial)
  }

  /// The newest open invitation between this account and that one to that channel, from whichever side: one's own has no
  /// caller.
  func invitation(with other: String, to channel: String) -> (caller: String?, serial: UInt64)? {
    let own = invitations.values.filter { $0.callee == other && $0.channel == channel }
      .max { $0.serial < $1.serial }
    let theirs = call(from: other, to: channel).flatMap { key in calls[key].map { (key, $0.since) } }
    guard let (key, since) = theirs, since > own?.began ?? .zero else { return own.map { (nil, $0.serial) } }
    return (key.caller, key.serial)
  }
}

extension BoardroomError {
  static let strangeAnswer = BoardroomError(
    .internalFailure, cause: "The server's answer is not one to this question.",
    cure: "Update the client or the server.")
}
