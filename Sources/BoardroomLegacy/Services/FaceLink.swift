import BoardroomClient
import BoardroomCore
import BoardroomModel

/// The link of a face to an account or a channel: a live one (`SpaceLink`), or one of a log (`RecalledLink`). What it has to say it
/// says as `SpaceNews`, on the context.
protocol FaceLink: AnyObject {
  var phase: ConnectionPhase { get }
  /// The room or the space as the log says, as far as it has come.
  var loggedState: RoomState { get }
  /// Why the server turned the last attempt away for now, if it did.
  var passingRefusal: RefusalCode? { get }
  /// Why the last attempt came to nothing, if it did.
  var lastFailure: ConnectionFailure? { get }
  /// Whether the server has confirmed the leave of the present or last stay.
  var leaveIsConfirmed: Bool { get }
  /// Whether the server answers `leaveChannel`; nil while there is no connection over which it could.
  var acceptsLeaveChannel: Bool? { get }

  func join()
  func leave()
  func pause()
  func resume()
  /// Whether attempts wait. What waited is tried at once.
  func hold(_ held: Bool)
  func networkBack()
  /// Other numbers from here on.
  func follow(_ policy: ConnectionPolicy)
  /// Another token from the next attempt on, which is made at once if there is an outage.
  func renew(_ token: String)
  /// Has the app's provider asked for another token, if there is one.
  func askForToken()
  /// `completion` is called within 10 s (PARITY rows RTML, RTMX, SIGE), and again if a command that had failed by then is done after all.
  func submit(_ command: SpaceCommand, _ completion: @escaping CommandCompletion)
  func ask(_ question: Question, _ completion: @escaping AskCompletion)
}

/// Makes the link of a face to a place. It keeps the closure, which hears what the link has to say.
typealias FaceLinkMaker = (
  Place, _ token: String, ConnectionPolicy, @escaping (SpaceNews) -> Void
) -> any FaceLink

extension FaceLink {
  /// The space as the log says, as far as it has come.
  var space: SpaceState? { loggedState.space }
  /// Accounts of the members, oldest first.
  var accounts: [String] { loggedState.roster.compactMap(\.uid) }
}
