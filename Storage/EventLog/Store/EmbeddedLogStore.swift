import EventLogModel
import MemoryLog
import Synchronization

/// Keeps logs in one folder: a journal with group commit, and a sealed database behind it.
///
/// `log.db` holds the catalog, the blocks and the snapshots; `journal/` what is not sealed yet; `LOCK` keeps
/// a second writing process out. docs/FORMAT.md describes every byte.
public final class EmbeddedLogStore: LogStore {
  /// How a store is opened. The defaults are those of a server.
  public struct Options: Sendable {
    /// The largest record body, in bytes; less with very small segments.
    public static let maximumRecordBytes = MemoryLogStore.recordLimit

    /// Only reads. A server may be writing to the folder at the same time; the store shows what was there
    /// when it was opened.
    public var readOnly = false
    /// Opens a folder with a damaged journal, serves what is left of it and reports the rest in `damages`.
    /// Without it such a folder is refused.
    public var acceptLoss = false
    /// The least time between small commits; bounds CPU and wear of the disk while there are few events.
    public var minimumCommitInterval: Duration = .microseconds(500)
    /// Bytes of one journal segment.
    public var segmentBytes = 16 << 20
    /// With more segments in use than this the sealer works without pause; with two more than that commits
    /// wait.
    public var liveSegments = 4
    /// How many files with zeros are kept ready to become journal segments.
    public var spareSegments = 2
    /// A log without events for this long is sealed.
    public var sealIdle: Duration = .seconds(60)
    /// When a log has had no events for this long, its full blocks are packed into columns, a few at a time;
    /// they take a third of the bytes or less. Counted by the times of the events. `nil`: never. Older
    /// builds, which do not know columns, do not open a folder with packed blocks.
    public var packAfter: Duration?
    /// What bodies of each kind look like, so that columns get small. Stored blocks can be read without this.
    public var bodyShapes: [UInt8: BodyShape] = [:]
    /// Read connections to the sealed database.
    public var readers = 2

    /// When no frame has followed the last one for this long, an empty frame is written after it. From then
    /// on damage to the last frame can be told from a frame whose writing was cut short.
    package var confirmDelay: Duration = .seconds(1)
    package var disk: any Disk = SystemDisk()
    /// A log's last block of fewer bytes of records stays open. A smaller value than the default lets short test runs have full blocks.
    package var openBlock = BlockSize.open
    /// A model in place of the database, for tests.
    var model: SealedSource?
    var sealed: SealedSource {
      get { model ?? .sqlite(on: disk, openBlock: openBlock) }
      set { model = newValue }
    }

    public init() {}
  }

  let base: EngineStore
  private let lock: (any DiskFile)?
  /// What was damaged when the store was opened: loss that was accepted, and parts whose content is stored a
  /// second time.
  public let damages: [Damage]
  /// Damage that earlier starts found and noted, the oldest first. What was lost then is still missing.
  public let earlier: [Damage]
  /// A last frame of the journal that is not whole, where it cannot be known whether it was acknowledged;
  /// else nil.
  public let remains: Damage?
  /// The identity of the store: 32 hexadecimal digits, chosen when it was made. It never changes.
  public let identity: String

  private init(
    base: EngineStore, lock: (any DiskFile)?, damages: [Damage], earlier: [Damage], remains: Damage?,
    identity: [UInt8]
  ) {
    self.base = base
    self.identity = LogID(bytes: identity)?.description ?? ""
    self.lock = lock
    self.damages = damages
    self.earlier = earlier
    let all = (earlier + damages).lostRevisions
    base.engine.state.withLock { $0.statistics.lostRevisions = all }
    self.remains = remains
  }

  /// Opens the store in `folder`. Makes the store if it is missing.
  ///
  /// Blocks while the journal is read: under a second for a full one. Throws
  /// `locked` while another process writes there, `damaged` when acknowledged events are missing,
  /// `incompatible` for a newer format, `full` when there is no space for a journal segment.
  public static func open(folder: String, options: Options = Options()) throws(LogError) -> EmbeddedLogStore {
    let smallest = 16 << 10
    precondition(options.segmentBytes >= smallest, "a journal segment has at least \(smallest) bytes")
    return options.readOnly ? try openReading(folder, options) : try openWriting(folder, options)
  }

  private static func openWriting(_ folder: String, _ options: Options) throws(LogError) -> EmbeddedLogStore {
    try options.disk.makeFolder(folder)
    let lock = try options.disk.lock(folder + "/LOCK")
    do throws(LogError) {
      let manifest = ManifestFile(disk: options.disk, folder: folder)
      var found = try WriteAheadCheck(disk: options.disk, folder: folder).run()
      try refuse(found, manifest, options)
      if let lost = found, !lost.isSafe,
        let copy = try DamagedParts(disk: options.disk, folder: folder).keep(lost.damage.place)
      {
        found = .init(damage: lost.damage.kept(as: copy), isSafe: false)
      }
      let backend = try options.sealed.open(folder, true, options.acceptLoss)
      do throws(LogError) {
        let earlier = (try? backend.noted()) ?? []
        if let found { try backend.note(found.damage, number: nil) }
        var recovered = try Recovery(
          disk: options.disk, folder: JournalFolder(of: folder), segmentBytes: options.segmentBytes,
          spareSegments: options.spareSegments, acceptLoss: options.acceptLoss, manifest: manifest
        ).run(backend)
        if let found { recovered.damages.insert(found.damage, at: 0) }
        let hasRemains = try backend.hasRemains() || recovered.logs.values.contains { $0.hasUnsealedRemoval }
        return start(folder, options, backend, recovered, earlier, lock, manifest, hasRemains: hasRemains)
      } catch {
        backend.close()
        throw error
      }
    } catch {
      lock.close()
      throw error
    }
  }

  /// With a whole manifest, the journal holds everything that is in the write-ahead log.
  private static func refuse(
    _ found: WriteAheadCheck.WALDamage?, _ manifest: ManifestFile, _ options: Options
  ) throws(LogError) {
    guard let found, !options.acceptLoss else { return }
    guard found.isSafe, try manifest.isWhole() else { throw .damaged(found.damage) }
  }

  private static func start(
    _ folder: String, _ options: Options, _ backend: any FolderBackend, _ recovered: Recovery.Outcome,
    _ earlier: [Damage], _ lock: any DiskFile, _ manifest: ManifestFile, hasRemains: Bool
  ) -> EmbeddedLogStore {
    let delay = UInt64(max(0, options.confirmDelay.wholeNanoseconds))
    let parts = EngineParts(
      place: folder, options: options.ofEngine,
      journal: FolderJournal(
        writer: recovered.writer, shelf: recovered.shelf, folder: folder, confirmDelay: delay),
      segments: FolderSegments(
        shelf: recovered.shelf, manifest: manifest, store: backend.storeID, created: recovered.created,
        disk: options.disk, lock: lock),
      held: recovered.held, oldest: recovered.oldest, logs: recovered.logs, hasRemains: hasRemains,
      backend: backend,
      open: { () throws(LogError) in try options.sealed.open(folder, true, options.acceptLoss) },
      readers: options.readers, reader: { () throws(LogError) in try options.sealed.reader(folder) })
    return EmbeddedLogStore(
      base: EngineStore(parts), lock: lock, damages: recovered.damages, earlier: earlier,
      remains: recovered.remains, identity: backend.storeID)
  }

  /// How often opening is tried again when a writer changed the folder during it.
  private static let readingAttempts = 5

  private static func openReading(_ folder: String, _ options: Options) throws(LogError) -> EmbeddedLogStore {
    var attempt = 1
    while true {
      do throws(LogError) {
        let store = try readOnce(folder, options)
        guard !store.damages.isEmpty || store.remains != nil, attempt < readingAttempts else { return store }
      } catch {
        // A segment may be recycled, or its last frame half written, while we read it.
        guard case .damaged = error, attempt < readingAttempts else { throw error }
      }
      attempt += 1
    }
  }

  /// The journal is read before the database: events that are sealed between the two are then seen twice, and
  /// none is missed.
  private static func readOnce(_ folder: String, _ options: Options) throws(LogError) -> EmbeddedLogStore {
    let backend = try options.sealed.open(folder, false, options.acceptLoss)
    defer { backend.close() }
    let manifest = ManifestFile(disk: options.disk, folder: folder)
    let written = try WriteAheadCheck(disk: options.disk, folder: folder).run()
    try refuse(written, manifest, options)
    let journal = JournalFolder(of: folder)
    let marked = CommitMarkFile.frame(in: folder, of: backend.storeID, on: options.disk)
    let contents = try JournalReader(
      disk: options.disk, folder: journal, store: backend.storeID, oldest: try backend.oldestSegment(),
      oldestFrame: try backend.oldestFrame(), segmentBytes: try backend.segmentBytes(),
      acceptLoss: options.acceptLoss
    ).read()
    var fold = JournalFold(
      rows: try backend.logs(), imports: try backend.imports(), acceptLoss: options.acceptLoss,
      place: journal.path)
    try fold.fold(contents)
    let (_, faults, missing) = try manifest.compare(backend, contents, fold, marked)
    if let first = missing.first, !options.acceptLoss { throw .damaged(first) }
    // If the notes of earlier damage cannot be read, the events can still be read.
    let earlier = (try? backend.noted()) ?? []
    let damages =
      [written?.damage].compactMap(\.self) + contents.harmless + contents.damages + fold.damages + faults
      + missing
    return EmbeddedLogStore(
      base: EngineStore(
        reading: folder, options: options.ofEngine, logs: fold.logs, readers: options.readers,
        reader: { () throws(LogError) in try options.sealed.reader(folder) }),
      lock: nil, damages: damages, earlier: earlier, remains: missing.isEmpty ? contents.remains : nil,
      identity: backend.storeID)
  }

  /// What the store has done and holds. This goes through every log; `refusal` and `commitUnderWay` do not,
  /// and cost little.
  public var statistics: StoreStatistics { base.statistics }

  /// Why the store takes no events at present; nil if it takes them.
  public var refusal: LogError? { base.refusal }

  /// The age of the group commit that is under way, the wait for space included; zero if there is none.
  public var commitUnderWay: Duration { base.commitUnderWay }

  /// Seals everything that is durable now; returns when it is in the database.
  public func seal() async throws(LogError) { try await base.seal() }

  public func shutdown() async {
    await base.shutdown()
    lock?.close()
  }

  /// Stops at once and leaves everything as a killed process would. For tests.
  package func abandon() {
    base.abandon()
    lock?.close()
  }
}

extension EmbeddedLogStore.Options {
  /// What of the options is the engine's.
  fileprivate var ofEngine: EngineOptions {
    var options = EngineOptions(frameBytes: JournalWriter.frameLimit(segmentBytes: segmentBytes))
    options.minimumCommitInterval = minimumCommitInterval
    options.liveSegments = liveSegments
    options.sealIdle = sealIdle
    options.packAfter = packAfter
    options.bodyShapes = bodyShapes
    options.acceptsLoss = acceptLoss
    return options
  }
}
