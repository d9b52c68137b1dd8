import BoardroomModel
import EventLogModel
import Testing

@testable import BoardroomServer

private let room = RoomID(high: 1, low: 2)
private let other = RoomID(high: 3, low: 4)
private let keys = KeyRing(pairs: [KeyPair(id: "new", secret: "n"), KeyPair(id: "old", secret: "o")])
private let now = Timestamp(milliseconds: 1_000_000)

private struct Row: Sendable, CustomTestStringConvertible {
  var permission: Permission
  /// SDK admin, writer, reader, room admin, writer, reader.
  var allowed: String
  var testDescription: String { "\(permission)" }
}

private let matrix = [
  Row(permission: .createRoom, allowed: "yyn nnn"), Row(permission: .listRooms, allowed: "yyn nnn"),
  Row(permission: .roomInfo(room), allowed: "yyn yyn"), Row(permission: .roster(room), allowed: "yyn yyn"),
  Row(permission: .kick(room), allowed: "ynn ynn"),
  Row(permission: .joinInteractive(room), allowed: "yyn yyn"),
  Row(permission: .joinReadOnly(room), allowed: "yyy yyy"),
  Row(permission: .replay(room), allowed: "yyy yyy"),
  Row(permission: .mintRoomToken(room, .admin), allowed: "ynn nnn"),
  Row(permission: .mintRoomToken(room, .writer), allowed: "yyn nnn"),
  Row(permission: .mintRoomToken(room, .reader), allowed: "yyy nnn"),
  Row(permission: .metrics, allowed: "yyy nnn"),
]

private func allows(_ permission: Permission, _ scope: TokenScope, _ role: Role) -> Bool {
  let token = AccessToken(scope: scope, role: role, keyID: "new", lifespan: 0, at: now).signed(with: "n")
  return (try? keys.admit(token, for: permission, at: now)) != nil
}

@Test("ROLE-createRoom, -joinInteractive, -joinReadOnly, -replay, -mint: who may do what", arguments: matrix)
private func roleMatrix(_ row: Row) {
  let scopes: [TokenScope] = [.team, .room(room)]
  let found = scopes.map { scope in
    Role.allCases.map { allows(row.permission, scope, $0) ? "y" : "n" }.joined()
  }
  #expect(found.joined(separator: " ") == row.allowed)
}

@Test("TE-other: a token of another room or of a task opens nothing of this one", arguments: matrix)
private func otherRoomsTokensOpenNothing(_ row: Row) {
  for role in Role.allCases {
    #expect(!allows(row.permission, .room(other), role))
    #expect(!allows(row.permission, .task("t"), role))
  }
}

@Test("4.3: every key of the ring is accepted, the first one signs, an unknown one is refused")
func keysCanBeChanged() throws {
  #expect(keys.signer.id == "new")
  for pair in keys.pairs {
    let token = AccessToken(scope: .team, role: .admin, keyID: pair.id, lifespan: 0, at: now)
    try keys.admit(token.signed(with: pair.secret), for: .createRoom, at: now)
  }
  let gone = AccessToken(scope: .team, role: .admin, keyID: "gone", lifespan: 0, at: now)
  #expect(throws: TokenError.invalidSignature) {
    try keys.admit(gone.signed(with: "n"), for: .createRoom, at: now)
  }
}

@Test("TE-expired, 4.3: expiry counts at the door: a moment before it opens, from then on it does not")
func expiryCountsAtTheDoor() throws {
  let gate = TokenGatekeeper(keys: keys)
  let token = AccessToken(scope: .room(room), role: .writer, keyID: "new", lifespan: 500, at: now)
  let hello = Hello(room: room, token: token.signed(with: "n"))
  let last = now + .milliseconds(499)
  #expect(try gate.admit(hello, from: nil, at: last).role == .writer)
  #expect(throws: Refusal(.tokenExpired, cause: "expired token")) {
    try gate.admit(hello, from: nil, at: now + .milliseconds(500))
  }
}

@Test("4.4: rooms are entered with a token of theirs or an SDK token, in the role that it says")
func roomsAreEnteredWithTheirTokens() throws {
  let gate = TokenGatekeeper(keys: keys)
  for scope in [TokenScope.team, .room(room)] {
    for role in Role.allCases {
      let token = AccessToken(scope: scope, role: role, keyID: "old", lifespan: 0, at: now)
      let hello = Hello(room: room, token: token.signed(with: "o"))
      #expect(try gate.admit(hello, from: nil, at: now).role == role)
    }
  }
  let foreign = AccessToken(scope: .room(other), role: .admin, keyID: "old", lifespan: 0, at: now)
  #expect(throws: Refusal(.forbidden, cause: "token access room forbidden")) {
    try gate.admit(Hello(room: room, token: foreign.signed(with: "o")), from: nil, at: now)
  }
}
