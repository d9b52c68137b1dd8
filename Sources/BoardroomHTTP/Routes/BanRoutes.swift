import BoardroomAccess
import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import HTTPTypes
import Hummingbird

/// Bans of rooms, users and addresses for a time: RE-22.
extension RestRoutes {
  /// The range of the source system, in minutes. A value outside of it is replaced by the nearest one inside.
  static let banMinutes = 1...1_440
  package static let banSecondsRange = 10...86_430
  static let usualBan = 60

  static let banTime = """
    "time":{"type":["integer","null"],"minimum":0},"time_in_seconds":{"type":["integer","null"],"minimum":0}
    """

  private static let room = OpenAPI.schema("UUID")
  private static let uid = #"{"type":"string","minLength":1,"maxLength":1024}"#
  private static let address = #"{"type":"string","anyOf":[{"format":"ipv4"},{"format":"ipv6"}]}"#
  private static func orNull(_ schema: String) -> String { "{\"anyOf\":[{\"type\":\"null\"},\(schema)]}" }

  static let banPages: [Route.Parameter] = [
    .init(
      name: "after", meaning: "The last page's last id.",
      schema: "{\"type\":\"integer\",\"minimum\":0,\"maximum\":\(RestBody.largestNumber)}"),
    .init(
      name: "limit", meaning: "Bans on the page; 100 if left out.",
      schema: #"{"type":"integer","minimum":1,"maximum":1000}"#),
  ]

  static let banRoutes: [Route] = [
    Route(
      method: .post, path: "/v5/bans",
      summary:
        "Keep out a room's visitors, a user, an address, or what several of them name together (RE-22).",
      action: .manageBans,
      body: Route.RequestBody(
        schema: """
          {"type":"object","properties":{\(banTime)},"anyOf":[
          {"required":["room"],"properties":{"room":\(room),"uid":\(orNull(uid)),"ip":\(orNull(address))}},
          {"required":["uid"],"properties":{"uid":\(uid),"room":\(orNull(room)),"ip":\(orNull(address))}},
          {"required":["ip"],"properties":{"ip":\(address),"room":\(orNull(room)),"uid":\(orNull(uid))}}]}
          """),
      answer: .one("Ban", "The ban; without an id where the time was 0.", status: 201), refusals: [503]
    ) { try await $0.setBan($1) },
    Route(
      method: .get, path: "/v5/bans", summary: "List the bans in force in the order of their ids (RE-22).",
      action: .manageBans,
      parameters: [
        .init(name: "room", meaning: "Only those that name it.", schema: OpenAPI.schema("UUID")),
        .init(name: "uid", meaning: "Only those that name it.", schema: uid),
        .init(name: "ip", meaning: "Only those that name it.", schema: address),
      ] + banPages,
      answer: .many("Ban", "A page of bans.")
    ) { try await $0.listBans($1) },
    Route(
      method: .put, path: "/v5/bans/{id}", summary: "Give a ban another time, from now on (RE-22).",
      action: .manageBans, body: .object(banTime, isRequired: false),
      answer: .one("Ban", "The ban."), refusals: [503]
    ) { try await $0.changeBan($1) },
    Route(
      method: .delete, path: "/v5/bans/{id}", summary: "Lift a ban (RE-22).", action: .manageBans,
      answer: Route.ResponseBody(meaning: "It is lifted.", schema: #"{"type":"object","maxProperties":0}"#),
      refusals: [503]
    ) { try await $0.liftBan($1) },
  ]

  private func setBan(_ call: RestCall) async throws -> Response {
    let body = try await call.body()
    let lasts = try Self.banSeconds(body)
    var ban = try wanted(body, until: now + .seconds(lasts))
    // With 0 the member is removed and may come back at once.
    if lasts > 0 { ban = try await bans.set(ban) }
    await engine.banish(under: ban)
    return .json(Self.json(ban), status: .created)
  }

  private func listBans(_ call: RestCall) async throws -> Response {
    let room = try call.query("room").map(Self.room)
    let uid = try call.query("uid").map(uid)
    let address = try call.query("ip").map(Self.address)
    return try page(of: call) { ban in
      (room == nil || ban.room == room) && (uid == nil || ban.isOf(uid: uid))
        && (address == nil || ban.address == address)
    }
  }

  /// A page of the bans in force for which `isWanted` is true.
  func page(of call: RestCall, _ isWanted: (Ban) -> Bool) throws -> Response {
    let limit = Int(try call.number("limit", 1...1_000) ?? UInt64(Self.usualPage))
    let after = try call.number("after", 0...UInt64(RestBody.largestNumber)) ?? 0
    let found = bans.bans(at: now).filter { $0.number > after && isWanted($0) }
    return .json(.array(found.prefix(limit).map(Self.json)))
  }

  private func changeBan(_ call: RestCall) async throws -> Response {
    let number = try Self.banNumber(of: call)
    let lasts = try Self.banSeconds(try await call.body())
    guard let before = bans.ban(number) else { throw BanService.noBan }
    guard lasts > 0 else {
      try await bans.lift(number)
      await engine.banish(under: before)
      var ended = before
      ended.until = now
      return .json(Self.json(ended))
    }
    let ban = try await bans.set(number, until: now + .seconds(lasts))
    await engine.banish(under: ban)
    return .json(Self.json(ban))
  }

  private func liftBan(_ call: RestCall) async throws -> Response {
    try await bans.lift(Self.banNumber(of: call))
    return .json(.object([]))
  }

  // MARK: Reading and writing

  private func wanted(_ body: RestBody, until: Timestamp) throws(RestError) -> Ban {
    let room = try body.text("room", bytes: 64).map(Self.room)
    let uid = try body.text("uid", bytes: engine.policy.limits.uid).map(uid)
    let address = try body.text("ip", bytes: 64).map(Self.address)
    guard room != nil || uid != nil || address != nil else {
      throw RestError(.badParameter, "The ban names neither room nor uid nor ip.")
    }
    return Ban(number: 0, room: room, uid: uid, address: address, until: until)
  }

  private static func room(_ text: String) throws(RestError) -> RoomID {
    guard let room = RoomID(text) else { throw RestBody.wrong("room", "has not 32 hexadecimal digits") }
    return room
  }

  private func uid(_ text: String) throws(RestError) -> String {
    guard !text.isEmpty, text.utf8.count <= engine.policy.limits.uid else {
      throw RestBody.wrong("uid", "is empty, or longer than a user's name may be")
    }
    return text
  }

  private static func address(_ text: String) throws(RestError) -> String {
    guard let address = ClientAddress.parse(text) else {
      throw RestBody.wrong("ip", "is neither an IPv4 nor an IPv6 address")
    }
    return address
  }

  /// The duration in seconds; the field of seconds wins over that of minutes. 0: no ban.
  static func banSeconds(_ body: RestBody) throws(RestError) -> Int {
    let minutes = try body.count("time", upTo: RestBody.beyond)
    let seconds = try body.count("time_in_seconds", upTo: RestBody.beyond)
    if let seconds { return seconds == 0 ? 0 : banSecondsRange.holding(seconds) }
    let given = minutes ?? usualBan
    return given == 0 ? 0 : banMinutes.holding(given) * 60
  }

  static func banNumber(of call: RestCall) throws -> UInt64 {
    guard let text = call.context.parameters.get("id"), let number = UInt64(text), "\(number)" == text else {
      throw BanService.noBan
    }
    return number
  }

  static func json(_ ban: Ban) -> JSONValue {
    var fields: [(String, JSONValue)] = []
    if ban.number > 0 { fields.append(("id", .number(String(ban.number)))) }
    if let room = ban.room { fields.append(("room", .string(room.description))) }
    if let uid = ban.uid { fields.append(("uid", .string(uid))) }
    if let address = ban.address { fields.append(("ip", .string(address))) }
    if let until = ban.until { fields.append(("until", .number(String(until.milliseconds)))) }
    if ban.token != nil { fields.append(("token", .bool(true))) }
    if let since = ban.since { fields.append(("since", .number(String(since.milliseconds)))) }
    if let member = ban.member { fields.append(("memberId", .number(String(member.rawValue)))) }
    if let name = ban.name { fields.append(("name", .string(name))) }
    return .object(fields)
  }
}

extension ClosedRange<Int> {
  fileprivate func holding(_ value: Int) -> Int { Swift.min(Swift.max(value, lowerBound), upperBound) }
}
