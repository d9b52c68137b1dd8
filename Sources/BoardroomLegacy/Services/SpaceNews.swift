import BoardroomClient
import BoardroomCore
import BoardroomModel

/// What a link to an account or a channel tells its face, in order.
enum SpaceNews: Sendable {
  case connecting
  case entered(SpaceEntry)
  case reconnecting
  /// The session goes on over another socket, and nobody was told that the first was gone.
  case mended
  /// An attempt of an outage begins.
  case attempt(Int)
  /// Silent for as long as the service's notice of a loss takes.
  case lost
  /// The token has ended, and trying goes on.
  case tokenExpired
  /// The token is about to end: once for each token.
  case tokenWillExpire
  /// The app's provider gave another token.
  case tokenRenewed(String)
  case happened(SpaceHappening)
  case ended(ConnectionEnd, wasJoining: Bool)
}

/// How a link came in.
enum SpaceEntry: Sendable, Hashable {
  case first
  /// The session goes on: nobody else has noticed.
  case resumed
  /// As a new member: the others saw the old one go.
  case anew
}

/// What is told of an event. Members are told by their accounts.
enum SpaceHappening: Sendable, Hashable {
  case joined(String)
  case left(String, LeaveCause)
  /// By this account, if a member did it or it is named.
  case event(SpaceEvent, by: String?)
}
