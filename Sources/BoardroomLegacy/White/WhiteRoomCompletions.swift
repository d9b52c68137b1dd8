import BoardroomClient
import BoardroomCodec
import BoardroomModel

/// Where a command ended up, or why it was not carried out.
public typealias WhiteResult = Result<Receipt, BoardroomError>

// White's commands as its apps call them: each returns at once, and its completion is called on the SDK's context when the
// command is in the log and shown in `state`, or has failed. A completion has to be said: nil where nobody waits; a failure
// is told to `throwError` of the common callbacks object then. `BoardroomClient` has the same commands as async methods.
extension WhiteRoom {
  // MARK: State

  /// Sets top-level keys of the global state; null removes one (RS-1).
  public func setGlobalState(_ state: [String: JSONValue], completion: (@Sendable (WhiteResult) -> Void)?) {
    begin(.setGlobalState(state), completion: completion)
  }

  /// Sets what is set in `state`; the rest of the own member state stays (PARITY rows MS). Fails with `badParameter`
  /// if a field is out of its range.
  public func setMemberState(_ state: WhiteMemberState, completion: (@Sendable (WhiteResult) -> Void)?) {
    begin(.setMemberState(state), completion: completion)
  }

  /// Becomes the broadcaster, follows it, or looks freely (V-1 to V-5).
  public func setViewMode(_ mode: WhiteViewMode, completion: (@Sendable (WhiteResult) -> Void)?) {
    begin(.setViewMode(mode), completion: completion)
  }

  /// Sends a custom event to all who listen for its name, this client too (ME-8).
  public func dispatchMagixEvent(
    _ name: String, payload: JSONValue, completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    begin(.dispatchMagixEvent(name, payload), completion: completion)
  }

  /// Asks to become writable or read-only. A second call while one is pending is refused (W-2). The completion says whether
  /// the member is writable now.
  public func setWritable(_ writable: Bool, completion: (@Sendable (Bool, BoardroomError?) -> Void)?) {
    guard let completion else { return begin(.setWritable(writable), completion: nil) }
    begin(.setWritable(writable)) { [weak self] result in
      switch result {
      case .success(let isWritable): completion(isWritable, nil)
      case .failure(let error): completion(self?.isWritable ?? false, error)
      }
    }
  }

  /// Leaves. Phases `disconnecting` and `disconnected` are told; the completion comes after the latter.
  public func disconnect(_ completion: (@Sendable () -> Void)?) { leave(completion) }

  // MARK: Who may write

  /// Raises one's hand, or takes it down (HAND-1); who only reads may, too.
  public func raiseHand(_ isRaised: Bool, completion: (@Sendable (WhiteResult) -> Void)?) {
    begin(.raiseHand(isRaised), completion: completion)
  }

  /// Says whether another member may write (MOD-5): with an administrator's token.
  public func allowWriting(
    _ isAllowed: Bool, memberId: UInt64, completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    begin(.allowWriting(isAllowed, memberId: memberId), completion: completion)
  }

  /// While a room is locked only who locked it writes (MOD-6): with an administrator's token.
  public func lockRoom(_ isLocked: Bool, completion: (@Sendable (WhiteResult) -> Void)?) {
    begin(.lockRoom(isLocked), completion: completion)
  }

  // MARK: Taking back

  /// EL-6: true, as it is at the beginning, switches undo, redo, copy, paste and duplicate off. False asks the room
  /// to keep this member's steps from here on, for as many pages as `undoCacheScenesCount` says.
  public func disableSerialization(_ disabled: Bool, completion: (@Sendable (WhiteResult) -> Void)?) {
    begin(.setHistory(enabled: !disabled), completion: completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  nonisolated(nonsending) public func disableSerialization(
    _ disabled: Bool
  ) async throws(BoardroomError) -> Receipt {
    try await setHistory(enabled: !disabled)
  }

  /// Takes the newest step back; completes with how many are left. Fails with `nothingToUndo` if there is none.
  public func undo(completion: (@Sendable (Result<Int, BoardroomError>) -> Void)?) {
    begin(.undo, completion: completion)
  }

  /// Does the step that was taken back last again; completes with how many are left.
  public func redo(completion: (@Sendable (Result<Int, BoardroomError>) -> Void)?) {
    begin(.redo, completion: completion)
  }

  // MARK: The camera, pointers, reactions

  /// Looks there, within the bound. A follower becomes free by it (V-4).
  public func moveCamera(
    _ camera: WhiteCameraState, animation: WhiteAnimationMode = .continuous,
    completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    begin(.moveCamera(camera), completion: completion)
  }

  /// Shows this rectangle as large as it fits into the view (CA-1). Needs `refreshViewSize`.
  public func moveCameraToContainer(
    _ rectangle: WhiteRectangle, animation: WhiteAnimationMode = .continuous,
    completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    begin(.moveCamera(to: rectangle), completion: completion)
  }

  /// Shows the current page's ppt background as large as it fits into the view (CA-2).
  public func scalePptToFit(
    _ animation: WhiteAnimationMode = .continuous, completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    begin(.scalePptToFit, completion: completion)
  }

  /// Tells the others where this client's pointer is on the current page, in pixels of the board.
  public func movePointer(x: Double, y: Double, completion: (@Sendable (WhiteResult) -> Void)?) {
    begin(.movePointer(x: x, y: y), completion: completion)
  }

  /// Shows an emoji to everybody at a place of the current page (REACT-1); `point` in pixels of the board.
  public func react(_ emoji: String, at point: WhitePoint, completion: (@Sendable (WhiteResult) -> Void)?) {
    begin(.react(emoji, at: point), completion: completion)
  }

  /// Shows an emoji to everybody on an element; `noSuchElement` where it is not there.
  public func react(
    _ emoji: String, on element: WhiteElementID, completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    begin(.react(emoji, on: element), completion: completion)
  }
}
