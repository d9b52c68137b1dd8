import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel
import Foundation
import Testing

/// What is left of a room when one member's name and content are erased (LOG-29).
@Suite struct ContentErasureTests {
  private static let secret = "SECRET"

  /// The log with what takes the places of the erased events.
  private static func left(of log: [RoomEvent], _ erasure: ContentErasure) -> [RoomEvent] {
    log.map { event in
      var event = event
      event.event =
        erasure.replacement(of: event, hash: { String(repeating: "0", count: 64) }) ?? event.event
      return event
    }
  }

  private static func erasure(_ log: [RoomEvent], _ uid: String? = "ana", _ members: Set<MemberID> = [])
    -> ContentErasure
  {
    var erasure = ContentErasure(uid: uid, members: members)
    for event in log { erasure.meet(event) }
    return erasure
  }

  private static func says(_ text: String, _ log: [RoomEvent]) -> [Revision] {
    log.filter { event in
      let body = EventCodec.encodeBody(event.event, counter: event.counter)
      return Data(body).range(of: Data(text.utf8)) != nil
    }.map(\.revision)
  }

  private static func fold(_ log: [RoomEvent]) -> RoomState {
    log.reduce(into: RoomState()) { state, event in state.apply(event) }
  }

  private static func set(_ id: ElementID, _ text: String) -> Command {
    .elements(.change(ElementsChanged([ElementChange(id: id, set: patch([("text", "\"\(text)\"")]))])))
  }

  /// Ana writes her secret wherever a member can; Bob draws beside her.
  private static func session() throws -> (Trial, ana: MemberID, bob: MemberID) {
    var trial = Trial()
    let ana = try trial.join("Ana", role: .admin)
    let bob = try trial.join("bob")
    let text = "\"\(secret)\""
    trial.say(.history(.keep(scenes: 5)), bob)
    trial.say(shape(bob, 1, #"{"text":"mine"}"#), bob)
    trial.say(shape(ana, 1, "{\"text\":\(text)}"), ana)
    trial.say(begin(2, ends: true), ana)
    trial.say(begin(2, ends: true), bob)
    trial.say(.state(.global(patch([("note", text)]))), ana)
    trial.say(.state(.member(patch([("note", text)]))), ana)
    trial.say(
      .magix(MagixEvent(name: secret, payload: json(text), raw: json(#"{"event":"\#(secret)"}"#))), ana)
    trial.say(.state(.setStore(StoreSet(store: "store", patch: patch([("note", text)])))), ana)
    trial.say(pages("/\(secret)", [secret, secret + "2"]), ana)
    // Hers, changed and copied by him; his, changed by her, then by him, who takes his change back.
    trial.say(set(ElementID(member: ana, number: 1), secret + " and more"), bob)
    let copy = ElementCopy(
      from: ElementID(member: ana, number: 1), id: ElementID(member: bob, number: 3), scene: 1)
    trial.say(.elements(.copy([copy])), bob)
    trial.say(set(ElementID(member: bob, number: 3), secret + " copied"), bob)
    trial.say(set(ElementID(member: bob, number: 1), secret + " on his"), ana)
    trial.say(set(ElementID(member: bob, number: 1), "his again"), bob)
    trial.say(.history(.undo(nil)), bob)
    trial.say(.history(.redo(nil)), bob)
    return (trial, ana, bob)
  }

  @Test(
    "LOG-29: no event that is left says what the member wrote or was called; numbers, places and times stay")
  func erases() throws {
    let (trial, ana, bob) = try Self.session()
    let kinds = Set(trial.log.map(\.event.kind).compactMap(EventKind.init(rawValue:)))
    #expect(!kinds.contains(.refused), "\(trial.log)")
    #expect(Self.says(Self.secret, trial.log).count == 10)
    let erasure = Self.erasure(trial.log)
    #expect(erasure.members == [ana])
    let left = Self.left(of: trial.log, erasure)
    #expect(Self.says(Self.secret, left).isEmpty)
    #expect(Self.says("Ana", left).isEmpty)
    #expect(!Self.says("bob", left).isEmpty)
    #expect(left.map(\.revision) == trial.log.map(\.revision))
    #expect(left.map(\.time) == trial.log.map(\.time))
    #expect(left.map(\.counter) == trial.log.map(\.counter))
    #expect(left.map(\.actor) == trial.log.map(\.actor))
    // Done again, nothing is left to do.
    let again = Self.erasure(left, nil, [ana])
    #expect(left.allSatisfy { again.replacement(of: $0, hash: { "" }) == nil })
    let state = Self.fold(left)
    #expect(state.members[ana]?.uid == nil)
    #expect(state.members[ana]?.role == .admin)
    #expect(state.members[bob]?.uid == "bob")
    #expect(state.globalState["note"] == nil)
    #expect(state.elements.places.compactMap { $0?.id.member }.allSatisfy { $0 == bob })
  }

  @Test("LOG-29: what others made stays as it was, on the pages that the member had made, too")
  func keepsOthers() throws {
    var (trial, _, bob) = try Self.session()
    let page = try #require(trial.state.scenes.last)
    trial.say(begin(9, on: page.id, ends: true), bob)
    let left = Self.fold(Self.left(of: trial.log, Self.erasure(trial.log)))
    let (before, after) = (trial.state.elements, left.elements)
    for number in [2, 9] as [UInt64] {
      let id = ElementID(member: bob, number: number)
      try #require(after[id] != nil, "\(number)")
      #expect(after[id] == before[id], "\(number)")
    }
    #expect(after[ElementID(member: bob, number: 1)]?.attributes["text"] == json("\"his again\""))
    #expect(left.scene(page.id)?.path == "/erased-\(page.id)")
    #expect(left.scenes.count == trial.state.scenes.count)
  }

  @Test("LOG-29: names are compared as bans compare them, and every stay of the name is meant")
  func names() throws {
    var trial = Trial()
    let stays = [try trial.join("ANA"), try trial.join("ana"), try trial.join("anna"), try trial.join()]
    let erasure = Self.erasure(trial.log, "Ana")
    #expect(erasure.members == [stays[0], stays[1]])
    #expect(Self.erasure(trial.log, nil, [stays[3]]).members == [stays[3]])
  }

  @Test("LOG-29: out of the state at which a trimmed log begins goes what is known to be the member's")
  func states() throws {
    let (trial, ana, bob) = try Self.session()
    var state = trial.state
    var erasure = ContentErasure(uid: "ana")
    erasure.erase(from: &state)
    #expect(erasure.members == [ana])
    #expect(state.members[ana]?.uid == nil)
    #expect(state.members[ana]?.state.isEmpty == true)
    #expect(state.elements.places.compactMap { $0?.id.member }.allSatisfy { $0 == bob })
    #expect(state.histories.isEmpty)
    #expect(state.elements.buriedCount == 0)
    let kept = state.elements[ElementID(member: bob, number: 2)]
    #expect(kept != nil)
    #expect(kept == trial.state.elements[ElementID(member: bob, number: 2)])
  }

  @Test("LOG-29: in accounts and channels, others' messages from the member go; a ban of it goes")
  func spaces() throws {
    let inbox = InboxMessage(version: 1, service: .signaling, from: "ana", id: "1", text: Self.secret)
    let events: [Event] = [
      .space(.inboxMessage(inbox)),
      .space(.channelMessage(ChannelMessage(id: "1", text: Self.secret, by: "ana"))),
      .space(.presence(Presence(account: "ana", channel: "lobby", isHere: true))),
      .space(
        .inviteHeard(
          InviteHeard(
            caller: "ana", serial: 1, service: .signaling, channel: "lobby",
            news: .offered(extra: Self.secret)))),
      .room(.banSet(Ban(number: 1, room: nil, uid: "Ana", address: nil, until: nil))),
    ]
    let log = events.enumerated().map { index, event in
      RoomEvent(
        revision: Revision(UInt64(index + 1)), time: .zero, actor: .server, counter: 0, event: event)
    }
    let left = Self.left(of: log, Self.erasure(log))
    for (event, was) in zip(left, log) {
      let hash = String(repeating: "0", count: 64)
      #expect(event.event == .diagnostics(.contentErased(ErasedContent(kind: was.event.kind, hash: hash))))
    }
    let bob = log.map { event in
      var event = event
      event.event = .space(
        .inboxMessage(InboxMessage(version: 1, service: .rtm, from: "bob", id: "1", text: "x")))
      return event
    }
    #expect(Self.left(of: bob, Self.erasure(bob)) == bob)
  }
}
