import BoardroomClient
import BoardroomCore
import BoardroomModel

/// One connection to an account or a channel: a room's link, and what the faces hear of it put in order.
final class SpaceLink: FaceLink {
  private let link: RoomLink

  init(_ settings: LinkSettings, on ground: ServiceGround, onNews: @escaping (SpaceNews) -> Void) {
    let link = RoomLink(
      settings, subprotocol: ground.configuration.subprotocol, transport: ground.transport,
      context: ground.context)
    self.link = link
    let translation = SpaceNewsTranslation(of: { [unowned link] in link.loggedState }, onNews: onNews)
    link.onUpdate = { [weak self] update in
      // Whoever has let go of it hears nothing more.
      if self != nil { translation.handleLinkUpdate(update) }
    }
  }

  deinit {
    let link = link
    link.context.executeConfined { link.leave() }
  }

  // MARK: What is known

  var phase: ConnectionPhase { link.connectionPhase }
  var loggedState: RoomState { link.loggedState }
  var passingRefusal: RefusalCode? { link.passingRefusal }
  var lastFailure: ConnectionFailure? { link.lastFailure }
  var leaveIsConfirmed: Bool { link.leaveIsConfirmed }
  var acceptsLeaveChannel: Bool? { link.acceptsLeaveChannel }

  // MARK: What the face wants

  func join() { link.join() }
  func leave() { link.leave() }
  func pause() { link.pause() }
  func resume() { link.resume() }
  func hold(_ held: Bool) { link.hold(held) }
  func networkBack() { link.networkBack() }
  func follow(_ policy: ConnectionPolicy) { link.follow(policy) }
  func renew(_ token: String) { link.renew(token) }
  func askForToken() { link.askForToken() }
  func submit(_ command: SpaceCommand, _ completion: @escaping CommandCompletion) {
    link.submit(command, completion)
  }
  func ask(_ question: Question, _ completion: @escaping AskCompletion) { link.ask(question, completion) }
}
