import BoardroomAccess
import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel
import HTTPTypes
import Hummingbird

/// Tokens: RE-10 to RE-12.
extension RestRoutes {
  /// A century in milliseconds.
  static let longestLifespan = 3_155_760_000_000

  private static let roleAndLife = """
    "role":{"type":"string","enum":["admin","writer","reader"]},
    "lifespan":{"type":["integer","null"],"minimum":0,"maximum":\(longestLifespan)}
    """
  private static let uid = #","uid":{"type":["string","null"],"minLength":1,"maxLength":1024}"#
  private static let key = #","ak":{"type":["string","null"],"maxLength":256}"#
  private static let minting = Route.RequestBody.object(roleAndLife + key, required: ["role"])
  private static let minted = Route.ResponseBody(
    status: 201, meaning: "The token, as a JSON text.", schema: #"{"type":"string"}"#)

  static let tokenRoutes: [Route] = [
    Route(
      method: .post, path: "/v5/tokens/teams", summary: "Make an SDK token with the key pair itself (RE-10).",
      body: .object(
        roleAndLife + #","accessKey":{"type":"string","minLength":1,"maxLength":256},"#
          + #""secretAccessKey":{"type":"string","minLength":1,"maxLength":256}"#,
        required: ["accessKey", "secretAccessKey", "role"]),
      answer: minted, refusals: [401], isOpenToBanned: true
    ) { try await $0.mintTeamToken($1) },
    Route(
      method: .post, path: "/v5/tokens/rooms/{uuid}", summary: "Make a room token (RE-11).",
      action: .mintRoomToken, body: .object(roleAndLife + uid + key, required: ["role"]), answer: minted
    ) { try await $0.mintRoomToken($1) },
    Route(
      method: .post, path: "/v5/rooms/{uuid}/tokens",
      summary: "Share a room: make a token of it with no more rights and no longer life than the own one.",
      action: .shareRoom, body: .object(roleAndLife + uid, required: ["role"]), answer: minted
    ) { try await $0.share($1) },
    Route(
      method: .post, path: "/v5/tokens/tasks/{uuid}", summary: "Make a token of a conversion task (RE-12).",
      action: .mintTaskToken, body: minting, answer: minted
    ) { try await $0.mintTaskToken($1) },
    Route(
      method: .post, path: "/v5/tokens/accounts/{subject}",
      summary: "Make a token of an account and its channels, for every service.",
      action: .mintAccountToken, body: minting, answer: minted
    ) { try await $0.mintAccountToken($1) },
  ]

  /// Makes an SDK token for a caller that has the key pair itself.
  private func mintTeamToken(_ call: RestCall) async throws -> Response {
    let body = try await call.body()
    let key = try body.needText("accessKey", bytes: 256)
    let secret = try body.needText("secretAccessKey", bytes: 256)
    let role = try body.role("role")
    let known = keys.secret(of: key)
    let isRight = SecretBytes.areEqual(Array((known ?? "").utf8), Array(secret.utf8))
    guard let known, isRight else {
      throw RestError(
        .tokenInvalid, "The access key or its secret is not one of this server's.",
        cure: "Take both from the key file in the data folder.")
    }
    return try mint(.team, role, KeyPair(id: key, secret: known), body, by: nil)
  }

  private func mintRoomToken(_ call: RestCall) async throws -> Response {
    let room = try call.room()
    return try await mint(.room(room), .mintRoomToken, room, call) {
      _ = try await registry.entry(room)
    }
  }

  /// Makes a token for a link. The link may be passed on, so without `uid` it is bound to nobody (RIGHT-7).
  private func share(_ call: RestCall) async throws -> Response {
    let room = try call.room()
    let body = try await call.body()
    let role = try body.role("role")
    let uid = try Self.boundUser(body)
    try call.token.map { token throws(TokenError) in
      try Permission(.shareRoom, room: room, minted: role).check(token)
      guard uid == nil || token.mayBind(to: uid) else { throw .uidForbidden }
    }
    _ = try await registry.entry(room)
    return try mint(.room(room), role, keys.signer, body, uid: uid, by: call.token)
  }

  private static func boundUser(_ body: RestBody) throws(RestError) -> String? {
    // Longer texts than allowed are read here, so that one rule checks the length.
    try body.text("uid", bytes: 2 * BoundUser.longest).map(checked)
  }

  private static func checked(_ uid: String) throws(RestError) -> String {
    do throws(Refusal) {
      try BoundUser.check(uid)
    } catch {
      throw RestError(error)
    }
    return uid
  }

  /// This server converts no files, so any task may be named. The token is for other services, which check it
  /// themselves.
  private func mintTaskToken(_ call: RestCall) async throws -> Response {
    let task = try call.room()
    return try await mint(.task(task.description), .mintTaskToken, task, call) {}
  }

  /// Accounts are made when they first sign in, so any name is allowed. The path has it as encodeURIComponent
  /// writes it.
  private func mintAccountToken(_ call: RestCall) async throws -> Response {
    let text = call.context.parameters.get("subject").map { Array($0.utf8) } ?? []
    guard let name = TokenText.percentDecoded(text) else {
      throw RestError(
        .badName, "The account's name is not percent-encoded UTF-8.", cure: "Encode it for a path.")
    }
    do throws(Refusal) {
      try SpaceNameRule.checkAccount(name, of: .signaling)
    } catch {
      throw RestError(.badName, error.cause, cure: error.cure)
    }
    return try await mint(.account(name), .mintAccountToken, nil, call) {}
  }

  /// Makes a token with a role up to that of the caller's token.
  private func mint(
    _ scope: TokenScope, _ action: Action, _ name: LogID?, _ call: RestCall, exists: () async throws -> Void
  ) async throws -> Response {
    let body = try await call.body()
    let role = try body.role("role")
    try call.token.map { token throws(TokenError) in
      try Permission(action, room: name, minted: role).check(token)
    }
    try await exists()
    let key = try body.text("ak", bytes: 256) ?? keys.signer.id
    guard let secret = keys.secret(of: key) else { throw RestBody.wrong("ak", "is not a key of this server") }
    var uid: String?
    if case .room = scope { uid = try Self.boundUser(body) }
    return try mint(scope, role, KeyPair(id: key, secret: secret), body, uid: uid, by: call.token)
  }

  /// A token of a room, made in the server's own name. `lifespan` in milliseconds; 0: no expiry.
  package func token(
    of room: RoomID, role: Role, lifespan: Int, uid: String?
  ) async throws -> String {
    guard (0...Self.longestLifespan).contains(lifespan) else {
      throw RestBody.wrong("lifespan", "is not a whole number from 0 to \(Self.longestLifespan)")
    }
    let uid = try uid.map(Self.checked)
    _ = try await registry.entry(room)
    return try minted(.room(room), role, keys.signer, lifespan: lifespan, uid: uid, by: nil)
  }

  /// RIGHT-5: no token outlives the one with which it is made. `maker` is nil if the caller has the key pair
  /// itself.
  private func mint(
    _ scope: TokenScope, _ role: Role, _ key: KeyPair, _ body: RestBody, uid: String? = nil,
    by maker: AccessToken?
  ) throws(RestError) -> Response {
    let lifespan = try body.count("lifespan", upTo: Self.longestLifespan) ?? 0
    return .json(
      .string(try minted(scope, role, key, lifespan: lifespan, uid: uid, by: maker)), status: .created)
  }

  private func minted(
    _ scope: TokenScope, _ role: Role, _ key: KeyPair, lifespan: Int, uid: String?, by maker: AccessToken?
  ) throws(RestError) -> String {
    var token = AccessToken(
      scope: scope, role: role, keyID: key.id, lifespan: Int64(lifespan), at: now, uid: uid)
    if let maker {
      do throws(Refusal) { token.makers = try maker.makersOfNext() } catch { throw RestError(error) }
    }
    if let end = maker?.expires { token.expires = min(end, token.expires ?? end) }
    return token.signed(with: key.secret)
  }
}

extension AccessToken {
  /// Whether its holder may make a token that is bound to this user. The team may for anybody; a room's own
  /// token only for the user to whom it is bound itself, since nobody else can replace a bound member
  /// (RIGHT-7).
  fileprivate func mayBind(to uid: String?) -> Bool {
    if case .team = scope { return true }
    guard let own = self.uid, let uid else { return false }
    return own.utf8.elementsEqual(uid.utf8)
  }
}
