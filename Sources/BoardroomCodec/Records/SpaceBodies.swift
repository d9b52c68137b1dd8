import BoardroomModel
import EventLogModel

// The JSON payloads of the family `space`, both ways. Fields in the order of docs/PROTOCOL.md.

extension SpaceName {
  /// The name of the log that holds this space: the first 16 bytes of the SHA-256 of
  /// `boardroom.space.1\n`, what it is, and its name, each with a line feed before it but the first.
  public var log: LogID {
    let kind =
      switch self {
      case .account: "account"
      case .channel(let service, _): "channel." + service.rawValue
      }
    let hash = sha256(Array("boardroom.space.1\n\(kind)\n\(text)".utf8))
    func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    return LogID(high: word(hash[0..<8]), low: word(hash[8..<16]))
  }
}

extension UInt64 {
  /// 16 hexadecimal digits in lower case.
  var hexText: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}

extension JSONFields {
  func spaceEvent(_ kind: EventKind) throws(CodecError) -> SpaceEvent {
    switch kind {
    case .spaceCreated: .created(try spaceName())
    case .attributesSet: .attributesSet(try attributesSet())
    case .attributesCleared: .attributesCleared(by: try optionalString("by"))
    case .channelMessage: .channelMessage(try channelMessage())
    case .numbersTold: .numbersTold(try memberNumbers())
    case .spaceExpired: .expired
    case .inboxMessage: .inboxMessage(try inboxMessage())
    case .inboxAcked: .inboxAcked(try number("version"))
    case .inboxExpired: .inboxExpired(try choice("service"), try number("version"))
    case .channelEntered: .channelEntered(try string("channel"))
    case .channelLeft: .channelLeft(try channelLeft())
    case .inviteMoved: .inviteMoved(InviteMoved(serial: try number("invite"), move: try inviteMove()))
    case .inviteHeard: .inviteHeard(try inviteHeard())
    case .presence: .presence(try presence())
    case .questionApplied: .questionApplied(try questionApplied())
    default: throw .unknownKind(kind.rawValue)
    }
  }

  func spaceName() throws(CodecError) -> SpaceName {
    let name = try string("name")
    switch try string("space") {
    case "account": return .account(name)
    case "channel": return .channel(try choice("service"), name)
    default: throw error("space", "must be account or channel")
    }
  }

  func attributesSet() throws(CodecError) -> AttributesSet {
    let inner = try fields("set")
    var set: [AttributesSet.Field] = []
    for (name, value) in inner.object.members {
      set.append(.init(name: name, value: value.isNull ? nil : try inner.string(name)))
    }
    guard !set.isEmpty else { throw error("set", "must not be empty") }
    return AttributesSet(set, by: try optionalString("by"))
  }

  func channelMessage() throws(CodecError) -> ChannelMessage {
    ChannelMessage(id: try label("id"), text: try string("text"), by: try optionalString("by"))
  }

  func memberNumbers() throws(CodecError) -> MemberNumbers {
    MemberNumbers(members: try count("members"), total: has("total") ? try count("total") : nil)
  }

  private func inboxMessage() throws(CodecError) -> InboxMessage {
    InboxMessage(
      version: try number("version"), service: try choice("service"), from: try string("from"),
      id: try label("id"), text: try string("text"))
  }

  private func channelLeft() throws(CodecError) -> ChannelLeft {
    ChannelLeft(
      service: try choice("service"), channel: try string("channel"), cause: try choice("cause"))
  }

  private func presence() throws(CodecError) -> Presence {
    Presence(
      account: try string("account"), channel: try optionalString("channel"), isHere: try bool("here"))
  }

  private func questionApplied() throws(CodecError) -> QuestionApplied {
    QuestionApplied(
      engine: try engineNumber(), loop: try count("loop"), serial: try number("question"),
      settled: try number("settled"))
  }

  /// A whole number of 64 bits, which JSON's numbers are not for everybody: as 16 hexadecimal digits.
  func engineNumber() throws(CodecError) -> UInt64 {
    let digits = try string("engine")
    guard digits.utf8.count == 16, let number = UInt64(digits, radix: 16), number.hexText == digits else {
      throw error("engine", "must be 16 hexadecimal digits in lower case")
    }
    return number
  }

  // MARK: Invitations

  private func inviteMove() throws(CodecError) -> InviteMoved.Move {
    switch try string("step") {
    case "created":
      .created(
        service: try choice("service"), channel: try string("channel"), callee: try string("callee"),
        extra: try string("extra"), needsPeer: try bool("needsPeer"),
        until: has("until") ? try time("until") : nil)
    case "waiting": .waiting
    case "sent": .sent
    case "ringing": .ringing
    case "accepted": .accepted(extra: try string("extra"))
    case "refused": .refused(extra: try string("extra"))
    case "failed": .failed(code: try count("code"))
    case "ended": .ended(byCaller: try bool("byCaller"), extra: try string("extra"))
    case "tones": .tones(byCaller: try bool("byCaller"), digits: try string("digits"))
    default: throw error("step", "is not one of the values that docs/PROTOCOL.md lists")
    }
  }

  private func inviteHeard() throws(CodecError) -> InviteHeard {
    InviteHeard(
      caller: try string("caller"), serial: try number("invite"), service: try choice("service"),
      channel: try string("channel"), news: try inviteNews())
  }

  private func inviteNews() throws(CodecError) -> InviteHeard.News {
    switch try string("news") {
    case "offered": .offered(extra: try string("extra"))
    case "withdrawn": .withdrawn
    case "accepted": .accepted
    case "refused": .refused
    case "ended": .ended(byCaller: try bool("byCaller"), extra: try string("extra"))
    case "tones": .tones(digits: try string("digits"))
    default: throw error("news", "is not one of the values that docs/PROTOCOL.md lists")
    }
  }

  // MARK: Commands

  func spaceCommand(_ kind: EventKind) throws(CodecError) -> SpaceCommand {
    switch kind {
    case .attributesSet: .setAttributes(AttributesSet(try attributesSet().fields))
    case .attributesCleared: .clearAttributes
    case .channelMessage:
      .say(ChannelMessage(id: try label("id"), text: try string("text")))
    case .inboxAcked: .acknowledge(try number("version"))
    default: throw .unknownKind(kind.rawValue)
    }
  }
}

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
      case .questionApplied(let question): writer.questionApplied(question)
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

  private mutating func questionApplied(_ question: QuestionApplied) {
    field("engine", question.engine.hexText)
    field("loop", question.loop)
    field("question", question.serial)
    field("settled", question.settled)
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
