import BoardroomModel
import EventLogModel

// Who may write, and who asks to: beyond the source system, whose members say of themselves only whether they write.
extension WhiteRoom {
  /// Raises one's hand, or takes it down (HAND-1); who only reads may, too.
  @discardableResult
  nonisolated(nonsending) public func raiseHand(_ isRaised: Bool) async throws(BoardroomError) -> Receipt {
    try await answer(.raiseHand(isRaised))
  }

  /// Says whether another member may write (MOD-5): with an administrator's token. That one is told by
  /// `fireBeingAbleToCommitChange`.
  @discardableResult
  nonisolated(nonsending) public func allowWriting(
    _ isAllowed: Bool, memberId: UInt64
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.allowWriting(isAllowed, memberId: memberId))
  }

  /// While a room is locked only who locked it writes (MOD-6): with an administrator's token.
  @discardableResult
  nonisolated(nonsending) public func lockRoom(_ isLocked: Bool) async throws(BoardroomError) -> Receipt {
    try await answer(.lockRoom(isLocked))
  }

  /// Who has a hand up: members by their numbers, and since when (ms since 1970).
  nonisolated(nonsending) public func getHands() async -> [UInt64: Int64] {
    await ask { link in
      let raised = link.mirror.parts().members.compactMapValues(\.hand)
      return Dictionary(uniqueKeysWithValues: raised.map { ($0.key.rawValue, $0.value.milliseconds) })
    }
  }

  /// Whether the room is locked.
  nonisolated(nonsending) public func isLocked() async -> Bool { await ask { $0.mirror.parts().lock != nil } }
}

extension RoomRequest<Receipt> {
  package static func raiseHand(_ isRaised: Bool) -> Self { .command(.moderation(.hand(isRaised))) }

  package static func allowWriting(_ isAllowed: Bool, memberId: UInt64) -> Self {
    .command(.moderation(.writing(MemberID(memberId), isAllowed: isAllowed)))
  }

  package static func lockRoom(_ isLocked: Bool) -> Self { .command(.moderation(.lock(isLocked))) }
}
