import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// What accounts and channels send to who comes in. Messages are events and no state, so that a snapshot would lose those
/// of an outage (TL-7), and the log would tell those of before one's own stay (10.5). The same of a board that is not
/// recorded: who comes in sees it as it is, and nothing of how it became so (RIGHT-8).
extension SpaceHost {
  /// Whether whoever comes in is told of its own stay only.
  private var tellsOwnStayOnly: Bool { isUnrecorded || behaviour?.tellsOwnStayOnly == true }

  private var isUnrecorded: Bool {
    behaviour == nil && HistoryAccess.joining.isClosed(isRecord: room.state.created?.isRecord ?? true)
  }

  /// Whether newcomers with a reader's token come in as spectators (SPECT-1). Who may not come in at all is told so as usual.
  var takesSpectators: Bool {
    sessions.count >= policy.spectatorsAbove && behaviour == nil && !isUnrecorded
      && RoomSight(of: room.state) == .open && room.state.lock == nil
  }

  /// Whether somebody comes to whom no stay here belongs.
  func isNewcomer(_ entry: JoinAttempt) -> Bool {
    guard JoinAttempt.maySpectate(entry.hello, entry.admission) else { return false }
    return entry.hello.resume.flatMap { sessions[session: $0.session] } == nil
  }

  /// Whether a snapshot for whoever lacks a lot is of use: rooms have one, and accounts for who comes with nothing.
  func needsSnapshotOfOld(_ known: Revision?) -> Bool {
    guard let behaviour else { return true }
    return !behaviour.tellsOwnStayOnly && known == nil
  }

  /// What somebody is to be sent who is let in now; nil: it is not known yet, and `admit` is called again.
  func way(
    of session: MemberSession, from cursor: Cursor?, over connection: ConnectionID, resumed: Bool
  ) -> (plan: CatchUpPlan, snapshot: SnapshotMessages?)? {
    guard behaviour != nil || isUnrecorded else { return (plan(for: cursor), snapshots.newest) }
    let known = counts(cursor, upTo: durable)
    guard tellsOwnStayOnly else {
      return (known.map { missed(after: $0) } ?? plan(for: cursor), snapshots.newest)
    }
    guard resumed, let known else { return entrance(of: session, over: connection, resumed: resumed) }
    guard let first = session.first else {
      findFirst(of: session, over: connection)
      return nil
    }
    guard known >= first else { return entrance(of: session, over: connection, resumed: true) }
    // A board is all in its snapshot, so that whichever is smaller does.
    return isUnrecorded ? (plan(for: cursor), snapshots.newest) : (missed(after: known), nil)
  }

  /// All that a stay has missed.
  private func missed(after known: Revision) -> CatchUpPlan {
    let isUpToDate = known == durable
    return CatchUpPlan(
      mode: isUpToDate ? .none : .delta, reason: isUpToDate ? .upToDate : .ownStay, from: known, to: durable,
      bytes: ledger.bytes(after: known))
  }

  /// A channel or board as it is when somebody comes in. Those who come at about the same time share one: the first of them has it
  /// made, of a state that the log may not hold yet, and all wait for that.
  private func entrance(
    of session: MemberSession, over connection: ConnectionID, resumed: Bool
  ) -> (plan: CatchUpPlan, snapshot: SnapshotMessages?)? {
    // A stay that is older than this host is in every picture that it has made.
    let needed = session.first ?? .zero
    if let shown = snapshots.picture(of: room.state, since: needed, upTo: durable) {
      let revision = shown.snapshot.revision
      let plan = CatchUpPlan(
        mode: .snapshot, reason: .newStay, from: .zero, to: durable,
        bytes: shown.byteCount + ledger.bytes(after: revision))
      return (plan, shown)
    }
    afterCommit(.admit(session, connection, resumed: resumed), at: room.state.revision)
    return nil
  }

  /// Where a stay began that is older than this host. Cursors before it do not count.
  private func findFirst(of session: MemberSession, over connection: ConnectionID) {
    guard let joined = room.state.members[session.member]?.joined else { return }
    let (room, before) = (id, Timestamp(milliseconds: joined.milliseconds - 1))
    storeQueue.ask { store throws(LogError) in
      try await store.revision(in: room, at: before)
    } then: { [weak self] result in
      guard let self, !isClosed else { return }
      // Where the log cannot tell, no cursor counts.
      session.first = ((try? result.get()) ?? durable).next
      admit(session, connection, resumed: true, at: clock())
      endTurn()
    }
  }
}
