import BoardroomModel
import EventLogModel

// The JSON payloads of the family `moderation`, both ways; a command's is its event's.

extension JSONFields {
  func moderation(_ kind: EventKind) throws(CodecError) -> Moderation {
    switch kind {
    case .handRaised: .hand(try bool("raised"))
    case .writingAllowed: try writingAllowed()
    case .roomLocked: .lock(try bool("locked"))
    default: throw .unknownKind(kind.rawValue)
    }
  }

  private func writingAllowed() throws(CodecError) -> Moderation {
    .writing(MemberID(try number("member")), isAllowed: try bool("allowed"))
  }
}

extension JSONWriter {
  mutating func moderation(_ what: Moderation) {
    object { writer in
      switch what {
      case .hand(let isRaised): writer.field("raised", isRaised)
      case .writing(let member, let isAllowed):
        writer.field("member", member.rawValue)
        writer.field("allowed", isAllowed)
      case .lock(let isLocked): writer.field("locked", isLocked)
      }
    }
  }
}
