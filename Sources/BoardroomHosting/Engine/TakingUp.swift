import BoardroomModel
import EventLogModel

/// Logins that a server or a node has left behind.
extension RoomServerEngine {
  /// Opens the accounts whose logins the last server left behind, so that their graces run; also where nobody asks for
  /// them. Returns when all logs have been looked at, or the engine is drained.
  public func takeUpLogins() async { await orphanedLogins.forEach(takeUp) }

  /// The same for the accounts among some logs.
  package func takeUpLogins(of logs: [LogID]) async {
    await orphanedLogins.forEach(of: logs, takeUp)
  }

  /// Pause before an account is tried again that could not be read or opened. 1 s: a database is away for some seconds, or for long.
  private static let takesUpAgain = Duration.seconds(1)

  private var orphanedLogins: OrphanedLogins {
    OrphanedLogins(store: store, pause: { [time] in try await time.pause(Self.takesUpAgain) })
  }

  /// False once the engine is drained. An account that cannot be opened for the moment is tried until it can, or another node has it.
  private func takeUp(_ account: LogID) async -> Bool {
    while !census.isDraining, !Task.isCancelled {
      let refusal: Refusal? = await withLoopRooms(of: account) { loopRooms, done in
        loopRooms.withHost(account, makesNothing: true) { found in
          if case .failure(let refusal) = found { done(refusal) } else { done(nil) }
        }
      }
      switch refusal?.code {
      case .logFull, .goingAway, .roomsFull: break
      default: return true
      }
      if case .at? = await owners?.settledOwner(of: account) { return true }
      guard (try? await time.pause(Self.takesUpAgain)) != nil else { return false }
    }
    return false
  }
}
