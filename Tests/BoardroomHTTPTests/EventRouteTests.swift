import BoardroomCodec
import BoardroomModel
import EventLog
import EventLogModel
import ServerTestKit
import Testing

@testable import BoardroomHTTP
@testable import BoardroomHosting
@testable import BoardroomServer

extension RunningServer {
  /// Ends stays in a room's log, as if the members had said goodbye.
  fileprivate func leave(_ room: RoomID, _ members: [MemberID], _ cause: LeaveCause) async throws {
    let records = members.map { member in
      Record(
        kind: EventKind.memberLeft.rawValue, time: .wallClock, actor: Actor.member(member).code,
        body: EventCodec.encodeBody(.members(.left(cause)), counter: 0))
    }
    try await store.append(records, to: room, expecting: nil, epoch: nil)
  }
}

/// All pages of a query, each begun at the last one's `next`; the events as "type user cause".
private func pages(
  _ server: RunningServer, _ path: String, _ query: String
) async throws -> [[String]] {
  var (pages, next, more): ([[String]], String?, Bool) = ([], nil, true)
  while more, pages.count < 20 {
    let after = next.map { "&after=\($0)" } ?? ""
    let answer = try await server.call("GET", "\(path)?\(query)\(after)", token: server.admin)
    #expect(answer.status == 200, "\(answer.text)")
    let json = try #require(answer.json)
    pages.append(
      (json["events"]?.array ?? []).map { event in
        [event["type"], event["user_id"], event["cause"]].compactMap { $0?.string }.joined(separator: " ")
      })
    next = json["next"]?.string ?? json["next"]?.int.map { "\($0)" }
    more = json["more"]?.bool ?? false
  }
  return pages
}

@Test("RE-24: a room's events are its joins and leaves with times, page after page by `after`")
func roomEventsArePaged() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    _ = try await server.join(room, ["ada", nil, "grace"])
    try await server.leave(room, [0, 1], .left)
    try await server.leave(room, [2], .kicked)
    let path = "/v5/rooms/\(room)/channel_events"
    let whole = ["Join ada", "Join", "Join grace", "Leave ada left", "Leave left", "Leave grace kicked"]
    #expect(try await pages(server, path, "limit=1000") == [whole])
    for limit in 1...4 {
      let found = try await pages(server, path, "limit=\(limit)")
      #expect(Array(found.joined()) == whole, "limit \(limit)")
      #expect(found.allSatisfy { $0.count <= limit })
    }
    let first = try await server.call("GET", path + "?limit=1", token: server.admin)
    let event = try #require(first.json?["events"]?.array?.first)
    let now = Timestamp.wallClock.milliseconds
    #expect(event["ms"]?.int.map { (Int(now) - 60_000...Int(now)).contains($0) } == true)
    #expect(event["revision"]?.int == 2)
    #expect(event["memberId"]?.int == 0)
    let last = try await server.call("GET", path + "?after=7", token: server.admin)
    #expect(last.json?["events"]?.array?.isEmpty == true)
    #expect(last.json?["more"]?.bool == false)
    #expect(try await server.call("GET", path + "?after=8", token: server.admin).status == 400)
    #expect(try await server.call("GET", path + "?limit=1001", token: server.admin).status == 400)
  }
}

@Test("RE-24: a user's events are its stays over all rooms, whatever the pages are cut to")
func userEventsArePaged() async throws {
  try await RunningServer.with { server in
    var expected: [String] = []
    var rooms: [RoomID] = []
    for _ in 0..<4 { rooms.append(try await server.room()) }
    for (place, room) in rooms.sorted().enumerated() where place != 2 {
      _ = try await server.join(room, place == 1 ? ["ada", "bob"] : ["bob", "ada"])
      try await server.leave(room, [0, 1], place == 3 ? .timeout : .left)
      expected += ["Login ada", "Logout ada \(place == 3 ? "timeout" : "left")"]
    }
    for limit in [1, 2, 3, 1_000] {
      let found = try await pages(server, "/v5/user_events", "uid=ada&limit=\(limit)")
      #expect(Array(found.joined()) == expected, "limit \(limit)")
    }
    #expect(try await pages(server, "/v5/user_events", "uid=nobody") == [[]])
    for query in ["", "?uid=", "?uid=ada&after=5", "?uid=ada&after=x:1", "?uid=ada&limit=0"] {
      let answer = try await server.call("GET", "/v5/user_events" + query, token: server.admin)
      #expect(answer.status == 400, "\(query)")
    }
  }
}

@Test(
  "RE-24: one scan reads a bounded part of the log and goes on where it stopped, from the middle of stays too"
)
func scansAreBounded() async throws {
  let store = MemoryLogStore()
  let room = RoomID(high: 1, low: 1)
  _ = try await RoomOpening.create(room, with: .room(.created(RoomCreated(name: ""))), in: store, at: .zero)
  let joined = MemberJoined(
    session: .random(), uid: "ada", role: .writer, writable: true, payload: nil, client: nil)
  var records = [
    Record(
      kind: EventKind.memberJoined.rawValue, time: .zero, actor: 1,
      body: EventCodec.encodeBody(.members(.joined(joined)), counter: 0))
  ]
  records += (0..<3_000).map { number in
    Record(
      kind: EventKind.globalState.rawValue, time: .zero, actor: 0,
      body: [0] + Array("{\"k\":\"\(String(repeating: "x", count: 100))\(number)\"}".utf8))
  }
  records.append(
    Record(
      kind: EventKind.memberLeft.rawValue, time: .zero, actor: 1,
      body: EventCodec.encodeBody(.members(.left(.left)), counter: 0)))
  for start in stride(from: 0, to: records.count, by: 100) {
    try await store.append(
      Array(records[start..<min(start + 100, records.count)]), to: room, expecting: nil, epoch: nil)
  }
  let last = try await store.info(of: room).last
  var (at, found, scans): (Revision, [PresenceScan.FoundPresence], Int) = (.zero, [], 0)
  while at < last {
    var scan = PresenceScan(history: RoomHistory(store: store), uid: "ada", limit: 10)
    scan.budget = 64 << 10
    at = try await scan.read(room, after: at, to: last)
    found += scan.found
    scans += 1
  }
  #expect(scans > 2)
  #expect(found.map(\.left) == [nil, .left])
  #expect(found.allSatisfy { $0.uid == "ada" })
}
