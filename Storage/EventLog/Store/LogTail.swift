import EventLogModel

/// The newest durable events of one log, in memory: what is not sealed, and the last sealed piece while the
/// log is open, so that catching up seldom touches the disk.
struct LogTail: Sendable {
  /// Consecutive events that are not sealed, with the journal segment that holds the first of them.
  struct Chunk: Sendable {
    var run: Run
    var segment: UInt64
  }

  /// A chunk is closed before it would grow past this: the size of one block (storage design, section 4.1).
  static let chunkBytes = 64 << 10

  private(set) var recent: Run?
  private(set) var chunks: [Chunk] = []
  private var open = RunBuilder(first: 1)
  private var openSegment: UInt64 = 0

  /// Bytes of records held, sealed piece included.
  var byteCount: Int { (recent?.records.count ?? 0) + unsealedBytes }
  private(set) var unsealedBytes = 0
  var isSealed: Bool { chunks.isEmpty && open.isEmpty }
  /// Whether a whole chunk waits to be sealed.
  var isRipe: Bool { !chunks.isEmpty }

  /// The journal segment that holds the oldest event not sealed; `nil` if all are.
  var oldestSegment: UInt64? { chunks.first?.segment ?? (open.isEmpty ? nil : openSegment) }

  /// The same, as if everything before `next` were sealed.
  func oldestSegment(from next: Revision) -> UInt64? {
    chunks.first { $0.run.lastRevision >= next }?.segment ?? (open.isEmpty ? nil : openSegment)
  }

  /// The first revision held; `nil` if nothing is.
  var first: Revision? { recent?.first ?? firstUnsealed }
  var firstUnsealed: Revision? { chunks.first?.run.first ?? (open.isEmpty ? nil : open.first) }

  mutating func append(_ run: Run, segment: UInt64) {
    unsealedBytes += run.records.count
    if !open.isEmpty, open.byteCount + run.records.count > Self.chunkBytes { closeChunk() }
    if open.isEmpty {
      guard run.records.count < Self.chunkBytes else {
        chunks.append(Chunk(run: run, segment: segment))
        return
      }
      open = RunBuilder(first: run.first)
      openSegment = segment
    }
    open.appendRun(run)
  }

  private mutating func closeChunk() {
    if let run = open.take() { chunks.append(Chunk(run: run, segment: openSegment)) }
  }

  /// What to seal now: whole chunks, or everything. It stays here until `sealed`.
  mutating func piecesToSeal(all: Bool) -> [Run] {
    if all { closeChunk() }
    return chunks.map(\.run)
  }

  /// Everything before `next` is sealed. The last piece of it stays if `keeping`.
  mutating func sealed(before next: Revision, keeping: Bool) {
    while let chunk = chunks.first, chunk.run.lastRevision < next {
      unsealedBytes -= chunk.run.records.count
      recent = chunk.run
      chunks.removeFirst()
    }
    if !keeping { recent = nil }
  }

  mutating func forgetRecent() { recent = nil }

  mutating func removeAll() {
    recent = nil
    chunks = []
    open = RunBuilder(first: 1)
    unsealedBytes = 0
  }

  /// All runs held, in order.
  var runs: [Run] {
    var runs: [Run] = []
    if let recent { runs.append(recent) }
    runs += chunks.map(\.run)
    if !open.isEmpty { runs.append(openRun) }
    return runs
  }

  private var openRun: Run {
    Run(first: open.first, count: open.count, base: open.base, last: open.last, records: open.records)
  }

  /// Runs after `revision`, about `limit` bytes but at least one if there is one; the first may begin before.
  func runs(after revision: Revision, limit: Int) -> [StoredRun] {
    var found: [StoredRun] = []
    var bytes = 0
    for run in runs where run.lastRevision > revision {
      if !found.isEmpty, bytes + run.records.count > limit { break }
      found.append(StoredRun(run))
      bytes += run.records.count
    }
    return found
  }

  /// The last revision held whose time is not after `time`; `nil` if there is none.
  func revision(at time: Timestamp) -> Revision? {
    runs.revision(at: time)
  }
}
