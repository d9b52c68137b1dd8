import BoardroomCore
import BoardroomModel
import Logging

// A link to an account or a channel, as the faces of `BoardroomLegacy` see it.

extension LinkSettings {
  /// Of an account or a channel: nothing of a board is shown, and all that happens is told.
  package init(
    _ servers: EndpointList, _ hello: Hello, policy: ConnectionPolicy, connection: ConnectionSettings,
    stays: (any StayKeeper)?, endsWithToken: Bool, tokenProvider: (@Sendable () async throws -> String)?,
    logger: Logger, attemptFailed: (@Sendable (ConnectionFailure) -> Void)?
  ) {
    self.init(
      servers: servers, hello: hello, policy: policy, echoesOwn: true, showsPresence: false,
      pacesMagix: false, isOptimistic: false, stays: stays, tokenProvider: tokenProvider,
      endsWithToken: endsWithToken, connection: connection, attemptFailed: attemptFailed, logger: logger)
  }
}

extension RoomLink {
  /// Where the connection stands.
  package var connectionPhase: ConnectionPhase { machine.phase }
  /// The room or the space as the log says, as far as it has come.
  package var loggedState: RoomState { mirror.state }
  /// Why the server turned the last attempt away for now; nil if it said nothing.
  package var passingRefusal: RefusalCode? { attempt.passingRefusal }
  /// Why the last attempt came to nothing; nil if it did not.
  package var lastFailure: ConnectionFailure? { attempt.failure }
  /// Whether the server has confirmed the leave of the present or last stay.
  package var leaveIsConfirmed: Bool { machine.leaveIsConfirmed }
  /// Whether the server answers `leaveChannel`; nil while there is no connection over which it could.
  package var acceptsLeaveChannel: Bool? {
    guard isLive, connection?.stage == .live else { return nil }
    return connection?.welcome?.acceptsLeaveChannel
  }

  /// A command of an account or a channel. `completion` is called within `Asking.limit`, and again if a command that had
  /// failed by then is done after all.
  package func submit(_ command: SpaceCommand, _ completion: @escaping CommandCompletion) {
    submit(.space(command), within: Asking.limit, completion)
  }
}
