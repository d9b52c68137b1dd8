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
  /// Phases in one upload. 288, as many as its encoding takes: a day of one every five minutes.
  public var clientPhases: Int
  /// Members at once, readers too; 0: no limit. 10,000: ten times the largest room that was measured
  /// (docs/BENCHMARKS.md, s4).
  public var members: Int
  /// What the board may count for, in bytes: elements, what histories hold of them, and pages. 64 MiB: the 100,000
  /// elements of the limit beside it may have 600 bytes each, three times an ordinary stroke. It is what bounds the
  /// memory of a room: its state, its newest snapshot, and that as messages.
  public var board: Int
  /// Elements on the board, of all scenes. 100,000: a snapshot is then some 20 MiB.
  public var elements: Int
  /// Points of one stroke. 100,000: a pen at 240 Hz that is not lifted for seven minutes.
  public var points: Int
  /// One change of a SyncedStore, in bytes. 64 KiB, as a patch of the global state.
  public var storePatch: Int
  /// A whole SyncedStore, in bytes. 1 MiB, as the global state.
  public var store: Int
  /// SyncedStores of one room. 64.
  public var stores: Int
  /// For how many scenes a member's history is kept at most, and how many steps of each. 20 and 100.
  public var history: HistoryDepth
  /// Commands of one kind, of one member; usually those of the table of kinds (`CommandTraits.rate`).
  public var rates: [EventKind: Rate]
  /// Commands of all members together; nil: no limit.
  public var roomRate: Rate?
  /// A room whose members have said nothing for so long is a zombie (PARITY rows KICK); nil: none is.
  public var zombieAfter: Duration?
  /// How far `_sendmsg_limit` may raise the messages a second of a channel. 1,000: five times the usual (PARITY rows SIGL);
  /// with 50 members that is 50,000 deliveries a second, some 0.9 of a core (docs/BENCHMARKS.md, s1-50).
  public var channelMessages: Int
  /// How much of the log is kept.
  public var keeping: HistoryKeeping

  /// Pointers and cameras at most every 50 ms: twenty positions a second still look like movement when a
  /// mirror draws the way between them, and 75 ms is what the source system thinks fit for its own (ME-10).
  /// 500 commands a second and 2,000 at once: a pen at 240 Hz that sends each point alone needs half of it,
  /// and a minute's outage at 30 segments a second is sent again in one burst.
  public init(
    limits: WireLimits = WireLimits(), pointers: Pace = .every(.milliseconds(50)),
    cameras: Pace = .every(.milliseconds(50)), rate: Rate? = Rate(sustained: 500, burst: 2_000),
    memberState: Int = 64 << 10, magixName: Int = 256, sceneName: Int = 128, scenePath: Int = 1_024,
    clientPhases: Int = 288, members: Int = 10_000, board: Int = 64 << 20, elements: Int = 100_000,
    points: Int = 100_000,
    storePatch: Int = 64 << 10, store: Int = 1 << 20, stores: Int = 64,
    history: HistoryDepth = HistoryDepth(scenes: 20, depth: 100),
    rates: [EventKind: Rate] = RoomPolicy.usualRates, roomRate: Rate? = nil,
    zombieAfter: Duration? = nil, channelMessages: Int = 1_000,
    keeping: HistoryKeeping = HistoryKeeping()
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
    self.members = members
    self.board = board
    self.elements = elements
    self.points = points
    self.storePatch = storePatch
    self.store = store
    self.stores = stores
    self.history = history
    self.rates = rates
    self.roomRate = roomRate
    self.zombieAfter = zombieAfter
    self.channelMessages = channelMessages
    self.keeping = keeping
  }
}

extension RoomPolicy {
  /// Those of the table of kinds.
  public static let usualRates: [EventKind: Rate] = Dictionary(
    uniqueKeysWithValues: KindTraits.rows.compactMap { row in
      row.command?.rate.map { (row.kind, Rate(sustained: $0.sustained, burst: $0.burst)) }
    })
}

extension Room {
  /// The limits that hold here, as members are told them.
  public var announced: WireLimits {
    var limits = inForce.limits
    (limits.board, limits.elements, limits.members) = (inForce.board, inForce.elements, inForce.members)
    return limits
  }
}
