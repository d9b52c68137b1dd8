import BoardroomCore
import BoardroomModel
import EventLogModel

// An app that is in the background: it makes no attempts, and comes back at once when it is in front again.
extension RoomLink {
  /// As good as never: nothing is due in a pause.
  private static let never = Duration.seconds(10 * 365 * 86_400)

  /// No attempts from here on; one that is under way is given up. A connection that stands is kept.
  package func pause() {
    guard attempt.pausedSince == nil else { return }
    attempt.pausedSince = now
    applyPolicy()
    if let connection, connection.stage != .live {
      followLoss(machine.lost(connection.number, chance: context.chance(), at: now))
    }
    wake()
  }

  /// Attempts again, the first one at once. The pause counts for no limit of time.
  package func resume() {
    guard let since = attempt.pausedSince else { return }
    attempt.pausedSince = nil
    if machine.phase != .connected { attempt.pausedFor += now - max(since, attempt.tryingSince) }
    applyPolicy()
    // The program may have stood still: a silence that is too long by now begins an outage.
    tick()
    carryToken()
    networkBack()
    wake()
  }

  /// In the room: the next outage has its whole time.
  func forgetPause() {
    guard attempt.pausedFor > .zero else { return }
    attempt.pausedFor = .zero
    applyPolicy()
  }

  /// The numbers that count now.
  func applyPolicy() {
    machine.policy = policy
    guard attempt.pausedSince != nil else {
      machine.policy.joinLimit += attempt.pausedFor
      if let limit = policy.giveUpAfter, limit > .zero {
        machine.policy.giveUpAfter = limit + attempt.pausedFor
      }
      return
    }
    machine.policy.joinLimit = Self.never
    (machine.policy.retryPace, machine.policy.sentOffWait) = ([Self.never], .zero)
    (machine.policy.joinTries, machine.policy.reconnectTries) = (nil, nil)
    // Who does not want to come back at all is not kept waiting.
    if policy.giveUpAfter != .zero { machine.policy.giveUpAfter = nil }
  }
}
