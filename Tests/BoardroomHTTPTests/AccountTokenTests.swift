import BoardroomCodec
import BoardroomModel
import EventLogModel
import ServerTestKit
import Testing

@testable import BoardroomAccess
@testable import BoardroomServer

private let keys = KeyRing(pairs: [KeyPair(id: "k", secret: "s")])
private let now = Timestamp(milliseconds: 1_000_000)

private func refusal(
  _ scope: TokenScope, _ role: Role = .writer, lifespan: Int64 = 0, to place: Place, at time: Timestamp = now
) -> RefusalCode? {
  let text = AccessToken(scope: scope, role: role, keyID: "k", lifespan: lifespan, at: now)
    .signed(with: "s")
  return refusal(token: text, to: place, at: time)
}

private func refusal(
  token: String, to place: Place, at time: Timestamp = now, opensAccounts: Bool = false,
  replay: ReplayWish? = nil
) -> RefusalCode? {
  let gate = TokenGatekeeper(keys: keys, opensAccounts: opensAccounts)
  let hello = Hello(room: RoomID(high: 1, low: 1), place: place, token: token, replay: replay)
  do throws(Refusal) {
    _ = try gate.admit(hello, from: nil, at: time)
    return nil
  } catch {
    return error.code
  }
}

private let anna = Place(service: .signaling, account: "anna")
private let channel = Place(service: .rtm, account: "anna", channel: "lobby")
private let ben = Place(service: .rtm, account: "ben", channel: "lobby")

@Test(
  "ACC-4: an account's token opens it and its channels in any service, a team's all, a room's or task's none")
func whatAccountTokensOpen() {
  let room = RoomID(high: 1, low: 1)
  for place in [anna, channel] {
    #expect(refusal(.account("anna"), to: place) == nil)
    #expect(refusal(.team, to: place) == nil)
    #expect(refusal(.room(room), to: place) == .forbidden)
    #expect(refusal(.task("t"), to: place) == .forbidden)
  }
  #expect(refusal(.account("anna"), to: ben) == .forbidden)
  #expect(refusal(.account("anna"), lifespan: 10, to: anna, at: now + .milliseconds(10)) == .tokenExpired)
  #expect(refusal(token: "BOARDROOMACCOUNT_x", to: anna) == .tokenInvalid)
}

@Test(
  "ACC-4: a team's reader signs in as nobody, and makes no token to do so; an account's reader is that account"
)
func readersOfTheTeam() async throws {
  for place in [anna, channel] {
    #expect(refusal(.team, .reader, to: place) == .forbidden)
    #expect(refusal(.team, .admin, to: place) == nil)
    #expect(refusal(.account("anna"), .reader, to: place) == nil)
  }
  try await RunningServer.with { server in
    let answer = try await server.call(
      "POST", "/v5/tokens/accounts/anna", token: server.token(.team, .reader), body: "{\"role\":\"reader\"}")
    #expect(answer.status == 403)
  }
}

@Test(
  "ACC-17: an account's log is watched with its token, a channel's only with an administrator's of the team")
func whoWatchesWhatWas() {
  func watching(_ scope: TokenScope, _ role: Role, _ place: Place) -> RefusalCode? {
    let token = AccessToken(scope: scope, role: role, keyID: "k", lifespan: 0, at: now).signed(with: "s")
    return refusal(token: token, to: place, opensAccounts: true, replay: ReplayWish())
  }
  #expect(watching(.account("anna"), .writer, anna) == nil)
  #expect(watching(.account("anna"), .admin, channel) == .forbidden)
  #expect(watching(.team, .writer, channel) == .forbidden)
  #expect(watching(.team, .admin, channel) == nil)
  let without = refusal(
    token: "_no_need_token", to: channel, opensAccounts: true, replay: ReplayWish())
  #expect(without == .forbidden)
}

@Test("ACC-4: an account's token comes back from its text as it was, and opens no room")
func accountTokenText() throws {
  let token = AccessToken(scope: .account("Грета &="), role: .reader, keyID: "k", lifespan: 5, at: now)
  let text = token.signed(with: "s")
  #expect(text.hasPrefix("BOARDROOMACCOUNT_"))
  #expect(try AccessToken(text, secret: keys.secret(of:)) == token)
  let hello = Hello(room: RoomID(high: 1, low: 1), token: text)
  #expect(throws: Refusal.self) { try TokenGatekeeper(keys: keys).admit(hello, from: nil, at: now) }
}

@Test("SIG-5: _no_need_token signs in only where the operator has turned that on, and enters no room")
func noTokenNeeded() {
  #expect(refusal(token: "_no_need_token", to: anna) == .tokenInvalid)
  #expect(refusal(token: "_no_need_token", to: anna, opensAccounts: true) == nil)
  let gate = TokenGatekeeper(keys: keys, opensAccounts: true)
  let hello = Hello(room: RoomID(high: 1, low: 1), token: "_no_need_token")
  #expect(throws: Refusal.self) { try gate.admit(hello, from: nil, at: now) }
}

@Test("ACC-4: an account's token is made by HTTP, of a role up to that of who asks")
func accountTokenByHTTP() async throws {
  try await RunningServer.with { server in
    let admin = server.token(.team, .admin)
    for (path, name) in [("anna", "anna"), ("a%40b", "a@b")] {
      let answer = try await server.call(
        "POST", "/v5/tokens/accounts/\(path)", token: admin, body: "{\"role\":\"writer\",\"lifespan\":1000}")
      #expect(answer.status == 201)
      let token = try AccessToken(answer.json?.string ?? "", secret: server.keys.secret(of:))
      #expect(token.scope == .account(name))
      #expect(token.role == .writer)
      #expect(token.expires != nil)
    }
    let spaces = try await server.call(
      "POST", "/v5/tokens/accounts/a%20b", token: admin, body: "{\"role\":\"writer\"}")
    #expect(spaces.status == 400)
  }
}
