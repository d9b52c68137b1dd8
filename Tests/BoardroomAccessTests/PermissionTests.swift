import BoardroomModel
import EventLogModel
import Testing

@testable import BoardroomAccess
@testable import BoardroomHosting

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

private func row(_ action: Action, _ allowed: String, minted: Role? = nil) -> Row {
  Row(permission: Permission(action, room: room, minted: minted), allowed: allowed)
}

private let matrix = [
  row(.createRoom, "yyn nnn"), row(.listRooms, "yyn nnn"), row(.roomInfo, "yyn yyn"),
  row(.listScenes, "yyn yyn"), row(.takeScreenshot, "yyn yyn"), row(.insertScene, "yyn yyn"),
  row(.switchScene, "yyn yyn"), row(.ban, "ynn ynn"), row(.joinInteractive, "yyn yyn"),
  row(.joinReadOnly, "yyy yyy"), row(.replay, "yyy yyy"),
  row(.mintRoomToken, "ynn nnn", minted: .admin), row(.mintRoomToken, "yyn nnn", minted: .writer),
  row(.mintRoomToken, "yyy nnn", minted: .reader), row(.mintTaskToken, "ynn nnn", minted: .admin),
  row(.mintTaskToken, "yyn nnn", minted: .writer), row(.mintTaskToken, "yyy nnn", minted: .reader),
  row(.mintAccountToken, "ynn nnn", minted: .admin), row(.mintAccountToken, "yyn nnn", minted: .writer),
  row(.mintAccountToken, "yyn nnn", minted: .reader),
  row(.seeMembers, "yyn yyn"), row(.seeRoomEvents, "yyn yyn"), row(.seeUserEvents, "yyn nnn"),
  row(.kick, "ynn ynn"), row(.sendEvent, "yyn yyn"), row(.putImage, "yyn yyn"),
  row(.deleteRoom, "ynn ynn"), row(.eraseRoom, "ynn nnn"), row(.manageBans, "ynn nnn"),
  row(.seeMetrics, "yyy nnn"), row(.seeSpaces, "yyn nnn"), row(.kickFromChannel, "ynn nnn"),
  row(.shareRoom, "ynn ynn", minted: .admin), row(.shareRoom, "yyn yyn", minted: .writer),
  row(.shareRoom, "yyy yyy", minted: .reader),
  row(.replaySpace, "ynn nnn"), row(.moderate, "ynn ynn"), row(.banFromRoom, "ynn ynn"),
  row(.copyStore, "ynn nnn"), row(.keepMoments, "ynn ynn"), row(.trimRoom, "ynn nnn"),
]

private func allows(_ permission: Permission, _ scope: TokenScope, _ role: Role) -> Bool {
  let token = AccessToken(scope: scope, role: role, keyID: "new", lifespan: 0, at: now).signed(with: "n")
  return (try? keys.admit(token, for: permission, at: now)) != nil
}

@Test(
  "ROLE-createRoom, -roomInfo, -insertScene, -switchScene, -ban, -joinInteractive, -joinReadOnly",
  arguments: matrix)
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

@Test("Every action has its row in this table")
func everyActionHasARow() {
  #expect(Set(matrix.map(\.permission.action)) == Set(Action.allCases))
}

@Test("Every key of the ring is accepted, the first one signs, an unknown one is refused")
func keysCanBeChanged() throws {
  #expect(keys.signer.id == "new")
  for pair in keys.pairs {
    let token = AccessToken(scope: .team, role: .admin, keyID: pair.id, lifespan: 0, at: now)
    try keys.admit(token.signed(with: pair.secret), for: Permission(.createRoom), at: now)
  }
  let gone = AccessToken(scope: .team, role: .admin, keyID: "gone", lifespan: 0, at: now)
  #expect(throws: TokenError.invalidSignature) {
    try keys.admit(gone.signed(with: "n"), for: Permission(.createRoom), at: now)
  }
}

@Test("TE-expired: expiry counts at the door: a moment before it opens, from then on it does not")
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

@Test("Rooms are entered with a token of theirs or an SDK token, in the role that it says")
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
