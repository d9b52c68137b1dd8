import BoardroomAccess
import BoardroomModel
import EventLogModel
import TestKit
import Testing

/// What someone presents who has read another member's session and generation in the log.
private enum Presented: CaseIterable {
  case nothing, anInvention, ticketOfOwnSession, allButTheLastLetter, ticketAndMore

  func text(owner: String, own: String) -> String {
    switch self {
    case .nothing: ""
    case .anInvention: String(repeating: "0", count: owner.count)
    case .ticketOfOwnSession: own
    case .allButTheLastLetter: String(owner.dropLast())
    case .ticketAndMore: owner + "0"
    }
  }
}

@Suite struct TicketTests {
  /// Makes a hello that names the session of member 0 as the log and the state show it.
  private func naming(
    memberZeroOf reader: SimulatedPeer, _ ticket: String, token: String
  ) -> (inout Hello) -> Void {
    { hello in
      guard let member = reader.mirror.members[0] else { return }
      hello.token = token
      hello.resume = Hello.Resume(session: member.session, generation: member.generation, ticket: ticket)
    }
  }

  @Test(
    "Section 2: without the ticket of its welcome a session is not resumed; its member goes on undisturbed",
    arguments: Role.allCases, Presented.allCases)
  private func connected(_ role: Role, _ presented: Presented) throws {
    let server = SimulatedServer()
    let room = server.createRoom()
    let owner = server.join(room) { $0.token = "writer" }
    let reader = server.join(room) { $0.token = role.rawValue }
    let ticket = try #require(owner.welcome?.ticket)
    let text = presented.text(owner: ticket, own: reader.welcome?.ticket ?? "")
    let stranger = server.join(
      room, change: naming(memberZeroOf: reader, text, token: role.rawValue))
    #expect(stranger.welcome?.resumed == false)
    #expect(stranger.welcome?.member == 2)
    #expect(stranger.welcome?.session != owner.welcome?.session)
    #expect(stranger.welcome?.ticket != ticket)
    owner.command(.set("still", "1"))
    owner.receive()
    #expect(owner.farewell == nil)
    #expect(owner.receipts.map(\.counter) == [1])
    #expect(owner.mirror.members[0]?.generation == 1)
    let kinds = owner.events.map(\.kindName)
    #expect(kinds.suffix(4) == ["memberJoined", "memberJoined", "memberJoined", "globalState"])
  }

  @Test(
    "Section 2: a session whose member is away is kept for who has the ticket, whoever names it meanwhile",
    arguments: Role.allCases, Presented.allCases)
  private func away(_ role: Role, _ presented: Presented) throws {
    let server = SimulatedServer()
    let room = server.createRoom()
    let owner = server.join(room) { $0.token = "writer" }
    let reader = server.join(room) { $0.token = role.rawValue }
    owner.cut()
    reader.receive()
    let ticket = try #require(owner.welcome?.ticket)
    let text = presented.text(owner: ticket, own: reader.welcome?.ticket ?? "")
    let stranger = server.join(
      room, change: naming(memberZeroOf: reader, text, token: role.rawValue))
    #expect(stranger.welcome?.resumed == false)
    #expect(stranger.mirror.members[0]?.phase == .reconnecting)
    let back = server.join(room) { hello in
      owner.comeBack(&hello)
      hello.token = "writer"
    }
    #expect(back.welcome?.resumed == true)
    #expect(back.welcome?.member == 0)
    #expect(back.welcome?.generation == 2)
    #expect(back.welcome?.ticket == ticket)
  }

  @Test("With tokens of the server: only the welcome holds the ticket, and only with it the session goes on")
  func tokens() throws {
    let gate = TokenGatekeeper(keys: KeyRing(pairs: [KeyPair(id: "k", secret: "s")]))
    let server = SimulatedServer(gatekeeper: gate)
    let room = server.createRoom()
    func token(_ role: Role) -> String {
      AccessToken(scope: .room(room), role: role, keyID: "k", lifespan: 0, at: server.now).signed(with: "s")
    }
    let owner = server.join(room) { $0.token = token(.writer) }
    let welcome = try #require(owner.welcome)
    #expect(welcome.ticket == gate.ticket(for: welcome.session, in: room))
    #expect(welcome.ticket.count == 32)
    for role in Role.allCases {
      let stranger = server.join(room, change: naming(memberZeroOf: owner, "", token: token(role)))
      #expect(stranger.welcome?.resumed == false)
      let shown = "\(stranger.events) \(stranger.mirror)"
      #expect(shown.contains(welcome.session.description))
      #expect(!shown.contains(welcome.ticket))
    }
    let next = server.restarted()
    let back = next.join(room) { hello in
      owner.comeBack(&hello)
      hello.token = token(.writer)
    }
    #expect(back.welcome?.resumed == true)
    #expect(back.welcome?.member == 0)
  }
}
