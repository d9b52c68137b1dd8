import BoardroomModel
import EventLogModel

// Who may write, and who asks to: beyond the source system, whose members say of themselves only whether they write.
extension WhiteRoom {
  /// Raises one's hand, or takes it down (HAND-1); who only reads may, too.
  public func raiseHand(_ isRaised: Bool, completion: (@Sendable (WhiteResult) -> Void)? = nil) {
    submit(.moderation(.hand(isRaised)), completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func raiseHand(_ isRaised: Bool) async throws(BoardroomError) -> Receipt {
    try await submit(.moderation(.hand(isRaised)))
  }

  /// Says whether another member may write (MOD-5): with an administrator's token. That one is told by
  /// `fireBeingAbleToCommitChange`.
  public func allowWriting(
    _ isAllowed: Bool, memberId: UInt64, completion: (@Sendable (WhiteResult) -> Void)? = nil
  ) {
    submit(.moderation(.writing(MemberID(memberId), isAllowed: isAllowed)), completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func allowWriting(_ isAllowed: Bool, memberId: UInt64) async throws(BoardroomError) -> Receipt {
    try await submit(.moderation(.writing(MemberID(memberId), isAllowed: isAllowed)))
  }

  /// While a room is locked only who locked it writes (MOD-6): with an administrator's token.
  public func lockRoom(_ isLocked: Bool, completion: (@Sendable (WhiteResult) -> Void)? = nil) {
    submit(.moderation(.lock(isLocked)), completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func lockRoom(_ isLocked: Bool) async throws(BoardroomError) -> Receipt {
    try await submit(.moderation(.lock(isLocked)))
  }

  /// Who has a hand up: members by their numbers, and since when (ms since 1970).
  public func getHands() async -> [UInt64: Int64] {
    await ask { link in
      let raised = link.mirror.parts().members.compactMapValues(\.hand)
      return Dictionary(uniqueKeysWithValues: raised.map { ($0.key.rawValue, $0.value.milliseconds) })
    }
  }

  /// Whether the room is locked.
  public func isLocked() async -> Bool { await ask { $0.mirror.parts().lock != nil } }
}
