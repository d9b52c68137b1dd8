import EventLogModel
import MemoryLog
import Synchronization

/// Keeps logs in one folder: a journal with group commit, and a sealed database behind it.
///
/// `log.db` holds the catalog, the blocks and the snapshots; `journal/` what is not sealed yet; `LOCK` keeps
/// a second writing process out. docs/FORMAT.md describes every byte.
public final class EmbeddedLogStore: LogStore {
  public struct Options: Sendable {
    /// The largest record body, in bytes; less with very small segments.
    public static let maximumRecordBytes = MemoryLogStore.recordLimit

    /// Never write: look into a folder that a server may be writing to. Shows what was there on opening.
    public var readOnly = false
    /// Serve what is left of a damaged journal, and report the rest in `damages`, instead of refusing.
    public var acceptLoss = false
    /// The least time between small commits; bounds CPU and wear of the disk while there are few events.
    public var minimumCommitInterval: Duration = .microseconds(500)
    /// Bytes of one journal segment.
    public var segmentBytes = 16 << 20
    /// Segments in use at most before sealing is hurried; commits wait when there are two more.
    public var liveSegments = 4
    /// Zero-written files kept ready.
    public var spareSegments = 2
    /// A log without events for this long is sealed.
    public var sealIdle: Duration = .seconds(60)
    /// A log without events for this long has its full blocks packed into columns, a few at a time: a third of the bytes or
    /// less. By the events' own times; `nil`: never. Builds from before do not open a folder any more in which that was done.
    public var packAfter: Duration?
    /// What bodies look like, by kind: so that `packAfter` makes the most of them. What is stored says it for itself.
    public var bodyShapes: [UInt8: BodyShape] = [:]
    /// Read connections to the sealed database.
    public var readers = 2

    /// A frame that nothing follows for this long gets an empty one behind it: from then on damage to it can be told from
    /// a frame whose writing was cut short.
    package var confirmDelay: Duration = .seconds(1)
    package var disk: any Disk = SystemDisk()
    /// A log's last block of fewer bytes of records stays open. A smaller value than the default lets short test runs have full blocks.
    package var openBlock = SealedStore.BlockSize.open
    /// A model in place of the database, for tests.
    var model: SealedSource?
    var sealed: SealedSource {
      get { model ?? .sqlite(on: disk, openBlock: openBlock) }
      set { model = newValue }
    }

    public init() {}
  }

  let engine: Engine
  private let readers: ReaderPool
  private let threads: Mutex<[WorkerThread]>
  private let lock: (any DiskFile)?
  /// What was damaged when the store was opened: loss that was accepted, and parts whose content stands elsewhere too.
  public let damages: [Damage]
  /// What earlier starts have met and noted, the oldest first: what it took away stays away.
  public let earlier: [Damage]
  /// A last frame of the journal of which nobody can say whether it was acknowledged.
  public let remains: Damage?
  /// What the store is known by: 32 hexadecimal digits, chosen when it was made, the same for ever.
  public let identity: String

  private init(
    engine: Engine, readers: ReaderPool, threads: [WorkerThread], lock: (any DiskFile)?, damages: [Damage],
    earlier: [Damage], remains: Damage?, identity: [UInt8]
  ) {
    self.engine = engine
    self.identity = LogID(bytes: identity)?.description ?? ""
    self.readers = readers
    self.threads = Mutex(threads)
    self.lock = lock
    self.damages = damages
    self.earlier = earlier
    let all = (earlier + damages).lostRevisions
    engine.state.withLock { $0.statistics.lostRevisions = all }
    self.remains = remains
  }

  /// Opens the store in `folder`, making it if it is missing.
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

  /// Where there is a whole manifest the journal holds what the write-ahead log does.
  private static func refuse(
    _ found: WriteAheadCheck.WALDamage?, _ manifest: ManifestFile, _ options: Options
  ) throws(LogError) {
    guard let found, !options.acceptLoss else { return }
    guard found.isSafe, try manifest.isWhole() else { throw .damaged(found.damage) }
  }

  private static func start(
    _ folder: String, _ options: Options, _ backend: any SealedBackend, _ recovered: Recovery.Outcome,
    _ earlier: [Damage], _ lock: any DiskFile, _ manifest: ManifestFile, hasRemains: Bool
  ) -> EmbeddedLogStore {
    let engine = Engine(folder: folder, options: options, shelf: recovered.shelf)
    engine.state.withLock { state in
      state.adopt(recovered.logs, segment: recovered.writer.segment, oldest: recovered.oldest)
      state.frame = recovered.writer.nextFrame - 1
      state.clearing.isDue = hasRemains
    }
    let committer = Committer(engine: engine, journal: recovered.writer, shelf: recovered.shelf)
    let sealer = Sealer(
      engine: engine, recovered: recovered, source: options.sealed, backend: backend, manifest: manifest,
      lock: lock)
    return EmbeddedLogStore(
      engine: engine,
      readers: ReaderPool(folder: folder, source: options.sealed, threads: options.readers),
      threads: [WorkerThread { committer.loop() }, WorkerThread { sealer.loop() }],
      lock: lock, damages: recovered.damages, earlier: earlier, remains: recovered.remains,
      identity: backend.storeID)
  }

  /// How often a live folder is looked at again when it changed under the reading.
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

  /// The journal first, the database after it: what is sealed in between is seen twice, never not at all.
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
    // Notes that cannot be read keep nobody from the events.
    let earlier = (try? backend.noted()) ?? []
    let damages =
      [written?.damage].compactMap(\.self) + contents.harmless + contents.damages + fold.damages + faults
      + missing
    let engine = Engine(folder: folder, options: options, shelf: nil)
    engine.state.withLock { state in
      state.adopt(fold.logs, segment: 0, oldest: JournalPlace(segment: 0, frame: 0))
      state.stopped = .readOnly
    }
    return EmbeddedLogStore(
      engine: engine,
      readers: ReaderPool(folder: folder, source: options.sealed, threads: options.readers),
      threads: [], lock: nil, damages: damages, earlier: earlier,
      remains: missing.isEmpty ? contents.remains : nil, identity: backend.storeID)
  }

  /// What the store has done and holds. Looks at every log; `refusal` and `commitUnderWay` do not.
  public var statistics: StoreStatistics { engine.statistics() }

  /// Why the store takes no events, if so.
  public var refusal: LogError? { engine.state.withLock { $0.stopped ?? $0.refusal } }

  /// How long the group commit that is under way has taken yet, the wait for space included; zero if none is.
  public var commitUnderWay: Duration { engine.state.withLock { $0.commitUnderWay } }

  /// Seals everything that is durable now; returns when it is in the database.
  public func seal() async throws(LogError) {
    try await wait { engine.whenSealed($0) }
  }

  public func shutdown() async {
    engine.stopTaking()
    let threads = threads.withLock { threads in
      defer { threads = [] }
      return threads
    }
    await Self.offPool { threads.first?.join() }
    // What cannot be sealed now stays in the journal, and the next start finds it there.
    _ = try? await seal()
    await Self.offPool { [engine, readers] in
      // Before the sealer closes the database: the last one to close leaves no write-ahead log.
      readers.close()
      engine.abandon()
      for thread in threads { thread.join() }
      engine.end()
    }
    lock?.close()
  }

  /// Stops at once and leaves everything as a killed process would. For tests.
  package func abandon() {
    engine.abandon(asKilled: true)
    for thread in threads.withLock({ $0 }) { thread.join() }
    engine.fail(.stopped(reason: "abandoned"))
    readers.close()
    lock?.close()
  }

  private static func offPool(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      let work: @Sendable () -> Void = {
        body()
        continuation.resume()
      }
      // Without a thread to be had, the caller's is kept waiting: a store is shut down once.
      if WorkerThread.ifAllowed(work) == nil { work() }
    }
  }
}

extension EmbeddedLogStore {
  /// Turns a call-back into a wait.
  func wait(_ start: (@escaping EngineState.Waiter) -> Void) async throws(LogError) {
    let failure = await withCheckedContinuation { (continuation: CheckedContinuation<LogError?, Never>) in
      start { continuation.resume(returning: $0) }
    }
    if let failure { throw failure }
  }

  /// Runs `body` under the engine's lock.
  func locked<Value: Sendable>(
    _ body: (inout EngineState) -> Result<Value, LogError>
  ) throws(LogError) -> Value {
    try engine.state.withLock { state in body(&state) }.get()
  }

  func onDisk<Value: Sendable>(
    _ body: @escaping @Sendable (any SealedReading) throws(LogError) -> Value
  ) async throws(LogError) -> Value {
    try await readers.read(body)
  }
}
