import BoardroomModel
import EventLogModel

/// Positions of one kind (pointer or camera) of one member, on their way to the log: at most one in a while,
/// the newest one wins.
struct PositionPacer: Sendable, Hashable {
  /// The newest position that waits, if one does.
  private(set) var waiting: Proposed?
  private var lastRecorded: Timestamp?

  /// When the waiting one may go: `pace` after the last that went.
  func due(_ pace: Duration) -> Timestamp? {
    guard waiting != nil, let lastRecorded else { return nil }
    return lastRecorded + pace
  }

  /// Takes a position in; gives it back, with what it settles, if it may go at once.
  mutating func offer(_ position: Proposed, pace: Duration, at now: Timestamp) -> Proposed? {
    var position = position
    if let waiting { position.settles = waiting.settles + [waiting.counter] }
    waiting = position
    guard let lastRecorded, now < lastRecorded + pace, now >= lastRecorded else { return release(at: now) }
    return nil
  }

  mutating func release(at now: Timestamp) -> Proposed? {
    defer { waiting = nil }
    if waiting != nil { lastRecorded = now }
    return waiting
  }
}

/// A member's positions on their way to the log.
struct PositionPacers: Sendable, Hashable {
  var pointer = PositionPacer()
  var camera = PositionPacer()
}

/// What a room remembers of a member beside its state: nothing of it is in the log, and all of it may be
/// lost without harm.
struct MemberLedger: Sendable, Hashable {
  /// The highest counter that was decided, whether or not it led to an event.
  var decided: CommandCounter
  var bucket: TokenBucket?
  /// One for each kind that has a rate of its own.
  private var buckets: [EventKind: TokenBucket] = [:]
  /// Which buckets the last command that asked them found empty: then the next that does is not recorded. A bit
  /// for each kind; bit 0 for all commands of the member, bit 63 for those of the room.
  var dry: UInt64 = 0

  /// When a refusal was recorded last (BOUND-7).
  private var refused: Timestamp?

  static let member: UInt64 = 1
  static let room: UInt64 = 1 << 63

  init(decided: CommandCounter, rate: RoomPolicy.Rate?, at now: Timestamp) {
    self.decided = decided
    bucket = rate.map { TokenBucket($0, at: now) }
  }

  enum CommandCheck {
    /// Decided before.
    case again
    /// Commands after `last` are missing.
    case gap(after: CommandCounter, hasPaid: Bool)
    /// The next one, and whether the rate lets it through.
    case next(hasPaid: Bool)
  }

  /// A command comes in. The next one is from now on decided, whatever becomes of it.
  mutating func enter(
    _ counter: CommandCounter, _ lastCounter: CommandCounter, at now: Timestamp
  ) -> CommandCheck {
    let last = max(decided, lastCounter)
    guard counter > last else { return .again }
    let hasPaid = bucket?.take(at: now) ?? true
    guard counter == last + 1 else { return .gap(after: last, hasPaid: hasPaid) }
    decided = counter
    if hasPaid { dry &= ~Self.member }
    return .next(hasPaid: hasPaid)
  }

  /// Pays for a kind that has a rate of its own; false if that is used up.
  mutating func pay(_ kind: EventKind, _ rate: RoomPolicy.Rate, at now: Timestamp) -> Bool {
    let hasPaid = buckets[kind, default: TokenBucket(rate, at: now)].take(at: now)
    if hasPaid { dry &= ~kind.bit }
    return hasPaid
  }

  /// Pays for more than one command; false if that is more than there is.
  mutating func pay(more count: Int, at now: Timestamp) -> Bool {
    guard bucket?.take(count, at: now) ?? true else { return false }
    return true
  }

  /// Whether a refusal is recorded at this time: one a second (BOUND-7). A clock that steps back begins anew.
  mutating func recordsRefusal(at now: Timestamp) -> Bool {
    if let refused, now >= refused, now < refused + .seconds(1) { return false }
    refused = now
    return true
  }

  /// Other rates hold from now on.
  mutating func renew(_ rate: RoomPolicy.Rate?, at now: Timestamp) {
    bucket = rate.map { TokenBucket($0, at: now) }
    buckets = [:]
  }
}
