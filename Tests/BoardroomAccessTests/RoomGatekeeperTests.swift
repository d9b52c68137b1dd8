import BoardroomModel
import EventLogModel
import Synchronization
import Testing

@testable import BoardroomAccess
@testable import BoardroomHosting

private let room = RoomID(high: 1, low: 2)
private let other = RoomID(high: 3, low: 4)
private let keys = KeyRing(pairs: [KeyPair(id: "new", secret: "n")])
private let now = Timestamp(milliseconds: 1_000_000)

/// A back end's, as a closure.
private struct Own: RoomGatekeeper {
  var decide: @Sendable (AccessRequest) async throws -> AccessGrant
  func grant(_ request: AccessRequest) async throws -> AccessGrant { try await decide(request) }
}

private struct DatabaseIsDown: Error {}

private func gate(
  patience: Duration = .seconds(60), failed: @escaping @Sendable (any Error) -> Void = { _ in },
  _ decide: @escaping @Sendable (AccessRequest) async throws -> AccessGrant
) -> AskingGate { AskingGate(Own(decide: decide), keys: keys, patience: patience, failed: failed) }

/// What a join comes to.
private func join(_ gate: AskingGate, _ hello: Hello = Hello(room: room, token: "key")) async throws
  -> Admission
{
  guard case .pending(let work) = gate.decide(hello, from: "192.0.2.1", at: now) else {
    throw Refusal(.internalFailure, cause: "It was decided without asking.")
  }
  return try await work()
}

private func code<Value>(_ work: () async throws -> Value) async -> RefusalCode? {
  do {
    _ = try await work()
    return nil
  } catch {
    return (error as? Refusal)?.code
  }
}

private func request(_ action: Action, in room: RoomID?) -> AccessRequest {
  AccessRequest(credential: "key", action: action, room: room, time: now)
}

@Test("GATE-4: a gatekeeper is told who asks for what, from where and when")
func gatekeeperIsTold() async throws {
  let asked = Mutex<[AccessRequest]>([])
  let gate = gate { request in
    asked.withLock { $0.append(request) }
    return AccessGrant(role: .writer, id: "7")
  }
  let admission = try await join(gate, Hello(room: room, token: "key", uid: "ada"))
  #expect(admission.role == .writer)
  #expect(admission.tokenID == "7")
  let told = AccessRequest(
    credential: "key", action: .joinReadOnly, room: room, uid: "ada", address: "192.0.2.1", time: now)
  #expect(asked.withLock { $0 } == [told])
}

@Test(
  "GATE-5: an error of a gatekeeper, of any type, refuses the join and the request, and is told to the server only"
)
func errorsRefuse() async throws {
  let failures = Mutex(0)
  let broken = gate(failed: { _ in failures.withLock { $0 += 1 } }) { _ in throw DatabaseIsDown() }
  #expect(await code { try await join(broken) } == .internalFailure)
  #expect(await code { try await broken.token(for: request(.roomInfo, in: room)) } == .internalFailure)
  #expect(failures.withLock { $0 } == 2)
  let strict = gate { _ in throw Refusal(.banned) }
  #expect(await code { try await join(strict) } == .banned)
  #expect(await code { try await strict.token(for: request(.roomInfo, in: room)) } == .banned)
  let expired = gate { _ in throw TokenError.expired }
  #expect(await code { try await join(expired) } == .tokenExpired)
}

@Test("GATE-5: a gatekeeper that does not answer in time refuses")
func silenceRefuses() async throws {
  let silent = gate(patience: .milliseconds(1)) { _ in
    // Ends when it is cancelled, which is when nobody waits any more.
    try await Task.sleep(for: .seconds(3_600))
    return AccessGrant(role: .admin, isOfTeam: true)
  }
  #expect(await code { try await join(silent) } == .timeout)
  #expect(await code { try await silent.token(for: request(.roomInfo, in: room)) } == .timeout)
}

@Test("GATE-5: the gate decides nothing by itself")
func askingGateNeverAdmits() {
  let gate = gate { _ in AccessGrant(role: .admin, isOfTeam: true) }
  #expect(throws: Refusal.self) { try gate.admit(Hello(room: room, token: "key"), from: nil, at: now) }
}

@Test("GATE-6: a grant of a role allows over HTTP what the table of actions gives to the role, and no more")
func grantsObeyTheTable() async throws {
  for action in Action.allCases {
    for role in Role.allCases {
      for isOfTeam in [true, false] {
        let gate = gate { _ in AccessGrant(role: role, isOfTeam: isOfTeam) }
        let refusal = await code { try await gate.token(for: request(action, in: room)) }
        #expect(
          (refusal == nil) == action.allows(role, withRoomToken: !isOfTeam), "\(action) \(role) \(isOfTeam)")
      }
    }
  }
}

@Test(
  "GATE-6: a grant of one room makes no rooms, and one that has ended or names no user that there can be is none"
)
func grantsAreChecked() async throws {
  let ofRoom = gate { _ in AccessGrant(role: .admin) }
  #expect(await code { try await ofRoom.token(for: request(.createRoom, in: nil)) } == .forbidden)
  let ended = gate { _ in AccessGrant(role: .admin, expires: now) }
  #expect(await code { try await join(ended) } == .tokenExpired)
  let nobody = gate { _ in AccessGrant(role: .admin, uid: "") }
  #expect(await code { try await join(nobody) } == .badName)
  let long = gate { _ in AccessGrant(role: .admin, uid: String(repeating: "u", count: 1_025)) }
  #expect(await code { try await join(long) } == .tooLarge)
}

@Test("GATE-6, RIGHT-6: a client that says that it is another user than the grant's is refused")
func grantsBind() async throws {
  let ada = gate { _ in AccessGrant(role: .writer, uid: "ada") }
  #expect(try await join(ada).uid == "ada")
  #expect(try await join(ada, Hello(room: room, token: "key", uid: "ada")).uid == "ada")
  #expect(await code { try await join(ada, Hello(room: room, token: "key", uid: "bob")) } == .forbidden)
}

@Test("GATE-6, ACC-17: only a grant of the team's administrator replays a channel")
func channelsAreReplayedByAdministrators() async throws {
  var hello = Hello(room: other, place: Place(service: .rtm, account: "ada", channel: "c"), token: "key")
  hello.replay = ReplayWish()
  for (isOfTeam, role, isIn) in [
    (true, Role.admin, true), (true, .writer, false), (false, .admin, false),
  ] {
    let gate = gate { _ in AccessGrant(role: role, isOfTeam: isOfTeam) }
    #expect((await code { try await join(gate, hello) } == nil) == isIn, "\(isOfTeam) \(role)")
  }
}

@Test("GATE-7: the gatekeeper of tokens says of a token what the server without one of its own says")
func tokensAreOneConformance() async throws {
  let tokens = TokenGatekeeper(keys: keys)
  let asking = AskingGate(tokens, keys: keys, patience: .seconds(60)) { _ in }
  for scope in [TokenScope.team, .room(room), .room(other), .account("ada")] {
    for role in Role.allCases {
      for uid in [nil, "ada"] {
        let token = AccessToken(
          scope: scope, role: role, keyID: "new", lifespan: 60_000, at: now,
          uid: scope == .room(room) ? uid : nil)
        let text = token.signed(with: "n")
        let hello = Hello(room: room, token: text, uid: "ada")
        let usual = Result { () throws(Refusal) in try tokens.admit(hello, from: nil, at: now) }
        let asked = await outcome { try await join(asking, hello) }
        #expect(asked == usual, "\(scope) \(role)")
        for action in Action.allCases {
          let request = AccessRequest(credential: text, action: action, room: room, time: now)
          let wanted = try? keys.admit(text, for: Permission(action, room: room), at: now)
          let given = try? await asking.token(for: request)
          #expect(given == wanted, "\(scope) \(role) \(action)")
        }
      }
    }
  }
}

private func outcome(_ work: () async throws -> Admission) async -> Result<Admission, Refusal> {
  do {
    return .success(try await work())
  } catch {
    return .failure(error as? Refusal ?? Refusal(.internalFailure))
  }
}

@Test(
  "GATE-7: a gatekeeper that passes on to that of tokens can lower what they allow, and cannot use one of another room"
)
func passedOnGrants() async throws {
  let tokens = TokenGatekeeper(keys: keys)
  let text = AccessToken(scope: .room(room), role: .admin, keyID: "new", lifespan: 0, at: now).signed(
    with: "n")
  let lowering = gate { request in
    var grant = try await tokens.grant(request)
    grant.role = .reader
    return grant
  }
  let info = AccessRequest(credential: text, action: .kick, room: room, time: now)
  #expect(await code { try await lowering.token(for: info) } == .forbidden)
  #expect(try await join(lowering, Hello(room: room, token: text)).role == .reader)
  let careless = gate { request in
    var first = request
    first.room = room
    return try await tokens.grant(first)
  }
  #expect(await code { try await join(careless, Hello(room: other, token: text)) } == .forbidden)
}

@Test("GATE-6, MOD-9: callers that nothing tells apart are not banned together, and those with an id are")
func bansKnowGrants() async throws {
  let unnamed = gate { _ in AccessGrant(role: .writer) }
  #expect(try await join(unnamed).tokenHash == nil)
  let named = gate { request in AccessGrant(role: .writer, id: request.credential) }
  let first = try await join(named).tokenHash
  #expect(first != nil)
  #expect(try await join(named).tokenHash == first)
  #expect(try await join(named, Hello(room: room, token: "another")).tokenHash != first)
}
