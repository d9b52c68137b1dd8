import BoardroomCore
import BoardroomModel
import EventLogModel

// Events of the family `members` that do not fit, or change what they say.

extension MisfitTests {
  private static let joined = Event.members(
    .joined(
      MemberJoined(
        session: SessionID(high: 0, low: 9), uid: nil, role: .writer, writable: true, payload: nil,
        client: nil)
    ))

  static let membersMisfits: [(rule: String, actor: Actor, event: Event)] = [
    ("FOLD-5", .member(0), joined),
    ("FOLD-5", .server, joined),
    ("FOLD-14", .member(7), .members(.viewMode(.broadcaster))),
    ("FOLD-14", .member(7), .members(.writable(true))),
    ("FOLD-14", .member(7), .members(.phase(MemberPhaseChange(phase: .connected, generation: 2)))),
    ("FOLD-14", .member(7), .members(.left(.left))),
    ("FOLD-14", .server, .members(.left(.left))),
    ("FOLD-14", .member(7), .members(.replaced(MemberReplaced(by: SessionID(high: 0, low: 1))))),
    ("FOLD-13", .server, .members(.kicked(MemberKicked(member: 7, reason: .roomBan)))),
  ]
}
