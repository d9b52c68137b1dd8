import BoardroomModel
import EventLogModel

/// What counts for the next attempt to connect.
struct NextAttempt {
  /// What the hello says.
  var token: String
  /// Whether attempts wait: a channel's, while its account is away.
  var isHeld = false
  /// Since when the app has paused; nil: it has not.
  var pausedSince: Timestamp?
  /// How long it has paused in the present outage, or in the join: that time does not count.
  var pausedFor = Duration.zero
  /// When the latest outage, or the join, began.
  var tryingSince = Timestamp.zero
  /// Why the server turned the last attempt away for now; nil if it said nothing.
  var passingRefusal: RefusalCode?
  /// Why the last attempt came to nothing; nil in the room.
  var failure: ConnectionFailure?

  var mayBegin: Bool { !isHeld && pausedSince == nil }
}
