import BoardroomAccess
import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import HTTPTypes
import Hummingbird

/// Who is in a room, who of them may write, and removing them: RE-20, RE-21.
extension RestRoutes {
  static let memberRoutes: [Route] = [
    Route(
      method: .get, path: "/v5/rooms/{uuid}/members",
      summary: "Show the members as the durable log has them (RE-20).", action: .seeMembers,
      answer: .many("Member", "The members in the order of their numbers.")
    ) { try await $0.roster($1) },
    Route(
      method: .post, path: "/v5/rooms/{uuid}/kick", summary: "Remove a member, or everyone of a uid (RE-21).",
      action: .kick,
      body: named(#""reason":{"type":["string","null"],"enum":[\#(reasons),null]}"#),
      answer: .one("Kicked", "Who was removed, once the log holds it."), refusals: [503]
    ) { try await $0.kick($1) },
    Route(
      method: .post, path: "/v5/rooms/{uuid}/writable",
      summary: "Say whether a member, or everyone of a uid, may write (MOD-5).", action: .moderate,
      body: named(#""isWritable":{"type":"boolean"}"#, required: ["isWritable"]),
      answer: .many("Member", "They, once the log holds it."), refusals: [503]
    ) { try await $0.setWritable($1) },
    Route(
      method: .put, path: "/v5/rooms/{uuid}/lock", summary: "Lock a room, or unlock it (MOD-6).",
      action: .moderate, body: .object(#""isLocked":{"type":"boolean"}"#, required: ["isLocked"]),
      answer: .one("Recorded", "The room's revision, once the log holds it."), refusals: [503]
    ) { try await $0.lock($1) },
  ]

  /// A body that names a member, or everyone of a uid.
  private static func named(_ properties: String, required: [String] = []) -> Route.RequestBody {
    let names = required.map { ",\"\($0)\"" }.joined()
    return Route.RequestBody(
      schema: """
        {"type":"object","properties":{\(properties)},"oneOf":[
        {"required":["memberId"\(names)],"properties":{"uid":{"type":"null"},
        "memberId":{"type":"integer","minimum":0,"maximum":\(RestBody.largestNumber)}}},
        {"required":["uid"\(names)],"properties":{"memberId":{"type":"null"},
        "uid":{"type":"string","maxLength":1024}}}]}
        """)
  }

  private static let reasons = KickReason.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ",")

  private func roster(_ call: RestCall) async throws -> Response {
    .json(.array(try await state(of: call.room()).roster.map(RoomJSON.member)))
  }

  private func kick(_ call: RestCall) async throws -> Response {
    let (room, body) = (try call.room(), try await call.body())
    let reason = try Self.reason(body)
    let kicked = try await kick(person(in: body), from: room, reason: reason)
    return .json(.object([("kicked", .array(kicked.map { .number(String($0.rawValue)) }))]))
  }

  private func setWritable(_ call: RestCall) async throws -> Response {
    let (room, body) = (try call.room(), try await call.body())
    guard let isAllowed = try body.flag("isWritable") else {
      throw RestBody.wrong("isWritable", "is missing")
    }
    var shown: [JSONValue] = []
    for id in try await members(person(in: body), of: room) {
      let command = Command.moderation(.writing(id, isAllowed: isAllowed))
      let member = try await engine.carryOut(command, in: room) { $0.members[id] }
      if let member { shown.append(RoomJSON.member(member)) }
    }
    return .json(.array(shown))
  }

  private func lock(_ call: RestCall) async throws -> Response {
    guard let isLocked = try await call.body().flag("isLocked") else {
      throw RestBody.wrong("isLocked", "is missing")
    }
    let revision = try await engine.carryOut(.moderation(.lock(isLocked)), in: call.room()) { $0.revision }
    return .json(.object([("revision", .number(String(revision.rawValue)))]))
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
  func person(in body: RestBody) throws(RestError) -> PersonInRoom {
    let number = try body.count("memberId", upTo: RestBody.largestNumber)
    let uid = try body.text("uid", bytes: engine.policy.limits.uid)
    switch (number, uid) {
    case (let number?, nil): return .member(MemberID(UInt64(number)))
    case (nil, let uid?): return .user(uid)
    case (nil, nil), (.some, .some):
      throw RestError(.badParameter, "Either memberId or uid is needed, and not both.")
    }
  }
}
