import BoardroomServer
import EventLog
import Hummingbird
import Logging
import ServiceLifecycle
import UnixSignals

/// A school's back end: its own users and pages, and rooms in the same program on the same port.
struct School: RoomGatekeeper {
  private let users: [String: (name: String, role: Role)] = [
    "key-of-ada": ("ada", .admin), "key-of-sample": ("sample", .writer), "key-of-bot": ("bot", .writer),
  ]

  func user(of key: String) throws(Refusal) -> (name: String, role: Role) {
    guard let user = users[key] else {
      throw Refusal(.forbidden, cause: "The school does not know this key.", cure: "Sign in at the school.")
    }
    return user
  }

  /// Administrators do what they like, and nobody looks at the past of a lesson but they.
  func grant(_ request: AccessRequest) async throws -> AccessGrant {
    let user = try user(of: request.credential)
    if request.action == .replay, user.role != .admin { throw Refusal(.notRecorded) }
    return AccessGrant(role: user.role, uid: user.name, isOfTeam: user.role == .admin, id: user.name)
  }

  /// The school's own addresses: `/` and `POST /lessons`, which opens a room for a lesson.
  func router(_ rooms: HostedRooms) -> Router<BasicRequestContext> {
    let router = Router()
    router.get("/") { _, _ in "The page of the school\n" }
    router.post("/lessons") { request, _ in
      do {
        let key = request.headers[.authorization] ?? ""
        let user = try user(of: String(key.dropFirst("Bearer ".count)))
        guard user.role == .admin else { throw Refusal(.forbidden) }
        let room = try await rooms.create(name: "lesson of \(user.name)")
        try await rooms.say("opened", ["by": .string(user.name)], in: room)
        return "\(room)\n"
      } catch let refusal as Refusal {
        throw HTTPError(refusal.code == .forbidden ? .forbidden : .serviceUnavailable, message: refusal.cause)
      }
    }
    return router
  }
}

@main struct BackEnd {
  static func main() async throws {
    let given = CommandLine.arguments
    precondition(given.count == 2, "BackEnd FOLDER")
    var settings = ServerSettings()
    (settings.port, settings.data, settings.showsPage) = (0, given[1], false)
    let logger = Logger(label: "school")
    let store = try EmbeddedLogStore.open(folder: given[1])
    let school = School()
    let server = BoardroomServer(
      settings: settings, store: store, keys: try KeyFile.open(inFolder: given[1]),
      gatekeeper: school, logger: logger
    ) { port in
      logger.info("listening", metadata: ["port": "\(port)"])
    }
    // The server ends gracefully on SIGTERM and Ctrl-C, and closes the store.
    try await ServiceGroup(
      services: [server.serving(routesOf: school.router(server.rooms))],
      gracefulShutdownSignals: [.sigterm, .sigint], logger: logger
    ).run()
  }
}
