import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

@Suite("Coming and going")
struct DoorTests {
  private func refusal(_ body: () throws -> Void) -> Refusal? {
    do { try body() } catch let refusal as Refusal { return refusal } catch {}
    return nil
  }

  @Test("SES-1: nobody joins a room that was not created, and none is created twice")
  func creation() throws {
    var trial = Trial(created: false)
    #expect(refusal { _ = try trial.room.join(trial.request()) }?.code == .notFound)
    trial.record(trial.room.create(RoomCreated(name: "a")))
    #expect(trial.room.create(RoomCreated(name: "b")).isEmpty)
    #expect(trial.state.created?.name == "a")
    #expect(trial.state.createdAt == trial.now)
  }

  @Test("W-5: the limit counts members with tokens that may write, also those who do not; readers come in")
  func writerLimit() throws {
    var trial = Trial(limit: 2)
    let one = try trial.join("a", role: .admin)
    try trial.join("b", role: .writer, isWritable: false)
    for _ in 0..<5 { try trial.join(role: .reader) }
    let refused = refusal { _ = try trial.room.join(trial.request("c")) }
    #expect(refused?.code == .writerLimit)
    #expect(refused?.actual == 3)
    #expect(refused?.allowed == 2)
    #expect(try trial.join("b") > one, "a takeover does not count twice")
    trial.record(trial.room.leave(one, .left))
    #expect(try trial.join("c") > one)
  }

  @Test("SES-2: the same uid elsewhere takes over: replaced, left, joined, in this order")
  func takeover() throws {
    var trial = Trial()
    let old = try trial.join("ann")
    let start = trial.log.count
    let new = try trial.join("ann")
    let session = try #require(trial.state.members[new]?.session)
    let tail = trial.log[start...]
    #expect(tail.map(\.actor) == [.member(old), .member(old), .member(new)])
    #expect(
      tail.map(\.event).prefix(2) == [
        .members(.replaced(MemberReplaced(by: session))), .members(.left(.replaced)),
      ])
    #expect(trial.state.roster.map(\.id) == [new])
    #expect(
      try trial.room.join(
        JoinRequest(
          session: SessionID(high: 1, low: 2), uid: "ann", role: .writer)
      ).replaces == new)
  }

  @Test(
    "SES-2, RIGHT-6: only a token of the same or a higher role replaces, and none that is not bound a bound one's",
    arguments: Role.allCases, Role.allCases)
  func replacing(_ old: Role, _ new: Role) throws {
    let ranks: [Role: Int] = [.admin: 0, .writer: 1, .reader: 2]
    for (wasBound, isBound) in [(false, false), (false, true), (true, false), (true, true)] {
      var trial = Trial()
      func request(_ role: Role, _ isBound: Bool) -> JoinRequest {
        var request = trial.request("ann", role: role)
        request.isBound = isBound
        return request
      }
      trial.record(try trial.room.join(request(old, wasBound)).events)
      let there = try #require(trial.state.roster.first)
      #expect(there.isBound == wasBound)
      let may = try #require(ranks[new]) <= #require(ranks[old]) && (isBound || !wasBound)
      // Another session than that of the first.
      var next = request(new, isBound)
      next.session = SessionID(high: 9, low: 9)
      let refused = refusal { _ = try trial.room.join(next) }
      #expect(refused?.code == (may ? nil : .forbidden), "\(old) \(wasBound) to \(new) \(isBound)")
      guard may else { continue }
      #expect(try trial.room.join(next).replaces == there.id)
    }
  }

  @Test(
    "ACC-2, RIGHT-6: in accounts and channels who is named goes on elsewhere whatever the role of its token")
  func replacingLogins() throws {
    var trial = Trial(created: false)
    trial.record([Proposed(actor: .server, event: .space(.created(.account("ann"))))])
    let admin = try trial.join("rtm", role: .admin)
    #expect(try trial.room.join(trial.request("rtm", role: .reader)).replaces == admin)
  }

  @Test("SES-3: members without uid replace nobody")
  func anonymous() throws {
    var trial = Trial()
    try trial.join()
    try trial.join()
    #expect(trial.state.members.count == 2)
  }

  @Test("SES-4, RM-uid: a uid has up to 1,024 printable bytes, a payload its limit, a session joins once")
  func identity() throws {
    var trial = Trial()
    func code(_ request: JoinRequest) -> RefusalCode? { refusal { _ = try trial.room.join(request) }?.code }
    #expect(code(trial.request(String(repeating: "u", count: 1_024))) == nil)
    #expect(code(trial.request(String(repeating: "u", count: 1_025))) == .tooLarge)
    #expect(code(trial.request("")) == .badName)
    #expect(code(trial.request("a\u{0}")) == .badName)
    var large = trial.request()
    large.payload = json("\"" + String(repeating: "p", count: 16 << 10) + "\"")
    #expect(code(large) == .tooLarge)
    let one = try trial.join()
    let session = try #require(trial.state.members[one]?.session)
    #expect(code(JoinRequest(session: session, role: .writer)) == .conflict)
  }

  @Test("SES-5: a kick is two events: who did it and why, then the leaving; an unknown member is notMember")
  func kick() throws {
    var trial = Trial()
    let (one, two) = (try trial.join(), try trial.join())
    trial.record(try trial.room.kick(two, .kickByAdmin, by: .member(one)))
    #expect(trial.log.suffix(2).map(\.actor) == [.member(one), .member(two)])
    #expect(
      trial.log.suffix(2).map(\.event) == [
        .members(.kicked(MemberKicked(member: two, reason: .kickByAdmin))), .members(.left(.kicked)),
      ])
    #expect(refusal { _ = try trial.room.kick(two, .roomBan) }?.code == .notMember)
    #expect(trial.anomalies.isEmpty)
  }

  @Test("SES-6: what is said of a member that is gone proposes nothing")
  func gone() throws {
    var trial = Trial()
    let one = try trial.join()
    trial.record(trial.room.leave(one, .timeout))
    let room = trial.room
    #expect(room.leave(one, .left).isEmpty)
    #expect(room.silent(one).isEmpty)
    #expect(room.resumed(one).isEmpty)
    #expect(room.heardAgain(one).isEmpty)
    #expect(trial.say(begin(1), one) == .refused(Refusal(.notMember), []))
  }

  @Test("SES-7: a member's state, view and counters outlast a resumed session (complaint 2), and no longer")
  func resumed() throws {
    var trial = Trial()
    let one = try trial.join("ann")
    trial.say(.state(.member(patch([("a", "1")]))), one)
    trial.say(begin(1), one)
    let before = try #require(trial.state.members[one])
    trial.record(trial.room.silent(one))
    trial.record(trial.room.resumed(one))
    var after = try #require(trial.state.members[one])
    #expect(after.generation == 2)
    after.generation = 1
    #expect(after == before)
    #expect(trial.say(extend(1), one).isDone)
  }
}
