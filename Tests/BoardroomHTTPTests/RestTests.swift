import BoardroomCodec
import BoardroomModel
import EventLog
import EventLogModel
import Foundation
import ServerTestKit
import Synchronization
import Testing

@testable import BoardroomAccess
@testable import BoardroomHTTP
@testable import BoardroomHosting
@testable import BoardroomServer

@Test("RE-1, RE-2, X-61: a room is created with 201 and shown again with 200, the same object")
func roomsAreCreatedAndShown() async throws {
  try await RunningServer.with { server in
    let body = "{\"name\":\"Geometry ✏️\",\"limit\":3,\"isRecord\":false,\"later\":[1]}"
    let made = try await server.call("POST", "/v5/rooms", token: server.admin, body: body)
    #expect(made.status == 201)
    let room = try #require(made.json)
    #expect(
      room.object?.map(\.0) == [
        "uuid", "name", "teamUUID", "appUUID", "isRecord", "isBan", "createdAt", "limit",
      ])
    #expect(room["name"]?.string == "Geometry ✏️")
    #expect(room["limit"]?.int == 3)
    #expect(room["isRecord"]?.bool == false)
    #expect(room["teamUUID"]?.string == server.keys.team.description)
    let uuid = try #require(room["uuid"]?.string)
    let shown = try await server.call("GET", "/v5/rooms/\(uuid)", token: server.admin)
    #expect(shown.status == 200)
    #expect(shown.json == room)
    let none = try await server.call("POST", "/v5/rooms", token: server.admin)
    #expect(none.status == 201, "every field may be left out")
    #expect(none.json?["isRecord"]?.bool == true, "X-61")
  }
}

@Test("RE-3: rooms are listed in pages that follow one another from beginUUID")
func roomsAreListedInPages() async throws {
  try await RunningServer.with { server in
    var made: [String] = []
    for _ in 0..<5 { made.append(try await server.room().description) }
    made.sort()
    func page(_ query: String) async throws -> [String] {
      let answer = try await server.call("GET", "/v5/rooms\(query)", token: server.admin)
      #expect(answer.status == 200)
      return (answer.json?.array ?? []).compactMap { $0["uuid"]?.string }
    }
    #expect(try await page("") == made)
    #expect(try await page("?limit=2") == Array(made[..<2]))
    #expect(try await page("?limit=2&beginUUID=\(made[2])") == Array(made[2..<4]))
    #expect(try await page("?beginUUID=00000000000000000000000000000000") == made)
    #expect(try await page("?beginUUID=ffffffffffffffffffffffffffffffff") == [])
  }
}

@Test("RE-10, RE-11: tokens are minted that open what they should, for whom they should")
func tokensAreMinted() async throws {
  try await RunningServer.with { server in
    let keys = "\"accessKey\":\"test-key\",\"secretAccessKey\":\"test-secret\""
    let team = try await server.call(
      "POST", "/v5/tokens/teams", body: "{\(keys),\"lifespan\":60000,\"role\":\"writer\"}")
    #expect(team.status == 201)
    let writer = try #require(team.json?.string)
    let read = try AccessToken(writer, secret: server.keys.secret(of:))
    #expect(read.scope == .team)
    #expect(read.role == .writer)
    #expect(read.expires != nil)

    let room = try await server.room()
    let path = "/v5/tokens/rooms/\(room)"
    let minted = try await server.call("POST", path, token: writer, body: "{\"role\":\"reader\"}")
    #expect(minted.status == 201)
    let reader = try AccessToken(try #require(minted.json?.string), secret: server.keys.secret(of:))
    #expect(reader.scope == .room(room))
    #expect(reader.role == .reader)
    #expect(reader.expires == read.expires, "RIGHT-5: no token outlives its maker")
    #expect(try await server.call("POST", path, token: writer, body: "{\"role\":\"admin\"}").status == 403)
    let wrong = keys.replacingOccurrences(of: "test-secret", with: "guess")
    let refused = try await server.call("POST", "/v5/tokens/teams", body: "{\(wrong),\"role\":\"admin\"}")
    #expect(refused.status == 401)
    #expect(refused.json?["code"]?.string == "tokenInvalid")
  }
}

@Test("RE-20, RE-21: members are shown and removed by number or by uid, and the log says why")
func membersAreShownAndRemoved() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    _ = try await server.join(room, ["ada", nil, "grace"])
    func roster() async throws -> [JSONValue] {
      let answer = try await server.call("GET", "/v5/rooms/\(room)/members", token: server.admin)
      #expect(answer.status == 200)
      return answer.json?.array ?? []
    }
    let before = try await roster()
    #expect(before.map { $0["memberId"]?.int } == [0, 1, 2])
    #expect(before.map { $0["uid"]?.string } == ["ada", nil, "grace"])
    #expect(before[0]["payload"]?["n"]?.int == 1)
    #expect(before[0]["session"] == nil, "who knows a session's name can come back as it")

    let path = "/v5/rooms/\(room)/kick"
    let byNumber = try await server.call("POST", path, token: server.admin, body: "{\"memberId\":1}")
    #expect(byNumber.status == 200)
    #expect(byNumber.text == "{\"kicked\":[1]}")
    let byUid = try await server.call(
      "POST", path, token: server.token(.room(room), .admin), body: "{\"uid\":\"ada\",\"reason\":\"roomBan\"}"
    )
    #expect(byUid.text == "{\"kicked\":[0]}")
    #expect(try await roster().map { $0["memberId"]?.int } == [2])
    #expect(try await server.call("POST", path, token: server.admin, body: "{\"uid\":\"ada\"}").status == 404)

    let log = try await server.call("GET", "/v5/rooms/\(room)/log?kinds=memberKicked,18", token: server.admin)
    let kinds = log.text.split(separator: "\n").compactMap { try? JSONValue.parse(Array($0.utf8)) }
    #expect(
      kinds.compactMap { $0["kind"]?.string } == ["memberKicked", "memberLeft", "memberKicked", "memberLeft"])
    #expect(kinds.first?["body"]?["reason"]?.string == "kickByAdmin")
    #expect(kinds[2]["body"]?["reason"]?.string == "roomBan")
  }
}

@Test("RE-25: the log is streamed as JSON lines that are exactly the mirror of its records, and can be cut")
func logsAreStreamed() async throws {
  try await RunningServer.with { server in
    let room = try await server.room("{\"name\":\"long\"}")
    // More than one page of 256 KiB.
    let payload = String(repeating: "x", count: 2_000)
    for _ in 0..<4 {
      let records = (0..<100).map { number in
        Record(
          kind: EventKind.globalState.rawValue, time: .wallClock, actor: 0,
          body: [0] + Array("{\"k\(number)\":\"\(payload)\"}".utf8))
      }
      try await server.store.append(records, to: room, expecting: nil, epoch: nil)
    }
    let path = "/v5/rooms/\(room)/log"
    let whole = try await server.call("GET", path, token: server.token(.room(room), .reader))
    #expect(whole.status == 200)
    let lines = whole.text.split(separator: "\n")
    #expect(lines.count == 401)
    var expected: [[UInt8]] = []
    var at = Revision.zero
    while at < 401 {
      for run in try await server.store.runs(of: room, after: at, limit: 1 << 20) {
        expected += RecordMirror.lines(of: run)
        at = run.lastRevision
      }
    }
    #expect(zip(lines, expected).allSatisfy { Array($0.utf8) == $1.filter { $0 != 10 } })
    let cut = try await server.call("GET", path + "?after=5&to=8", token: server.admin)
    #expect(cut.text == lines[5..<8].map { $0 + "\n" }.joined())
    let state = try await server.call("GET", "/v5/rooms/\(room)/state?at=r2", token: server.admin)
    #expect(state.json?["snapshot"]?["revision"]?.int == 2)
    #expect(state.json?["snapshot"]?["root"]?["globalState"]?.object?.map(\.0) == ["k0"])
    let now = try await server.call("GET", "/v5/rooms/\(room)/state", token: server.admin)
    #expect(now.json?["snapshot"]?["revision"]?.int == 401)
    let early = try await server.call("GET", "/v5/rooms/\(room)/state?at=0", token: server.admin)
    #expect(early.json?["snapshot"]?["revision"]?.int == 0)
  }
}

@Test("/healthz, /readyz, /metrics and / answer without a token on this machine")
func operatorsAreAnswered() async throws {
  try await RunningServer.with { server in
    #expect(try await server.call("GET", "/healthz").text == "ok\n")
    #expect(try await server.call("GET", "/readyz").text.hasPrefix("ready\n"))
    _ = try await server.call("GET", "/v5/rooms")
    let metrics = try await server.call("GET", "/metrics")
    #expect(metrics.text.contains("boardroom_ready 1\n"))
    #expect(metrics.text.contains("boardroom_http_requests_total{code=\"401\"} 1\n"))
    #expect(metrics.text.contains("boardroom_rooms_open 0\n"))
    let page = try await server.call("GET", "/")
    #expect(page.status == 200)
    let addresses = page.text.replacing("placeholder=\"https://\"", with: "")
    #expect(!addresses.contains("http://"))
    #expect(!addresses.contains("https://"))
    let scripts = page.text.ranges(of: "<script")
    #expect(scripts.count == page.text.ranges(of: "<script type=\"module\" src=\"/assets/").count)
  }
}

@Test("/metrics needs an SDK token when a proxy passes the request on; a room's token is not enough")
func metricsAreGuarded() async throws {
  try await RunningServer.with { server in
    let forwarded = ["x-forwarded-for": "192.0.2.1"]
    let (reader, room) = (server.token(.team, .reader), server.token(.room(.random()), .admin))
    let bearer = ["authorization": "Bearer \(reader)", "forwarded": "for=192.0.2.1"]
    let table: [(token: String?, headers: [String: String], status: Int)] = [
      (nil, forwarded, 401), (reader, forwarded, 200), (nil, bearer, 200), (room, forwarded, 403),
    ]
    for row in table {
      let answer = try await server.call("GET", "/metrics", token: row.token, headers: row.headers)
      #expect(answer.status == row.status)
    }
  }
}

@Test(
  "OPS-3, OPS-4: a disk that failed, or hangs, is not called full; only who may measure is told the call, the path and the number"
)
func failedDisksAreNotFull() async throws {
  let failed = StoreWatch(refusal: { .io(operation: "fdatasync", path: "/srv/x/journal", code: 5) })
  let hanging = StoreWatch(commitUnderWay: { .seconds(17) })
  for (watch, detail) in [(failed, "fdatasync failed on /srv/x/journal (error 5)"), (hanging, "17 s")] {
    try await RunningServer.with(watch: watch) { server in
      let own = try await server.call("GET", "/readyz")
      #expect(own.status == 503)
      #expect(own.json?["code"]?.string == "internal")
      #expect(own.text.contains(detail), "\(own.text)")
      let stranger = try await server.call("GET", "/readyz", headers: ["x-forwarded-for": "192.0.2.1"])
      #expect(stranger.status == 503, "\(stranger.text)")
      #expect(!stranger.text.contains(detail), "\(stranger.text)")
      let room = try await server.call("POST", "/v5/rooms", token: server.admin)
      #expect(room.status == 503)
      #expect(room.json?["code"]?.string == "internal")
      #expect(try await server.call("GET", "/healthz").status == 200)
      #expect(try await server.call("GET", "/metrics").text.contains("boardroom_ready 0\n"))
    }
  }
}

@Test(
  "OPS-3: a store that has stopped ends the server: members are told to come back, and running throws why")
func stoppedStoresEndTheServer() async throws {
  let refusal = Mutex<LogError?>(nil)
  let watch = StoreWatch(refusal: { refusal.withLock { $0 } })
  let lines = Mutex("")
  let reason = "fdatasync failed on /srv/x (error 5)."
  await #expect(throws: ServerFailure.storeStopped(reason: reason)) {
    try await RunningServer.with(
      watch: watch, logs: { bytes in lines.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }
    ) { server in
      let (socket, heard) = try await server.knock(try await server.room(), "ada")
      #expect(heard.contains("\"m\":\"live\""))
      refusal.withLock { $0 = .stopped(reason: reason) }
      // Nobody asks it to end.
      let farewell = await socket.receive(until: "\"cure\"")
      #expect(farewell.contains("\"comeBack\":true"), "\(farewell)")
      _ = await socket.receive(until: nil)
    }
  }
  #expect(lines.withLock { $0 }.contains("the log has stopped: the server ends what=\(reason)"))
  // Where ten seconds pass before it has ended, the health of the log is told as well.
  let others = lines.withLock { $0 }.split(separator: "\n").filter { !$0.contains("the log takes no events") }
  #expect(!others.contains { $0.contains(" error ") }, "\(others)")
}

@Test("OPS-3: an orderly stop logs nothing above info, whoever is connected")
func orderlyStopsAreQuiet() async throws {
  let lines = Mutex("")
  var settings = ServerSettings()
  settings.metricsListen = ListenAddress("127.0.0.1:0")
  try await RunningServer.with(
    settings, logs: { bytes in lines.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }
  ) { server in
    let (socket, heard) = try await server.knock(try await server.room(), "ada")
    #expect(heard.contains("\"m\":\"live\""))
    // Its connection is kept for the next request.
    #expect(try await server.call("GET", "/healthz").status == 200)
    await server.shutDown()
    _ = await socket.receive(until: nil)
  }
  #expect(lines.withLock { $0 } == "")
}

@Test("/readyz says 503 when the log takes no events, while /healthz says that the server lives")
func fullLogsAreNotReady() async throws {
  let full = StoreWatch(refusal: { .full(place: "the disk") })
  try await RunningServer.with(watch: full) { server in
    let answer = try await server.call("GET", "/readyz")
    #expect(answer.status == 503)
    #expect(answer.json?["code"]?.string == "logFull")
    #expect(try await server.call("GET", "/healthz").status == 200)
    #expect(try await server.call("POST", "/v5/rooms", token: server.admin).status == 503)
  }
}

@Test("OPS-5: a server's version is the newest heading of CHANGELOG.md, or is not released")
func versionIsThatOfTheChangelog() throws {
  var root = URL(fileURLWithPath: #filePath)
  for _ in 0..<3 { root.deleteLastPathComponent() }
  let text = try String(contentsOf: root.appending(path: "CHANGELOG.md"), encoding: .utf8)
  let heading = try #require(text.split(separator: "\n").first { $0.hasPrefix("## ") })
  let name = heading.dropFirst(3)
  let isReleased = !ServerFacts.version.hasSuffix("-dev")
  #expect(isReleased ? name.hasPrefix(ServerFacts.version) : name == "Unreleased", "\(heading)")
  #expect(ServerFacts.version.wholeMatch(of: #/\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?/#) != nil)
}

@Test(
  "OPS-2: /readyz tells this machine, and who may measure, version, build, start and free disk; others only that it is ready"
)
func readinessSaysMore() async throws {
  try await RunningServer.with { server in
    let own = try await server.call("GET", "/readyz").text
    for word in ["ready\n", "version \(ServerFacts.version)\n", "build 20", "started 20", "disk free "] {
      #expect(own.contains(word), "\(own)")
    }
    let forwarded = ["x-forwarded-for": "192.0.2.1"]
    #expect(try await server.call("GET", "/readyz", headers: forwarded).text == "ready\n")
    let shown = try await server.call(
      "GET", "/readyz", token: server.token(.team, .reader), headers: forwarded)
    // The disk's free bytes change from one moment to the next.
    func lasting(_ text: String) -> [Substring] {
      text.split(separator: "\n").filter { !$0.hasPrefix("disk free ") }
    }
    #expect(lasting(shown.text) == lasting(own))
    #expect(shown.text.contains("disk free "))
    let metrics = try await server.call("GET", "/metrics").text
    for name in [
      "boardroom_build_info{version=\"\(ServerFacts.version)\"} 1\n", "boardroom_disk_free_bytes ",
      "process_start_time_seconds ", "boardroom_http_seconds_bucket{le=",
    ] {
      #expect(metrics.contains("\n" + name), "\(name)")
    }
  }
}
