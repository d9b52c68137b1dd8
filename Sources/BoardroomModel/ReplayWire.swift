import EventLogModel

// What watchers of a replay and the server say to each other. docs/PROTOCOL.md, section 11.

/// A place in a recorded room.
public enum ReplayPlace: Sendable, Hashable {
  /// All events whose time is not after it (RP-62).
  case time(Timestamp)
  /// All events up to and with it.
  case revision(Revision)
}

/// What a hello asks for that wants to see a room as it was.
public struct ReplayWish: Sendable, Hashable {
  /// Where to begin; nil for the beginning of the log.
  public var place: ReplayPlace?
  /// Log time over clock time (RP-32).
  public var speed: Double
  /// Watchers of one group see one replay; nil: alone.
  public var group: String?

  /// RPL-11. A thousandth of the least is slower than a log's milliseconds can show; faster than the greatest is a
  /// seek.
  public static let speeds = 0.01...1_000.0
  /// RPL-10, in bytes of UTF-8: as a user's name.
  public static let longestGroup = 1_024

  public init(place: ReplayPlace? = nil, speed: Double = 1, group: String? = nil) {
    self.place = place
    self.speed = speed
    self.group = group
  }
}

/// What a watcher wants of the replay that it watches.
public enum ReplayControl: Sendable, Hashable {
  case play, pause
  case seek(ReplayPlace)
  /// Within `ReplayWish.speeds`.
  case speed(Double)
}

/// Where a replay stands.
public enum ReplayPhase: String, Sendable, Hashable, CaseIterable {
  case playing, paused
  /// At the end of the log.
  case ended
}

/// Where a replay stands, as its watchers are told.
public struct ReplayStatus: Sendable, Hashable {
  public var phase: ReplayPhase
  /// The place in the log's time.
  public var at: Timestamp
  /// The last event shown.
  public var revision: Revision
  /// Log time over clock time; what it was and will be, while it is paused (RP-32).
  public var speed: Double
  /// The first and the last time of the log, as far as known.
  public var begin: Timestamp
  public var end: Timestamp
  /// To who asked for what was not done: why.
  public var refusal: Refusal?

  public init(
    phase: ReplayPhase, at: Timestamp, revision: Revision, speed: Double, begin: Timestamp, end: Timestamp,
    refusal: Refusal? = nil
  ) {
    self.phase = phase
    self.at = at
    self.revision = revision
    self.speed = speed
    self.begin = begin
    self.end = end
    self.refusal = refusal
  }
}
