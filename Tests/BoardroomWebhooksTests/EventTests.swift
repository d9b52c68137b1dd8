import BoardroomCodec
import BoardroomModel
import EventLog
import EventLogModel
import Testing

@testable import BoardroomWebhooks

private let time = Timestamp(milliseconds: 1_700_000_000_123)
private let session = SessionID(high: 0xfeed, low: 0xbeef)
private let (ada, bob) = (Actor.member(0), Actor.member(1))

private func joined(_ uid: String?) -> Event {
  .members(
    .joined(
      MemberJoined(
        session: session, uid: uid, role: .writer, writable: true, payload: JSONText(unchecked: "{\"n\":1}"),
        client: nil)))
}

private let life: [(Actor, Event)] = [
  (.server, .room(.created(RoomCreated(name: "algebra", limit: 3)))), (ada, joined("ada")),
  (bob, joined(nil)), (bob, .members(.writable(false))),
  (
    ada,
    .magix(
      MagixEvent(
        name: "x", payload: JSONText(unchecked: "{}"),
        raw: JSONText(unchecked: "{\"event\":\"x\",\"payload\":{}}")))
  ),
  (ada, .members(.replaced(MemberReplaced(by: session)))), (ada, .members(.left(.replaced))),
  (.server, .members(.kicked(MemberKicked(member: 1, reason: .kickByAdmin)))),
  (bob, .members(.left(.kicked))),
]

private func store(with life: [(Actor, Event)], in room: RoomID) async throws -> MemoryLogStore {
  let store = MemoryLogStore(commits: .whenTold)
  _ = try await store.create(room, epoch: Epoch(0xab), at: time)
  let records = life.map { actor, event in
    Record(
      kind: event.kind, time: time, actor: actor.code, body: EventCodec.encodeBody(event, counter: 0))
  }
  try await store.append(records, to: room, expecting: nil, epoch: nil)
  return store
}

private func events(
  _ names: [String], of life: [(Actor, Event)] = life, after revision: Revision = .zero
) async throws -> [WebhookEvent] {
  let room = RoomID(high: 1, low: 2)
  let kinds = try #require(WebhookKinds(names: names))
  let feed = WebhookFeed(store: try await store(with: life, in: room), kinds: kinds)
  let cursor = Cursor(epoch: Epoch(0xab), revision: revision)
  return try await feed.page(of: room, after: cursor, events: 100, rest: nil).page.events
}

private func parsed(_ event: WebhookEvent) throws -> JSONValue { try JSONValue.parse(event.json) }

@Test("The standard kinds are told under their names, in the order of the log, and what is drawn is not")
func standardTypes() async throws {
  let types = try await events(["standard"]).map { $0.type.dropFirst("net.boardroom.".count) }
  #expect(
    types == [
      "room.created", "member.joined", "member.joined", "member.writable", "member.replaced", "member.left",
      "member.kicked", "member.left", "room.emptied",
    ])
}

@Test("Every kind has a type of its own, and strokes, pointers and cameras are never standard")
func everyKindHasAType() {
  let types = EventKind.allCases.map { WebhookType(of: $0) }
  #expect(Set(types.map(\.name)).count == types.count)
  for kind in [EventKind.stroke, .pointer, .camera] { #expect(!WebhookType(of: kind).isStandard) }
  for kind in EventKind.allCases { #expect(WebhookKinds(names: [kind.name]) != nil) }
  #expect(WebhookKinds(names: ["standard", "nonsense"]) == nil)
}

@Test("MOD-5: who may write or may not is told by whom it is about, and locks by their room")
func writingIsTold() async throws {
  let told = try await events(
    ["writingAllowed", "roomLocked"],
    of: life.prefix(3) + [
      (ada, .moderation(.writing(1, isAllowed: false))), (.server, .moderation(.lock(true))),
    ]
  ).map { try parsed($0)["data"]! }
  #expect(told[0]["member"]?.int == 1)
  #expect(told[0]["body"]?["allowed"]?.bool == false)
  #expect(told[1]["member"] == nil)
  #expect(told[1]["body"]?["locked"]?.bool == true)
}

@Test("Other kinds are told when they are asked for by name, and only those")
func kindsByName() async throws {
  #expect(try await events(["magix"]).map(\.type) == ["net.boardroom.room.magix"])
  #expect(try await events(["roomEmptied"]).map(\.type) == ["net.boardroom.room.emptied"])
}

@Test(
  "HOOK-2: an event has the attributes that CloudEvents 1.0 requires, and ids of room, epoch and revision")
func attributes() async throws {
  let all = try await events(["standard"])
  let joined = try parsed(all[1])
  let room = RoomID(high: 1, low: 2).description
  #expect(joined["specversion"]?.string == "1.0")
  #expect(joined["id"]?.string == "\(room)-00000000000000ab-2")
  #expect(all[1].id == "\(room)-00000000000000ab-2")
  #expect(joined["source"]?.string == "/v5/rooms/\(room)")
  #expect(joined["subject"]?.string == "members/0")
  #expect(joined["time"]?.string == "2023-11-14T22:13:20.123Z")
  #expect(joined["datacontenttype"]?.string == "application/json")
  #expect(joined["sequence"]?.string == "00000000000000000002")
  #expect(all.last?.id == "\(room)-00000000000000ab-9-emptied")
  #expect(Set(all.map(\.id)).count == all.count)
  for key in joined.object!.map(\.0) {
    #expect(key.allSatisfy { $0.isLowercase })
    #expect(key.utf8.count <= 20)
  }
}

@Test(
  "HOOK-10: its content is the record's mirror with the room's and the member's names, and never a session's name"
)
func content() async throws {
  let all = try await events(["standard"]).map { try parsed($0)["data"]! }
  #expect(all[0]["roomName"]?.string == "algebra")
  #expect(all[0]["body"]?["limit"]?.int == 3)
  #expect(all[1]["uid"]?.string == "ada")
  #expect(all[1]["body"]?["uid"]?.string == "ada")
  #expect(all[1]["body"]?["payload"]?["n"]?.int == 1)
  #expect(all[5]["uid"]?.string == "ada")
  #expect(all[5]["body"]?["cause"]?.string == "replaced")
  // Who is kicked, not who kicks.
  #expect(all[6]["member"]?.int == 1)
  #expect(all[6]["uid"]?.isNull == true)
  #expect(all[6]["by"]?.isNull == true)
  for event in try await events(["standard"]) {
    #expect(!String(decoding: event.json, as: UTF8.self).contains(session.description))
  }
}

@Test("From the middle of a log the names are those that it had there")
func namesInTheMiddle() async throws {
  let left = try await events(["memberLeft"], after: 6)
  #expect(try parsed(left[0])["data"]?["uid"]?.string == "ada")
  #expect(try parsed(left[0])["data"]?["roomName"]?.string == "algebra")
  #expect(left[0].id == (try await events(["memberLeft"]))[0].id)
}

@Test("A page ends at its limit and the next one begins there, whatever lies in between")
func pages() async throws {
  let room = RoomID(high: 1, low: 2)
  let feed = WebhookFeed(store: try await store(with: life, in: room), kinds: .standard)
  let whole = try await feed.page(of: room, after: nil, events: 100, rest: nil)
  #expect(whole.page.isEnd)
  #expect(whole.page.through == 9)
  for limit in 1...9 {
    var (cursor, found): (Cursor?, [WebhookEvent]) = (nil, [])
    var rest: FeedRest?
    while true {
      let answer = try await feed.page(of: room, after: cursor, events: limit, rest: limit > 4 ? rest : nil)
      found += answer.page.events
      cursor = Cursor(epoch: answer.page.epoch, revision: answer.page.through)
      rest = answer.rest
      if answer.page.isEnd { break }
    }
    #expect(found == whole.page.events)
  }
}

@Test(
  "HOOK-12: of what was read for a page the next one has what was not told, so that nothing is read for each event"
)
func restOfPage() async throws {
  let room = RoomID(high: 1, low: 2)
  let counted = CountedStore(base: try await store(with: life, in: room))
  let feed = WebhookFeed(store: counted, kinds: .standard)
  var (cursor, rest, events): (Cursor?, FeedRest?, Int) = (nil, nil, 0)
  while true {
    let answer = try await feed.page(of: room, after: cursor, events: 1, rest: rest)
    (cursor, rest) = (Cursor(epoch: answer.page.epoch, revision: answer.page.through), answer.rest)
    events += answer.page.events.count
    if answer.page.isEnd { break }
  }
  #expect(events == 9)
  #expect(counted.reads.count == 2, "all of it, and that there is no more")
}

@Test("A cursor of another life of the log counts for nothing")
func otherEpoch() async throws {
  let room = RoomID(high: 1, low: 2)
  let feed = WebhookFeed(store: try await store(with: life, in: room), kinds: .standard)
  let old = Cursor(epoch: Epoch(0xcd), revision: 7)
  let page = try await feed.page(of: room, after: old, events: 100, rest: nil).page
  #expect(page.events.count == 9)
  #expect(page.epoch == Epoch(0xab))
}
