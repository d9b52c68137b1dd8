import BoardroomModel
import EventLogModel

/// A cursor over a room's past: it is at one moment and can be moved to any other.
///
/// A seek costs one snapshot and the events after it, whatever the length of the log (RP-61). Playing to a
/// moment and seeking to it give the same state (RP-60).
public struct Replay: Sendable {
  /// Reading a snapshot takes about as long as folding so many events. Targets that are nearer are reached by
  /// folding.
  static let snapshotWorth = 4_096
  /// Events between two states kept in memory on the way to a target, for stepping back.
  static let checkpointSpacing = 256

  public private(set) var recording: Recording
  /// Events that were skipped because they could not be read (RP-65).
  public private(set) var gaps: [Gap] = []
  private var fold = Fold()
  private var checkpoints = Checkpoints()
  private var ahead = Ahead()
  /// Whether states on the way to a target are kept for further steps back.
  private var isSteppingBack = false

  /// Begins before the first event, or at the first moment that retention has left.
  public init(_ recording: Recording) async throws(ReplayError) {
    self.recording = recording
    guard recording.info.low > 1 else { return }
    guard let state = try await recording.state(notBefore: recording.info.low.previous) else {
      throw .log(.trimmed(recording.room, low: recording.info.low))
    }
    fold = Fold(from: state)
  }

  /// Opens the log of a room and stands before its first event. The store may be a folder, memory, or a
  /// server on another machine (`RemoteLogStore` of BoardroomClient).
  public static func open(_ room: RoomID, in store: any LogStore) async throws(ReplayError) -> Replay {
    try await Replay(try await Recording.open(room, in: store))
  }

  public var moment: Moment { Moment(fold.state) }
  public var revision: Revision { fold.state.revision }
  /// The last revision that this replay knows of.
  public var end: Revision { recording.info.last }
  /// Events that could not be applied on the way here, the first hundred (CB-16).
  public var anomalies: Fold { fold }

  /// Reads how far the log has come since.
  public mutating func refresh() async throws(ReplayError) { try await recording.refresh() }

  // MARK: Seeking

  /// Goes to the moment right after `target`. Returns all differences as one change, and delivers no events.
  @discardableResult
  public mutating func seek(to target: Revision) async throws(ReplayError) -> MomentChange {
    let before = moment
    try await go(to: target)
    return MomentChange(from: before, to: moment)
  }

  /// Goes there without a comparison, which would take as long as reading the board.
  public mutating func go(to target: Revision) async throws(ReplayError) {
    guard target <= end else {
      throw .log(.beyondEnd(recording.room, asked: target, last: end))
    }
    try await start(near: target)
    try await foldOn(to: target)
  }

  /// Goes to the moment at a time: every event up to and with it, in log order (RP-60, RP-62).
  @discardableResult
  public mutating func seek(at time: Timestamp) async throws(ReplayError) -> MomentChange {
    try await seek(to: try await recording.revision(at: time))
  }

  private mutating func start(near target: Revision) async throws(ReplayError) {
    var best: RoomState? = revision <= target ? fold.state : nil
    if let kept = checkpoints.nearest(notAfter: target), kept.revision > best?.revision ?? .zero {
      best = kept
    }
    if target - (best?.revision ?? .zero) > Self.snapshotWorth || best == nil,
      let stored = try await recording.state(notAfter: target),
      best == nil || stored.revision > best!.revision
    {
      best = stored
    }
    guard best != nil || recording.info.low <= 1 else {
      throw .log(.trimmed(recording.room, low: recording.info.low))
    }
    stand(at: best ?? RoomState())
  }

  private mutating func stand(at state: RoomState) {
    guard state.revision != revision || revision == .zero else { return }
    fold = Fold(from: state)
    ahead = Ahead()
  }

  private mutating func foldOn(to target: Revision) async throws(ReplayError) {
    while revision < target {
      do {
        for run in try await recording.page(after: revision, through: target) {
          try foldIn(run, near: target)
        }
      } catch { try await leap(error, to: target) }
      ahead = Ahead()
    }
  }

  private mutating func foldIn(_ run: Run, near target: Revision) throws(ReplayError) {
    try run.forEachEvent { event throws(ReplayError) in
      fold.apply(event)
      let left = target - event.revision
      if isSteppingBack, left > 0, left <= Self.snapshotWorth,
        event.revision.rawValue % UInt64(Self.checkpointSpacing) == 0
      {
        checkpoints.keep(fold.state)
      }
    }
  }

  /// Goes on after damage at the next snapshot, if there is one not after `target`.
  private mutating func leap(_ error: ReplayError, to target: Revision) async throws(ReplayError) {
    guard case .log(let cause) = error, let gap = Gap(cause, after: revision) else { throw error }
    guard let state = try await recording.state(notBefore: gap.last), state.revision <= target else {
      throw .gap(gap, wanted: target)
    }
    gaps.append(gap)
    stand(at: state)
  }

  // MARK: Stepping

  /// Moves to the next event that passes the filter and returns it; nil at the end.
  public mutating func step(_ filter: EventFilter = .everything) async throws(ReplayError) -> RoomEvent? {
    while let event = try await next() {
      fold.apply(event)
      if filter.passes(event) { return event }
    }
    return nil
  }

  /// The next event, without moving to it.
  public mutating func next() async throws(ReplayError) -> RoomEvent? {
    while true {
      if let event = ahead.event(after: revision) { return event }
      guard revision < end else { return nil }
      do {
        ahead = Ahead()
        for run in try await recording.page(after: revision, through: end) {
          ahead.add(try run.events())
        }
      } catch { try await leap(error, to: end) }
    }
  }

  /// Goes back to the moment right after the last earlier event that passes the filter, and returns that
  /// event. If there is none, goes to the beginning and returns nil.
  public mutating func stepBack(_ filter: EventFilter = .everything) async throws(ReplayError) -> RoomEvent? {
    guard revision > recording.info.low.previous else { return nil }
    guard let event = try await last(before: revision, filter) else {
      try await seek(to: recording.info.low.previous)
      return nil
    }
    isSteppingBack = true
    defer { isSteppingBack = false }
    try await seek(to: event.revision)
    return event
  }

  private func last(before revision: Revision, _ filter: EventFilter) async throws(ReplayError) -> RoomEvent?
  {
    var upper = revision.previous
    while upper >= recording.info.low {
      let lower = Revision(
        max(recording.info.low.previous.rawValue, upper.rawValue - min(upper.rawValue, 1_024)))
      var found: RoomEvent?
      var at = lower
      while at < upper {
        for run in try await recording.page(after: at, through: upper) {
          try run.forEachEvent { event throws(ReplayError) in if filter.passes(event) { found = event } }
          at = run.lastRevision
        }
      }
      if let found { return found }
      upper = lower
    }
    return nil
  }
}

/// Events read but not yet stepped over.
struct Ahead: Sendable {
  private var events: [RoomEvent] = []

  mutating func add(_ more: [RoomEvent]) { events += more }

  func event(after revision: Revision) -> RoomEvent? {
    guard let first = events.first else { return nil }
    let index = revision.next - first.revision
    return events.indices.contains(index) ? events[index] : nil
  }
}

/// Some states in memory, so that stepping back need not fold from a snapshot each time. Going on from a kept
/// state copies its table of elements, so states are kept only while stepping back.
struct Checkpoints: Sendable {
  /// The most states. 32 times 256 events: twice `snapshotWorth`.
  static let limit = 32
  private var states: [RoomState] = []

  mutating func keep(_ state: RoomState) {
    guard !states.contains(where: { $0.revision == state.revision }) else { return }
    if states.count == Self.limit { states.removeFirst() }
    states.append(state)
  }

  func nearest(notAfter revision: Revision) -> RoomState? {
    states.filter { $0.revision <= revision }.max { $0.revision < $1.revision }
  }
}
