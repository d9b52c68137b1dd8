import BoardroomModel

// Taking back (EL-6, EL-7). A member takes back its own steps on the current page, and of those only what nobody
// else has changed since.
extension WhiteRoom {
  /// EL-6: true, as it is at the beginning, switches undo, redo, copy, paste and duplicate off. False asks the room
  /// to keep this member's steps from here on, for as many pages as `undoCacheScenesCount` says; if the session
  /// is lost in an outage, the next one asks again by itself, and begins without steps.
  public func disableSerialization(
    _ disabled: Bool, completion: (@Sendable (WhiteResult) -> Void)? = nil
  ) {
    run(completion) { $0.setSerialization(disabled: disabled, $1) }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func disableSerialization(_ disabled: Bool) async throws(BoardroomError) -> Receipt {
    try await answer { answer in self.disableSerialization(disabled) { answer($0) } }
  }

  /// Takes the newest step back; completes with how many are left. Fails with `nothingToUndo` if there is none.
  public func undo(completion: (@Sendable (Result<Int, BoardroomError>) -> Void)? = nil) {
    let finish = whenDone(completion)
    link.enter { $0.step(.history(.undo(nil)), \.undo, finish) }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func undo() async throws(BoardroomError) -> Int {
    try await answer { answer in self.undo { answer($0) } }
  }

  /// Does the step that was taken back last again; completes with how many are left.
  public func redo(completion: (@Sendable (Result<Int, BoardroomError>) -> Void)? = nil) {
    let finish = whenDone(completion)
    link.enter { $0.step(.history(.redo(nil)), \.redo, finish) }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func redo() async throws(BoardroomError) -> Int {
    try await answer { answer in self.redo { answer($0) } }
  }

  /// Steps that can be taken back on the current page, as the callbacks tell them (CB-19).
  public var canUndoSteps: Int { shown.with { $0.steps.undo } }
  /// How many steps could be redone now.
  public var canRedoSteps: Int { shown.with { $0.steps.redo } }

  /// The same, asked again.
  public func getCanUndoSteps() async -> Int { await ask { $0.mirror.shownSteps.undo } }
  /// How many steps could be redone, as the connection has it.
  public func getCanRedoSteps() async -> Int { await ask { $0.mirror.shownSteps.redo } }
}
