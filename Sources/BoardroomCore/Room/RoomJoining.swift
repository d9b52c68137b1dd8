import BoardroomModel
import EventLogModel

/// The family `members`: coming, going and what the server does to members. Each gives the events to be recorded; nothing
/// happens without one.
extension Room {
  /// The room's first event; nothing if it was created before.
  public func create(_ created: RoomCreated) -> [Proposed] {
    state.created == nil ? [Proposed(actor: .server, event: .room(.created(created)))] : []
  }

  /// Lets a new member in. A member of the same uid, if there is one, is replaced by it, or keeps it out (SES-2).
  public func join(_ request: JoinRequest) throws(Refusal) -> JoinDecision {
    guard state.created != nil else { throw Refusal(.notFound) }
    try checkOpen()
    guard !state.isBanned else { throw Refusal(.banned) }
    try checkIdentity(request)
    let replaced = request.uid.flatMap { uid in state.members.values.first { $0.uid == uid } }
    if let replaced { try checkReplacing(replaced, by: request) }
    try checkMembers(without: replaced)
    try checkWriterLimit(request.role, without: replaced?.id)
    let member = MemberID(state.nextMember)
    return JoinDecision(
      member: member, replaces: replaced?.id,
      events: departure(of: replaced, by: request.session) + [
        Proposed(actor: .member(member), event: .members(.joined(joined(request))))
      ])
  }

  /// OPEN-4: whoever comes without a token to a room where nobody is who might write hosts it.
  public var roleOfNextComer: Role {
    state.members.values.contains { $0.role != .reader } ? .writer : .admin
  }

  private func checkIdentity(_ request: JoinRequest) throws(Refusal) {
    if let uid = request.uid {
      try checkSize(uid.utf8.count, inForce.limits.uid, LimitName.uid)
      try checkName(uid, of: "user")
    }
    try checkSize(request.payload?.bytes.count ?? 0, inForce.limits.payload, LimitName.payload)
    guard state.member(session: request.session) == nil else {
      throw Refusal(
        .conflict, cause: "The session is in the room already.", cure: "Resume it with its generation.")
    }
  }

  /// Logins and members of channels are named by their accounts, which a token has to say: those always go on elsewhere
  /// (ACC-2). A board's uid is what a client claims, unless its token is bound to it.
  private func checkReplacing(_ member: Member, by request: JoinRequest) throws(Refusal) {
    guard state.space == nil else { return }
    guard request.role.includes(member.role), request.isBound || !member.isBound else {
      throw Refusal(
        .forbidden, cause: "A member of this uid is here that this token may not replace.",
        cure:
          "Join with a token of at least its role, bound to the uid if that one's is, or with another uid.")
    }
  }

  /// Readers count too; who takes a place over needs none.
  private func checkMembers(without replaced: Member?) throws(Refusal) {
    let actual = state.members.count + (replaced == nil ? 1 : 0)
    guard inForce.members > 0, actual > inForce.members else { return }
    throw Refusal(.membersFull, actual: actual, allowed: inForce.members, limit: LimitName.members)
  }

  /// W-5: the limit counts members whose token may write, whether or not they do.
  private func checkWriterLimit(_ role: Role, without replaced: MemberID?) throws(Refusal) {
    guard let limit = state.created?.limit, limit > 0, role != .reader else { return }
    let writers = state.members.values.count { $0.role != .reader && $0.id != replaced }
    guard writers < limit else {
      throw Refusal(.writerLimit, actual: writers + 1, allowed: limit, limit: LimitName.writers)
    }
  }

  private func joined(_ request: JoinRequest) -> MemberJoined {
    MemberJoined(
      session: request.session, uid: request.uid, role: request.role,
      writable: request.isWritable && request.role != .reader, payload: request.payload,
      client: request.client, token: request.token, isBound: request.isBound && request.uid != nil)
  }

  private func departure(of replaced: Member?, by session: SessionID) -> [Proposed] {
    guard let replaced else { return [] }
    let actor = Actor.member(replaced.id)
    return [
      Proposed(actor: actor, event: .members(.replaced(MemberReplaced(by: session)))),
      Proposed(actor: actor, event: .members(.left(.replaced))),
    ]
  }

  /// A session goes on over another connection: its generation rises by one. Nothing if it is not here.
  public func resumed(_ member: MemberID) -> [Proposed] {
    guard let known = state.members[member] else { return [] }
    return phase(.connected, of: member, generation: known.generation &+ 1)
  }

  /// Nothing has been heard of the member for a while. Nothing if that was recorded before.
  public func silent(_ member: MemberID) -> [Proposed] {
    guard let known = state.members[member], known.phase == .connected else { return [] }
    return phase(.reconnecting, of: member, generation: known.generation)
  }

  /// A silent member was heard again on the connection that it had.
  public func heardAgain(_ member: MemberID) -> [Proposed] {
    guard let known = state.members[member], known.phase == .reconnecting else { return [] }
    return phase(.connected, of: member, generation: known.generation)
  }

  private func phase(
    _ phase: MemberPhase, of member: MemberID, generation: Generation
  ) -> [Proposed] {
    let change = MemberPhaseChange(phase: phase, generation: generation)
    return [Proposed(actor: .member(member), event: .members(.phase(change)))]
  }

  /// A member goes: it said so, or its grace ran out. Nothing if it is not here.
  public func leave(_ member: MemberID, _ cause: LeaveCause) -> [Proposed] {
    guard state.members[member] != nil else { return [] }
    return [Proposed(actor: .member(member), event: .members(.left(cause)))]
  }

  /// Removes a member; `actor` is who wanted it.
  public func kick(
    _ member: MemberID, _ reason: KickReason, by actor: Actor = .server
  ) throws(Refusal) -> [Proposed] {
    guard state.members[member] != nil else { throw Refusal(.notMember) }
    let kicked = MemberKicked(member: member, reason: reason)
    return [
      Proposed(actor: actor, event: .members(.kicked(kicked))),
      Proposed(actor: .member(member), event: .members(.left(.kicked))),
    ]
  }

  // MARK: Commands

  func members(_ command: MemberCommand, by author: MemberID) throws(Refusal) -> Outcome {
    switch command {
    case .setWritable(let writable): return try setWritable(writable, by: author)
    case .viewMode(let mode): return try viewMode(mode, by: author)
    }
  }

  /// Saying again what is so already is recorded all the same.
  private func setWritable(_ writable: Bool, by author: MemberID) throws(Refusal) -> Outcome {
    if writable, let member = state.members[author], !state.mayWrite(member) { throw notWritable(author) }
    return Outcome(event: .members(.writable(writable)), isVerbatim: true)
  }

  /// V-5: there must be somebody else to follow.
  private func viewMode(_ mode: ViewMode, by author: MemberID) throws(Refusal) -> Outcome {
    switch mode {
    case .freedom, .broadcaster: break
    case .follower:
      guard let broadcaster = state.broadcaster, broadcaster != author else {
        throw Refusal(.noBroadcaster)
      }
    }
    return Outcome(event: .members(.viewMode(mode)), isVerbatim: true)
  }
}
