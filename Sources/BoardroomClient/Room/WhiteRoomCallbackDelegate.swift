import BoardroomModel

/// What a room tells its app. Every method is optional (CB-1). Held weakly; one object serves all rooms that
/// an SDK joins, one after the other (CB-2). All are called on the SDK's context, in the order of the log.
public protocol WhiteRoomCallbackDelegate: AnyObject, Sendable {
  /// CB-10: the phase changed, also during the first join.
  func firePhaseChanged(_ phase: WhiteRoomPhase)
  /// CB-11: what changed, and nothing else, is set. By default not for what this client set itself.
  func fireRoomStateChanged(_ modifyState: WhiteRoomState)
  /// CB-13: whether this client may now change the room.
  func fireBeingAbleToCommitChange(_ isAbleToCommit: Bool)
  /// CB-14: the room is lost for good, with a reason for people.
  func fireDisconnectWithError(_ error: String)
  /// CB-15: the server removed this member; spec 2.5 lists the reasons.
  func fireKickedWithReason(_ reason: String)
  /// CB-16: something of this member could not be applied. The room goes on.
  func fireCatchErrorWhenAppendFrame(_ userId: UInt64, error: String)
  /// CB-17: a custom event came whose name is subscribed to.
  func fireMagixEvent(_ event: WhiteEvent)
}

extension WhiteRoomCallbackDelegate {
  public func firePhaseChanged(_ phase: WhiteRoomPhase) {}
  public func fireRoomStateChanged(_ modifyState: WhiteRoomState) {}
  public func fireBeingAbleToCommitChange(_ isAbleToCommit: Bool) {}
  public func fireDisconnectWithError(_ error: String) {}
  public func fireKickedWithReason(_ reason: String) {}
  public func fireCatchErrorWhenAppendFrame(_ userId: UInt64, error: String) {}
  public func fireMagixEvent(_ event: WhiteEvent) {}
}

/// What an SDK tells its app apart from rooms. Held weakly.
public protocol WhiteCommonCallbackDelegate: AnyObject, Sendable {
  /// A command that was called without a completion was not carried out.
  func throwError(_ error: BoardroomError)
}

extension WhiteCommonCallbackDelegate {
  public func throwError(_ error: BoardroomError) {}
}

/// Weak references to the two delegates, shared by an SDK and its rooms.
final class DelegateHolder: Sendable {
  private struct Held {
    weak var room: (any WhiteRoomCallbackDelegate)?
    weak var common: (any WhiteCommonCallbackDelegate)?
  }
  private let held = Guarded(Held())

  var room: (any WhiteRoomCallbackDelegate)? {
    get { held.with { $0.room } }
    set { held.with { $0.room = newValue } }
  }
  var common: (any WhiteCommonCallbackDelegate)? {
    get { held.with { $0.common } }
    set { held.with { $0.common = newValue } }
  }
}
