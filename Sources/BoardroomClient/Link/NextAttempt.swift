import BoardroomModel

/// What counts for the next attempt to connect.
struct NextAttempt {
  /// What the hello says.
  var token: String
  /// Whether attempts wait: a channel's, while its account is away.
  var isHeld = false
  /// Why the server turned the last attempt away for now; nil if it said nothing.
  var passingRefusal: RefusalCode?
}
