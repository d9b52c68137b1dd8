import BoardroomCore
import BoardroomModel
import EventLogModel
import Logging

/// What the SDK writes into the `Logger` of a configuration: attempts, their causes, phases, TLS, tokens that are renewed, returns
/// and what a slow reader lost. Never a token, a ticket, a path, a query, or a text, name or payload of a member.
public enum ClientLog {
  /// A logger that writes nothing: what a configuration has that was given none.
  public static let silent = Logger(label: "boardroom.client") { _ in SwiftLogNoOpLogHandler() }

  /// Keys of the metadata.
  package enum Key {
    package static let attempt = "attempt"
    package static let cause = "cause"
    package static let code = "code"
    package static let limit = "limit"
    package static let member = "member"
    package static let phase = "phase"
    package static let place = "place"
    package static let resumed = "resumed"
    package static let revision = "revision"
    package static let server = "server"
    package static let step = "step"
    package static let stream = "stream"
    package static let tls = "tls"
  }
}

extension RoomLink {
  func logAttempt() {
    log.debug(
      "Connecting.",
      metadata: [
        ClientLog.Key.attempt: "\(machine.tries)", ClientLog.Key.server: "\(endpoint.address)",
        ClientLog.Key.tls: "\(endpoint.isSecure)",
      ])
  }

  func logSentOn() { log.debug("The server names the address to go to.") }

  func log(_ step: ConnectionStep, tls: String?) {
    var metadata: Logger.Metadata = [ClientLog.Key.step: "\(step.rawValue)"]
    if let tls { metadata[ClientLog.Key.tls] = "\(tls)" }
    log.debug("The attempt goes on.", metadata: metadata)
  }

  /// A cause is a warning once; an outage that goes on for the same reason fills no log.
  func log(_ failure: ConnectionFailure) {
    let isNew = attempt.failure?.cause != failure.cause
    log.log(
      level: isNew ? .warning : .debug, "An attempt to connect failed.",
      metadata: [
        ClientLog.Key.attempt: "\(failure.attempt)", ClientLog.Key.cause: "\(failure)",
      ])
  }

  func logLoss(_ failure: ConnectionFailure) {
    log.info("The connection is gone.", metadata: [ClientLog.Key.cause: "\(failure)"])
  }

  func log(_ phase: RoomPhase) {
    log.info("The phase is another one.", metadata: [ClientLog.Key.phase: "\(phase.name)"])
  }

  func logEntry(goesOn: Bool) {
    log.info(
      "In.",
      metadata: [
        ClientLog.Key.resumed: "\(goesOn)", ClientLog.Key.revision: "\(received)",
        ClientLog.Key.member: "\(session?.member.rawValue ?? 0)",
      ])
  }

  /// A refusal is the server's decision or a mistake of the app; giving up is what the app has to hear of.
  func log(_ end: ConnectionEnd, _ error: BoardroomError) {
    switch end {
    case .left: log.info("The connection is over: it was left.")
    case .refused, .joinLimit, .gaveUp:
      log.error(
        "The connection is over.",
        metadata: [ClientLog.Key.code: "\(error.code.rawValue)", ClientLog.Key.cause: "\(error.cause)"])
    }
  }
}

extension LinkSettings {
  /// The configuration's logger with what tells this link from others. Accounts are names of people, and stay out.
  var linkLogger: Logger {
    var logger = logger
    if servers.all.count == 1 { logger[metadataKey: ClientLog.Key.server] = "\(servers.first.address)" }
    logger[metadataKey: ClientLog.Key.place] =
      "\(hello.place.map { "\($0.service)" } ?? hello.room.description)"
    return logger
  }
}
