import BoardroomAccess
import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel
import Hummingbird

/// Moments of rooms that are to be kept (LOG-33).
extension RestRoutes {
  static let keptRoutes: [Route] = [
    Route(
      method: .get, path: "/v5/rooms/{uuid}/kept", summary: "List the moments that are kept (LOG-33).",
      action: .keepMoments, answer: .many("KeptMoment", "The oldest first.")
    ) { try await $0.listKept($1) },
    Route(
      method: .put, path: "/v5/rooms/{uuid}/kept/{moment}",
      summary: "Keep a moment: retention removes nothing at or behind it (LOG-33).", action: .keepMoments,
      body: .object(
        "\"at\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":\(RestBody.largestNumber)}", required: ["at"]),
      answer: .one("KeptMoment", "The moment, once durable."), refusals: [409, 503]
    ) { try await $0.keep($1) },
    Route(
      method: .delete, path: "/v5/rooms/{uuid}/kept/{moment}",
      summary: "Keep a moment no longer (LOG-33).", action: .keepMoments,
      answer: Route.ResponseBody(
        meaning: "The mark is gone.", schema: #"{"type":"object","maxProperties":0}"#),
      refusals: [503]
    ) { try await $0.releaseKept($1) },
  ]

  private func listKept(_ call: RestCall) async throws -> Response {
    let entry = try await registry.entry(call.room())
    return .json(.array(KeptMoment.all(in: entry.facts.limits).map(Self.json)))
  }

  private func keep(_ call: RestCall) async throws -> Response {
    let (room, name) = (try call.room(), try Self.name(call))
    guard let at = try await call.body().count("at", from: 1, upTo: RestBody.largestNumber) else {
      throw RestBody.wrong("at", "is missing: the moment's revision")
    }
    let moment = KeptMoment(name: name, revision: Revision(UInt64(at)))
    _ = try await registry.entry(room)
    // So that nothing is removed between the check of what is there and the mark.
    guard registry.hold(room) else {
      throw RestError(
        .conflict, "Old history of the room is being removed just now.", cure: "Ask again in a moment.")
    }
    defer { registry.release(room) }
    let info = try await engine.store.info(of: room)
    guard moment.revision >= info.low else { throw LogError.trimmed(room, low: info.low) }
    registry.note(
      try await engine.carryOut(in: room) { room throws(Refusal) in try room.keep(moment) }, of: room)
    return .json(Self.json(moment))
  }

  private func releaseKept(_ call: RestCall) async throws -> Response {
    let (room, name) = (try call.room(), try Self.name(call))
    _ = try await registry.entry(room)
    registry.note(
      try await engine.carryOut(in: room) { room throws(Refusal) in try room.releaseMoment(name) }, of: room)
    return .json(.object([]))
  }

  private static func json(_ moment: KeptMoment) -> JSONValue {
    .object([("name", .string(moment.name)), ("at", .number(String(moment.revision.rawValue)))])
  }

  private static func name(_ call: RestCall) throws(RestError) -> String {
    let text = call.context.parameters.get("moment").map { Array($0.utf8) } ?? []
    guard let name = TokenText.percentDecoded(text) else {
      throw RestError(
        .badName, "The moment's name is not percent-encoded UTF-8.", cure: "Encode it for a path.")
    }
    return name
  }
}
