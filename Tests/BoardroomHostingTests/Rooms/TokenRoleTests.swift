import BoardroomAccess
import BoardroomModel
import EventLogModel
import TestKit
import Testing

@Suite struct TokenRoleTests {
  @Test(
    "SES-13: a resume with a token of another role ends the stay and joins anew",
    arguments: ["reader", "admin"])
  func otherRole(_ role: String) {
    let server = SimulatedServer()
    let room = server.createRoom()
    let (first, other) = (server.join(room) { $0.token = "writer" }, server.join(room))
    first.cut()
    let back = server.join(room) { hello in
      first.comeBack(&hello)
      hello.token = role
    }
    other.receive()
    #expect(back.welcome?.resumed == false)
    #expect(back.welcome?.member == 2)
    #expect(back.welcome?.session != first.welcome?.session)
    #expect(other.mirror.members[0] == nil)
    #expect(other.mirror.members[2]?.role.rawValue == role)
  }

  @Test("TK-expiry: a token is checked at the door; one that expires inside removes nobody")
  func expiryInside() throws {
    let gate = TokenGatekeeper(keys: KeyRing(pairs: [KeyPair(id: "k", secret: "s")]))
    let server = SimulatedServer(gatekeeper: gate)
    let room = server.createRoom()
    let token = AccessToken(scope: .room(room), role: .writer, keyID: "k", lifespan: 2_000, at: server.now)
      .signed(with: "s")
    let member = server.join(room) { $0.token = token }
    #expect(member.isLive)
    server.advance(by: .seconds(60)) { member.say(.heartbeat(1)) }
    member.command(.set("still", "1"))
    member.receive()
    #expect(member.farewell == nil)
    #expect(member.receipts.map(\.counter) == [1])
    #expect(server.join(room) { $0.token = token }.farewell?.refusal.code == .tokenExpired)
  }

  @Test("W-6: fifty who write and a hundred who only read are one room; the list has the fifty")
  func manyMembers() {
    let server = SimulatedServer()
    let room = server.createRoom()
    let writers = (0..<50).map { _ in server.join(room) { $0.token = "writer" } }
    let readers = (0..<100).map { _ in server.join(room) { $0.token = "reader" } }
    for (number, writer) in writers.enumerated() { writer.command(.set("k\(number)", "1")) }
    for peer in writers + readers { peer.receive() }
    for peer in writers + readers {
      #expect(peer.mirror.globalState.count == 50)
      #expect(peer.mirror.members.count == 150)
      #expect(peer.mirror.roster.filter(\.writable).map(\.id) == (0..<50).map { MemberID($0) })
    }
    #expect(writers.allSatisfy { $0.receipts.map(\.counter) == [1] })
  }
}
