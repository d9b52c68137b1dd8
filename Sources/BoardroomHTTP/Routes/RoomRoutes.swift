import BoardroomAccess
import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel
import HTTPTypes
import Hummingbird
import Logging

/// Rooms: RE-1 to RE-3.
extension RestRoutes {
  /// RE-3.
  static let usualPage = 100
  static let largestPage = 1_000
  /// RE-1, in bytes.
  static let longestName = 2_048
  /// More than any room has; keeps the number far from overflows.
  static let largestWriterLimit = 1_000_000

  static let roomRoutes: [Route] = [
    Route(
      method: .post, path: "/v5/rooms", summary: "Make a room (RE-1).", action: .createRoom,
      body: .object(
        """
        "name":{"type":["string","null"],"maxLength":\(longestName)},
        "limit":{"type":["integer","null"],"minimum":0,"maximum":\(largestWriterLimit)},
        "isRecord":{"type":["boolean","null"]}
        """, isRequired: false),
      answer: .one("Room", "The room.", status: 201), refusals: [503]
    ) { try await $0.createRoom($1) },
    Route(
      method: .get, path: "/v5/rooms", summary: "List rooms in the order of their uuids (RE-3).",
      action: .listRooms,
      parameters: [
        .init(name: "beginUUID", meaning: "Where the page begins.", schema: OpenAPI.schema("UUID")),
        .init(
          name: "limit", meaning: "Rooms on the page; 100 if left out.",
          schema: #"{"type":"integer","minimum":1,"maximum":\#(largestPage)}"#),
      ],
      answer: .many("Room", "A page of rooms.")
    ) { try await $0.listRooms($1) },
    Route(
      method: .get, path: "/v5/rooms/{uuid}", summary: "Show a room (RE-2).", action: .roomInfo,
      answer: .one("Room", "The room.")
    ) { try await $0.roomInfo($1) },
    Route(
      method: .patch, path: "/v5/rooms/{uuid}", summary: "Ban a room, lift its ban, set its limits (RE-4).",
      action: .ban,
      body: .object(
        """
        "isBan":{"type":["boolean","null"]},
        "limits":{"type":["object","null"],"additionalProperties":false,"properties":{\(limits)}}
        """, isRequired: false),
      answer: .one("Room", "The room as it is now.", status: 201), refusals: [503]
    ) { try await $0.changeRoom($1) },
    Route(
      method: .delete, path: "/v5/rooms/{uuid}",
      summary:
        "Delete a room: everybody is removed, nobody comes in again; its log stays readable for as long as the server keeps it.",
      action: .deleteRoom,
      answer: Route.ResponseBody(meaning: "It is deleted.", schema: #"{"type":"object","maxProperties":0}"#),
      refusals: [503]
    ) { try await $0.deleteRoom($1) },
    Route(
      method: .delete, path: "/v5/rooms/{uuid}/log",
      summary: "Remove the log and the images of a deleted room for good, now (LOG-28).",
      action: .eraseRoom,
      answer: Route.ResponseBody(
        meaning: "No file of the server holds any of it.", schema: #"{"type":"object","maxProperties":0}"#),
      refusals: [409, 503]
    ) { try await $0.eraseRoom($1) },
  ]

  private static let limits = RoomLimit.all.map { limit in
    "\"\(limit.name)\":{\"type\":[\"integer\",\"null\"],\"minimum\":\(limit.range.lowerBound),"
      + "\"maximum\":\(limit.range.upperBound)}"
  }.joined(separator: ",")

  private func createRoom(_ call: RestCall) async throws -> Response {
    let body = try await call.body()
    let created = RoomCreated(
      name: try body.text("name", bytes: Self.longestName) ?? "",
      limit: try body.count("limit", upTo: Self.largestWriterLimit) ?? 0,
      isRecord: try body.flag("isRecord") ?? true)
    return .json(RoomJSON.room(try await create(created), keys: keys), status: .created)
  }

  private func roomInfo(_ call: RestCall) async throws -> Response {
    .json(RoomJSON.room(try await registry.entry(call.room()), keys: keys))
  }

  /// Sets limits first, because the same request may ban the room.
  private func changeRoom(_ call: RestCall) async throws -> Response {
    let (room, body) = (try call.room(), try await call.body())
    let (isBan, limits) = (try body.flag("isBan"), try body.limits())
    _ = try await registry.entry(room)
    if let limits {
      registry.note(
        try await engine.carryOut(in: room) { room throws(Refusal) in try room.setLimits(limits) }, of: room)
    }
    if let isBan { try await setBan(isBan, of: room) }
    return .json(RoomJSON.room(try await registry.entry(room), keys: keys), status: .created)
  }

  private func deleteRoom(_ call: RestCall) async throws -> Response {
    try await delete(call.room())
    return .json(.object([]))
  }

  /// The room must have been deleted before, so that one wrong call removes nothing for good.
  private func eraseRoom(_ call: RestCall) async throws -> Response {
    if let reason = health.notReady { throw Self.unready(reason) }
    let room = try call.room()
    guard let facts = try await registry.facts(of: engine.store.info(of: room)) else {
      throw LogError.noSuchLog(room)
    }
    guard facts.isDeleted else {
      throw RestError(
        .conflict, "The room is not deleted.", cure: "Delete it first: DELETE /v5/rooms/{uuid}.")
    }
    try await RoomRemoval.remove(room, engine, images)
    try await engine.store.clearRemains()
    call.context.logger.notice("a deleted room was removed for good", metadata: ["room": "\(room)"])
    return .json(.object([]))
  }

  private func listRooms(_ call: RestCall) async throws -> Response {
    let limit = try call.number("limit", 1...UInt64(Self.largestPage)) ?? UInt64(Self.usualPage)
    var first: RoomID?
    if let text = try call.query("beginUUID") {
      guard let room = RoomID(text) else {
        throw RestBody.wrong("beginUUID", "has not 32 hexadecimal digits")
      }
      first = room
    }
    let entries = try await registry.entries(from: first, limit: Int(limit))
    return .json(.array(entries.map { RoomJSON.room($0, keys: keys) }))
  }
}

extension RestBody {
  /// RE-4: names with numbers, or with null for the server's value.
  fileprivate func limits() throws(RestError) -> LimitsPatch? {
    guard let value = value("limits") else { return nil }
    guard let members = value.object else {
      throw Self.wrong("limits", "is not an object with names and numbers")
    }
    var fields: [LimitsPatch.Field] = []
    for (name, value) in members {
      guard value.isNull || Self.whole(value) != nil else {
        throw Self.wrong("limits", "has a value that is no number")
      }
      fields.append(LimitsPatch.Field(name: name, value: Self.whole(value)))
    }
    return fields.isEmpty ? nil : LimitsPatch(fields)
  }
}
