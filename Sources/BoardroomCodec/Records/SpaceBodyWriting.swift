import BoardroomModel
import EventLogModel

// The JSON payloads of spaces without a board, kinds 49 to 63: writing. Fields in the order of docs/PROTOCOL.md.

extension JSONWriter {
  mutating func spaceEvent(_ event: SpaceEvent) {
    object { writer in
      switch event {
      case .created(let name): writer.spaceName(name)
      case .attributesSet(let set): writer.attributesSet(set)
      case .attributesCleared(let by): writer.field("by", by)
      case .channelMessage(let message): writer.channelMessage(message)
      case .numbersTold(let numbers): writer.memberNumbers(numbers)
      case .expired: break
      case .inboxMessage(let message): writer.inboxMessage(message)
      case .inboxAcked(let version): writer.field("version", version)
      case .inboxExpired(let service, let version):
        writer.field("service", service.rawValue)
        writer.field("version", version)
      case .channelEntered(let channel): writer.field("channel", channel)
      case .channelLeft(let left): writer.channelLeft(left)
      case .inviteMoved(let moved): writer.inviteMoved(moved)
      case .inviteHeard(let heard): writer.inviteHeard(heard)
      case .presence(let presence): writer.presence(presence)
      }
    }
  }

  mutating func spaceCommand(_ command: SpaceCommand) {
    object { writer in
      switch command {
      case .setAttributes(let set): writer.attributesSet(set)
      case .clearAttributes: break
      case .say(let message): writer.channelMessage(message)
      case .acknowledge(let version): writer.field("version", version)
      }
    }
  }

  mutating func spaceName(_ name: SpaceName) {
    switch name {
    case .account: field("space", "account")
    case .channel(let service, _):
      field("space", "channel")
      field("service", service.rawValue)
    }
    field("name", name.text)
  }

  mutating func attributesSet(_ set: AttributesSet) {
    field("set") { writer in
      for field in set.fields {
        writer.key(field.name)
        if let value = field.value { writer.value(value) } else { writer.null() }
      }
    }
    field("by", set.by)
  }

  private mutating func channelMessage(_ message: ChannelMessage) {
    field("id", message.id)
    field("text", message.text)
    field("by", message.by)
  }

  mutating func memberNumbers(_ numbers: MemberNumbers) {
    field("members", numbers.members)
    field("total", numbers.total)
  }

  private mutating func inboxMessage(_ message: InboxMessage) {
    field("version", message.version)
    field("service", message.service.rawValue)
    field("from", message.from)
    field("id", message.id)
    field("text", message.text)
  }

  private mutating func channelLeft(_ left: ChannelLeft) {
    field("service", left.service.rawValue)
    field("channel", left.channel)
    field("cause", left.cause.rawValue)
  }

  private mutating func presence(_ presence: Presence) {
    field("account", presence.account)
    field("channel", presence.channel)
    field("here", presence.isHere)
  }

  // MARK: Invitations

  private mutating func inviteMoved(_ moved: InviteMoved) {
    field("invite", moved.serial)
    switch moved.move {
    case .created(let service, let channel, let callee, let extra, let needsPeer, let until):
      field("step", "created")
      field("service", service.rawValue)
      field("channel", channel)
      field("callee", callee)
      field("extra", extra)
      field("needsPeer", needsPeer)
      if let until { field("until", until) }
    case .waiting: field("step", "waiting")
    case .sent: field("step", "sent")
    case .ringing: field("step", "ringing")
    case .accepted(let extra): answer("accepted", extra)
    case .refused(let extra): answer("refused", extra)
    case .failed(let code):
      field("step", "failed")
      field("code", code)
    case .ended(let byCaller, let extra):
      field("step", "ended")
      field("byCaller", byCaller)
      field("extra", extra)
    case .tones(let byCaller, let digits):
      field("step", "tones")
      field("byCaller", byCaller)
      field("digits", digits)
    }
  }

  private mutating func answer(_ step: String, _ extra: String) {
    field("step", step)
    field("extra", extra)
  }

  private mutating func inviteHeard(_ heard: InviteHeard) {
    field("caller", heard.caller)
    field("invite", heard.serial)
    field("service", heard.service.rawValue)
    field("channel", heard.channel)
    switch heard.news {
    case .offered(let extra):
      field("news", "offered")
      field("extra", extra)
    case .withdrawn: field("news", "withdrawn")
    case .accepted: field("news", "accepted")
    case .refused: field("news", "refused")
    case .ended(let byCaller, let extra):
      field("news", "ended")
      field("byCaller", byCaller)
      field("extra", extra)
    case .tones(let digits):
      field("news", "tones")
      field("digits", digits)
    }
  }
}
