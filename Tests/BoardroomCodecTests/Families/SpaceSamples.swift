import BoardroomCodec
import BoardroomModel
import EventLogModel
import Testing

// Random valid values of spaces without a board: kinds 49 to 62 and 69, questions, answers and what a state holds of them.

extension Chance {
  mutating func time() -> Timestamp { Timestamp(milliseconds: Int64(number(upTo: 1 << 42))) }
  mutating func service() -> Service { pick(Service.allCases) }

  mutating func spaceName() -> SpaceName { coin() ? .account(text()) : .channel(service(), text()) }

  mutating func attributesSet(isCommand: Bool) -> AttributesSet {
    let fields = (0...upTo(2)).map { place in
      AttributesSet.Field(name: "\(place)" + text(), value: coin() ? text() : nil)
    }
    return AttributesSet(fields, by: isCommand || coin() ? nil : text())
  }

  mutating func channelMessage(isCommand: Bool) -> ChannelMessage {
    ChannelMessage(id: word(), text: text(40), by: isCommand || coin() ? nil : text())
  }

  private mutating func inviteMove() -> InviteMoved.Move {
    pick([
      .created(
        service: service(), channel: text(), callee: text(), extra: text(), needsPeer: coin(),
        until: coin() ? time() : nil), .waiting, .sent, .ringing, .accepted(extra: text()),
      .refused(extra: text()), .failed(code: upTo(999)), .ended(byCaller: coin(), extra: text()),
      .tones(byCaller: coin(), digits: "0*#"),
    ])
  }

  private mutating func inviteNews() -> InviteHeard.News {
    pick([
      .offered(extra: text()), .withdrawn, .accepted, .refused, .ended(byCaller: coin(), extra: text()),
      .tones(digits: "9"),
    ])
  }

  mutating func spaceEvent(_ kind: EventKind) -> Event? {
    let event: SpaceEvent? =
      switch kind {
      case .spaceCreated: .created(spaceName())
      case .attributesSet: .attributesSet(attributesSet(isCommand: false))
      case .attributesCleared: .attributesCleared(by: coin() ? text() : nil)
      case .channelMessage: .channelMessage(channelMessage(isCommand: false))
      case .numbersTold: .numbersTold(MemberNumbers(members: upTo(99), total: coin() ? upTo(999) : nil))
      case .spaceExpired: .expired
      case .inboxMessage:
        .inboxMessage(
          InboxMessage(version: next(), service: service(), from: text(), id: word(), text: text(40)))
      case .inboxAcked: .inboxAcked(next())
      case .inboxExpired: .inboxExpired(service(), next())
      case .channelEntered: .channelEntered(text())
      case .channelLeft:
        .channelLeft(
          ChannelLeft(service: service(), channel: text(), cause: pick(ChannelLeaveCause.allCases)))
      case .inviteMoved: .inviteMoved(InviteMoved(serial: next(), move: inviteMove()))
      case .inviteHeard:
        .inviteHeard(
          InviteHeard(caller: text(), serial: next(), service: service(), channel: text(), news: inviteNews())
        )
      case .presence: .presence(Presence(account: text(), channel: coin() ? text() : nil, isHere: coin()))
      case .questionApplied:
        .questionApplied(QuestionApplied(engine: next(), loop: upTo(15), serial: next(), settled: next()))
      default: nil
      }
    return event.map { .space($0) }
  }

  mutating func spaceCommand(_ kind: EventKind) -> Command? {
    switch kind {
    case .attributesSet: .space(.setAttributes(attributesSet(isCommand: true)))
    case .attributesCleared: .space(.clearAttributes)
    case .channelMessage: .space(.say(channelMessage(isCommand: true)))
    case .inboxAcked: .space(.acknowledge(next()))
    default: nil
    }
  }

  // MARK: Questions

  /// One of each.
  mutating func questions() -> [Question] {
    [
      .userStatus(account: text()), .usersStatus(accounts: [text(), text()]),
      .userAttributes(account: text()), .channelAttributes(channel: text()),
      .channelCount(channel: text()), .isInChannel(channel: text(), account: text()),
      .channelUsers(channel: text(), limit: upTo(999)),
      .setChannelAttributes(channel: text(), attributesSet(isCommand: true)),
      .clearChannelAttributes(channel: text()), .say(channel: text(), channelMessage(isCommand: true)),
      .send(account: text(), id: word(), text: text(40), holds: coin()),
      .invite(
        channel: text(), account: text(), extra: text(), needsPeer: coin(),
        timeout: coin() ? .milliseconds(upTo(30_000)) : nil), .leaveChannel(channel: text()),
    ]
      + [
        InviteAct.ring, .accept(extra: text()), .refuse(extra: text()), .end(extra: text()),
        .tones(digits: "1"),
      ]
      .map { .moveInvite(caller: coin() ? text() : nil, serial: next(), $0) }
  }

  mutating func answers() -> [Answer] {
    let results: [Result<Reply, Refusal>] = [
      .success(.done), .success(.number(upTo(9_999))), .success(.attributes(["b": text(), "a": text()])),
      .success(.users((0..<upTo(3)).map { _ in text() }, total: upTo(999))), .success(.invite(next())),
      .failure(refusal()),
    ]
    return results.map { Answer(number: number(upTo: (1 << 53) - 1), result: $0) }
  }

  // MARK: State

  mutating func space() -> SpaceState {
    var space = SpaceState(spaceName())
    for _ in 0..<upTo(3) { space.attributes[text()] = text() }
    space.emptied = coin() ? time() : nil
    space.joins = upTo(99)
    space.told = coin() ? MemberNumbers(members: upTo(9), total: coin() ? upTo(9) : nil) : nil
    space.numbersSince = coin() ? time() : nil
    space.moved = coin() ? time() : nil
    for service in Service.allCases where coin() { space.slots[service] = slot() }
    for serial in 1...UInt64(1 + upTo(3)) where coin() {
      space.lastInvitation = serial
      space.invitations[serial] = Invitation(
        serial: serial, service: service(), channel: text(), callee: text(), extra: text(), needsPeer: coin(),
        until: coin() ? time() : nil, began: time(), step: pick(InviteStep.allCases), since: time())
    }
    for _ in 0..<upTo(2) {
      space.calls[CallKey(caller: text(), serial: next())] = Call(
        service: service(), channel: text(), extra: text(), isAccepted: coin(), since: time())
    }
    space.applied = (0..<upTo(2)).map { _ in
      AppliedQuestion(engine: next(), loop: upTo(15), serial: next(), time: time())
    }
    return space
  }

  private mutating func slot() -> AccountSlot {
    var slot = AccountSlot(lastVersion: number(upTo: 1 << 50), acked: number(upTo: 1 << 50))
    for _ in 0..<upTo(3) { slot.attributes[text()] = text() }
    slot.channels = (0..<upTo(2)).map { _ in text() }
    slot.inbox = (0..<upTo(2)).map { _ in
      HeldMessage(version: next(), time: time(), from: text(), id: word(), text: text())
    }
    return slot
  }
}

@Suite struct SpaceWireTests {
  @Test(
    "WIRE-9: every question and every answer comes back in both subprotocols", arguments: Subprotocol.allCases
  )
  func asking(_ subprotocol: Subprotocol) throws {
    var chance = Chance(910)
    let codec = WireCodec(subprotocol)
    for _ in 0..<100 {
      for question in chance.questions() {
        let notice = ClientNotice.ask(Ask(number: chance.number(upTo: (1 << 53) - 1), question: question))
        #expect(try codec.decodeClient(codec.encode(client: notice)) == notice)
      }
      for answer in chance.answers() {
        #expect(try codec.decodeServer(codec.encode(server: .answer(answer))) == .answer(answer))
      }
    }
  }

  @Test(
    "WIRE-9: a hello to an account or a channel comes back, and goes to that space's log",
    arguments: Subprotocol.allCases)
  func places(_ subprotocol: Subprotocol) throws {
    var chance = Chance(911)
    let codec = WireCodec(subprotocol)
    for _ in 0..<100 {
      let place = Place(
        service: chance.service(), account: chance.text(), channel: chance.coin() ? chance.text() : nil)
      var hello = chance.hello()
      (hello.place, hello.room) = (place, place.space.log)
      #expect(try codec.decodeClient(codec.encode(client: .hello(hello))) == .hello(hello))
    }
  }

  @Test(
    "A space's log has the name that docs/PROTOCOL.md computes, and another in each service and for each kind"
  )
  func logNames() {
    // The first 16 bytes of `printf 'boardroom.space.1\nchannel.rtm\nlobby' | sha256sum`.
    #expect(SpaceName.channel(.rtm, "lobby").log.description == "1c8e521aecdd0c32ca34a60ba6eba6da")
    let names: [SpaceName] =
      [.account("lobby")] + Service.allCases.map { .channel($0, "lobby") } + [.channel(.rtm, "Lobby")]
    #expect(Set(names.map(\.log)).count == names.count)
  }
}
