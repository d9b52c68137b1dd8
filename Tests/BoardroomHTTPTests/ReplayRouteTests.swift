import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLog
import EventLogModel
import ServerTestKit
import StorageTestKit
import Testing

@testable import BoardroomAccess
@testable import BoardroomHTTP
@testable import BoardroomHosting
@testable import BoardroomServer

private let start = Timestamp(milliseconds: 1_700_000_000_000)

private func record(_ event: Event, at seconds: Int64, by member: UInt64? = nil) -> Record {
  Record(
    kind: event.kind, time: start + .seconds(seconds),
    actor: (member.map { Actor.member(MemberID($0)) } ?? .server).code,
    body: EventCodec.encodeBody(event, counter: 0))
}

private func joined(_ member: UInt64, at seconds: Int64) -> Record {
  let event = MemberJoined(
    session: .random(), uid: nil, role: .writer, writable: true, payload: nil, client: nil)
  return record(.members(.joined(event)), at: seconds, by: member)
}

private func left(_ member: UInt64, at seconds: Int64) -> Record {
  record(.members(.left(.left)), at: seconds, by: member)
}

/// Rooms that a test writes into the log itself, at times of its own.
private struct Recorded {
  let store: any LogStore
  let room = RoomID.random()

  init(_ store: any LogStore, isRecord: Bool = true) async throws {
    self.store = store
    _ = try await store.create(room, at: start)
    try await add([record(.room(.created(RoomCreated(name: "lesson", isRecord: isRecord))), at: 0)])
  }

  func add(_ records: [Record]) async throws {
    try await store.append(records, to: room, expecting: nil, epoch: nil)
  }

  /// `count` events of some size each, a second apart.
  func fill(_ count: Int, from seconds: Int64) async throws {
    var generator = SeededGenerator(seed: 3)
    for batch in stride(from: 0, to: count, by: 100) {
      try await add(
        (batch..<min(count, batch + 100)).map { number in
          let value = String(UInt64.random(in: .min ... .max, using: &generator), radix: 36)
          let text = String(repeating: value, count: 20)
          let patch = JSONText(unchecked: "{\"k\(number % 9)\":\"\(text)\"}")
          let body = [0] + Array(patch.bytes)
          return Record(
            kind: EventKind.globalState.rawValue, time: start + .seconds(seconds + Int64(number)), actor: 0,
            body: body)
        })
    }
  }

  func path(_ rest: String = "") -> String { "/v5/rooms/\(room)/replay\(rest)" }

  var runs: [Run] {
    get async throws {
      let last = try await store.info(of: room).last
      var (runs, at): ([Run], Revision) = ([], .zero)
      while at < last {
        runs += try await store.runs(of: room, after: at, limit: 1 << 20)
        at = runs.last?.lastRevision ?? last
      }
      return runs
    }
  }

  var records: [Record] { get async throws { try await runs.flatMap(\.unpacked) } }
}

/// Takes a body of framed messages apart.
private func messages(_ body: [UInt8]) throws -> [[UInt8]] {
  var (found, at): ([[UInt8]], Int) = ([], 0)
  while at < body.count {
    let (length, next) = try body[at...].withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      return (Int(try reader.varint()), at + reader.position)
    }
    try #require(next + length <= body.count)
    found.append(Array(body[next..<next + length]))
    at = next + length
  }
  return found
}

private func pieces(_ body: [UInt8]) throws -> [StoredRun] {
  try messages(body).map { message in
    switch try WireCodec(.binary).decodeServer(message) {
    case .run(let run): return StoredRun(run)
    case .block(let stored): return stored
    case let other: throw UnexpectedMessage(notice: "\(other)")
    }
  }
}

private struct UnexpectedMessage: Error { var notice: String }

@Test("RP-1, RPL-1: the index tells life, range, pieces and snapshots; any role of a token may ask")
func indexOfReplay() async throws {
  try await RunningServer.with { server in
    let recorded = try await Recorded(server.store)
    try await recorded.add([joined(0, at: 5), left(0, at: 9)])
    try await recorded.fill(700, from: 20)
    let info = try await server.store.info(of: recorded.room)
    let text = try await server.call(
      "GET", recorded.path(), token: server.token(.room(recorded.room), .reader))
    #expect(text.status == 200)
    let index = try #require(text.json)
    #expect(index["epoch"]?.string == info.epoch.description)
    #expect(index["low"]?.int == 1)
    #expect(index["last"]?.int == 703)
    let (begin, end) = (Int(start.milliseconds), Int(start.milliseconds) + 719_000)
    #expect(index["begin"]?.int == begin)
    #expect(index["end"]?.int == end)
    #expect(index["isRecord"]?.bool == true)
    let blocks = try #require(index["blocks"]?.array)
    #expect(blocks.count > 1)
    #expect(blocks.first?["first"]?.int == 1)
    #expect(blocks.last?["last"]?.int == 703)
    for (block, next) in zip(blocks, blocks.dropFirst()) {
      let (last, first) = (try #require(block["last"]?.int), try #require(next["first"]?.int))
      #expect(first == last + 1)
    }
    #expect(index["snapshots"] == .array([]))
    for role in Role.allCases {
      let answer = try await server.call("GET", recorded.path(), token: server.token(.team, role))
      #expect(answer.status == 200)
    }
  }
}

@Test("RP-3, RPL-2: the index says when everyone had last left, however the log is cut by snapshots")
func emptiedOfReplay() async throws {
  try await RunningServer.with { server in
    let recorded = try await Recorded(server.store)
    func emptied() async throws -> JSONValue? {
      try await server.call("GET", recorded.path(), token: server.admin).json?["emptied"]
    }
    func ms(_ seconds: Int64) -> JSONValue { .number(String(start.milliseconds + seconds * 1_000)) }
    #expect(try await emptied() == .null)
    try await recorded.add([joined(0, at: 1), joined(1, at: 2), left(0, at: 3)])
    #expect(try await emptied() == .null, "one is still there")
    try await recorded.add([left(1, at: 4)])
    #expect(try await emptied() == ms(4))
    try await recorded.add([joined(2, at: 6)])
    #expect(try await emptied() == ms(4), "the last moment, not whether it is so now")
    // Another server has counted nothing yet, and begins at snapshots: two without anybody leaving after them.
    for revision: Revision in [4, 6] {
      let state = try await RoomHistory(store: server.store).state(of: recorded.room, at: revision)
      var encoder = StateEncoder()
      try await server.store.put(encoder.snapshot(of: state), for: recorded.room)
    }
    let fresh = EmptyTimeIndex(store: server.store)
    let info = try await server.store.info(of: recorded.room)
    #expect(try await fresh.emptied(info) == start + .seconds(4))
    // One who came after it was empty is still there in a later snapshot: what lies between is not read.
    try await recorded.fill(40, from: 6)
    let state = try await RoomHistory(store: server.store).state(of: recorded.room, at: 40)
    var encoder = StateEncoder()
    try await server.store.put(encoder.snapshot(of: state), for: recorded.room)
    let later = try await server.store.info(of: recorded.room)
    #expect(try await EmptyTimeIndex(store: server.store).emptied(later) == start + .seconds(4))
    try await recorded.add([left(2, at: 80), joined(3, at: 90)])
    #expect(try await emptied() == ms(80))
    #expect(try await fresh.emptied(server.store.info(of: recorded.room)) == start + .seconds(80))
  }
}

@Test("RP-8: a room made without recording is not replayed, and the refusal says so")
func unrecordedRooms() async throws {
  try await RunningServer.with { server in
    let recorded = try await Recorded(server.store, isRecord: false)
    for path in ["", "/runs", "/snapshots/1", "/revision?at=0"] {
      let answer = try await server.call("GET", recorded.path(path), token: server.admin)
      #expect(answer.status == 403)
      #expect(answer.json?["code"]?.string == "notRecorded")
      #expect(answer.json?["cure"]?.string?.isEmpty == false)
    }
  }
}

@Test("RP-9: a banned room can be replayed")
func bannedRooms() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    _ = try await server.call("PATCH", "/v5/rooms/\(room)", token: server.admin, body: "{\"isBan\":true}")
    let reader = server.token(.room(room), .reader)
    for path in ["", "/runs", "/revision?at=0"] {
      #expect(
        try await server.call("GET", "/v5/rooms/\(room)/replay\(path)", token: reader).status == 200)
    }
  }
}

@Test(
  "RP-10, RPL-3: the pieces of a log, followed from its beginning, are its records, stored blocks as they lie"
)
func piecesOfReplay() async throws {
  let folder = TemporaryFolder()
  var options = EmbeddedLogStore.Options()
  options.sealIdle = .milliseconds(1)
  let store = try EmbeddedLogStore.open(folder: folder.path, options: options)
  try await RunningServer.with(over: store) { server in
    let recorded = try await Recorded(store)
    try await recorded.fill(1_500, from: 1)
    let info = try await store.info(of: recorded.room)
    var (found, at, answers, isBlock): ([Record], Revision, Int, Bool) = ([], .zero, 0, false)
    while at < info.last {
      let answer = try await server.call(
        "GET", recorded.path("/runs?after=\(at)&limit=1000"), token: server.admin)
      #expect(answer.status == 200)
      #expect(answer.headers["content-type"] == "application/octet-stream")
      let pieces = try pieces(answer.body)
      try #require(!pieces.isEmpty)
      for piece in pieces {
        isBlock = isBlock || piece.coding == .lz4
        let run = try store.unpack(piece, of: recorded.room)
        found += run.suffix(after: at)?.unpacked ?? []
        at = piece.lastRevision
      }
      answers += 1
    }
    #expect(try await recorded.records == found)
    #expect(answers > 3)
    #expect(isBlock)
    // In the middle of a block: it comes whole.
    let middle = try await server.call("GET", recorded.path("/runs?after=10&limit=1"), token: server.admin)
    let first = try #require(try pieces(middle.body).first)
    let span = try #require(try await store.spans(of: recorded.room, after: 10, limit: 1).first)
    #expect(first.first == span.first)
    #expect(first.lastRevision >= 11)
    let end = try await server.call("GET", recorded.path("/runs?after=\(info.last)"), token: server.admin)
    #expect(end.status == 200)
    #expect(end.body.isEmpty)
  }
  withExtendedLifetime(folder) {}
}

@Test("RP-61, RPL-4: the newest snapshot not after a revision comes as the wire's messages; none is 404")
func snapshotsOfReplay() async throws {
  try await RunningServer.with { server in
    let recorded = try await Recorded(server.store)
    try await recorded.fill(50, from: 1)
    let none = try await server.call("GET", recorded.path("/snapshots/40"), token: server.admin)
    #expect(none.status == 404)
    let state = try await RoomHistory(store: server.store).state(of: recorded.room, at: 30)
    var encoder = StateEncoder()
    let snapshot = encoder.snapshot(of: state)
    try await server.store.put(snapshot, for: recorded.room)
    let answer = try await server.call("GET", recorded.path("/snapshots/40"), token: server.admin)
    #expect(answer.status == 200)
    let messages = try messages(answer.body).map { try WireCodec(.binary).decodeServer($0) }
    #expect(
      messages.first
        == .snapshotRoot(
          revision: 30, time: snapshot.time, stateHash: snapshot.stateHash, parts: snapshot.parts.count,
          bytes: snapshot.root))
    let parts: [Notice] = snapshot.parts.map { .snapshotPart($0.bytes) }
    #expect(Array(messages.dropFirst()) == parts)
    let index = try await server.call("GET", recorded.path(), token: server.admin)
    #expect(index.json?["snapshots"]?.array?.map { $0["revision"]?.int } == [30])
    #expect(
      try await server.call("GET", recorded.path("/snapshots/29"), token: server.admin).status == 404)
  }
}

@Test("RP-62: the revision at a time is the last one not after it")
func revisionsOfReplay() async throws {
  try await RunningServer.with { server in
    let recorded = try await Recorded(server.store)
    try await recorded.fill(10, from: 5)
    for (seconds, revision): (Int64, Int) in [(-1, 0), (0, 1), (4, 1), (5, 2), (14, 11), (99, 11)] {
      let at = (start + .seconds(seconds)).milliseconds
      let answer = try await server.call("GET", recorded.path("/revision?at=\(at)"), token: server.admin)
      #expect(answer.json?["revision"]?.int == revision)
    }
  }
}

@Test(
  "RPL-5: pieces and snapshots have tags, and caches may keep for ever what names its epoch and cannot change"
)
func tagsOfReplay() async throws {
  try await RunningServer.with { server in
    let recorded = try await Recorded(server.store)
    try await recorded.fill(900, from: 1)
    let state = try await RoomHistory(store: server.store).state(of: recorded.room, at: 30)
    var encoder = StateEncoder()
    try await server.store.put(encoder.snapshot(of: state), for: recorded.room)
    let epoch = try await server.store.info(of: recorded.room).epoch
    let table: [(path: String, isKept: Bool)] = [
      ("/runs?limit=1", false), ("/runs?limit=1&epoch=\(epoch)", true),
      ("/runs?after=901&epoch=\(epoch)", false), ("/snapshots/30", false),
      ("/snapshots/30?epoch=\(epoch)", true), ("/snapshots/31?epoch=\(epoch)", false),
    ]
    for row in table {
      let answer = try await server.call("GET", recorded.path(row.path), token: server.admin)
      #expect(answer.status == 200, "\(row.path)")
      #expect(answer.headers["cache-control"]?.contains("immutable") == row.isKept, "\(row.path)")
      let tag = try #require(answer.headers["etag"])
      #expect(tag.contains(epoch.description))
      for known in [tag, "\"other\", \(tag)", "*"] {
        let again = try await server.call(
          "GET", recorded.path(row.path), token: server.admin, headers: ["if-none-match": known])
        #expect(again.status == 304, "\(row.path)")
        #expect(again.body.isEmpty, "\(row.path)")
      }
    }
    let other = try await server.call(
      "GET", recorded.path("/runs?epoch=0123456789abcdef"), token: server.admin)
    #expect(other.status == 409)
    #expect(other.json?["code"]?.string == "conflict")
  }
}

@Test("RPL-6: an index folds nothing: an event that no fold could read does not keep it from being shown")
func indexFoldsNothing() async throws {
  try await RunningServer.with { server in
    let recorded = try await Recorded(server.store)
    try await recorded.add([
      Record(kind: EventKind.memberState.rawValue, time: start + .seconds(1), actor: 1, body: [0x80])
    ])
    let state = try await server.call("GET", "/v5/rooms/\(recorded.room)/state?at=r2", token: server.admin)
    #expect(state.status == 500)
    #expect(try await server.call("GET", recorded.path(), token: server.admin).status == 200)
    #expect(try await server.call("GET", recorded.path("/runs"), token: server.admin).status == 200)
  }
}

@Test(
  "Wrong questions about replays are answered with a code",
  arguments: [
    ("/runs?after=-1", "badParameter"), ("/runs?after=12", "badParameter"), ("/runs?limit=0", "badParameter"),
    ("/runs?limit=16777217", "badParameter"), ("/runs?epoch=12", "badParameter"),
    ("/snapshots/x", "badParameter"), ("/revision", "badParameter"), ("/revision?at=soon", "badParameter"),
  ])
func wrongQuestions(_ path: String, _ code: String) async throws {
  try await RunningServer.with { server in
    let recorded = try await Recorded(server.store)
    let answer = try await server.call("GET", recorded.path(path), token: server.admin)
    #expect(answer.status == 400)
    #expect(answer.json?["code"]?.string == code)
  }
}

@Test(
  "RP-65, RPL-6: damage ends an answer before it, is told to who asks for it first, and stops nothing behind it"
)
func damagedPieces() async throws {
  let store = HoledStore(MemoryLogStore())
  try await RunningServer.with(over: store) { server in
    let recorded = try await Recorded(store)
    try await recorded.fill(900, from: 1)
    let spans = try await store.spans(of: recorded.room, after: .zero, limit: 99)
    try #require(spans.count > 3)
    store.damage(spans[1])
    func runs(_ after: Revision) async throws -> RunningServer.Answer {
      try await server.call("GET", recorded.path("/runs?after=\(after)"), token: server.admin)
    }
    let before = try await runs(.zero)
    #expect(before.status == 200)
    #expect(try pieces(before.body).map(\.lastRevision) == [spans[0].last])
    let at = try await runs(spans[0].last)
    #expect(at.status == 500)
    #expect(at.json?["code"]?.string == "internal")
    let behind = try await runs(spans[1].last)
    #expect(try pieces(behind.body).last?.lastRevision == 901)
    let index = try await server.call("GET", recorded.path(), token: server.admin)
    #expect(index.json?["blocks"]?.array?.count == spans.count)
  }
}
