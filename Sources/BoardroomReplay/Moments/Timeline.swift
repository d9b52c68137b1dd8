import BoardroomCodec
import BoardroomModel
import EventLogModel

/// The timeline of a room for debugging (RP-64): who joined and left, the phases of each connection, who was
/// removed.
public struct Timeline: Sendable, Hashable {
  /// Something that happened to one member.
  public struct Entry: Sendable, Hashable {
    public var revision: Revision
    public var time: Timestamp
    /// The member that the entry is about.
    public var member: MemberID
    public var what: What
  }

  /// What happened.
  public enum What: Sendable, Hashable {
    case joined(uid: String?, role: Role, client: String?)
    /// The phase of the connection, as the server saw it.
    case phase(MemberPhase, generation: Generation)
    /// A phase that the client itself saw while it was disconnected; it reports it when it returns.
    case clientPhase(String)
    case writable(Bool)
    /// An administrator allowed or forbade it to write.
    case allowed(Bool, by: Actor)
    case hand(Bool)
    case kicked(KickReason, by: Actor)
    case replaced(by: SessionID)
    case left(LeaveCause)
  }

  public private(set) var entries: [Entry] = []

  public init() {}

  /// All entries up to and with a revision, in the order of the log. A phase that a client reported later has
  /// the time that the client gave, and its place in the log.
  public static func of(_ recording: Recording, through: Revision? = nil) async throws(ReplayError)
    -> Timeline
  {
    var timeline = Timeline()
    var at = recording.info.low.previous
    let end = min(through ?? recording.info.last, recording.info.last)
    while at < end {
      let runs = try await recording.page(after: at, through: end)
      for run in runs {
        try timeline.add(run)
        at = run.lastRevision
      }
      if runs.isEmpty { break }
    }
    return timeline
  }

  private mutating func add(_ run: Run) throws(ReplayError) {
    let isMeant = Self.isMeant
    let records = run.records
    try run.forEach { view, _ throws(ReplayError) in
      guard isMeant[Int(view.kind)] else { return }
      do throws(CodecError) { add(try EventCodec.decode(view, in: records)) } catch {
        throw .event(view.revision, error)
      }
    }
  }

  /// By number of kind. Most events of a log make no entry, and are skipped without being decoded.
  static let isMeant = (0...UInt8.max).map { EventKind(rawValue: $0)?.traits.isOfMemberTrack ?? false }

  /// The entries of one member.
  public func entries(of member: MemberID) -> [Entry] { entries.filter { $0.member == member } }

  /// Adds the entry of an event, if it makes one.
  public mutating func add(_ event: RoomEvent) {
    switch event.event {
    case .members(let what): add(what, event)
    case .moderation(let what): add(what, event)
    case .diagnostics(let what): add(what, event)
    default: break
    }
  }

  private mutating func add(_ what: MemberEvent, _ event: RoomEvent) {
    switch what {
    case .joined(let joined):
      add(event, .joined(uid: joined.uid, role: joined.role, client: joined.client))
    case .phase(let change): add(event, .phase(change.phase, generation: change.generation))
    case .writable(let writable): add(event, .writable(writable))
    case .kicked(let kicked): add(event, .kicked(kicked.reason, by: event.actor), to: kicked.member)
    case .replaced(let replaced): add(event, .replaced(by: replaced.by))
    case .left(let cause): add(event, .left(cause))
    case .viewMode: break
    }
  }

  private mutating func add(_ what: Moderation, _ event: RoomEvent) {
    switch what {
    case .writing(let member, let isAllowed): add(event, .allowed(isAllowed, by: event.actor), to: member)
    case .hand(let isRaised): add(event, .hand(isRaised))
    case .lock: break
    }
  }

  private mutating func add(_ what: DiagnosticEvent, _ event: RoomEvent) {
    guard case .clientPhases(let phases) = what else { return }
    for phase in phases { add(event, .clientPhase(phase.phase), ago: phase.ago) }
  }

  private mutating func add(_ event: RoomEvent, _ what: What, to member: MemberID? = nil, ago: Int64 = 0) {
    guard let member = member ?? event.actor.member else { return }
    let time = Timestamp(milliseconds: event.time.milliseconds - ago)
    entries.append(Entry(revision: event.revision, time: time, member: member, what: what))
  }
}

extension Timeline {
  /// The entries that pass the filter, by members only, because entries have kinds of their own.
  public func only(_ filter: EventFilter) -> Timeline {
    guard let members = filter.members else { return self }
    var kept = Timeline()
    kept.entries = entries.filter { members.contains($0.member) }
    return kept
  }
}
