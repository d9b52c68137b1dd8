import BoardroomCore
import BoardroomModel
import EventLogModel
import Logging

// Another token: given by the app, or by its provider, before the present one ends or once the server has refused it.
extension RoomLink {
  /// Another token for the attempts to come; an outage tries at once.
  package func renew(_ token: String) {
    let isNew = token != attempt.token
    if isNew { log.info("There is another token.") }
    attempt.token = token
    planToken(isNew: isNew)
    if isNew { carryToken() }
    networkBack()
    wake()
  }

  func planToken(isNew: Bool = true) {
    switch machine.phase {
    case .connecting, .connected, .reconnecting, .closing: tokens.plan(attempt.token, isNew: isNew, at: now)
    case .idle, .closed, .failed, .aborted: tokens.stop()
    }
    wake()
  }

  /// An attempt was refused for its token, and others follow.
  func tokenHasExpired() {
    log.warning("The token has ended; attempts to come back go on.")
    onUpdate(.tokenExpired)
    askForToken()
  }

  func renewDueToken() {
    carryDueToken()
    guard tokens.takeRenewal(at: now) else { return }
    if !tokens.isToldOf {
      tokens.isToldOf = true
      log.info("The token ends soon.")
      onUpdate(.tokenWillExpire)
    }
    askForToken()
  }

  package func askForToken() {
    guard let provider = settings.tokenProvider, tokens.beginAsking(at: now) else { return }
    let answer = context.confined { [weak self] (token: String?) in self?.tokenCame(token) }
    Task { [context] in
      // The provider's own words stay with the app: they may hold what no log is to hold.
      let token = try? await provider()
      context.execute { answer(token) }
    }
  }

  private func tokenCame(_ token: String?) {
    tokens.noteAnswer(at: now)
    guard let token else {
      log.warning("The token provider gave no token.")
      onUpdate(.log(WhiteLogLine(.warning, "The app's token provider gave no token.")))
      return wake()
    }
    switch machine.phase {
    case .connecting, .connected, .reconnecting:
      renew(token)
      onUpdate(.tokenRenewed(token))
    case .idle, .closing, .closed, .failed, .aborted: tokens.stop()
    }
  }

  /// The server is to have the token before it ends the session with the one that it knows.
  func carryToken() {
    if settings.endsWithToken, isLive, attempt.mayBegin { tokens.carryingDue = now }
  }

  /// How long a question that is on its way may keep the token from going to the server.
  private static let carryingWait = Duration.seconds(1)

  /// The server learns of a token by a hello only. So the session goes on over another socket, of which nobody is told.
  private func carryDueToken() {
    guard let time = tokens.carryingDue, time <= now else { return }
    // In an outage the next attempt brings it, and after a pause it is looked at again.
    guard isLive, attempt.mayBegin, connection?.stage == .live else {
      tokens.carryingDue = nil
      return
    }
    // What was asked over the old socket would fail. An answer takes `Asking.limit` at most.
    guard !asking.hasSent else {
      tokens.carryingDue = now + Self.carryingWait
      return
    }
    tokens.carryingDue = nil
    changeSocket()
  }

  private func changeSocket() {
    guard let number = connection?.number else { return }
    log.debug("The token is taken to the server over another connection.")
    machine.policy.toldAfterSilence = true
    // Nothing is wrong with this server.
    let servers = machine.servers
    let answer = machine.lost(number, chance: context.chance(), at: now)
    machine.servers = servers
    applyPolicy()
    followLoss(answer)
    networkBack()
  }
}
