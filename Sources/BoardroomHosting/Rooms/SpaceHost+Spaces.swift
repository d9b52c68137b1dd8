import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// What follows from an event in an account or a channel, whoever caused it. Only what stays true if the log does not
/// keep the event is done at once; the rest waits until it has.
extension SpaceHost {
  /// The member that an event is about, as it is before it.
  func member(of proposed: Proposed) -> Member? {
    proposed.actor.member.flatMap { room.state.members[$0] }
  }

  /// An account or channel was opened: what a crash left undone is done.
  func takeUp(at now: Timestamp) {
    switch room.state.space?.name {
    case .account: takeUpAccount(at: now)
    case .channel: checkMemberships(at: now)
    case nil: return
    }
    endTurn()
  }

  func follow(_ proposed: Proposed, of before: Member?, at now: Timestamp) {
    let member = proposed.actor.member.flatMap { room.state.members[$0] } ?? before
    guard let uid = member?.uid else { return }
    if accountName == nil {
      guard case .members(.left(let cause)) = proposed.event else { return }
      return memberGone(uid, entry: entryNumbers[uid], cause)
    }
    guard let service = Service(rawValue: uid) else { return }
    switch proposed.event {
    case .members(.left(let cause)): loginEnded(service, cause, at: now)
    case .members(.joined): once(durable: { $0.loginCame() })
    case .members(.phase(let change)):
      if change.phase == .connected { once(durable: { $0.loginCame() }) }
    case .space(.attributesSet), .space(.attributesCleared): keepGrace(of: service)
    default: return
    }
  }

  /// SIG-A2: the grace of a login follows its attributes at once.
  private func keepGrace(of service: Service) {
    login(of: service)?.machine.keep(timings(of: service.rawValue))
  }
}
