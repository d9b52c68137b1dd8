import BoardroomCodec
import BoardroomModel
import EventLogModel

// The family `moderation`: random valid values.

extension Chance {
  mutating func moderationEvent(_ kind: EventKind) -> Event? {
    switch kind {
    case .handRaised: .moderation(.hand(coin()))
    case .writingAllowed: .moderation(.writing(MemberID(number(upTo: 999)), isAllowed: coin()))
    case .roomLocked: .moderation(.lock(coin()))
    default: nil
    }
  }

  mutating func moderationCommand(_ kind: EventKind) -> Command? {
    switch kind {
    case .handRaised: .moderation(.hand(coin()))
    case .writingAllowed: .moderation(.writing(MemberID(number(upTo: 999)), isAllowed: coin()))
    case .roomLocked: .moderation(.lock(coin()))
    default: nil
    }
  }
}
