import BoardroomCore
import BoardroomModel
import EventLogModel

/// What a room tells its app. Every method is optional (CB-1). Held weakly; one object serves all rooms that
/// an SDK joins, one after the other (CB-2). All are called on the SDK's context, in the order of the log.
public protocol WhiteRoomCallbackDelegate: AnyObject {
  /// CB-10: the phase changed, also during the first join.
  func firePhaseChanged(_ phase: WhiteRoomPhase)
  /// CB-11: what changed, and nothing else, is set. By default not for what this client set itself.
  func fireRoomStateChanged(_ modifyState: WhiteRoomState)
  /// CB-13: whether this client may now change the room.
  func fireBeingAbleToCommitChange(_ isAbleToCommit: Bool)
  /// CB-14: the room is lost for good, with a reason for people.
  func fireDisconnectWithError(_ error: String)
  /// CB-15: the server removed this member; PARITY rows KICK lists the reasons.
  func fireKickedWithReason(_ reason: String)
  /// An attempt to reach the server came to nothing, of the join or of an outage; others follow, unless the phase says otherwise.
  func fireConnectionAttemptFailed(_ failure: ConnectionFailure)
  /// CB-16: something of this member could not be applied. The room goes on.
  func fireCatchErrorWhenAppendFrame(_ userId: UInt64, error: String)
  /// CB-17: a custom event came whose name is subscribed to.
  func fireMagixEvent(_ event: WhiteEvent)
  /// CB-18: a batch of events, in their order, of a name that is subscribed to in batches.
  func fireHighFrequencyEvent(_ events: [WhiteEvent])
  /// CB-19: how many steps can be taken back on the current page is another number.
  func fireCanUndoStepsUpdate(_ canUndoSteps: Int)
  /// CB-19: the same of steps that can be done again.
  func fireCanRedoStepsUpdate(_ canRedoSteps: Int)
  /// What is on the board looks otherwise, by others or by own commands on their way: `getElements` has it. At
  /// most once for everything that came in one piece.
  func fireElementsChanged()
  /// Another member's pointer moved.
  func firePointerMoved(_ pointer: WhitePointer)
  /// REACT-3: a member reacts, oneself included. Not told of what an outage kept back: it would be shown too late.
  func fireReaction(_ reaction: WhiteReaction)
  /// Own commands that have no receipt are others than before: all of them, at most once a turn of the context. Only with
  /// `WhiteRoomConfig.tellsPendingCommands`.
  func firePendingCommandsChanged(_ pending: [WhitePendingCommand])
}

extension WhiteRoomCallbackDelegate {
  /// By default, does nothing.
  public func firePhaseChanged(_ phase: WhiteRoomPhase) {}
  /// By default, does nothing.
  public func fireRoomStateChanged(_ modifyState: WhiteRoomState) {}
  /// By default, does nothing.
  public func fireBeingAbleToCommitChange(_ isAbleToCommit: Bool) {}
  /// By default, does nothing.
  public func fireDisconnectWithError(_ error: String) {}
  /// By default, does nothing.
  public func fireConnectionAttemptFailed(_ failure: ConnectionFailure) {}
  /// By default, does nothing.
  public func fireKickedWithReason(_ reason: String) {}
  /// By default, does nothing.
  public func fireCatchErrorWhenAppendFrame(_ userId: UInt64, error: String) {}
  /// By default, does nothing.
  public func fireMagixEvent(_ event: WhiteEvent) {}
  /// By default, does nothing.
  public func fireHighFrequencyEvent(_ events: [WhiteEvent]) {}
  /// By default, does nothing.
  public func fireCanUndoStepsUpdate(_ canUndoSteps: Int) {}
  /// By default, does nothing.
  public func fireCanRedoStepsUpdate(_ canRedoSteps: Int) {}
  /// By default, does nothing.
  public func fireElementsChanged() {}
  /// By default, does nothing.
  public func firePointerMoved(_ pointer: WhitePointer) {}
  /// By default, does nothing.
  public func fireReaction(_ reaction: WhiteReaction) {}
  /// By default, does nothing.
  public func firePendingCommandsChanged(_ pending: [WhitePendingCommand]) {}
}

extension RoomEvent {
  /// The callback of what comes and leaves nothing; nil for all that is told otherwise. `state` is that after the event.
  func callback(isOwn: Bool, in state: RoomState) -> EventCallback? {
    guard let member = actor.member else { return nil }
    switch event {
    case .drawing(.pointer(let move)):
      guard !isOwn else { return nil }
      let pointer = WhitePointer(member, move)
      return { $0.firePointerMoved(pointer) }
    case .custom(.reaction(let what)):
      guard let reaction = WhiteReaction(self, what, by: member, in: state) else { return nil }
      return { $0.fireReaction(reaction) }
    default: return nil
    }
  }
}

extension ConnectionEnd {
  /// The order is that of the table in PARITY rows P, PT: a removal is told before the phase, giving up after it. `close`
  /// tells the phase.
  func tellEnd(
    to listener: (any WhiteRoomCallbackDelegate)?, wasJoining: Bool, after failure: ConnectionFailure?,
    closing close: () -> Void
  ) {
    let error = error(after: failure)
    switch self {
    case .left: close()
    case .refused(let farewell):
      if let kick = farewell.kick, !wasJoining {
        listener?.fireKickedWithReason(kick.rawValue)
      } else if !wasJoining {
        listener?.fireDisconnectWithError(error.description)
      }
      close()
    case .joinLimit, .gaveUp:
      close()
      listener?.fireDisconnectWithError(error.description)
    }
  }
}

/// What an SDK tells its app apart from rooms. Held weakly.
public protocol WhiteCommonCallbackDelegate: AnyObject {
  /// A command that was called without a completion was not carried out.
  func throwError(_ error: BoardroomError)
  /// A line of the SDK's own, for the app's log. Never holds payloads, tokens or texts of members.
  func logger(_ line: WhiteLogLine)
  /// An image's address is about to go to the room; the one that is returned goes instead. Asked only with
  /// `WhiteSdkConfiguration.enableInterrupterAPI`.
  func urlInterrupter(_ url: String) -> String
}

extension WhiteCommonCallbackDelegate {
  /// By default, does nothing.
  public func throwError(_ error: BoardroomError) {}
  /// By default, does nothing.
  public func logger(_ line: WhiteLogLine) {}
  /// By default, gives the address as it is.
  public func urlInterrupter(_ url: String) -> String { url }
}

/// A line for the app's log.
public struct WhiteLogLine: Sendable, Hashable {
  /// How serious a line is, from `debug` up.
  public enum Level: Int, Sendable, Hashable, CaseIterable, Comparable {
    case debug, info, warning, error
    /// Orders levels by how serious they are.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }
  /// How serious the line is.
  public var level: Level
  /// What is logged. It holds no text, token or payload of a member.
  public var text: String

  init(_ level: Level, _ text: String) {
    self.level = level
    self.text = text
  }
}

/// Weak references to the two delegates, shared by an SDK and its rooms.
final class DelegateHolder: Sendable {
  /// Who listens along, if anybody.
  let watch: SDKWatch?
  init(_ watch: SDKWatch?) { self.watch = watch }

  private let heldRoom = DelegateReference<any WhiteRoomCallbackDelegate>()
  private let heldCommon = DelegateReference<any WhiteCommonCallbackDelegate>()

  var room: (any WhiteRoomCallbackDelegate)? {
    get {
      let delegate = heldRoom.delegate
      return watch.map { $0.listen(delegate) } ?? delegate
    }
    set { heldRoom.set { [weak newValue] in newValue } }
  }
  var common: (any WhiteCommonCallbackDelegate)? {
    get { heldCommon.delegate }
    set { heldCommon.set { [weak newValue] in newValue } }
  }
}
