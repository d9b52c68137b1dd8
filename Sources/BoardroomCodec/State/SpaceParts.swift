import BoardroomModel
import EventLogModel

// `space` of a root: what a space without a board holds. Left out in rooms; each part is left out where it is empty.

extension JSONWriter {
  mutating func space(_ space: SpaceState) {
    field("space") { writer in
      writer.spaceName(space.name)
      if !space.attributes.isEmpty { writer.texts("attributes", space.attributes) }
      if let emptied = space.emptied { writer.field("emptied", emptied) }
      if space.joins != 0 { writer.field("joins", space.joins) }
      if let told = space.told { writer.field("told") { $0.memberNumbers(told) } }
      if let since = space.numbersSince { writer.field("numbersSince", since) }
      if let moved = space.moved { writer.field("moved", moved) }
      if !space.slots.isEmpty { writer.slots(space.slots) }
      if space.lastInvitation != 0 { writer.field("lastInvitation", space.lastInvitation) }
      if !space.invitations.isEmpty {
        writer.list("invitations", space.invitations.keys.sorted()) { writer, serial in
          space.invitations[serial].map { writer.invitation($0) }
        }
      }
      if !space.calls.isEmpty {
        writer.list("calls", space.calls.keys.sorted()) { writer, key in
          space.calls[key].map { writer.call(key, $0) }
        }
      }
      if !space.applied.isEmpty { writer.list("applied", space.applied) { $0.appliedQuestion($1) } }
    }
  }

  private mutating func texts(_ name: String, _ texts: [String: String]) {
    field(name) { writer in
      for key in texts.keys.sorted(by: precedes) { writer.field(key, texts[key]) }
    }
  }

  private mutating func slots(_ slots: [Service: AccountSlot]) {
    field("slots") { writer in
      for service in Service.allCases {
        guard let slot = slots[service] else { continue }
        writer.field(service.rawValue) { $0.slot(slot) }
      }
    }
  }

  private mutating func slot(_ slot: AccountSlot) {
    if !slot.attributes.isEmpty { texts("attributes", slot.attributes) }
    if !slot.channels.isEmpty { list("channels", slot.channels) { $0.value($1) } }
    field("lastVersion", slot.lastVersion)
    field("acked", slot.acked)
    list("inbox", slot.inbox) { writer, message in
      writer.object { writer in
        writer.field("version", message.version)
        writer.field("time", message.time)
        writer.field("from", message.from)
        writer.field("id", message.id)
        writer.field("text", message.text)
      }
    }
  }

  private mutating func invitation(_ invitation: Invitation) {
    object { writer in
      writer.field("invite", invitation.serial)
      writer.field("service", invitation.service.rawValue)
      writer.field("channel", invitation.channel)
      writer.field("callee", invitation.callee)
      writer.field("extra", invitation.extra)
      writer.field("needsPeer", invitation.needsPeer)
      if let until = invitation.until { writer.field("until", until) }
      writer.field("began", invitation.began)
      writer.field("step", invitation.step.rawValue)
      writer.field("since", invitation.since)
    }
  }

  private mutating func call(_ key: CallKey, _ call: Call) {
    object { writer in
      writer.field("caller", key.caller)
      writer.field("invite", key.serial)
      writer.field("service", call.service.rawValue)
      writer.field("channel", call.channel)
      writer.field("extra", call.extra)
      writer.field("accepted", call.isAccepted)
      writer.field("since", call.since)
    }
  }

  private mutating func appliedQuestion(_ question: AppliedQuestion) {
    object { writer in
      writer.field("engine", question.engine.hexText)
      writer.field("loop", question.loop)
      writer.field("question", question.serial)
      writer.field("time", question.time)
    }
  }
}

extension JSONFields {
  func spaceState() throws(CodecError) -> SpaceState {
    var space = SpaceState(try spaceName())
    space.attributes = try plainTexts("attributes")
    space.emptied = has("emptied") ? try time("emptied") : nil
    space.joins = has("joins") ? try count("joins") : 0
    space.told = has("told") ? try fields("told").memberNumbers() : nil
    space.numbersSince = has("numbersSince") ? try time("numbersSince") : nil
    space.moved = has("moved") ? try time("moved") : nil
    space.lastInvitation = has("lastInvitation") ? try number("lastInvitation") : 0
    try readSlots(into: &space)
    for item in has("invitations") ? try array("invitations") : [] {
      let invitation = try JSONFields(item, of: "invitations").invitation()
      guard space.invitations.updateValue(invitation, forKey: invitation.serial) == nil else {
        throw error("invitations", "must not hold a number twice")
      }
    }
    for item in has("calls") ? try array("calls") : [] {
      let (key, call) = try JSONFields(item, of: "calls").call()
      guard space.calls.updateValue(call, forKey: key) == nil else {
        throw error("calls", "must not hold an invitation twice")
      }
    }
    for item in has("applied") ? try array("applied") : [] {
      space.applied.append(try JSONFields(item, of: "applied").appliedQuestion())
    }
    return space
  }

  private func plainTexts(_ key: String) throws(CodecError) -> [String: String] {
    guard has(key) else { return [:] }
    let inner = try fields(key)
    var texts: [String: String] = [:]
    for (name, _) in inner.object.members { texts[name] = try inner.string(name) }
    return texts
  }

  private func readSlots(into space: inout SpaceState) throws(CodecError) {
    guard has("slots") else { return }
    let inner = try fields("slots")
    for (name, _) in inner.object.members {
      guard let service = Service(rawValue: name) else { throw error("slots", "names no service") }
      space.slots[service] = try inner.fields(name).slot()
    }
  }

  private func slot() throws(CodecError) -> AccountSlot {
    var channels: [String] = []
    for item in has("channels") ? try array("channels") : [] {
      guard let name = item.string else { throw error("channels", "must hold names") }
      channels.append(name)
    }
    var inbox: [HeldMessage] = []
    for item in try array("inbox") {
      let fields = try JSONFields(item, of: "inbox")
      inbox.append(
        HeldMessage(
          version: try fields.number("version"), time: try fields.time("time"),
          from: try fields.string("from"), id: try fields.string("id"), text: try fields.string("text")))
    }
    return AccountSlot(
      attributes: try plainTexts("attributes"), channels: channels, inbox: inbox,
      lastVersion: try number("lastVersion"), acked: try number("acked"))
  }

  private func invitation() throws(CodecError) -> Invitation {
    Invitation(
      serial: try number("invite"), service: try choice("service"), channel: try string("channel"),
      callee: try string("callee"), extra: try string("extra"), needsPeer: try bool("needsPeer"),
      until: has("until") ? try time("until") : nil, began: try time("began"), step: try choice("step"),
      since: try time("since"))
  }

  private func appliedQuestion() throws(CodecError) -> AppliedQuestion {
    AppliedQuestion(
      engine: try engineNumber(), loop: try count("loop"), serial: try number("question"),
      time: try time("time"))
  }

  private func call() throws(CodecError) -> (CallKey, Call) {
    (
      CallKey(caller: try string("caller"), serial: try number("invite")),
      Call(
        service: try choice("service"), channel: try string("channel"), extra: try string("extra"),
        isAccepted: try bool("accepted"), since: try time("since"))
    )
  }
}
