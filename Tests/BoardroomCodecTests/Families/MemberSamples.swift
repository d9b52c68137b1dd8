import BoardroomCodec
import BoardroomModel
import EventLogModel

// The family `members`: random valid values, and bodies that it does not have.

extension Chance {
  mutating func membersEvent(_ kind: EventKind) -> Event? {
    switch kind {
    case .memberJoined: .members(.joined(joined()))
    case .memberLeft: .members(.left(pick(LeaveCause.allCases)))
    case .memberPhase:
      .members(
        .phase(
          MemberPhaseChange(
            phase: pick(MemberPhase.allCases), generation: Generation(number(upTo: 1 << 32 - 1)))))
    case .memberWritable: .members(.writable(coin()))
    case .memberKicked:
      .members(
        .kicked(
          MemberKicked(member: MemberID(number(upTo: 999)), reason: pick(KickReason.allCases))))
    case .memberReplaced: .members(.replaced(MemberReplaced(by: id())))
    case .viewMode: .members(.viewMode(pick(ViewMode.allCases)))
    default: nil
    }
  }

  mutating func membersCommand(_ kind: EventKind) -> Command? {
    switch kind {
    case .memberWritable: .members(.setWritable(coin()))
    case .viewMode: .members(.viewMode(pick(ViewMode.allCases)))
    default: nil
    }
  }

  mutating func joined() -> MemberJoined {
    var joined = MemberJoined(
      session: id(), uid: coin() ? text() : nil, role: pick(Role.allCases), writable: coin(),
      payload: coin() ? jsonText() : nil, client: coin() ? text() : nil, token: coin() ? text() : nil)
    joined.isBound = joined.uid != nil && joined.role == .writer
    return joined
  }
}

extension BadInput {
  static let members: [BadInput] = [
    .body(
      "writable as a word", "memberWritable", "{\"writable\":\"yes\"}",
      bad("memberWritable.writable", "must be true or false")),
    .body(
      "a view mode that does not exist", "viewMode", "{\"mode\":\"Freedom\"}",
      bad("viewMode.mode", "is not one of the values that docs/PROTOCOL.md lists")),
  ]
}
