import EventLog
import EventLogFormat
import EventLogModel

/// Keeps logs in a PostgreSQL database; this process keeps nothing. A group commit is one statement, which is
/// answered when it is on disk at the server, and at a standby where the server waits for one.
///
/// One node at a time writes. A start fences the one before it for ever, whether that is dead, cut off or
/// asleep, and recovers what it has committed.
///
/// With `Options.sharing` several nodes write at the same time, each to the logs that it owns: those that it
/// made or was the first to open. What writes to another's log throws `elsewhere`; what reads it gives what
/// is sealed. A node that does not beat is fenced by the others for ever, and they recover what it has
/// committed.
public final class PostgresLogStore: LogStore {
  /// How a store is opened. The defaults are those of a server.
  public struct Options: Sendable {
    /// The node's name, for operators who look at the tables. Of nodes that share a database each has its
    /// own: a start ends an earlier one of the same name.
    public var node = "boardroom"
    /// Takes over although another node's connections are there. That node takes no more events from then on.
    /// Without it such a start is refused as `locked`.
    public var takesOver = false
    /// Shares the database with other nodes that do so; nil for a node that suffers none beside it.
    public var sharing: Sharing?
    /// The least time between small commits.
    public var minimumCommitInterval: Duration = .microseconds(500)
    /// Bytes of frames in one table before the next is used; more than 64 MiB count as that, because a recovery has
    /// all frames that are not sealed in memory.
    public var segmentBytes = 16 << 20
    /// A log without events for this long is sealed.
    public var sealIdle: Duration = .seconds(60)
    /// Connections that read what is sealed.
    public var readers = 2
    /// Is told, once, if the start has to wait until another one, or a change of the tables, is done.
    public var onWaiting: @Sendable () -> Void = {}
    /// Over how many tables the blocks are spread when the tables are made.
    package var partitions = PostgresSchema.partitions
    /// A log's last block of fewer bytes of records stays open.
    package var openBlock = BlockSize.open

    public init() {}
  }

  /// What has happened at the commits' connection since the start.
  public struct Outcomes: Sendable, Hashable {
    /// Commits whose outcome was not known at first: a lost connection, no answer in time, a warning.
    public var unknown: Int
    /// Those of them that had not been written, and were sent again.
    public var resent: Int
  }

  let base: EngineStore
  /// Nil for a store that only reads.
  let journal: FrameJournal?
  /// Nil for a store that owns all logs.
  let ownership: Ownership?
  let watch: NodeWatch?
  /// The identity of the store: 32 hexadecimal digits, chosen when its tables were made. It never changes.
  public let identity: String

  private init(
    base: EngineStore, journal: FrameJournal?, identity: [UInt8], ownership: Ownership? = nil,
    watch: NodeWatch? = nil
  ) {
    self.base = base
    self.journal = journal
    (self.ownership, self.watch) = (ownership, watch)
    self.identity = LogID(bytes: identity)?.description ?? ""
  }

  /// The most that `Options.segmentBytes` may be.
  static let largestSegment = 64 << 20
  /// How many segments may be in use: two fewer than there are tables.
  private static let liveSegments = 4

  /// Opens the store at an address as libpq takes it. Makes the tables if there are none, in the first schema
  /// of the address's `search_path`, and brings those of an earlier version to the present one.
  ///
  /// Blocks while the frames of an earlier node are recovered. Throws `locked` while another node is there,
  /// `damaged` when a frame is missing, `incompatible` for tables of another version, `stopped` when nobody
  /// answers.
  public static func open(
    address: String, options: Options = Options()
  ) throws(LogError) -> PostgresLogStore {
    let address = try DatabaseAddress(address)
    let found = try Incarnation.begin(address, options: options)
    let ring = SegmentRing()
    let isShared = options.sharing != nil
    let segmentBytes = min(options.segmentBytes, largestSegment)
    let writer = SealWriter(
      fenced: FencedConnection(address, incarnation: found.id, kind: .seal, isShared: isShared))
    let journal = FrameJournal(
      fenced: FencedConnection(address, incarnation: found.id, kind: .commit, isShared: isShared),
      slot: found.slot, ring: ring, segmentBytes: segmentBytes)
    // The node is there for other starts from now on, so that the start's own connection may end.
    try withExtendedLifetime(found.presence) { () throws(LogError) in try journal.connect() }
    let (openBlock, owner) = (options.openBlock, isShared ? found.id : nil)
    let half = { @Sendable () throws(LogError) -> any SealedBackend in
      SealedHalf(writer: writer, openBlock: openBlock, owner: owner)
    }
    var engine = EngineOptions(frameBytes: min(JournalFrame.maximumBytes, segmentBytes))
    engine.minimumCommitInterval = options.minimumCommitInterval
    engine.liveSegments = liveSegments
    engine.sealIdle = options.sealIdle
    let parts = EngineParts(
      place: address.place, options: engine, journal: journal,
      segments: FrameSegments(writer: writer, slot: found.slot, ring: ring), held: [],
      oldest: JournalPlace(segment: journal.segment, frame: journal.nextFrame), logs: found.logs,
      hasRemains: found.hasRemains, backend: try half(), open: half, readers: options.readers,
      reader: { () throws(LogError) in SealedRows(address) })
    let base = EngineStore(parts)
    guard let sharing = options.sharing else {
      return PostgresLogStore(base: base, journal: journal, identity: found.identity)
    }
    let ownership = Ownership(base: base, address: address, incarnation: found.id, sharing: sharing)
    ownership.connect()
    return PostgresLogStore(
      base: base, journal: journal, identity: found.identity, ownership: ownership,
      watch: NodeWatch(
        address: address, incarnation: found.id, sharing: sharing, openBlock: openBlock, base: base))
  }

  /// Opens the store for reading only, as it is at this moment; a node may be writing meanwhile. Changes nothing.
  ///
  /// Blocks while the frames that are not sealed are read. Throws `damaged` when one is missing, `incompatible` for
  /// tables of a later version and where there are none, `stopped` when nobody answers.
  public static func openReading(address: String, readers: Int = 2) throws(LogError) -> PostgresLogStore {
    let address = try DatabaseAddress(address)
    let found = try TablesAtMoment(address)
    let base = EngineStore(
      reading: address.place, options: EngineOptions(frameBytes: JournalFrame.maximumBytes), logs: found.logs,
      readers: readers, reader: { () throws(LogError) in SealedRows(address) })
    return PostgresLogStore(base: base, journal: nil, identity: found.identity)
  }

  /// Whether a text is an address as this store takes it. Asks nobody.
  public static func takes(address: String) -> Bool {
    do throws(LogError) { _ = try DatabaseAddress(address) } catch { return false }
    return true
  }

  /// What `makeTables` found and made.
  public struct Tables: Sendable, Hashable {
    /// The version that was there; nil if there were no tables.
    public var found: Int?
    /// The version that is there now.
    public var version: Int
  }

  /// Makes the tables if there are none, with the frame tables of one node, and brings those of an earlier version to the
  /// present one; an `open` does the same. Throws `incompatible` for a later version, `locked` while a node is there that would not expect the change.
  public static func makeTables(
    address: String, options: Options = Options()
  ) throws(LogError) -> Tables {
    let address = try DatabaseAddress(address)
    return try SealingTransaction.onItsOwn(at: address) { transaction, _ throws(LogError) in
      try transaction.begin(under: PostgresSchema.locking)
      let found = try PostgresSchema.version(transaction)
      if let found, found < PostgresSchema.version {
        try transaction.refuseWhileNodesAreThere(address.place)
      }
      try PostgresSchema.bring(transaction, from: found, partitions: options.partitions)
      // A node whose user may make no tables has those of the first slot.
      try PostgresSchema.makeFrameTables(transaction, slot: 0)
      try transaction.commit()
      return Tables(found: found.map { Int($0) }, version: Int(PostgresSchema.version))
    }
  }

  /// What the store has done and holds.
  public var statistics: StoreStatistics { base.statistics }

  /// What was not known at first, and became known.
  public var outcomes: Outcomes {
    let counts = journal?.statistics ?? FencedConnection.Counts()
    return Outcomes(unknown: counts.unknown, resent: counts.resent)
  }

  /// Why the store takes no events at present; nil if it takes them.
  public var refusal: LogError? { base.refusal ?? watch?.refusal }

  /// The age of the group commit that is under way, the wait for the database included; zero if there is
  /// none.
  public var commitUnderWay: Duration { base.commitUnderWay }

  /// Seals everything that is durable now; returns when it is in blocks.
  public func seal() async throws(LogError) { try await base.seal() }

  /// Commits what is pending and ends all threads. A node that shares its database seals everything, and
  /// leaves: its logs have no owner when this returns, if the database answers.
  public func shutdown() async {
    await base.shutdown()
    guard let ownership, let watch else { return }
    await JobThread.once {
      ownership.close()
      watch.stop()
      watch.leave()
    }
  }

  /// Stops at once and leaves everything as a killed process would. For tests.
  package func abandon() {
    base.abandon()
    watch?.stop()
    ownership?.close()
  }
}
