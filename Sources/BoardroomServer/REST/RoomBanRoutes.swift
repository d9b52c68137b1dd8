import BoardroomCodec
import BoardroomModel
import EventLogModel
import HTTPTypes
import Hummingbird

/// Bans that reach no further than one room, so that its own administrators may set them (MOD-7). They are bans like
/// all others, and GET /v5/bans shows them too.
extension RestRoutes {
  /// Of one room: a hundredth of all there may be, so that no room takes the others' share.
  static let mostRoomBans = BanDesk.most / 100

  static let roomBanRoutes: [Route] = [
    Route(
      method: .post, path: "/v5/rooms/{uuid}/bans",
      summary: "Keep a user out of this room; the user of a member, if that has one (MOD-7).",
      action: .banFromRoom,
      body: Route.Content(
        schema: """
          {"type":"object","properties":{\(banTime)},"oneOf":[
          {"required":["memberId"],"properties":{"uid":{"type":"null"},
          "memberId":{"type":"integer","minimum":0,"maximum":\(RestBody.largestNumber)}}},
          {"required":["uid"],"properties":{"memberId":{"type":"null"},
          "uid":{"type":"string","minLength":1,"maxLength":1024}}}]}
          """),
      answer: .one("Ban", "The ban; without an id where the time was 0.", status: 201), refusals: [503]
    ) { try await $0.banFromRoom($1) },
    Route(
      method: .get, path: "/v5/rooms/{uuid}/bans",
      summary: "List the users who are kept out of this room, in the order of the bans' ids (MOD-7).",
      action: .banFromRoom, parameters: banPages, answer: .many("Ban", "A page of bans.")
    ) { try await $0.listRoomBans($1) },
    Route(
      method: .delete, path: "/v5/rooms/{uuid}/bans/{id}", summary: "Let a user in again (MOD-7).",
      action: .banFromRoom,
      answer: Route.Answer(meaning: "It is lifted.", schema: #"{"type":"object","maxProperties":0}"#),
      refusals: [503]
    ) { try await $0.liftRoomBan($1) },
  ]

  private func banFromRoom(_ call: Call) async throws -> Response {
    let (room, body) = (try call.room(), try await call.body())
    let lasts = try Self.banSeconds(body)
    _ = try await registry.entry(room)
    let key = BanBook.Key(room: room, uid: try await user(named: body, in: room), address: nil)
    var ban = Ban(number: 0, room: room, uid: key.uid, address: nil, until: now + .seconds(lasts))
    if lasts > 0 {
      try checkRoomBans(key)
      ban = try await bans.set(key, until: now + .seconds(lasts))
    }
    await engine.banish(under: ban)
    return .json(Self.json(ban), status: .created)
  }

  private func checkRoomBans(_ key: BanBook.Key) throws(Refusal) {
    let others = bans.bans(at: now).count { ban in
      key.room.map { ban.isOf($0) } == true && BanBook.Key(ban) != key
    }
    guard others >= Self.mostRoomBans else { return }
    throw Refusal(
      .tooMany, cause: "As many users are kept out of this room as may be.", cure: "Let some in again first.",
      actual: others + 1, allowed: Self.mostRoomBans)
  }

  /// By `uid`, who may be away, or by `memberId`.
  private func user(named body: RestBody, in room: RoomID) async throws -> String {
    let number = try body.count("memberId", upTo: RestBody.largestNumber)
    let uid = try body.text("uid", bytes: engine.policy.limits.uid)
    guard (number == nil) != (uid == nil) else {
      throw RestError(.badParameter, "Either memberId or uid is needed, and not both.")
    }
    if let uid {
      guard !uid.isEmpty else { throw RestBody.wrong("uid", "is empty") }
      return uid
    }
    let member = try await state(of: room).members[MemberID(UInt64(number ?? 0))]
    guard let member else { throw RestError(.notMember) }
    guard let uid = member.uid else {
      throw RestError(
        .badParameter, "The member has no uid by which it could be kept out.",
        cure: "Remove it with /kick, or let an operator ban its address.")
    }
    return uid
  }

  private func listRoomBans(_ call: Call) async throws -> Response {
    let room = try call.room()
    return try page(of: call) { $0.isOf(room) }
  }

  private func liftRoomBan(_ call: Call) async throws -> Response {
    let (room, number) = (try call.room(), try Self.banNumber(of: call))
    guard let ban = bans.ban(number), ban.isOf(room) else { throw BanDesk.noBan }
    try await bans.lift(number)
    return .json(.object([]))
  }
}

extension Ban {
  /// Whether it is about a user in this room and nothing else: what the room's administrators see and lift.
  fileprivate func isOf(_ room: RoomID) -> Bool { self.room == room && uid != nil && address == nil }
}
