import BoardroomClient
import BoardroomCore
import BoardroomModel
import EventLogModel

/// Puts what a link tells in order for the faces: after an outage the phase comes first, then what was missed. One for each life of
/// a link.
final class SpaceNewsTranslation {
  private let state: () -> RoomState
  private let onNews: (SpaceNews) -> Void
  private var members: [MemberID: String] = [:]
  /// What happened while the link was not in.
  private var missed: [SpaceHappening] = []
  private var hasEntered = false
  private var isIn = false
  private var isNew = false

  /// - Parameters:
  ///   - state: the space as the link has it when it tells something.
  ///   - onNews: hears of everything, in order.
  init(of state: @escaping () -> RoomState, onNews: @escaping (SpaceNews) -> Void) {
    (self.state, self.onNews) = (state, onNews)
  }

  func handleLinkUpdate(_ update: LinkUpdate) {
    switch update {
    case .phase(let phase): changed(phase)
    case .admitted: isNew = true
    case .attempt(let number): onNews(.attempt(number))
    case .mended: mended()
    case .lost: onNews(.lost)
    case .tokenExpired: onNews(.tokenExpired)
    case .tokenWillExpire: onNews(.tokenWillExpire)
    case .tokenRenewed(let token): onNews(.tokenRenewed(token))
    case .event(let event): handleEvent(event)
    case .ended(let end, let wasJoining, _): ended(end, wasJoining: wasJoining)
    case .committable, .state, .scenes, .steps, .stores, .elements, .callback, .magix, .magixBatch, .misfit,
      .log, .joined, .pending, .attemptFailed:
      break
    }
  }

  private func changed(_ phase: RoomPhase) {
    switch phase {
    case .connecting: onNews(.connecting)
    case .connected: entered()
    case .reconnecting:
      isIn = false
      onNews(.reconnecting)
    case .disconnecting, .disconnected: break
    }
  }

  private func ended(_ end: ConnectionEnd, wasJoining: Bool) {
    isIn = false
    missed = []
    onNews(.ended(end, wasJoining: wasJoining))
  }

  private func entered() {
    let entry: SpaceEntry = !hasEntered ? .first : isNew ? .anew : .resumed
    let known = members
    let happenings = missed
    (hasEntered, isIn, isNew, missed) = (true, true, false, [])
    onNews(.entered(entry))
    for happening in happenings { onNews(.happened(happening)) }
    if entry == .first {
      members = state().members.compactMapValues(\.uid)
    } else {
      tellDifference(to: known)
    }
  }

  /// Where a snapshot took the place of the events, only the difference is left.
  private func tellDifference(to known: [MemberID: String]) {
    members = state().members.compactMapValues(\.uid)
    for (member, account) in known.sorted(by: { $0.key < $1.key }) where members[member] == nil {
      onNews(.happened(.left(account, .timeout)))
    }
    for (member, account) in members.sorted(by: { $0.key < $1.key }) where known[member] == nil {
      onNews(.happened(.joined(account)))
    }
  }

  /// Nobody was told that the socket was gone, so there is nothing to tell of its return, unless the stay is another.
  private func mended() {
    guard isNew else {
      tellDifference(to: members)
      return onNews(.mended)
    }
    onNews(.reconnecting)
    entered()
  }

  private func handleEvent(_ event: RoomEvent) {
    guard let happening = happening(event) else { return }
    guard isIn else { return missed.append(happening) }
    onNews(.happened(happening))
  }

  private func happening(_ event: RoomEvent) -> SpaceHappening? {
    let member = event.actor.member
    if case .members(.joined(let joined)) = event.event, let member, let account = joined.uid {
      members[member] = account
      return .joined(account)
    }
    if case .members(.left(let cause)) = event.event, let member {
      return members.removeValue(forKey: member).map { .left($0, cause) }
    }
    guard case .space(let space) = event.event else { return nil }
    return .event(space, by: space.author ?? member.flatMap { members[$0] })
  }
}

extension SpaceEvent {
  /// Who did it from outside of the space.
  var author: String? {
    switch self {
    case .attributesSet(let set): set.by
    case .attributesCleared(let by): by
    case .channelMessage(let said): said.by
    case .created, .numbersTold, .expired, .inboxMessage, .inboxAcked, .inboxExpired, .channelEntered,
      .channelLeft, .inviteMoved, .inviteHeard, .presence, .questionApplied:
      nil
    }
  }
}
