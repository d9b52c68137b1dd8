import BoardroomAccess
import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import HTTPTypes
import Hummingbird

/// Bans that hold in one room only, so that its own administrators may set them (MOD-7). They are bans like
/// all others, and GET /v5/bans shows them, too.
extension RestRoutes {
  /// The most bans of one room: a hundredth of all, so that one room cannot use up the others' share.
  static let mostRoomBans = BanService.most / 100

  /// The longest name for a banned member in the list, in bytes. 256: a long name.
  private static let longestCalled = 256
  private static let called = "{\"type\":[\"string\",\"null\"],\"maxLength\":\(longestCalled)}"

  static let roomBanRoutes: [Route] = [
    Route(
      method: .post, path: "/v5/rooms/{uuid}/bans",
      summary: "Keep a user, or who came as a member, out of this room (MOD-7, MOD-9).",
      action: .banFromRoom,
      body: Route.RequestBody(
        schema: """
          {"type":"object","properties":{\(banTime),"name":\(called)},"oneOf":[
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
      answer: Route.ResponseBody(meaning: "It is lifted.", schema: #"{"type":"object","maxProperties":0}"#),
      refusals: [503]
    ) { try await $0.liftRoomBan($1) },
  ]

  private func banFromRoom(_ call: RestCall) async throws -> Response {
    let (room, body) = (try call.room(), try await call.body())
    let lasts = try Self.banSeconds(body)
    let name = try body.text("name", bytes: Self.longestCalled)
    let ban = try await keepOut(person(in: body), of: room, seconds: lasts, name: name)
    return .json(Self.json(ban), status: .created)
  }

  /// Keeps somebody out of a room for so many seconds; with 0 they are removed, and may come back at once. Returns
  /// the ban; of a member with several names, the first of several bans.
  package func keepOut(
    _ person: PersonInRoom, of room: RoomID, seconds lasts: Int, name: String? = nil
  ) async throws -> Ban {
    _ = try await registry.entry(room)
    let target = try await banTarget(person, in: room)
    var set: [Ban] = []
    for (uid, token) in target.names {
      let ban = Ban(
        number: 0, room: room, uid: uid, address: nil, until: now + .seconds(lasts), token: token,
        member: target.member, name: name)
      if lasts > 0 { try checkRoomBans(ban) }
      set.append(lasts > 0 ? try await bans.set(ban) : ban)
    }
    if let member = target.member { await engine.banish(member, from: room) }
    for ban in set { await engine.banish(under: ban) }
    return set[0]
  }

  private func checkRoomBans(_ wanted: Ban) throws(Refusal) {
    let others = bans.bans(at: now).count { ban in
      wanted.room.map { ban.isOf($0) } == true && BanIndex.BanKey(ban) != BanIndex.BanKey(wanted)
    }
    guard others >= Self.mostRoomBans else { return }
    throw Refusal(
      .tooMany, cause: "As many users are kept out of this room as may be.", cure: "Let some in again first.",
      actual: others + 1, allowed: Self.mostRoomBans)
  }

  /// The member that is to be banned, and by which uids and tokens: each pair is one ban, and there is at
  /// least one.
  private struct BanTarget {
    var member: MemberID?
    var names: [(uid: String?, token: String?)]
  }

  private func banTarget(_ person: PersonInRoom, in room: RoomID) async throws -> BanTarget {
    switch person {
    // A user may be away.
    case .user(let uid):
      guard !uid.isEmpty else { throw RestBody.wrong("uid", "is empty") }
      return BanTarget(names: [(uid, nil)])
    case .member(let id):
      guard let member = try await state(of: room).members[id] else { throw RestError(.notMember) }
      return BanTarget(member: id, names: try await names(of: member, in: room))
    }
  }

  /// MOD-9: the uid, with the token with which it came if that does not name the uid itself. It may have come back with
  /// other tokens since: each is a ban of its own.
  private func names(of member: Member, in room: RoomID) async throws -> [(uid: String?, token: String?)] {
    var tokens = await engine.tokenHashes(of: member.id, in: room)
    // A room that was opened again since does not know the token; the log does.
    if let joined = try await history.joining(of: member, in: room)?.token, !tokens.contains(joined) {
      tokens.append(joined)
    }
    let first = (uid: member.uid, token: tokens.first)
    guard first.uid != nil || first.token != nil else {
      throw RestError(
        .badParameter, "The member came with no uid and no token by which it could be kept out.",
        cure: "Remove it with /kick, or let an operator ban its address.")
    }
    return [first] + tokens.dropFirst().map { (nil, $0) }
  }

  private func listRoomBans(_ call: RestCall) async throws -> Response {
    let room = try call.room()
    return try page(of: call) { $0.isOf(room) }
  }

  private func liftRoomBan(_ call: RestCall) async throws -> Response {
    let (room, number) = (try call.room(), try Self.banNumber(of: call))
    guard let ban = bans.ban(number), ban.isOf(room) else { throw BanService.noBan }
    try await bans.lift(number)
    return .json(.object([]))
  }
}

extension Ban {
  /// Whether the ban is about a user in this room only. Such bans the room's administrators may see and lift.
  fileprivate func isOf(_ room: RoomID) -> Bool { self.room == room && namesPerson && address == nil }
}
