import BoardroomAccess
import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import HTTPTypes
import Hummingbird

/// Past and present state, and the log: RE-25.
extension RestRoutes {
  private static let kind =
    EventKind.allCases.map(\.name).joined(separator: "|") + "|[0-9]{1,2}|1[0-9]{2}|2[0-4][0-9]|25[0-5]"
  private static let revision = #"{"type":"integer","minimum":0}"#

  static let historyRoutes: [Route] = [
    Route(
      method: .get, path: "/v5/rooms/{uuid}/state", summary: "Show the state at a revision or time (RE-25).",
      action: .replay,
      parameters: [
        .init(
          name: "at", meaning: "r123: a revision; digits: milliseconds since 1970; left out: now.",
          schema: #"{"type":"string","pattern":"^r?[0-9]{1,18}$"}"#)
      ],
      answer: .one("State", "The snapshot of docs/PROTOCOL.md, section 7.")
    ) { try await $0.state($1) },
    Route(
      method: .get, path: "/v5/rooms/{uuid}/log", summary: "Stream the log (RE-25).", action: .replay,
      parameters: [
        .init(name: "after", meaning: "The revision before the first.", schema: revision),
        .init(name: "to", meaning: "The last revision.", schema: #"{"type":"integer","minimum":1}"#),
        .init(
          name: "kinds", meaning: "Names or numbers of kinds, with commas between them.",
          schema: "{\"type\":\"string\",\"pattern\":\"^(\(kind))(,(\(kind)))*$\"}"),
        .init(
          name: "format", meaning: "JSON lines, or the whole log as a block file.",
          schema: #"{"type":"string","enum":["jsonl","blocks"]}"#),
      ],
      answer: Route.ResponseBody(
        meaning: "The records.", types: ["application/x-ndjson", "application/octet-stream"])
    ) { try await $0.log($1) },
  ]

  /// The state of the durable log, which is what every member sees. From memory if the room is open.
  package func state(of room: RoomID) async throws -> RoomState {
    let state = try await anyState(of: room)
    guard !state.isDeleted else { throw LogError.deleted(room) }
    return state
  }

  /// Also of a deleted room: its log stays readable.
  private func anyState(of room: RoomID) async throws -> RoomState {
    if let state = await engine.durableState(of: room) { return state }
    let revision = try await history.revision(of: room, at: nil)
    return try await history.state(of: room, at: revision)
  }

  /// RIGHT-8: throws `notRecorded` unless this token may see this of the room's past.
  func allow(_ door: HistoryAccess, to call: RestCall, of info: LogInfo) async throws {
    let (role, withRoomToken) = (call.token?.role ?? .reader, call.token.map { $0.scope != .team } ?? true)
    func allows(_ isRecord: Bool) -> Bool {
      door.allows(role, withRoomToken: withRoomToken, isRecord: isRecord)
    }
    // A token that may read the past of unrecorded rooms, too, does not need the log's beginning, which may
    // be unreadable.
    guard !allows(false) else { return }
    let isRecord = try await registry.created(info).isRecord
    guard allows(isRecord) else { throw RestError(.notRecorded) }
  }

  private func allow(_ door: HistoryAccess, to call: RestCall, of room: RoomID) async throws {
    try await allow(door, to: call, of: engine.store.info(of: room))
  }

  private func state(_ call: RestCall) async throws -> Response {
    let room = try call.room()
    let state: RoomState
    if let text = try call.query("at") {
      guard let moment = RoomHistory.HistoryMoment(text) else {
        throw RestBody.wrong("at", "is neither a revision like r123 nor milliseconds since 1970")
      }
      try await allow(.log, to: call, of: room)
      let revision = try await history.revision(of: room, at: moment)
      state = try await history.state(of: room, at: revision)
    } else {
      state = try await anyState(of: room)
    }
    let headers: HTTPFields = [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"]
    return Response(status: .ok, headers: headers, body: RoomJSON.state(state, limits: engine.policy.limits))
  }

  private func log(_ call: RestCall) async throws -> Response {
    let room = try call.room()
    let info = try await engine.store.info(of: room)
    try await allow(.log, to: call, of: info)
    let after = Revision(try call.number("after", 0...UInt64.max - 1) ?? info.low.previous.rawValue)
    let to = Revision(try call.number("to", 1...UInt64.max) ?? info.last.rawValue)
    guard to <= info.last else { throw LogError.beyondEnd(room, asked: to, last: info.last) }
    guard after.next >= info.low else { throw LogError.trimmed(room, low: info.low) }
    let export = LogExport(
      store: engine.store, room: room, after: after, to: to, kinds: try Self.kinds(call))
    switch try call.query("format") {
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
  private static func kinds(_ call: RestCall) throws(RestError) -> Set<UInt8>? {
    guard let text = try call.query("kinds") else { return nil }
    var kinds: Set<UInt8> = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let kind = EventKind.number(named: name) else {
        throw RestBody.wrong("kinds", "has a name that is no kind of docs/PROTOCOL.md, section 6")
      }
      kinds.insert(kind)
    }
    return kinds
  }
}
