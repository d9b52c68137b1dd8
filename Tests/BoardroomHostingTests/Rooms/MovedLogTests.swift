import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel
import StorageTestKit
import TestKit
import Testing

/// A store may find out with any call that another node has a log: with one of somebody who comes in, too.
@Suite("NODE-17: who deals with a log that another node has hears goingAway, and nobody hears nothing")
struct MovedLogTests {
  /// What the log says, and what who meets it is told.
  enum LogEnd: CaseIterable, Sendable {
    case fenced, changingOwner, failed

    var error: LogError {
      switch self {
      case .fenced: .nodeFenced(place: "a database")
      case .changingOwner: .changingOwner(RoomID(high: 1, low: 1))
      case .failed: .io(operation: "write", path: "journal", code: 5)
      }
    }

    var code: RefusalCode { self == .failed ? .internalFailure : .goingAway }
  }

  private let server = SimulatedServer()
  private let room = RoomID(high: 1, low: 1)

  private func expectEnd(_ end: LogEnd, _ peer: SimulatedPeer, _ what: Comment) {
    peer.receive()
    #expect(peer.farewell?.refusal.code == end.code, what)
    #expect(peer.farewell?.comeBack == true, what)
  }

  @Test("NODE-17: who comes back", arguments: LogEnd.allCases)
  func comingBack(end: LogEnd) {
    server.createRoom(room)
    let (staying, going) = (server.join(room), server.join(room))
    going.cut()
    server.store.refuse(end.error)
    expectEnd(end, server.join(room, change: going.comeBack), "who comes back")
    expectEnd(end, staying, "who was there")
  }

  @Test("NODE-17: who is new", arguments: LogEnd.allCases)
  func newcomer(end: LogEnd) {
    server.createRoom(room)
    let staying = server.join(room)
    server.store.refuse(end.error)
    expectEnd(end, server.join(room), "who is new")
    expectEnd(end, staying, "who was there")
  }

  @Test("NODE-17: who comes with the rights of somebody else, whose stay ends", arguments: LogEnd.allCases)
  func otherRights(end: LogEnd) {
    server.createRoom(room)
    let going = server.join(room) { $0.token = "writer" }
    going.cut()
    server.store.refuse(end.error)
    let back = server.join(room) { hello in
      going.comeBack(&hello)
      hello.token = "reader"
    }
    expectEnd(end, back, "who comes back as somebody else")
  }

  @Test("NODE-17: who opens a room that members were in", arguments: LogEnd.allCases)
  func opening(end: LogEnd) {
    server.createRoom(room)
    let member = server.join(room)
    let other = server.restarted()
    server.store.refuse(end.error)
    expectEnd(end, other.join(room, change: member.comeBack), "who comes back")
    expectEnd(end, other.join(room), "who is new")
  }

  @Test(
    "NODE-17: who enters an account or a channel, also one that is made for it", arguments: LogEnd.allCases)
  func spaces(end: LogEnd) {
    _ = server.login("ana")
    _ = server.enter("blue", as: "ana")
    server.store.refuse(end.error)
    expectEnd(end, server.login("ana", .rtm), "another login")
    expectEnd(end, server.enter("blue", as: "ana"), "the channel again")
    let fresh = SimulatedServer()
    fresh.store.refuse(end.error)
    expectEnd(end, fresh.login("bo"), "an account that is made")
  }

  @Test("NODE-17: what a login asks that cannot be recorded", arguments: LogEnd.allCases)
  func questions(end: LogEnd) {
    let questions: [Question] = [
      .invite(channel: "lobby", account: "cleo", extra: "", needsPeer: false, timeout: nil),
      .send(account: "cleo", id: "m", text: "hello", holds: true),
      .say(channel: "blue", ChannelMessage(id: "m", text: "hello")),
    ]
    for question in questions {
      let server = SimulatedServer()
      let (ana, cleo) = (server.login("ana"), server.login("cleo"))
      _ = server.enter("blue", as: "ana")
      server.store.refuse(end.error)
      let told = ana.refusal(of: question)
      // The answer, or the farewell where the account itself met it.
      let heard = told ?? ana.farewell?.refusal.code
      #expect(heard == end.code, "\(question)")
      _ = cleo
    }
  }

  @Test("NODE-17: an operator who removes a member", arguments: LogEnd.allCases)
  func kicking(end: LogEnd) throws {
    server.createRoom(room)
    let member = try #require(server.join(room).welcome?.member)
    server.store.refuse(end.error)
    let (engine, room) = (server.engine, room)
    let told = server.wait { () async -> RefusalCode? in
      do {
        try await engine.kick(member, from: room, reason: .kickByAdmin)
        return nil
      } catch { return (error as? Refusal)?.code }
    }
    #expect(told == end.code)
  }
}
