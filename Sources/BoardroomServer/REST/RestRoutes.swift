import BoardroomCodec
import BoardroomModel
import EventLogModel
import HTTPTypes
import Hummingbird

/// The HTTP interface (specification 4.1 and 4.2, and three addresses for operators).
struct RestRoutes: Sendable {
  /// RE-3.
  static let usualPage = 100
  static let largestPage = 1_000
  /// RE-1, in bytes.
  static let longestName = 2_048
  /// Beyond any room; keeps the number far from overflows.
  static let largestWriterLimit = 1_000_000
  /// A century in milliseconds.
  static let longestLifespan = 3_155_760_000_000

  let engine: RoomServerEngine
  let keys: KeyRing
  let registry: RoomRegistry
  let history: RoomHistory
  let health: ServerHealth
  let blockFormat: (any BlockFileFormat)?
  /// The text of `/metrics`.
  let measurements: @Sendable () async -> String

  private var now: Timestamp { engine.clock() }

  func addRoutes(to router: Router<RestContext>) {
    addOperatorRoutes(to: router)
    router.post("v5/rooms") { request, _ in try await createRoom(request) }
    router.get("v5/rooms") { request, _ in try await listRooms(request) }
    router.get("v5/rooms/{uuid}") { try await roomInfo($0, $1.room()) }
    router.get("v5/rooms/{uuid}/members") { try await roster($0, $1.room()) }
    router.post("v5/rooms/{uuid}/kick") { try await kick($0, $1.room()) }
    router.get("v5/rooms/{uuid}/state") { try await state($0, $1.room()) }
    router.get("v5/rooms/{uuid}/log") { try await log($0, $1.room()) }
    router.post("v5/tokens/teams") { request, _ in try await mintTeamToken(request) }
    router.post("v5/tokens/rooms/{uuid}") { try await mintRoomToken($0, $1.room()) }
  }

  /// The token of the header, if it allows this.
  @discardableResult
  private func admit(_ request: Request, to permission: Permission) throws(TokenError) -> AccessToken {
    guard let token = request.token else { throw .invalidFormat }
    return try keys.admit(token, for: permission, at: now)
  }

  // MARK: Rooms

  private func createRoom(_ request: Request) async throws -> Response {
    try admit(request, to: .createRoom)
    if let reason = health.notReady { throw Self.unready(reason) }
    let body = try await RestBody(request)
    let created = RoomCreated(
      name: try body.text("name", bytes: Self.longestName) ?? "",
      limit: try body.count("limit", upTo: Self.largestWriterLimit) ?? 0,
      isRecord: try body.flag("isRecord") ?? true)
    let entry = try await registry.create(created, at: now)
    return .json(RoomJSON.room(entry, keys: keys), status: .created)
  }

  private func roomInfo(_ request: Request, _ room: RoomID) async throws -> Response {
    try admit(request, to: .roomInfo(room))
    return .json(RoomJSON.room(try await registry.entry(room), keys: keys))
  }

  private func listRooms(_ request: Request) async throws -> Response {
    try admit(request, to: .listRooms)
    let limit = try Self.number(request, "limit", 1...UInt64(Self.largestPage)) ?? UInt64(Self.usualPage)
    var first: RoomID?
    if let text = request.query("beginUUID") {
      guard let room = RoomID(text) else {
        throw RestBody.wrong("beginUUID", "has not 32 hexadecimal digits")
      }
      first = room
    }
    let entries = try await registry.entries(from: first, limit: Int(limit))
    return .json(.array(entries.map { RoomJSON.room($0, keys: keys) }))
  }

  private func roster(_ request: Request, _ room: RoomID) async throws -> Response {
    try admit(request, to: .roster(room))
    let members = try await members(of: room)
    return .json(.array(members.map(RoomJSON.member)))
  }

  /// As the durable log has them: what any member sees.
  private func members(of room: RoomID) async throws(LogError) -> [Member] {
    let revision = try await history.revision(of: room, at: nil)
    return try await history.state(of: room, at: revision).roster
  }

  private func kick(_ request: Request, _ room: RoomID) async throws -> Response {
    try admit(request, to: .kick(room))
    let body = try await RestBody(request)
    let reason = try Self.reason(body)
    let kicked = try await kicked(by: body, in: room)
    for member in kicked { try await engine.kick(member, from: room, reason: reason) }
    return .json(.object([("kicked", .array(kicked.map { .number(String($0.rawValue)) }))]))
  }

  private static func reason(_ body: RestBody) throws(RestError) -> KickReason {
    guard let text = try body.text("reason", bytes: 64) else { return .kickByAdmin }
    guard let reason = KickReason(rawValue: text) else {
      let all = KickReason.allCases.map(\.rawValue).joined(separator: ", ")
      throw RestBody.wrong("reason", "is none of \(all)")
    }
    return reason
  }

  /// By `memberId`, or everyone of this `uid`.
  private func kicked(by body: RestBody, in room: RoomID) async throws -> [MemberID] {
    let number = try body.count("memberId", upTo: Int.max)
    let uid = try body.text("uid", bytes: engine.policy.limits.uid)
    guard (number == nil) != (uid == nil) else {
      throw RestError(.badParameter, "Either memberId or uid is needed, and not both.")
    }
    let found = try await members(of: room).filter { member in
      uid.map { $0 == member.uid } ?? (member.id == MemberID(UInt64(number ?? 0)))
    }
    guard !found.isEmpty else { throw RestError(.notMember) }
    return found.map(\.id)
  }

  // MARK: Tokens

  /// RE-10: for who has the key pair itself.
  private func mintTeamToken(_ request: Request) async throws -> Response {
    let body = try await RestBody(request)
    let key = try body.needText("accessKey", bytes: 256)
    let secret = try body.needText("secretAccessKey", bytes: 256)
    let known = keys.secret(of: key)
    let isRight = AccessToken.areEqual(Array((known ?? "").utf8), Array(secret.utf8))
    guard let known, isRight else {
      throw RestError(
        .tokenInvalid, "The access key or its secret is not one of this server's.",
        cure: "Take both from the key file in the data folder.")
    }
    let role = try body.role("role")
    return try mint(.team, role, KeyPair(id: key, secret: known), body)
  }

  /// RE-11.
  private func mintRoomToken(_ request: Request, _ room: RoomID) async throws -> Response {
    let body = try await RestBody(request)
    let role = try body.role("role")
    try admit(request, to: .mintRoomToken(room, role))
    _ = try await engine.store.info(of: room)
    let key = try body.text("ak", bytes: 256) ?? keys.signer.id
    guard let secret = keys.secret(of: key) else { throw RestBody.wrong("ak", "is not a key of this server") }
    return try mint(.room(room), role, KeyPair(id: key, secret: secret), body)
  }

  private func mint(
    _ scope: TokenScope, _ role: Role, _ key: KeyPair, _ body: RestBody
  ) throws(RestError) -> Response {
    let lifespan = try body.count("lifespan", upTo: Self.longestLifespan) ?? 0
    let token = AccessToken(scope: scope, role: role, keyID: key.id, lifespan: Int64(lifespan), at: now)
    return .json(.string(token.signed(with: key.secret)), status: .created)
  }

  // MARK: History

  private func state(_ request: Request, _ room: RoomID) async throws -> Response {
    try admit(request, to: .replay(room))
    var moment: RoomHistory.Moment?
    if let text = request.query("at") {
      guard let asked = RoomHistory.Moment(text) else {
        throw RestBody.wrong("at", "is neither a revision like r123 nor milliseconds since 1970")
      }
      moment = asked
    }
    let revision = try await history.revision(of: room, at: moment)
    let state = try await history.state(of: room, at: revision)
    return .json(bytes: RoomJSON.state(state, limits: engine.policy.limits))
  }

  private func log(_ request: Request, _ room: RoomID) async throws -> Response {
    try admit(request, to: .replay(room))
    let info = try await engine.store.info(of: room)
    let after = Revision(try Self.number(request, "after", 0...UInt64.max) ?? info.low.previous.rawValue)
    let to = Revision(try Self.number(request, "to", 1...UInt64.max) ?? info.last.rawValue)
    guard to <= info.last else { throw LogError.beyondEnd(room, asked: to, last: info.last) }
    guard after.next >= info.low else { throw LogError.trimmed(room, low: info.low) }
    let export = LogExport(
      store: engine.store, room: room, after: after, to: to, kinds: try Self.kinds(request))
    switch request.query("format") {
    case nil, "jsonl"?: return Response(status: .ok, headers: Self.headers("jsonl"), body: export.lines())
    case "blocks"?: return try blocks(export, info)
    case _?: throw RestBody.wrong("format", "is neither jsonl nor blocks")
    }
  }

  /// A block file holds a whole log, so there is nothing to choose from.
  private func blocks(_ export: LogExport, _ info: LogInfo) throws(RestError) -> Response {
    guard let blockFormat else { throw RestBody.wrong("format", "can only be jsonl on this server") }
    guard export.after == .zero, export.to == info.last, export.kinds == nil else {
      throw RestBody.wrong("format", "blocks is of whole logs: leave out after, to and kinds")
    }
    return Response(
      status: .ok, headers: Self.headers("blocks"), body: export.blocks(blockFormat, info: info))
  }

  private static func headers(_ format: String) -> HTTPFields {
    let type = format == "jsonl" ? "application/x-ndjson; charset=utf-8" : "application/octet-stream"
    return [.contentType: type, .cacheControl: "no-store"]
  }

  /// Names or numbers with commas between them.
  private static func kinds(_ request: Request) throws(RestError) -> Set<UInt8>? {
    guard let text = request.query("kinds") else { return nil }
    var kinds: Set<UInt8> = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let kind = EventKind.allCases.first(where: { $0.name == name })?.rawValue ?? UInt8(name) else {
        throw RestBody.wrong("kinds", "has a name that is no kind of docs/PROTOCOL.md, section 6")
      }
      kinds.insert(kind)
    }
    return kinds
  }

  private static func number(
    _ request: Request, _ name: String, _ range: ClosedRange<UInt64>
  ) throws(RestError) -> UInt64? {
    guard let text = request.query(name) else { return nil }
    guard let value = UInt64(text), range.contains(value) else {
      throw RestBody.wrong(name, "is not a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  static func unready(_ reason: String) -> RestError {
    let code: RefusalCode = reason == "draining" ? .goingAway : .logFull
    return RestError(Refusal(code), status: .serviceUnavailable)
  }
}
