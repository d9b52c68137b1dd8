import BoardroomModel
import EventLogModel

/// Where a replay stands in its log's time, and what it has to do: the same for one watcher and for many. A value
/// without a clock: every input brings the server's time.
public struct ReplayMachine: Sendable {
  /// What whoever keeps the machine is to do, in this order.
  public enum Instruction: Sendable, Hashable {
    /// Show all events whose time in the log is not after this.
    case show(Timestamp)
    /// Find the place and tell `arrived` with this number; what is under way already counts no more.
    case find(ReplayPlace, search: Int)
    /// See whether the log goes on behind its known end, and tell `looked`.
    case look
    /// Tell all watchers where it stands.
    case tell
  }

  /// How often watchers are told while it plays: once a second of the server's clock, as often as a heartbeat.
  public static let tellEvery = Duration.seconds(1)

  public private(set) var phase = ReplayPhase.playing
  public private(set) var speed: Double
  public let begin: Timestamp
  /// The time of the log's last event, as far as known.
  public private(set) var end: Timestamp

  /// The place in the log's time at one time of the server; all others follow from it.
  private var anchor: (place: Timestamp, clock: Timestamp)
  /// The newest search, and whether it is under way.
  private var searches = 0
  private var isSearching = false
  private var isLooking = false
  private var isWatched = true
  private var told: Timestamp

  /// Plays from `place` on.
  public init(
    begin: Timestamp, end: Timestamp, place: Timestamp, speed: Double, at now: Timestamp
  ) {
    self.begin = begin
    self.end = max(begin, end)
    self.speed = min(max(speed, ReplayWish.speeds.lowerBound), ReplayWish.speeds.upperBound)
    anchor = (min(max(place, begin), max(begin, end)), now)
    told = now
  }

  // MARK: Where it stands

  private var isMoving: Bool {
    switch phase {
    case .playing: isWatched && !isSearching
    case .paused, .ended: false
    }
  }

  /// The place in the log's time; never beyond the known end.
  public func place(at now: Timestamp) -> Timestamp {
    guard isMoving else { return anchor.place }
    let passed = Double(max(0, (now - anchor.clock).wholeMilliseconds)) * speed
    let left = Double((end - anchor.place).wholeMilliseconds)
    return anchor.place + .milliseconds(Int64(min(passed, max(0, left))))
  }

  /// When a time of the log is reached on the server's clock; nil while it does not move.
  public func due(_ time: Timestamp) -> Timestamp? {
    guard isMoving else { return nil }
    let wait = (Double((time - anchor.place).wholeMilliseconds) / speed).rounded(.up)
    return anchor.clock + .milliseconds(Int64(max(0, min(wait, 1e15))))
  }

  /// When there is something to do next, if `next` is the time of the next event; nil: nothing by itself.
  public func wake(next: Timestamp?) -> Timestamp? {
    guard isMoving else { return nil }
    return [due(next ?? end), told + Self.tellEvery].compactMap(\.self).min()
  }

  public func status(revision: Revision, at now: Timestamp, refusal: Refusal? = nil) -> ReplayStatus {
    ReplayStatus(
      phase: phase, at: place(at: now), revision: revision, speed: speed, begin: begin, end: end,
      refusal: refusal)
  }

  private mutating func moveAnchor(at now: Timestamp) { anchor = (place(at: now), now) }

  private mutating func telling(at now: Timestamp) -> [Instruction] {
    told = now
    return [.tell]
  }

  // MARK: Inputs

  /// A watcher who may do so wants something of it.
  public mutating func apply(_ control: ReplayControl, at now: Timestamp) -> [Instruction] {
    moveAnchor(at: now)
    switch control {
    case .play: return play(at: now)
    case .pause:
      if phase == .playing { phase = .paused }
      return telling(at: now)
    case .speed(let speed):
      self.speed = min(max(speed, ReplayWish.speeds.lowerBound), ReplayWish.speeds.upperBound)
      return telling(at: now)
    case .seek(let place):
      searches += 1
      isSearching = true
      return [.find(place, search: searches)]
    }
  }

  private mutating func play(at now: Timestamp) -> [Instruction] {
    switch phase {
    case .playing: return telling(at: now)
    case .paused:
      phase = .playing
      return telling(at: now)
    case .ended:
      // The room may have gone on meanwhile.
      guard !isLooking else { return [] }
      isLooking = true
      return [.look]
    }
  }

  /// A place was found; false if a newer search overrides this one (RP-31).
  public mutating func arrived(
    _ search: Int, place: Timestamp, end: Timestamp, at now: Timestamp
  ) -> Bool {
    guard isSearching, search == searches else { return false }
    isSearching = false
    isLooking = false
    self.end = max(self.end, end)
    anchor = (min(max(place, begin), self.end), now)
    // Who went back from the end wants to see it again.
    if phase == .ended { phase = .playing }
    told = now
    return true
  }

  /// How the log ends now; `goesOn`: with events behind the end that was known.
  public mutating func looked(end: Timestamp, goesOn: Bool, at now: Timestamp) -> [Instruction] {
    guard isLooking else { return [] }
    isLooking = false
    moveAnchor(at: now)
    self.end = max(self.end, end)
    switch phase {
    case .paused: return []
    case .playing:
      guard !goesOn else { return [] }
      phase = .ended
    case .ended: if goesOn { phase = .playing }
    }
    return telling(at: now)
  }

  /// Whether anybody is there: if not it stands still, and goes on where it was.
  public mutating func watched(_ isWatched: Bool, at now: Timestamp) {
    moveAnchor(at: now)
    self.isWatched = isWatched
  }

  /// Time went by. `isComplete`: every event of the log, as far as known, has been shown.
  public mutating func tick(at now: Timestamp, isComplete: Bool) -> [Instruction] {
    guard isMoving else { return [] }
    let place = place(at: now)
    var answers = [Instruction.show(place)]
    if isComplete, place >= end, !isLooking {
      isLooking = true
      answers.append(.look)
    }
    if now >= told + Self.tellEvery { answers += telling(at: now) }
    return answers
  }
}
