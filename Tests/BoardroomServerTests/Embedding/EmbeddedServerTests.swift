import BoardroomAccess
import BoardroomHosting
import BoardroomModel
import BoardroomServer
import EventLogModel
import Hummingbird
import ServerTestKit
import Synchronization
import Testing

/// Knows its users by the keys that they show.
private struct School: RoomGatekeeper {
  struct DatabaseIsDown: Error {}

  func grant(_ request: AccessRequest) async throws -> AccessGrant {
    switch request.credential {
    case "head": AccessGrant(role: .admin, uid: "head", isOfTeam: true)
    case "teacher": AccessGrant(role: .admin, uid: "ada")
    case "pupil": AccessGrant(role: .writer, uid: "bob")
    case "unlucky": throw DatabaseIsDown()
    default: throw Refusal(.forbidden, cause: "The school does not know you.", cure: "Sign in.")
    }
  }
}

@Test(
  "GATE-4: with a gatekeeper of its own, the program decides about joins and about REST, and errors let nobody in"
)
func gatekeepersOfPrograms() async throws {
  let lines = Mutex("")
  try await RunningServer.with(
    gatekeeper: School(), logs: { line in lines.withLock { $0 += String(decoding: line, as: UTF8.self) } }
  ) { server in
    let made = try await server.call("POST", "/v5/rooms", token: "head", body: "{}")
    #expect(made.status == 201)
    let room = try #require(made.json?["uuid"]?.string.flatMap { RoomID($0) })
    let table = [
      ("GET", "/v5/rooms/\(room)", "pupil", 200), ("GET", "/v5/rooms/\(room)", "stranger", 403),
      ("GET", "/v5/rooms/\(room)", "unlucky", 500), ("GET", "/v5/rooms/\(room)", server.admin, 403),
      ("DELETE", "/v5/rooms/\(room)", "pupil", 403), ("POST", "/v5/rooms", "teacher", 403),
      ("GET", "/v5/rooms", "teacher", 403), ("GET", "/v5/rooms", "head", 200),
    ]
    for (method, path, credential, status) in table {
      let answer = try await server.call(method, path, token: credential)
      #expect(answer.status == status, "\(method) \(path) \(status)")
    }
    #expect(try await server.call("GET", "/v5/rooms/\(room)").status == 403)
    for (credential, uid, code) in [
      ("pupil", "bob", "live"), ("pupil", "ada", "forbidden"), ("stranger", "bob", "forbidden"),
      ("unlucky", "bob", "internal"), (server.admin, "bob", "forbidden"),
    ] {
      let (_, heard) = try await server.knock(room, uid, token: credential)
      #expect(heard.contains("\"\(code)\""), "\(uid) \(code)")
      #expect(heard.contains("\"m\":\"live\"") == (code == "live"), "\(uid) \(code)")
    }
    let members = try await server.call("GET", "/v5/rooms/\(room)/members", token: "teacher").json?.array
    #expect(members?.compactMap { $0["uid"]?.string } == ["bob"])
  }
  let written = lines.withLock { $0 }
  #expect(written.contains("the gatekeeper failed"))
  #expect(written.contains("DatabaseIsDown"))
}

@Test("GATE-4, MOD-7: bans hold beside a gatekeeper that lets the banned in")
func bansHoldBesideGatekeepers() async throws {
  try await RunningServer.with(gatekeeper: School()) { server in
    let room = try await server.rooms.create()
    try await server.rooms.keepOut(.user("bob"), of: room, seconds: 600)
    let (_, heard) = try await server.knock(room, "bob", token: "pupil")
    #expect(heard.contains("\"banned\""))
    #expect(try await server.call("GET", "/v5/rooms/\(room)", token: "pupil").status == 403)
  }
}

@Test("GATE-4: a server with a gatekeeper of its own is not open, whatever the settings say")
func gatekeepersCloseServers() async throws {
  var settings = ServerSettings()
  settings.isOpen = true
  try await RunningServer.with(settings, gatekeeper: School()) { server in
    let about = try await server.call("GET", "/v5/server")
    #expect(about.json?["open"]?.bool == false)
    #expect(about.json?["token"] == nil)
    let (_, heard) = try await server.knock(RoomID(high: 5, low: 5), token: "")
    #expect(heard.contains("\"forbidden\""))
  }
}

/// A context of the program's own.
private struct Lesson: RequestContext {
  var coreContext: CoreRequestContextStorage
  init(source: ApplicationRequestContextSource) { coreContext = .init(source: source) }
}

private func school() -> Router<Lesson> {
  let router = Router(context: Lesson.self)
  router.get("/") { _, _ in "the school's page" }
  router.get("lessons/{name}") { _, context in context.parameters.get("name") ?? "" }
  router.get("assets/school.js") { _, _ in "school" }
  router.get("v5/lessons") { _, _ in "never" }
  return router
}

@Test("EMBED-3: routes of the program's own are served behind Boardroom's, which keep theirs")
func ownRoutesAreServed() async throws {
  try await RunningServer.with(embedding: { $0.serving(routesOf: school()) }) { server in
    #expect(try await server.call("GET", "/lessons/waves").text == "waves")
    #expect(try await server.call("GET", "/healthz").text == "ok\n")
    let room = try await server.room()
    #expect(try await server.outcome(room, "ada") == "in")
    // The page is shown, so its addresses are Boardroom's.
    #expect(try await server.call("GET", "/").text.contains("<!doctype html>"))
    #expect(try await server.call("GET", "/assets/school.js").status == 404)
    // So are all below /v5, also those that there are not.
    let unknown = try await server.call("GET", "/v5/lessons")
    #expect(unknown.status == 404)
    #expect(unknown.json?["code"]?.string == "notFound")
    #expect(try await server.call("GET", "/nowhere").status == 404)
  }
}

@Test("EMBED-3: where the page is not shown, its addresses are the program's")
func ownPageIsServed() async throws {
  var settings = ServerSettings()
  settings.showsPage = false
  try await RunningServer.with(settings, embedding: { $0.serving(routesOf: school()) }) { server in
    let page = try await server.call("GET", "/")
    #expect(page.text == "the school's page")
    #expect(try await server.call("GET", "/assets/school.js").text == "school")
    let unknown = RoomID.random()
    #expect(try await server.call("GET", "/r/\(unknown)").status == 404)
    #expect(try await server.call("GET", "/v5/server").status == 200)
  }
}
