import BoardroomAccess
import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import HTTPTypes
import Hummingbird

/// Comings and goings of a room and of a user: RE-24.
extension RestRoutes {
  /// What the source system returns at most.
  static let mostEvents = 1_000

  private static let limit = Route.Parameter(
    name: "limit", meaning: "Events at most; 1000 if left out.",
    schema: "{\"type\":\"integer\",\"minimum\":1,\"maximum\":\(mostEvents)}")

  static let eventRoutes: [Route] = [
    Route(
      method: .get, path: "/v5/rooms/{uuid}/channel_events",
      summary: "Show who joined and left a room, oldest first (RE-24).", action: .seeRoomEvents,
      parameters: [
        .init(
          name: "after", meaning: "The revision after which to begin: the last answer's next.",
          schema: #"{"type":"integer","minimum":0}"#), limit,
      ],
      answer: .one("RoomEvents", "A page of events.")
    ) { try await $0.roomEvents($1) },
    Route(
      method: .get, path: "/v5/user_events",
      summary: "Show where a user logged in and out, room by room (RE-24).", action: .seeUserEvents,
      parameters: [
        .init(
          name: "uid", meaning: "The user.", schema: #"{"type":"string","minLength":1,"maxLength":1024}"#,
          isRequired: true),
        .init(
          name: "after", meaning: "Where to begin: the last answer's next, ROOM:REVISION.",
          schema: #"{"type":"string","pattern":"^[0-9a-f]{32}:[0-9]{1,18}$"}"#), limit,
      ],
      answer: .one("UserEvents", "A page of events.")
    ) { try await $0.userEvents($1) },
  ]

  private func roomEvents(_ call: RestCall) async throws -> Response {
    let room = try call.room()
    let info = try await engine.store.info(of: room)
    try await allow(.presence, to: call, of: info)
    let start = Revision(try call.number("after", 0...UInt64.max - 1) ?? info.low.previous.rawValue)
    guard start <= info.last else { throw LogError.beyondEnd(room, asked: start, last: info.last) }
    guard start.next >= info.low else { throw LogError.trimmed(room, low: info.low) }
    var scan = PresenceScan(history: history, uid: nil, limit: try Self.limit(call))
    let end = try await scan.read(room, after: start, to: info.last)
    let next: JSONValue = .number(String(end.rawValue))
    return .json(
      .object([
        ("result", .string("success")),
        ("events", .array(scan.found.map { Self.event($0, "Join", "Leave") })),
        ("next", next), ("more", .bool(end < info.last)),
      ]))
  }

  /// Rooms in the order of their uuids, each from its beginning.
  private func userEvents(_ call: RestCall) async throws -> Response {
    guard let uid = try call.query("uid"), !uid.isEmpty, uid.utf8.count <= engine.policy.limits.uid else {
      throw RestBody.wrong("uid", "is missing, or longer than a user's name may be")
    }
    var place = try ScanPosition(call.query("after"))
    let all = RoomHistory(store: engine.wholeLogs)
    var scan = PresenceScan(history: all, uid: uid, limit: try Self.limit(call))
    var (after, isDone) = (place?.room.predecessor, false)
    while !scan.isFull, !isDone {
      let page = try await engine.store.logs(after: after, limit: Self.usualPage)
      for info in page where !scan.isFull { place = try await read(info, from: place, &scan) }
      (after, isDone) = (page.last?.log, page.isEmpty)
    }
    return .json(
      .object([
        ("result", .string("success")),
        ("events", .array(scan.found.map { Self.event($0, "Login", "Logout", withRoom: true) })),
        ("next", place.map { .string($0.text) } ?? .null), ("more", .bool(!isDone)),
      ]))
  }

  /// A room that is removed during the read has no events. One of another node is read as its owner has it, or, where that does
  /// not answer, as it is sealed (FWD-9).
  private func read(_ listed: LogInfo, from place: ScanPosition?, _ scan: inout PresenceScan) async throws
    -> ScanPosition
  {
    var info = listed
    if !info.isComplete, let whole = try? await engine.wholeLogs.info(of: info.log) { info = whole }
    guard info.last > .zero else { return ScanPosition(room: info.log, revision: .zero) }
    var start = info.low.previous
    if let place, place.room == info.log { start = max(start, place.revision) }
    do throws(LogError) {
      // Logs of accounts and channels are skipped.
      guard try await !registry.isSpace(info) else {
        return ScanPosition(room: info.log, revision: info.last)
      }
      return ScanPosition(
        room: info.log, revision: try await scan.read(info.log, after: min(start, info.last), to: info.last))
    } catch .noSuchLog, .deleted {
      return ScanPosition(room: info.log, revision: info.last)
    }
  }

  private static func limit(_ call: RestCall) throws(RestError) -> Int {
    Int(try call.number("limit", 1...UInt64(mostEvents)) ?? UInt64(mostEvents))
  }

  private static func event(
    _ found: PresenceScan.FoundPresence, _ came: String, _ went: String, withRoom: Bool = false
  ) -> JSONValue {
    var fields: [(String, JSONValue)] = [("type", .string(found.left == nil ? came : went))]
    if withRoom { fields.append(("room", .string(found.room.description))) }
    if let uid = found.uid { fields.append(("user_id", .string(uid))) }
    fields += [
      ("memberId", .number(String(found.member.rawValue))), ("ms", .number(String(found.time.milliseconds))),
      ("revision", .number(String(found.revision.rawValue))),
    ]
    if let cause = found.left { fields.append(("cause", .string(cause.rawValue))) }
    return .object(fields)
  }
}

/// How far a scan over all rooms has come.
private struct ScanPosition {
  var room: RoomID
  var revision: Revision

  init(room: RoomID, revision: Revision) {
    self.room = room
    self.revision = revision
  }

  init?(_ text: String?) throws(RestError) {
    guard let text else { return nil }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let room = RoomID(String(parts[0])), let revision = UInt64(parts[1]) else {
      throw RestBody.wrong("after", "is not ROOM:REVISION as an answer's next has it")
    }
    self.init(room: room, revision: Revision(revision))
  }

  var text: String { "\(room):\(revision.rawValue)" }
}
