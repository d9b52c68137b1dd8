import EventLogModel

/// Turns the context's time into schedule time. Microseconds, so that odd speeds add up.
struct PlayClock: Sendable {
  private var base = Duration.zero
  private var since: Timestamp?
  /// Schedule time over the context's time.
  private(set) var speed = 1.0

  func position(at now: Timestamp) -> Duration {
    guard let since else { return base }
    let passed = Double(max(0, (now - since).wholeMilliseconds))
    return base + .microseconds(Int64((passed * speed * 1_000).rounded()))
  }

  /// The first whole millisecond of the context's time at which the schedule is there.
  func moment(of time: Duration, after now: Timestamp) -> Timestamp {
    guard let since else { return now }
    let left = time - base
    let microseconds = Double(left.components.seconds) * 1e6 + Double(left.components.attoseconds) / 1e12
    let wait = (microseconds / (speed * 1_000)).rounded(.up)
    var moment = since + .milliseconds(Int64(min(max(wait, 0), 0x1p52)))
    if position(at: moment) < time { moment = moment + .milliseconds(1) }
    return max(moment, now)
  }

  mutating func run(at now: Timestamp) { since = now }

  mutating func stop(at now: Timestamp, notAfter limit: Duration) {
    base = min(position(at: now), limit)
    since = nil
  }

  mutating func place(at time: Duration, _ now: Timestamp) {
    base = time
    if since != nil { since = now }
  }

  mutating func setSpeed(_ speed: Double, at now: Timestamp) {
    base = position(at: now)
    if since != nil { since = now }
    self.speed = speed
  }
}

/// RP-43: the time is told when it reaches the next multiple of the step, and always within the last step.
struct ProgressThrottle: Sendable {
  let step: Duration
  let duration: Duration
  private(set) var next = Duration.zero

  init(step: Duration, duration: Duration) {
    (self.step, self.duration) = (max(step, .milliseconds(1)), duration)
    next = self.step
  }

  mutating func restart(at position: Duration) { next = multiple(after: position) }

  mutating func passes(_ position: Duration) -> Bool {
    guard position >= next || position > duration - step else { return false }
    next = multiple(after: position)
    return true
  }

  private func multiple(after position: Duration) -> Duration {
    let count = position.wholeMilliseconds / max(1, step.wholeMilliseconds)
    var next = step * Int(count)
    while next <= position { next += step }
    return next
  }
}
