import BoardroomModel
import Crypto
import EventLogModel
import Testing

@testable import BoardroomAccess

private let secret = "s3cr3t"
private let room = RoomID("00112233445566778899aabbccddeeff")!
private let nonce = "5e0a7a60-c6c1-11f0-8de9-0242ac120002"

/// A token with whatever fields, signed as an issuer signs.
private func text(_ prefix: String, _ fields: [String: String], order: ([String]) -> [String] = { $0 })
  -> String
{
  let all = fields.merging(["ak": "k", "nonce": "n", "role": "0"]) { given, _ in given }
  // JSON of plain texts: these need no escapes.
  let json = all.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ",")
  let sig = TokenText.hex(
    HMAC<SHA256>.authenticationCode(
      for: Array("{\(json)}".utf8), using: SymmetricKey(data: Array(secret.utf8))))
  let pairs = all.merging(["sig": sig]) { given, _ in given }.sorted { $0.key < $1.key }
  let query = order(pairs.map { "\($0.key)=\($0.value)" }).joined(separator: "&")
  return prefix + Base64URL.encode(Array(query.utf8))
}

private func scope(_ text: String) -> Result<TokenScope, TokenError> {
  Result { () throws(TokenError) in try AccessToken(text) { _ in secret }.scope }
}

private struct Vector: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var token: AccessToken
  var text: String
}

private let typed = [
  Vector(
    testDescription: "room writer bound to a user",
    token: AccessToken(
      scope: .room(room), role: .writer, keyID: "key-1", expires: nil, nonce: nonce, uid: "Ana Ümit"),
    text: """
      NETLESSROOM_YWs9a2V5LTEmbm9uY2U9NWUwYTdhNjAtYzZjMS0xMWYwLThkZTktMDI0MmFjMTIwMDAyJnJvbGU9MSZzaWc9MWNhMWYw\
      NjlkNGE0YTQxZDQyMmIwYWJmNjc4YjMxZDFhM2YzMzM3NTg4YWYwNjZhYzA2NzM0YzhjMzJkNmNiMCZ0eXBlPXJvb20mdWlkPUFuYSUy\
      MCVDMyU5Q21pdCZ1dWlkPTAwMTEyMjMzNDQ1NTY2Nzc4ODk5YWFiYmNjZGRlZWZm
      """),
  Vector(
    testDescription: "sdk admin",
    token: AccessToken(
      scope: .team, role: .admin, keyID: "key-1", expires: Timestamp(milliseconds: 1_800_000_000_000),
      nonce: nonce),
    text: """
      NETLESSSDK_YWs9a2V5LTEmZXhwaXJlQXQ9MTgwMDAwMDAwMDAwMCZub25jZT01ZTBhN2E2MC1jNmMxLTExZjAtOGRlOS0wMjQyYWMxM\
      jAwMDImcm9sZT0wJnNpZz03MWQ0NjYwOWQ4YWYzYzg1NWNkMjZkYmRiODBiN2NkYzYzZGZiMDVjOGVlNDNjMjc3MzRjMDg0OTFmZWFmY\
      2Y0JnR5cGU9c2Rr
      """),
]

@Test(
  "RIGHT-1: a token says its type in the signed part; to the byte as another program makes it",
  arguments: typed)
private func typesAreSigned(_ vector: Vector) throws {
  #expect(vector.token.signed(with: secret) == vector.text)
  let read = try AccessToken(vector.text) { _ in secret }
  #expect(read == vector.token)
  #expect(read.isTyped)
}

@Test("RIGHT-1: prefix and type agree to the byte, and a type that is not known is no token's")
func typesAndPrefixesAgree() {
  let names = ["uuid": room.description]
  for type in ["room", "sdk", "task", "account", "team", "Room", "room ", "", "replay"] {
    let found = scope(text("NETLESSROOM_", names.merging(["type": type]) { $1 }))
    #expect(found == (type == "room" ? .success(.room(room)) : .failure(.invalidFormat)), "\(type)")
  }
  #expect(scope(text("NETLESSSDK_", ["type": "sdk"])) == .success(.team))
  #expect(scope(text("NETLESSSDK_", ["type": "team"])) == .failure(.invalidFormat))
  for prefix in ["netlessroom_", "NETLESSROOM", "NETLESSROOM__", "NetlessRoom_"] {
    #expect(scope(text(prefix, names)) == .failure(.invalidFormat), "\(prefix)")
  }
}

@Test("RIGHT-2: a map that names a uuid or an account is never a team's, with a type or without")
func namedMapsAreNoTeams() {
  let maps: [[String: String]] = [
    ["uuid": room.description], ["account": "ana"], ["uuid": room.description, "account": "ana"],
    ["uuid": ""], ["account": ""],
  ]
  for map in maps {
    for type in [nil, "sdk", "room", "account"] {
      var fields = map
      fields["type"] = type
      #expect(scope(text("NETLESSSDK_", fields)) == .failure(.invalidFormat), "\(fields)")
    }
  }
  #expect(scope(text("NETLESSROOM_", maps[2])) == .failure(.invalidFormat))
  #expect(scope(text("BOARDROOMACCOUNT_", maps[2])) == .failure(.invalidFormat))
  #expect(scope(text("NETLESSROOM_", maps[0])) == .success(.room(room)))
  #expect(scope(text("NETLESSTASK_", maps[0])) == .success(.task(room.description)))
  #expect(scope(text("NETLESSSDK_", [:])) == .success(.team))
}

@Test("RIGHT-2: only a room's token has a uid; in any other it is no token")
func onlyRoomsHaveUids() {
  #expect(scope(text("NETLESSSDK_", ["uid": "ana"])) == .failure(.invalidFormat))
  #expect(scope(text("BOARDROOMACCOUNT_", ["uid": "ana", "account": "ana"])) == .failure(.invalidFormat))
  #expect(scope(text("NETLESSTASK_", ["uid": "ana", "uuid": "t"])) == .failure(.invalidFormat))
  #expect(scope(text("NETLESSROOM_", ["uid": "", "uuid": room.description])) == .failure(.invalidFormat))
  #expect(scope(text("NETLESSROOM_", ["uid": "ana", "uuid": room.description])) == .success(.room(room)))
}

@Test("RIGHT-3, TK-rest: issuers that do not sort the query are read; a token with a type has one order")
func ordersOfIssuers() {
  // Python's: as the fields were put in, the signature last.
  let python = { (pairs: [String]) in
    ["ak", "nonce", "role", "uuid", "type", "sig"].compactMap { name in
      pairs.first { $0.hasPrefix(name + "=") }
    }
  }
  let names = ["uuid": room.description]
  #expect(scope(text("NETLESSROOM_", names, order: python)) == .success(.room(room)))
  let typed = names.merging(["type": "room"]) { $1 }
  #expect(scope(text("NETLESSROOM_", typed, order: python)) == .failure(.invalidFormat))
  #expect(scope(text("NETLESSROOM_", typed)) == .success(.room(room)))
}

@Test("RIGHT-3, TK-rest: escapes are those of one of the published issuers, in upper case, and no more")
func escapesArePlain() {
  func isPlain(_ query: String) -> Bool { TokenText.isPlain(query: Array(query.utf8)) }
  #expect(isPlain("ak=a-_.b!~*'()&role=0"))
  #expect(isPlain("ak=%21%7E%2A%27%28%29%20%C3%A4"))
  for query in [
    "ak=%61", "a%6B=1", "ak=%c3%a4", "ak=%2D", "ak=ä", "ak=a b", "ak=a+b", "ak=%2", "ak=%", "ak=%zz",
  ] {
    #expect(!isPlain(query), "\(query)")
  }
}
