import BoardroomModel
import EventLogModel

/// What the family `moderation` needs.
extension Room {
  /// HAND-1, MOD-5, MOD-6. What is so already changes nothing (DEC-18).
  func moderation(_ what: Moderation, by author: MemberID?) throws(Refusal) -> Outcome {
    let isSo: Bool
    switch what {
    case .hand(let isRaised): isSo = (state.members[try member(author)]?.hand != nil) == isRaised
    case .writing(let id, let isAllowed): isSo = try isSettled(id, isAllowed)
    case .lock(let isLocked): isSo = state.lock == (isLocked ? RoomLock(by: author) : nil)
    }
    return isSo ? .nothing : Outcome(event: .moderation(what), isVerbatim: true)
  }

  private func isSettled(_ id: MemberID, _ isAllowed: Bool) throws(Refusal) -> Bool {
    guard let member = state.members[id] else { throw Refusal(.notMember) }
    guard member.role != .reader else {
      throw Refusal(
        .forbidden, cause: "A reader's token cannot write.",
        cure: "Let the member join with a writer's token.")
    }
    return member.isBarred != isAllowed && (!isAllowed || member.writable || member.isKept)
  }
}
