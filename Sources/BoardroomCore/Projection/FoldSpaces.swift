import BoardroomModel
import EventLogModel

/// The family `space`: channels and accounts.
extension RoomState {
  mutating func fold(_ event: SpaceEvent, by actor: Actor, at time: Timestamp, _ touched: inout RoomParts)
    -> String?
  {
    if case .created(let name) = event { return foldCreated(name, at: time, &touched) }
    guard space != nil else { return Misfit.noSpace }
    touched.insert(.space)
    switch event {
    case .created: return nil
    case .attributesSet(let set): return foldAttributes(set, by: actor, at: time)
    case .attributesCleared: return foldCleared(by: actor)
    case .numbersTold(let numbers):
      space?.told = numbers
      space?.moved = nil
    case .expired: space?.expire()
    case .inboxMessage(let message): space?.hold(message, at: time)
    case .inboxAcked(let version): return foldAcked(version, by: actor)
    case .inboxExpired(let service, let version):
      space?.slots[service]?.inbox.removeAll { $0.version <= version }
    case .channelEntered(let channel): return foldEntered(channel, by: actor)
    case .channelLeft(let left): space?.leave(left)
    case .inviteMoved(let moved): return space?.fold(moved, at: time)
    case .inviteHeard(let heard): return space?.fold(heard, at: time)
    case .questionApplied(let question): space?.remember(question, at: time)
    case .channelMessage, .presence: return nil
    }
    return nil
  }

  private mutating func foldCreated(
    _ name: SpaceName, at time: Timestamp, _ touched: inout RoomParts
  ) -> String? {
    guard created == nil else { return Misfit.createdTwice }
    created = RoomCreated(name: name.text)
    createdAt = time
    space = SpaceState(name)
    touched.formUnion([.created, .space])
    return nil
  }

  /// The service that a login of this account uses: its member's uid says so.
  private func service(of actor: Actor) -> Service? {
    actor.member.flatMap { members[$0]?.uid }.flatMap { Service(rawValue: $0) }
  }

  private mutating func foldAttributes(
    _ set: AttributesSet, by actor: Actor, at time: Timestamp
  ) -> String? {
    switch space?.name {
    case .channel:
      for field in set.fields {
        space?.attributes[field.name] = field.value
        if field.name == BuiltIn.autoUpdate { space?.countNumbers(every: field.value, at: time) }
      }
    case .account:
      guard let service = service(of: actor) else { return Misfit.noMember }
      for field in set.fields {
        space?.slots[service, default: AccountSlot()].attributes[field.name] = field.value
      }
    case nil: return Misfit.noSpace
    }
    return nil
  }

  private mutating func foldCleared(by actor: Actor) -> String? {
    switch space?.name {
    case .channel:
      space?.attributes = [:]
      space?.countNumbers(every: nil, at: .zero)
      space?.told = nil
    case .account:
      guard let service = service(of: actor) else { return Misfit.noMember }
      space?.slots[service]?.attributes = [:]
    case nil: return Misfit.noSpace
    }
    return nil
  }

  private mutating func foldAcked(_ version: UInt64, by actor: Actor) -> String? {
    guard let service = service(of: actor) else { return Misfit.noMember }
    space?.slots[service]?.acknowledge(version)
    return nil
  }

  private mutating func foldEntered(_ channel: String, by actor: Actor) -> String? {
    guard let service = service(of: actor) else { return Misfit.noMember }
    var slot = space?.slots[service] ?? AccountSlot()
    if !slot.channels.contains(channel) { slot.channels.append(channel) }
    space?.slots[service] = slot
    return nil
  }

  // MARK: Members

  /// Somebody came into a channel.
  mutating func foldArrival(at time: Timestamp) {
    guard case .channel = space?.name else { return }
    space?.joins += 1
    space?.emptied = nil
    space?.noteMove(at: time)
  }

  /// Somebody left: an empty channel's life runs out, and a login takes its attributes along (SIG-A8).
  mutating func foldDeparture(of member: Member, at time: Timestamp) {
    switch space?.name {
    case .channel:
      if members.isEmpty { space?.emptied = time }
      space?.noteMove(at: time)
    case .account:
      guard let service = member.uid.flatMap({ Service(rawValue: $0) }) else { return }
      space?.slots[service]?.attributes = [:]
      if space?.slots[service]?.isEmpty == true { space?.slots[service] = nil }
    case nil: break
    }
  }
}

extension SpaceState {
  /// Attributes and counts are gone. Who asked something may still ask it again.
  fileprivate mutating func expire() {
    let applied = applied
    self = SpaceState(name)
    self.applied = applied
  }

  /// What is too old, or has its answer, goes (NODE-15).
  fileprivate mutating func remember(_ question: QuestionApplied, at time: Timestamp) {
    applied.removeAll {
      $0.time + Self.remembersQuestions <= time || $0.isOfLoop(of: question) && $0.serial <= question.settled
    }
    applied.append(
      AppliedQuestion(engine: question.engine, loop: question.loop, serial: question.serial, time: time))
    if applied.count > Self.mostQuestions { applied.removeFirst(applied.count - Self.mostQuestions) }
  }

  /// `_auto_update_num` was set, or taken away: intervals count anew.
  fileprivate mutating func countNumbers(every interval: String?, at time: Timestamp) {
    numbersSince = interval == nil || interval == "0" ? nil : time
    moved = nil
  }

  /// The first coming or going since the numbers were told; only where they are.
  fileprivate mutating func noteMove(at time: Timestamp) {
    if numbersSince != nil, moved == nil { moved = time }
  }

  fileprivate mutating func hold(_ message: InboxMessage, at time: Timestamp) {
    var slot = slots[message.service] ?? AccountSlot()
    slot.lastVersion = message.version
    slot.inbox.append(
      HeldMessage(
        version: message.version, time: time, from: message.from, id: message.id, text: message.text))
    slots[message.service] = slot
  }

  fileprivate mutating func leave(_ left: ChannelLeft) {
    slots[left.service]?.channels.removeAll { $0 == left.channel }
    if slots[left.service]?.isEmpty == true { slots[left.service] = nil }
  }

  // MARK: Invitations

  fileprivate mutating func fold(_ moved: InviteMoved, at time: Timestamp) -> String? {
    if case .created(let service, let channel, let callee, let extra, let needsPeer, let until) = moved.move {
      guard moved.serial > lastInvitation else { return Misfit.inviteAgain }
      lastInvitation = moved.serial
      invitations[moved.serial] = Invitation(
        serial: moved.serial, service: service, channel: channel, callee: callee, extra: extra,
        needsPeer: needsPeer, until: until, began: time, since: time)
      return nil
    }
    guard invitations[moved.serial] != nil else { return Misfit.noInvite }
    guard let step = moved.move.step else { return nil }
    if step.isOver {
      invitations[moved.serial] = nil
    } else {
      invitations[moved.serial]?.step = step
      invitations[moved.serial]?.since = time
    }
    return nil
  }

  fileprivate mutating func fold(_ heard: InviteHeard, at time: Timestamp) -> String? {
    let key = CallKey(caller: heard.caller, serial: heard.serial)
    switch heard.news {
    case .offered(let extra):
      calls[key] = Call(service: heard.service, channel: heard.channel, extra: extra, since: time)
    case .accepted: calls[key]?.isAccepted = true
    case .withdrawn, .refused, .ended: calls[key] = nil
    case .tones: break
    }
    return nil
  }
}

extension AccountSlot {
  fileprivate mutating func acknowledge(_ version: UInt64) {
    inbox.removeAll { $0.version <= version }
    acked = max(acked, version)
  }
}

extension InviteMoved.Move {
  /// Where the invitation stands after it; nil: where it stood.
  var step: InviteStep? {
    switch self {
    case .created: .created
    case .waiting: .waiting
    case .sent: .sent
    case .ringing: .ringing
    case .accepted: .accepted
    case .refused: .refused
    case .failed: .failed
    case .ended: .ended
    case .tones: nil
    }
  }
}
