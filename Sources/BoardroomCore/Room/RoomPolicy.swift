import BoardroomModel

/// How a room treats its members: numbers that an operator may set.
public struct RoomPolicy: Sendable, Hashable {
  /// How often positions of one member are recorded. What is not recorded is not delivered.
  public enum Pace: Sendable, Hashable {
    /// Each one.
    case all
    /// At most one in this time; the newest one wins, and the last of a movement is never lost.
    case every(Duration)
    /// None.
    case off
  }

  /// How many commands a member may send.
  public struct Rate: Sendable, Hashable {
    /// Commands a second, in the long run.
    public var sustained: Int
    /// Commands at once after a rest.
    public var burst: Int
    public init(sustained: Int, burst: Int) {
      self.sustained = sustained
      self.burst = burst
    }
  }

  public var limits: WireLimits
  public var pointers: Pace
  public var cameras: Pace
  /// Nil: no limit.
  public var rate: Rate?
  /// The whole state of one member, in bytes. 64 KiB, as one patch: it stands in every roster.
  public var memberState: Int
  /// A magix event's name, in bytes. 256: four times RTM's longest identifier.
  public var magixName: Int
  /// A scene's name, in bytes. 128: the longest name that is stored.
  public var sceneName: Int
  /// A scene's whole path, in bytes. 1,024, as a uid.
  public var scenePath: Int
  /// Phases in one upload. 1,000: 45 s of trouble (P-23) end in far fewer.
  public var clientPhases: Int

  /// Pointers and cameras at most every 50 ms: twenty positions a second still look like movement when a
  /// mirror draws the way between them, and 75 ms is what the source system thinks fit for its own (ME-10).
  /// 500 commands a second and 2,000 at once: a pen at 240 Hz that sends each point alone needs half of it,
  /// and a minute's outage at 30 segments a second is sent again in one burst.
  public init(
    limits: WireLimits = WireLimits(), pointers: Pace = .every(.milliseconds(50)),
    cameras: Pace = .every(.milliseconds(50)), rate: Rate? = Rate(sustained: 500, burst: 2_000),
    memberState: Int = 64 << 10, magixName: Int = 256, sceneName: Int = 128, scenePath: Int = 1_024,
    clientPhases: Int = 1_000
  ) {
    self.limits = limits
    self.pointers = pointers
    self.cameras = cameras
    self.rate = rate
    self.memberState = memberState
    self.magixName = magixName
    self.sceneName = sceneName
    self.scenePath = scenePath
    self.clientPhases = clientPhases
  }
}
