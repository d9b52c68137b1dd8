import BoardroomModel
import EventLogModel

/// Where a player stands (RP-20 to RP-25). Raw values are the iOS ones.
public enum WhitePlayerPhase: Int, Sendable, Hashable, CaseIterable {
  /// Nothing can be shown yet.
  case waitingFirstFrame = 0
  case playing = 1
  case pause = 2
  /// Over; a new player is needed.
  case stopped = 3
  case ended = 4
  /// Waits for what is to be shown.
  case buffering = 5
}

/// What became of a seek (RP-31).
public enum WhitePlayerSeekResult: String, Sendable, Hashable, CaseIterable {
  case success
  /// It was there already.
  case successUnnecessary
  /// A later seek took its place.
  case overridden
  /// The player stopped before it was there.
  case stopped
}

/// Decides where a player stands and where in its time. Knows no log and no clock.
///
/// What the app last asked for, play or pause, is kept through everything that comes in between: buffering and
/// seeking end in it.
struct PlayerMachine: Sendable {
  enum Mode: Sendable, Hashable { case playing, paused }

  private enum Stage: Sendable, Hashable {
    case waitingFirstFrame
    case running
    case resting
    /// Without data for what comes next, or on the way to where a seek wants.
    case buffering
    case ended
    case stopped
  }

  private var stage = Stage.waitingFirstFrame
  private(set) var intended = Mode.paused
  private var clock = PlayClock()
  private var throttle: ProgressThrottle
  /// Of the newest seek, if it is on its way.
  private var seeking: UInt64?
  private var isStarved = false
  private var lastSeek: UInt64 = 0
  let duration: Duration

  init(duration: Duration, step: Duration) {
    self.duration = duration
    throttle = ProgressThrottle(step: step, duration: duration)
  }

  var phase: WhitePlayerPhase {
    switch stage {
    case .waitingFirstFrame: .waitingFirstFrame
    case .running: .playing
    case .resting: .pause
    case .buffering: .buffering
    case .ended: .ended
    case .stopped: .stopped
    }
  }

  var speed: Double { clock.speed }
  var isRunning: Bool { stage == .running }
  var isSeeking: Bool { seeking != nil }

  /// The schedule time: rises while playing, from 0 to the duration.
  func position(at now: Timestamp) -> Duration { min(clock.position(at: now), duration) }

  // MARK: What the app wants

  enum PlayAnswer: Sendable, Hashable {
    case nothing
    case changed
    /// It has ended: playing begins again at 0 (RPT-7).
    case seekToBegin
  }

  mutating func play(at now: Timestamp) -> PlayAnswer {
    switch stage {
    case .stopped, .running: return .nothing
    case .waitingFirstFrame, .buffering:
      intended = .playing
      return .nothing
    case .resting:
      intended = .playing
      enter(.running, at: now)
      return .changed
    case .ended:
      intended = .playing
      return .seekToBegin
    }
  }

  /// True if the phase changed.
  mutating func pause(at now: Timestamp) -> Bool {
    switch stage {
    case .stopped, .resting: return false
    case .waitingFirstFrame, .buffering, .ended:
      intended = .paused
      return false
    case .running:
      intended = .paused
      enter(.resting, at: now)
      return true
    }
  }

  /// False if it was over already.
  mutating func stop(at now: Timestamp) -> Bool {
    guard stage != .stopped else { return false }
    seeking = nil
    enter(.stopped, at: now)
    return true
  }

  /// Above zero; what is not leaves it as it is (RP-32).
  mutating func setSpeed(_ speed: Double, at now: Timestamp) {
    guard speed > 0, speed.isFinite else { return }
    clock.setSpeed(speed, at: now)
  }

  // MARK: Data

  /// True if the phase changed.
  mutating func firstFrame(at now: Timestamp) -> Bool {
    guard stage == .waitingFirstFrame else { return false }
    resume(at: now)
    return true
  }

  /// What comes after `edge` is not there. True if the phase changed.
  mutating func starve(on edge: Duration, at now: Timestamp) -> Bool {
    switch stage {
    case .running:
      isStarved = true
      clock.place(at: min(edge, duration), now)
      enter(.buffering, at: now)
      return true
    case .waitingFirstFrame, .resting, .buffering, .ended, .stopped: return false
    }
  }

  /// What comes next is there. True if the phase changed.
  mutating func feed(at now: Timestamp) -> Bool {
    guard isStarved else { return false }
    isStarved = false
    guard stage == .buffering, seeking == nil else { return false }
    resume(at: now)
    return true
  }

  // MARK: Seeking

  enum SeekAnswer: Sendable, Hashable {
    case unnecessary
    case stopped
    /// On its way under this number, which every older one gives way to.
    case go(UInt64, target: Duration)
  }

  mutating func seek(to time: Duration, at now: Timestamp) -> SeekAnswer {
    let target = min(max(time, .zero), duration)
    switch stage {
    case .stopped: return .stopped
    case .running, .resting, .ended:
      if seeking == nil, position(at: now) == target { return .unnecessary }
    case .waitingFirstFrame, .buffering: break
    }
    lastSeek += 1
    seeking = lastSeek
    return .go(lastSeek, target: target)
  }

  /// The place of a seek has to be read first. True if the phase changed.
  mutating func awaitSeek(_ number: UInt64, at now: Timestamp) -> Bool {
    guard seeking == number, stage != .buffering, stage != .waitingFirstFrame else { return false }
    enter(.buffering, at: now)
    return true
  }

  enum Landing: Sendable, Hashable {
    /// A newer seek is on its way, or it is over.
    case tooLate
    case landed(phaseChanged: Bool)
  }

  mutating func land(_ number: UInt64, on target: Duration, at now: Timestamp) -> Landing {
    guard seeking == number else { return .tooLate }
    seeking = nil
    isStarved = false
    let before = phase
    clock.place(at: target, now)
    throttle.restart(at: target)
    if stage != .waitingFirstFrame { resume(at: now) }
    return .landed(phaseChanged: phase != before)
  }

  // MARK: Time

  struct Tick: Sendable, Hashable {
    var position: Duration
    /// Whether the app is to be told of the time (RP-43).
    var tellsTime = false
    var hasEnded = false
  }

  mutating func tick(at now: Timestamp) -> Tick {
    let position = position(at: now)
    guard stage == .running else { return Tick(position: position) }
    var tick = Tick(position: position, tellsTime: throttle.passes(position))
    guard position >= duration else { return tick }
    tick.hasEnded = true
    enter(.ended, at: now)
    return tick
  }

  /// When the schedule reaches `time`, if it goes on so.
  func moment(of time: Duration, after now: Timestamp) -> Timestamp? {
    guard stage == .running else { return nil }
    return clock.moment(of: time, after: now)
  }

  /// When `tick` has something to say by itself.
  func deadline(after now: Timestamp) -> Timestamp? {
    moment(of: min(throttle.next, duration), after: now)
  }

  // MARK: Inside

  private mutating func resume(at now: Timestamp) {
    switch intended {
    case .playing: enter(.running, at: now)
    case .paused: enter(.resting, at: now)
    }
  }

  /// RP-43: the throttle begins again with each change of the phase.
  private mutating func enter(_ next: Stage, at now: Timestamp) {
    guard next != stage else { return }
    if stage == .running { clock.stop(at: now, notAfter: duration) }
    if next == .running { clock.run(at: now) }
    stage = next
    throttle.restart(at: position(at: now))
  }
}
