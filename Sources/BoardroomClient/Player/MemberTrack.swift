import BoardroomModel
import EventLogModel

/// Through which member a replay is looked at.
public enum WhiteReplayViewer: Sendable, Hashable {
  /// By its number in the room.
  case member(UInt64)
  /// By its session, as 32 hexadecimal digits.
  case session(String)
  /// All stays of one user, one after the other, as one callbacks object saw them (CB-2).
  case user(String)

  func matches(_ member: MemberID, _ joined: MemberJoined) -> Bool {
    switch self {
    case .member(let number): member.rawValue == number
    case .session(let session): SessionID(session) == joined.session
    case .user(let uid): joined.uid == uid
    }
  }
}

/// One stay of a member, as its client saw it.
struct MemberStay: Sendable, Hashable {
  /// A time without the server.
  struct Outage: Sendable, Hashable {
    /// What the app heard of it.
    enum Manner: Sendable, Hashable {
      case told
      /// Nothing: another socket was there before the silence was too long (FACE-10).
      case unnoticed
      /// Nothing any more: the program had ended, and another one went on with its kept stay (FACE-4).
      case restarted
    }

    /// The last event that the client had; nil: all up to `unheard`, or to `lost`.
    var after: Revision?
    /// Since when nothing has reached the client, where that is known.
    var unheard: Timestamp?
    /// When the client told reconnecting.
    var lost: Timestamp
    /// When it told connected again; nil: never in this stay.
    var back: Timestamp?
    /// The last event that the client had when it was back, if that is known.
    var having: Revision?
    /// Whether the times are the server's, because the client did not tell its own.
    var isReckoned: Bool
    var manner = Manner.told
  }

  enum End: Sendable, Hashable {
    case left
    case kicked(KickReason)
    /// The client gave up by itself, so long after its last outage began.
    case gaveUp
    /// It came back as another member: the room object goes on in the next stay.
    case goesOn
  }

  var member: MemberID
  var session: SessionID
  var joined: Revision
  var joinedAt: Timestamp
  /// Whether it goes on with the room object of the stay before, from this moment.
  var continues: Timestamp?
  /// The last event that the client had then, if it said so.
  var having: Revision?
  var outages: [Outage] = []
  /// How it ended, at its last event; nil: it did not.
  var end: End?
  var last: Revision?
  var lastAt: Timestamp?
}

/// What a log says of one viewer's connections: the server's side of it, and what the client told on its return
/// (clientPhases).
struct MemberTrack: Sendable, Hashable {
  private(set) var stays: [MemberStay] = []
  private let viewer: WhiteReplayViewer
  private var generations: [MemberID: Generation] = [:]
  private var silent: [MemberID: Timestamp] = [:]
  private var kicks: [MemberID: KickReason] = [:]

  init(_ viewer: WhiteReplayViewer) { self.viewer = viewer }

  /// Takes the events of the whole log, in order.
  mutating func add(_ event: RoomEvent) {
    switch event.event {
    case .members(.joined(let joined)): join(event, joined)
    case .members(.phase(let change)): phase(change, event)
    case .members(.kicked(let kicked)): kicks[kicked.member] = kicked.reason
    case .members(.replaced): if let member = event.actor.member { kicks[member] = .replaceByOther }
    case .members(.left(let cause)): leave(cause, event)
    case .diagnostics(.clientPhases(let phases)): told(phases, event)
    default: break
    }
  }

  private mutating func join(_ event: RoomEvent, _ joined: MemberJoined) {
    guard let member = event.actor.member, viewer.matches(member, joined) else { return }
    generations[member] = 1
    stays.append(
      MemberStay(member: member, session: joined.session, joined: event.revision, joinedAt: event.time))
  }

  /// The last moment of which something is known. `timeout` nil: the client never gives up.
  func last(_ timeout: Duration?) -> Timestamp? {
    guard let stay = stays.last else { return nil }
    switch stay.end {
    case .gaveUp: return stay.outages.last.map { $0.lost + (timeout ?? .zero) }
    case .left, .kicked, .goesOn, nil: return stay.lastAt
    }
  }

  private func place(of event: RoomEvent) -> Int? {
    guard let member = event.actor.member else { return nil }
    return stays.lastIndex { $0.member == member && $0.last == nil }
  }

  /// The server's own view: a new generation is a new connection, so the client must have lost the old one.
  private mutating func phase(_ change: MemberPhaseChange, _ event: RoomEvent) {
    guard let place = place(of: event) else { return }
    let member = stays[place].member
    switch change.phase {
    case .reconnecting: silent[member] = event.time
    case .connected:
      let lost = silent.removeValue(forKey: member)
      guard change.generation > generations[member] ?? 1 else { return }
      generations[member] = change.generation
      stays[place].outages.append(
        MemberStay.Outage(
          lost: lost ?? event.time, back: event.time, having: event.revision, isReckoned: true))
    }
  }

  private mutating func leave(_ cause: LeaveCause, _ event: RoomEvent) {
    guard let place = place(of: event) else { return }
    let member = stays[place].member
    stays[place].last = event.revision
    stays[place].lastAt = event.time
    switch cause {
    case .left:
      stays[place].end = .left
      endUnheard(place)
    case .kicked, .replaced:
      endUnheard(place)
      let usual: KickReason = cause == .replaced ? .replaceByOther : .kickByAdmin
      stays[place].end = .kicked(kicks[member] ?? usual)
    case .timeout, .serverRestart:
      stays[place].end = .gaveUp
      let lost = silent[member] ?? event.time
      stays[place].outages.append(MemberStay.Outage(lost: lost, back: nil, isReckoned: true))
    }
  }

  /// The stay ended while the server did not hear the client.
  private mutating func endUnheard(_ place: Int) {
    guard let lost = silent[stays[place].member] else { return }
    stays[place].outages.append(MemberStay.Outage(lost: lost, back: nil, isReckoned: true))
  }

  /// What the client told takes the place of what the server saw of the same outage.
  private mutating func told(_ phases: [ClientPhase], _ event: RoomEvent) {
    guard let place = place(of: event) else { return }
    var lost: (phase: ClientPhase, at: Timestamp)?
    for phase in phases {
      let time = event.time + .milliseconds(-phase.ago)
      switch RoomPhase(wire: phase.phase) {
      case .reconnecting: lost = (phase, time)
      case .connected:
        guard let begin = lost else { continue }
        lost = nil
        outage(begin.phase.revision, begin.at, back: time, having: phase.revision, in: place)
      case .connecting, .disconnecting, .disconnected: continue
      }
    }
  }

  private mutating func outage(
    _ after: Revision?, _ lost: Timestamp, back: Timestamp, having: Revision?, in place: Int
  ) {
    guard lost < stays[place].joinedAt else {
      stays[place].outages.removeAll { $0.isReckoned && ($0.back ?? back) >= lost }
      stays[place].outages.append(
        MemberStay.Outage(after: after, lost: lost, back: back, having: having, isReckoned: false))
      return
    }
    (stays[place].continues, stays[place].having) = (back, having)
    guard place > 0 else { return }
    stays[place - 1].end = .goesOn
    stays[place - 1].outages.removeAll { $0.isReckoned && $0.back == nil }
    stays[place - 1].outages.append(
      MemberStay.Outage(after: after, lost: lost, back: nil, isReckoned: false))
  }
}

extension MemberTrack {
  /// The clocks of a service in which a socket that closes is silence like any other.
  struct SilenceClocks: Sendable, Hashable {
    /// So long after the last byte the client tells it.
    var suspectAfter: Duration
    /// So long after the last byte the server ends the stay.
    var offlineAfter: Duration
  }

  /// Reckons again what the clients did not tell, now that the whole log was taken. Who told an outage tells the log of it when it is
  /// back; so one of which nothing was told was made up for in time, or its program had ended.
  mutating func settle(_ silence: SilenceClocks) {
    for place in stays.indices {
      for index in stays[place].outages.indices where stays[place].outages[index].isReckoned {
        let outage = stays[place].outages[index]
        if let back = outage.back {
          let isShort = back - outage.lost < silence.suspectAfter
          stays[place].outages[index].manner = isShort ? .unnoticed : .restarted
        } else if stays[place].end == .gaveUp, let left = stays[place].lastAt {
          // The server ends a stay so long after the last byte, and notes its phase when the socket closes, at the latest
          // after `suspectAfter`; one that was restarted meanwhile may have noted none.
          var heard = left + (.zero - silence.offlineAfter)
          if outage.lost < left {
            heard = min(max(heard, outage.lost + (.zero - silence.suspectAfter)), outage.lost)
          }
          stays[place].outages[index].unheard = heard
          stays[place].outages[index].lost = heard + silence.suspectAfter
        }
      }
    }
  }
}
