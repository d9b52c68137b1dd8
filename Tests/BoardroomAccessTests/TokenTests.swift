import BoardroomModel
import EventLogModel
import Testing

@testable import BoardroomAccess

/// Printed by `token_vectors.py` beside this file, which shares no code with the server.
private struct Vector: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var token: AccessToken
  var secret: String
  var text: String
}

private let nonce = "5e0a7a60-c6c1-11f0-8de9-0242ac120002"
private let room = RoomID("00112233445566778899aabbccddeeff")!

private func token(
  _ scope: TokenScope, _ role: Role, _ key: String = "key-1", expires: Int64? = nil
) -> AccessToken {
  var token = AccessToken(
    scope: scope, role: role, keyID: key, expires: expires.map { Timestamp(milliseconds: $0) }, nonce: nonce)
  // The published issuers know no type.
  token.isTyped = false
  return token
}

private let vectors = [
  Vector(
    testDescription: "sdk admin, no expiry", token: token(.team, .admin), secret: "s3cr3t",
    text: """
      NETLESSSDK_YWs9a2V5LTEmbm9uY2U9NWUwYTdhNjAtYzZjMS0xMWYwLThkZTktMDI0MmFjMTIwMDAyJnJvbGU9MCZzaWc9MDM4MGMxN\
      DRhM2MwNDVkMTQ4NjMzODE5MTJlNWI3ZDA3MzVlMTdkNGIwN2I5ODc5MWQyZjU1NDJlMWU4OWZiMA
      """),
  Vector(
    testDescription: "room writer, with expiry",
    token: token(.room(room), .writer, expires: 1_800_000_000_000),
    secret: "s3cr3t",
    text: """
      NETLESSROOM_YWs9a2V5LTEmZXhwaXJlQXQ9MTgwMDAwMDAwMDAwMCZub25jZT01ZTBhN2E2MC1jNmMxLTExZjAtOGRlOS0wMjQyYWMxM\
      jAwMDImcm9sZT0xJnNpZz0wNzZjOGIwMDU1NjRjOGIzNzFhMDVjZGFiNjlhN2U1Njg2ZWI0YzZkZWFmN2M3MzczMThmOWE0ZTQzYjU5OD\
      hjJnV1aWQ9MDAxMTIyMzM0NDU1NjY3Nzg4OTlhYWJiY2NkZGVlZmY
      """),
  Vector(
    testDescription: "room reader, names that need escapes",
    token: token(.room(room), .reader, "k/ä \"1\"\n&=~'()*!\u{1}"), secret: "se/cret+ö",
    text: """
      NETLESSROOM_YWs9ayUyRiVDMyVBNCUyMCUyMjElMjIlMEElMjYlM0R-JygpKiElMDEmbm9uY2U9NWUwYTdhNjAtYzZjMS0xMWYwLThkZ\
      TktMDI0MmFjMTIwMDAyJnJvbGU9MiZzaWc9NDY4ODU0YWVjM2U3NmM1NTRlOTJjMGJmZDBhNzVkNzhlNzQyMjNjMmQ0NzBlZDgyZDgzZj\
      YyMTBmY2QwNDEyNSZ1dWlkPTAwMTEyMjMzNDQ1NTY2Nzc4ODk5YWFiYmNjZGRlZWZm
      """),
  Vector(
    testDescription: "task writer", token: token(.task("task-7"), .writer), secret: "s3cr3t",
    text: """
      NETLESSTASK_YWs9a2V5LTEmbm9uY2U9NWUwYTdhNjAtYzZjMS0xMWYwLThkZTktMDI0MmFjMTIwMDAyJnJvbGU9MSZzaWc9NTIyNDI0Z\
      GExNDE2ZWQyN2Q1NTkwY2QzMGE1OTcyNTAwNjU5ZWFiMGYzYzRkZTQ3NDIzOWY2NWVhZDA0OWM1MCZ1dWlkPXRhc2stNw
      """),
]

@Test(
  "TK-prefix, -rest, -keys, -sig, -roles: a token is written to the byte as published issuers write it",
  arguments: vectors)
private func tokensAreWrittenAsPublished(_ vector: Vector) {
  #expect(vector.token.signed(with: vector.secret) == vector.text)
}

@Test("TK-sig, TK-keys: a published issuer's token is read and its signature accepted", arguments: vectors)
private func publishedTokensAreRead(_ vector: Vector) throws {
  let read = try AccessToken(vector.text) { $0 == vector.token.keyID ? vector.secret : nil }
  #expect(read == vector.token)
}

@Test("A ticket is the vector's: half an HMAC with the signer's secret, another for each session and room")
func ticketsAreTheVectors() {
  let pairs = [KeyPair(id: "key-1", secret: "s3cr3t"), KeyPair(id: "old", secret: "o")]
  let gate = TokenGatekeeper(keys: KeyRing(pairs: pairs))
  let session = SessionID("0123456789abcdef0000000000000002")!
  let ticket = gate.ticket(for: session, in: room)
  #expect(ticket == "7afc2edb1768bdfb2a3653eb7028e1a3")
  #expect(gate.ticket(for: room, in: session) != ticket)
  #expect(gate.ticket(for: session, in: session) != ticket)
  #expect(gate.ticket(for: room, in: room) != ticket)
  #expect(TokenGatekeeper(keys: KeyRing(pairs: pairs.reversed())).ticket(for: session, in: room) != ticket)
}

@Test("TK-keys: expireAt is left out when the lifespan is 0, and now plus lifespan otherwise")
func lifespanZeroNeverExpires() {
  let now = Timestamp(milliseconds: 1_000)
  #expect(AccessToken(scope: .team, role: .admin, keyID: "k", lifespan: 0, at: now).expires == nil)
  let short = AccessToken(scope: .team, role: .admin, keyID: "k", lifespan: 500, at: now)
  #expect(short.expires == Timestamp(milliseconds: 1_500))
  #expect(!short.hasExpired(at: Timestamp(milliseconds: 1_499)))
  #expect(short.hasExpired(at: Timestamp(milliseconds: 1_500)))
}

@Test("Any single letter changed makes a token invalid, never one of other content")
func changedTokensAreRefused() throws {
  let text = vectors[1].text
  for place in text.indices {
    var changed = text
    changed.replaceSubrange(place...place, with: text[place] == "A" ? "B" : "A")
    guard changed != text else { continue }
    #expect(throws: TokenError.self, "changed at \(text.distance(from: text.startIndex, to: place))") {
      try AccessToken(changed) { _ in "s3cr3t" }
    }
  }
}

private let malformed: [String] = [
  "", "NETLESSROOM_", "NETLESSROOM", "OTHER_" + vectors[0].text.dropFirst(11),
  String(vectors[0].text.dropFirst(11)),
  vectors[0].text + "=", vectors[0].text + " ", "NETLESSSDK_!!!!",
  "NETLESSSDK_" + Base64URL.encode(Array("a=b".utf8)),
  "NETLESSROOM_" + vectors[0].text.dropFirst(11),
  "NETLESSSDK_"
    + Base64URL.encode(Array("ak=k&nonce=n&role=9&sig=\(String(repeating: "0", count: 64))".utf8)),
  "NETLESSSDK_"
    + Base64URL.encode(Array("ak=k&ak=k&nonce=n&role=0&sig=\(String(repeating: "0", count: 64))".utf8)),
  "NETLESSSDK_"
    + Base64URL.encode(Array("ak=k&nonce=%ZZ&role=0&sig=\(String(repeating: "0", count: 64))".utf8)),
  "NETLESSSDK_"
    + Base64URL.encode(Array("ak=k&nonce=n&role=0&sig=\(String(repeating: "A", count: 64))".utf8)),
  "NETLESSSDK_"
    + Base64URL.encode(
      Array("ak=k&expireAt=soon&nonce=n&role=0&sig=\(String(repeating: "0", count: 64))".utf8)),
  "NETLESSSDK_" + String(repeating: "A", count: 7_000),
]

@Test("TE-format: what is not of a token's form is \"invalid format of token\"", arguments: malformed)
func malformedTokensAreNamedSo(_ text: String) {
  #expect(throws: TokenError.invalidFormat) { try AccessToken(text) { _ in "s3cr3t" } }
}

@Test("TE-signature: another secret and an unknown key are both \"invalid signature of token\"")
func wrongSignatureIsNamedSo() {
  #expect(throws: TokenError.invalidSignature) { try AccessToken(vectors[0].text) { _ in "other" } }
  #expect(throws: TokenError.invalidSignature) { try AccessToken(vectors[0].text) { _ in nil } }
}

@Test(
  "TE-format, -expired, -signature, -role, -other: the messages are the published ones, with codes of 10.8")
func messagesAreThePublishedOnes() {
  let table: [(TokenError, String, RefusalCode)] = [
    (.invalidFormat, "invalid format of token", .tokenInvalid),
    (.expired, "expired token", .tokenExpired),
    (.invalidSignature, "invalid signature of token", .tokenInvalid),
    (.roleForbidden(.reader), "token access role reader forbidden", .forbidden),
    (.roomForbidden, "token access room forbidden", .forbidden),
    (.taskForbidden, "token access task forbidden", .forbidden),
    (.teamForbidden, "token access team forbidden", .forbidden),
  ]
  for (error, message, code) in table {
    #expect(error.refusal.cause == message)
    #expect(error.refusal.code == code)
  }
}

@Test("Base64url: every length comes back, without padding, and only the shortest form is read")
func base64IsExact() {
  var generator = SystemRandomNumberGenerator()
  for length in 0...70 {
    let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let text = Base64URL.encode(bytes)
    #expect(!text.contains("="))
    #expect(Base64URL.decode(text[...]) == bytes)
  }
  #expect(Base64URL.decode("AB"[...]) == nil, "left-over bits")
  #expect(Base64URL.decode("A"[...]) == nil)
  #expect(Base64URL.encodePadded([0xFB, 0xFF]) == "+/8=")
}

@Test("A nonce is a time-based uuid of version 1, and no two are equal")
func noncesAreTimeBased() {
  // RFC 9562, A.1: 22 February 2022, 14:22:22 UTC-05:00.
  let ticks: UInt64 = 0x1EC_9414_C232_AB00
  #expect(
    TimeUUID.text(ticks: ticks, sequence: 0x33C8, node: 0x9F6B_DECE_D846)
      == "c232ab00-9414-11ec-b3c8-9f6bdeced846")
  let now = Timestamp(milliseconds: 1_800_000_000_000)
  let made = (0..<1_000).map { _ in TimeUUID.make(at: now) }
  #expect(Set(made).count == 1_000)
  #expect(made.allSatisfy { $0.count == 36 && $0[$0.index($0.startIndex, offsetBy: 14)] == "1" })
}
