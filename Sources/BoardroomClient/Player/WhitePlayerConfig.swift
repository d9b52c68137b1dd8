import BoardroomModel
import EventLogModel

/// What of a room's past is to be played, and how (RP-1 to RP-7). Read when the player is made; changing it later
/// has no effect.
public struct WhitePlayerConfig: Sendable {
  /// The room's uuid.
  public var room: String
  /// A room token of any role; where the log lies in this process it is not asked for.
  public var roomToken: String
  /// Where the range begins; nil: with the log.
  public var begin: Timestamp?
  /// How long the range is, which needs a `begin`. Nil: until the last member left, or the log's end if somebody is
  /// still inside.
  public var duration: Duration?
  /// One slice of the log by its number, in place of `begin` and `duration`. A slice is 32,768 events, the distance
  /// of the server's snapshots, counted from 0.
  public var slice: String?
  /// A media file that the app plays in step; see `WhiteCombinePlayer`. Kept and not opened.
  public var mediaURL: String?
  /// How often the schedule time is told; 0.5 s.
  public var step: Duration = .milliseconds(500)
  /// Where the camera may look.
  public var cameraBound: WhiteCameraBound?
  /// Kept for the app's own view.
  public var windowParams: JSONText?
  /// us-sv, sg, in-mum, gb-lon, cn-hz… It is kept and not used.
  public var region: String?
  /// It is kept and not used: the SDK loads no modules.
  public var modulesOrigin: String?
  /// Stretches without an event are shortened to this (RP-63); nil keeps them. Costs one reading of the log.
  public var idleLimit: Duration?
  /// Whose connection a `WhiteRoomCallbackDelegate` hears of; nil: nobody's. Costs one reading of the log.
  public var viewer: WhiteReplayViewer?
  /// What that member's join asked for and the log does not say.
  public var viewerOptions = WhiteReplayViewerOptions()

  /// Makes a configuration for the whole log of a room.
  public init(room: String, roomToken: String = "") {
    self.room = room
    self.roomToken = roomToken
  }

  /// `begin` in seconds since 1970, as in the source system for iOS (RP-2).
  public var beginTimestamp: Double? {
    get { begin.map { Double($0.milliseconds) / 1_000 } }
    set { begin = newValue.map { Timestamp(milliseconds: ($0 * 1_000).clamped) } }
  }

  /// What cannot be meant, if something is.
  var problem: BoardroomError? {
    if slice != nil, begin != nil || duration != nil {
      return Self.problem("A slice was given together with a begin or a duration.", "Give one or the other.")
    }
    if let slice, UInt64(slice) == nil {
      return Self.problem("The slice is no number.", "Give one that sliceChanged told.")
    }
    if duration != nil, begin == nil {
      return Self.problem("A duration was given without a begin.", "Give the begin too.")
    }
    if let duration, duration <= .zero {
      return Self.problem("The duration is not above zero.", "Leave it out, or give a longer one.")
    }
    if step <= .zero {
      return Self.problem("The step is not above zero.", "Give one, such as half a second.")
    }
    return nil
  }

  private static func problem(_ cause: String, _ cure: String) -> BoardroomError {
    BoardroomError(.badParameter, cause: cause, cure: cure)
  }
}

/// Options of a member's join that its log does not hold (PARITY rows JO, SO).
public struct WhiteReplayViewerOptions: Sendable, Hashable {
  /// Whether own changes of the member came without `fireRoomStateChanged` (CB-12).
  public var onlyCallbackRemoteStateModify = true
  /// Whether others' going silent and coming back shows as a change of `roomMembers`.
  public var showsMemberPresence = false
  /// After so long in an outage the client gave up by itself.
  public var timeout: Duration = .seconds(45)
  /// Makes the options of a join that gave none.
  public init() {}
}

/// Whether something can be played, and if not, why (RP-36).
public enum WhitePlayability: Sendable, Hashable {
  case playable
  /// The room was not created recorded (RP-8).
  case notRecorded
  /// Nothing happened in the range.
  case nothingRecorded
  /// The options cannot be meant so.
  case badOptions(BoardroomError)
  /// The log cannot be read now: no such room, no access, no connection.
  case notReadable(BoardroomError)
  /// Not known yet.
  case notReady

  /// True for `playable` only.
  public var isPlayable: Bool { self == .playable }

  /// In words, if it is not.
  public var error: BoardroomError? {
    switch self {
    case .playable: nil
    case .notRecorded:
      BoardroomError(
        .forbidden, cause: "The room was not created recorded.", cure: "Create rooms with isRecord true.")
    case .nothingRecorded:
      BoardroomError(
        .notFound, cause: "Nothing happened in the range.", cure: "Give another range, or none for all.")
    case .badOptions(let error), .notReadable(let error): error
    case .notReady: BoardroomError(.pending, cause: "The log is being read.", cure: "Wait for it.")
    }
  }
}
