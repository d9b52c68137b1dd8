import BoardroomClient
import BoardroomCore
import BoardroomModel
import EventLogModel

/// The link of a client that was: what it tells is in a log. What a face asks of it has been asked, and comes to nothing here.
final class RecalledLink: FaceLink {
  private(set) var phase = ConnectionPhase.idle
  private(set) var loggedState = RoomState()
  let passingRefusal: RefusalCode? = nil
  let lastFailure: ConnectionFailure? = nil
  /// Whatever was left has been.
  let leaveIsConfirmed = true
  let acceptsLeaveChannel: Bool? = nil
  private let policy: ConnectionPolicy
  private let onNews: (SpaceNews) -> Void
  private lazy var translation = SpaceNewsTranslation(
    of: { [weak self] in self?.loggedState ?? RoomState() }, onNews: onNews)

  init(_ policy: ConnectionPolicy, onNews: @escaping (SpaceNews) -> Void) {
    (self.policy, self.onNews) = (policy, onNews)
  }

  /// The client's link told this, and had that state.
  func handleLinkUpdate(_ update: LinkUpdate, having state: RoomState) {
    loggedState = state
    switch update {
    case .phase(.connecting): phase = .connecting
    case .phase(.connected): phase = .connected
    case .phase(.reconnecting): phase = .reconnecting
    case .phase(.disconnecting): phase = .closing
    case .phase(.disconnected): phase = .idle
    case .ended(let end, _, _): phase = policy.phase(after: end)
    default: break
    }
    translation.handleLinkUpdate(update)
  }

  func join() {}
  func leave() {}
  func pause() {}
  func resume() {}
  func hold(_ held: Bool) {}
  func networkBack() {}
  func follow(_ policy: ConnectionPolicy) {}
  func renew(_ token: String) {}
  func askForToken() {}
  func submit(_ command: SpaceCommand, _ completion: @escaping CommandCompletion) {}
  func ask(_ question: Question, _ completion: @escaping AskCompletion) {}
}
