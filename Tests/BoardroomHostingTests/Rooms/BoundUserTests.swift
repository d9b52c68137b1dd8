import BoardroomModel
import EventLogModel
import TestKit
import Testing

@testable import BoardroomAccess

private let pair = KeyPair(id: "k", secret: "s")

@Suite("Users that tokens are bound to") struct BoundUserTests {
  private let gate = TokenGatekeeper(keys: KeyRing(pairs: [pair]))

  private func token(_ role: Role, _ room: RoomID, _ server: SimulatedServer, uid: String? = nil) -> String {
    AccessToken(scope: .room(room), role: role, keyID: pair.id, lifespan: 0, at: server.now, uid: uid)
      .signed(with: pair.secret)
  }

  @Test("RIGHT-6: who holds a bound token is that user, says nothing else, and is shown and logged as such")
  func identity() throws {
    let server = SimulatedServer(gatekeeper: gate)
    let room = server.createRoom()
    let bound = token(.writer, room, server, uid: "ana")
    for said in [nil, "ana"] {
      let ana = server.join(room, uid: said) { $0.token = bound }
      let member = try #require(ana.welcome?.member)
      #expect(ana.mirror.members[member]?.uid == "ana")
      #expect(ana.mirror.members[member]?.isBound == true)
    }
    for said in ["ben", "Ana", "", "a\u{301}na"] {
      let other = server.join(room, uid: said) { $0.token = bound }
      #expect(other.farewell?.refusal == Refusal(.forbidden, cause: "token access uid forbidden"))
      #expect(other.farewell?.comeBack == false)
    }
    let claims = server.join(room, uid: "cleo") { $0.token = token(.writer, room, server) }
    #expect(claims.mirror.members.values.first { $0.uid == "cleo" }?.isBound == false)
  }

  @Test(
    "SES-2: who claims the uid of an administrator, or of a bound user, throws nobody out, also after a restart",
    arguments: [false, true])
  func replacing(restarts: Bool) throws {
    var server = SimulatedServer(gatekeeper: gate)
    let room = server.createRoom()
    var host = server.join(room, uid: "host") { $0.token = token(.admin, room, server) }
    var ana = server.join(room) { $0.token = token(.reader, room, server, uid: "ana") }
    if restarts {
      let next = server.restarted()
      host = next.join(room, uid: "host") { hello in
        host.comeBack(&hello)
        hello.token = token(.admin, room, server)
      }
      ana = next.join(room) { hello in
        ana.comeBack(&hello)
        hello.token = token(.reader, room, server, uid: "ana")
      }
      server = next
      #expect(host.welcome?.resumed == true)
      #expect(ana.welcome?.resumed == true)
    }
    for (uid, role) in [("host", Role.reader), ("host", .writer), ("ana", .reader), ("ana", .admin)] {
      let thief = server.join(room, uid: uid) { $0.token = token(role, room, server) }
      #expect(thief.farewell?.refusal.code == .forbidden)
      #expect(thief.farewell?.comeBack == false)
      #expect(thief.welcome == nil)
    }
    host.receive()
    ana.receive()
    #expect(host.farewell == nil)
    #expect(ana.farewell == nil)
    // The same user elsewhere, with a token that says so.
    let again = server.join(room) { $0.token = token(.reader, room, server, uid: "ana") }
    ana.receive()
    #expect(again.isLive)
    #expect(ana.farewell?.kick == .replaceByOther)
  }

  @Test(
    "SES-13: a resume with a token of another user, or with one that names none, ends the stay and joins anew"
  )
  func resuming() throws {
    let server = SimulatedServer(gatekeeper: gate)
    let room = server.createRoom()
    let names: [(was: String?, comes: String?, resumes: Bool)] = [
      ("ana", "ana", true), ("ana", nil, false), (nil, "ana", false), ("ana", "ben", false), (nil, nil, true),
    ]
    for row in names {
      let first = server.join(room) { $0.token = token(.writer, room, server, uid: row.was) }
      first.cut()
      let back = server.join(room) { hello in
        first.comeBack(&hello)
        hello.token = token(.writer, room, server, uid: row.comes)
      }
      #expect(back.welcome?.resumed == row.resumes, "\(row)")
      let seen = server.join(room) { $0.token = token(.reader, room, server) }.mirror.members
      #expect(seen[back.welcome?.member ?? 99]?.uid == row.comes, "\(row)")
      back.say(.leave)
    }
  }
}
