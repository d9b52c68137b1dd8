import BoardroomModel

// Taking back (EL-6, EL-7). A member takes back its own steps on the current page, and of those only what nobody
// else has changed since.
extension WhiteRoom {
  /// EL-6: false, as it is at the beginning, switches undo, redo, copy, paste and duplicate off. True asks the room
  /// to keep this member's steps from here on, for as many pages as `undoCacheScenesCount` says; if the session
  /// is lost in an outage, the next one asks again by itself, and begins without steps.
  @discardableResult
  nonisolated(nonsending) public func setHistory(enabled: Bool) async throws(BoardroomError) -> Receipt {
    try await answer(.setHistory(enabled: enabled))
  }

  /// Takes the newest step back; returns how many are left. Throws `nothingToUndo` if there is none.
  @discardableResult
  nonisolated(nonsending) public func undo() async throws(BoardroomError) -> Int { try await answer(.undo) }

  /// Does the step that was taken back last again; returns how many are left.
  @discardableResult
  nonisolated(nonsending) public func redo() async throws(BoardroomError) -> Int { try await answer(.redo) }

  /// Steps that can be taken back on the current page, as the callbacks tell them (CB-19).
  public var canUndoSteps: Int { shown.with { $0.steps.undo } }
  /// How many steps could be redone now.
  public var canRedoSteps: Int { shown.with { $0.steps.redo } }

  /// The same, asked again.
  nonisolated(nonsending) public func getCanUndoSteps() async -> Int {
    await ask { $0.mirror.shownSteps.undo }
  }
  /// How many steps could be redone, as the connection has it.
  nonisolated(nonsending) public func getCanRedoSteps() async -> Int {
    await ask { $0.mirror.shownSteps.redo }
  }
}

extension RoomRequest<Receipt> {
  package static func setHistory(enabled: Bool) -> Self {
    .onLink { $0.setSerialization(disabled: !enabled, $1) }
  }
}

extension RoomRequest<Int> {
  package static var undo: Self { .onLink { $0.step(.history(.undo(nil)), \.undo, $1) } }
  package static var redo: Self { .onLink { $0.step(.history(.redo(nil)), \.redo, $1) } }
}
