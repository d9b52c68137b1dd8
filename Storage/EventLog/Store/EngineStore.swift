import EventLogModel
import Synchronization

/// What the engine reads of a store's options.
package struct EngineOptions: Sendable {
  /// The largest payload of one frame, in bytes.
  package var frameBytes: Int
  /// The least time between small commits.
  package var minimumCommitInterval: Duration = .microseconds(500)
  /// With more segments in use than this the sealer works without pause; with two more than that commits
  /// wait.
  package var liveSegments = 4
  /// A log without events for this long is sealed.
  package var sealIdle: Duration = .seconds(60)
  /// When a log has had no events for this long, its blocks are packed into columns; nil: never.
  package var packAfter: Duration?
  package var bodyShapes: [UInt8: BodyShape] = [:]
  /// Whether the store was opened although events are missing.
  package var acceptsLoss = false

  package init(frameBytes: Int) { self.frameBytes = frameBytes }
}

/// The two halves of a store that is open for writing, and what was found in them.
package struct EngineParts {
  /// What errors name as the store's place.
  package var place: String
  package var options: EngineOptions
  package var journal: any Journal
  package var segments: any JournalSegments
  /// Segments that nothing needs once the sealed half has settled.
  package var held: [UInt64]
  /// The first place of the journal that holds something not sealed.
  package var oldest: JournalPlace
  package var logs: [UInt64: RecoveredLog]
  /// Whether the journal may hold something that was removed.
  package var hasRemains: Bool
  package var backend: any SealedBackend
  /// Opens the sealed half again after a failure.
  package var open: @Sendable () throws(LogError) -> any SealedBackend
  /// How many threads read the sealed half, and how each of them opens it.
  package var readers: Int
  package var reader: @Sendable () throws(LogError) -> any SealedReading

  package init(
    place: String, options: EngineOptions, journal: any Journal, segments: any JournalSegments,
    held: [UInt64], oldest: JournalPlace, logs: [UInt64: RecoveredLog], hasRemains: Bool,
    backend: any SealedBackend, open: @escaping @Sendable () throws(LogError) -> any SealedBackend,
    readers: Int, reader: @escaping @Sendable () throws(LogError) -> any SealedReading
  ) {
    (self.place, self.options, self.journal, self.segments) = (place, options, journal, segments)
    (self.held, self.oldest, self.logs, self.hasRemains) = (held, oldest, logs, hasRemains)
    (self.backend, self.open, self.readers, self.reader) = (backend, open, readers, reader)
  }
}

/// A log store over any two halves: group commits into a journal, a sealer behind it, reads from memory and
/// from the sealed half. `EmbeddedLogStore` gives it the halves of a folder.
package final class EngineStore: LogStore {
  let engine: Engine
  let committer: Committer?
  private let readers: ReaderPool
  private let threads: Mutex<[WorkerThread]>

  /// Starts the commit thread, the sealer's thread and the readers.
  package init(_ parts: EngineParts) {
    let engine = Engine(place: parts.place, options: parts.options, segments: parts.segments)
    engine.state.withLock { state in
      state.adopt(parts.logs, segment: parts.journal.segment, oldest: parts.oldest)
      state.frame = parts.journal.nextFrame - 1
      state.clearing.isDue = parts.hasRemains
    }
    let committer = Committer(engine: engine, journal: parts.journal)
    let sealer = Sealer(
      engine: engine, segments: parts.segments, held: parts.held, backend: parts.backend, open: parts.open)
    self.engine = engine
    self.committer = committer
    readers = ReaderPool(threads: parts.readers, open: parts.reader)
    threads = Mutex([WorkerThread { committer.loop() }, WorkerThread { sealer.loop() }])
  }

  /// A store that only reads: the logs as they were found, and the sealed half.
  package init(
    reading place: String, options: EngineOptions, logs: [UInt64: RecoveredLog], readers count: Int,
    reader: @escaping @Sendable () throws(LogError) -> any SealedReading
  ) {
    engine = Engine(place: place, options: options, segments: nil)
    engine.state.withLock { state in
      state.adopt(logs, segment: 0, oldest: JournalPlace(segment: 0, frame: 0))
      state.stopped = .readOnly
    }
    committer = nil
    readers = ReaderPool(threads: count, open: reader)
    threads = Mutex([])
  }

  package var statistics: StoreStatistics { engine.statistics() }
  package var refusal: LogError? { engine.state.withLock { $0.stopped ?? $0.refusal } }
  package var commitUnderWay: Duration { engine.state.withLock { $0.commitUnderWay } }

  /// Seals everything that is durable now; returns when it is in the database.
  package func seal() async throws(LogError) {
    try await wait { engine.whenSealed($0) }
  }

  package func shutdown() async {
    engine.stopTaking()
    let threads = threads.withLock { threads in
      defer { threads = [] }
      return threads
    }
    await Self.offPool { threads.first?.join() }
    // Events that cannot be sealed now stay in the journal, where the next start finds them.
    _ = try? await seal()
    await Self.offPool { [engine, readers] in
      // Readers close before the sealer does: SQLite removes the write-ahead log when the last connection
      // closes.
      readers.close()
      engine.abandon()
      for thread in threads { thread.join() }
      engine.end()
    }
  }

  /// Stops at once and leaves everything as a killed process would. For tests.
  package func abandon() {
    engine.abandon(asKilled: true)
    for thread in threads.withLock({ $0 }) { thread.join() }
    engine.fail(.stopped(reason: "abandoned"))
    readers.close()
  }

  private static func offPool(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      let work: @Sendable () -> Void = {
        body()
        continuation.resume()
      }
      // If no thread can be started, the caller's thread waits instead; a store is shut down only once.
      if WorkerThread.ifAllowed(work) == nil { work() }
    }
  }
}

extension EngineStore {
  /// Waits for a function that answers by a callback.
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
