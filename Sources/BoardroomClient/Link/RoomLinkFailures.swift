import BoardroomCore
import BoardroomModel
import EventLogModel

// Why attempts come to nothing: kept for whoever is told of the end, and told one by one.
extension RoomLink {
  func reached(_ step: ConnectionStep, tls: String?, on number: LinkNumber) {
    guard connection?.number == number else { return }
    connection?.step = step
    log(step, tls: tls)
  }

  /// A socket ended; nil: nobody knows why.
  func noteClosed(_ failure: ConnectionFailure?, of number: LinkNumber) {
    guard let connection, connection.number == number else { return }
    let failure = failure ?? ConnectionFailure(.closed(connection.step), at: connection.endpoint)
    note(failure, of: number)
  }

  /// Nothing has come for so long that the socket is given up.
  func noteSilence() {
    guard let connection else { return }
    note(ConnectionFailure(.timeout(connection.step), at: connection.endpoint), of: connection.number)
  }

  /// The server's last word on this socket.
  func noteFarewell(_ farewell: Farewell) {
    guard farewell.comeBack, let connection else { return }
    let failure = ConnectionFailure(.turnedAway(farewell.refusal.code), at: connection.endpoint)
    note(failure, of: connection.number)
  }

  /// The time is over while an attempt is under way: where none has failed before, that it has no answer is why.
  func noteUnfinishedAttempt(at end: ConnectionEnd) {
    switch end {
    case .left, .refused: break
    case .joinLimit, .gaveUp:
      if attempt.failure == nil, connection?.stage != .live { noteSilence() }
    }
  }

  /// Of a connection that stood, the loss is not an attempt's: the phase tells it, and the log why.
  func note(_ failure: ConnectionFailure, of number: LinkNumber) {
    guard let connection, connection.number == number, !isLeaving else { return }
    guard connection.stage != .live else { return logLoss(failure) }
    var failure = failure
    failure.attempt = connection.attempt
    log(failure)
    attempt.failure = failure
    settings.attemptFailed?(failure)
    onUpdate(.attemptFailed(failure))
  }

  private var isLeaving: Bool {
    switch machine.phase {
    case .closing, .closed(.left): true
    case .idle, .connecting, .connected, .reconnecting, .closed, .failed, .aborted: false
    }
  }
}

extension ConnectionEnd {
  /// The same in words for the app. `failure`: of the last attempt, if it came to nothing.
  package func error(after failure: ConnectionFailure?) -> BoardroomError {
    switch self {
    case .left: .left
    case .refused(let farewell):
      BoardroomError(
        farewell.refusal, kick: farewell.kick,
        connection: failure?.refusal == farewell.refusal ? failure : nil)
    case .joinLimit(let limit, let tries): .joinLimit(limit, tries: tries, after: failure)
    case .gaveUp(let limit, let tries): .gaveUp(limit, tries: tries, after: failure)
    }
  }
}
