import EventLogModel

/// A position in the journal. Positions rise over all segments.
package struct JournalPlace: Sendable, Hashable, Comparable {
  package var segment: UInt64
  package var frame: UInt64

  package init(segment: UInt64, frame: UInt64) {
    self.segment = segment
    self.frame = frame
  }

  package static func < (left: JournalPlace, right: JournalPlace) -> Bool { left.frame < right.frame }
}

/// The newest durable events of one log, in memory: those that are not sealed, and while the log is open the
/// last sealed piece, so that catch-up seldom reads the disk.
struct LogTail: Sendable {
  /// Consecutive events that are not sealed, with the place in the journal of the first of them.
  struct Chunk: Sendable {
    var run: Run
    var place: JournalPlace
  }

  /// A chunk is closed before it would grow past this: the size of one block (docs/FORMAT.md).
  static let chunkBytes = 64 << 10

  private(set) var recent: Run?
  private(set) var chunks: [Chunk] = []
  private var open = RunBuilder(first: 1)
  private var openPlace = JournalPlace(segment: 0, frame: 0)

  /// Bytes of records held, sealed piece included.
  var byteCount: Int { (recent?.records.count ?? 0) + unsealedBytes }
  /// Counted piece by piece: joined runs have another number of bytes than the same runs apart.
  var unsealedBytes: Int { chunkedBytes + open.byteCount }
  private var chunkedBytes = 0
  /// Events that are not sealed.
  var unsealedEvents: Int { chunks.reduce(open.count) { $0 + $1.run.count } }
  var isSealed: Bool { chunks.isEmpty && open.isEmpty }
  /// Whether a whole chunk waits to be sealed.
  var isRipe: Bool { !chunks.isEmpty }

  /// The place in the journal of the oldest event not sealed; `nil` if all are.
  var oldest: JournalPlace? { chunks.first?.place ?? (open.isEmpty ? nil : openPlace) }

  /// The same, if everything before `next` were sealed.
  func oldest(from next: Revision) -> JournalPlace? {
    chunks.first { $0.run.lastRevision >= next }?.place ?? (open.isEmpty ? nil : openPlace)
  }

  /// The first revision held; `nil` if nothing is.
  var first: Revision? { recent?.first ?? firstUnsealed }
  var firstUnsealed: Revision? { chunks.first?.run.first ?? (open.isEmpty ? nil : open.first) }

  mutating func append(_ run: Run, at place: JournalPlace) {
    let isFull = open.byteCount + run.records.count > Self.chunkBytes
    // There are gaps only in what was read from a damaged journal.
    if !open.isEmpty, isFull || open.next != run.first { closeChunk() }
    if open.isEmpty {
      guard run.records.count < Self.chunkBytes else {
        add(Chunk(run: run, place: place))
        return
      }
      open = RunBuilder(first: run.first)
      openPlace = place
    }
    open.appendRun(run)
  }

  private mutating func closeChunk() {
    if let run = open.takeRun() { add(Chunk(run: run, place: openPlace)) }
  }

  private mutating func add(_ chunk: Chunk) {
    chunks.append(chunk)
    chunkedBytes += chunk.run.records.count
  }

  /// What to seal now: whole chunks, or everything. The runs stay here until `sealed` is called.
  mutating func piecesToSeal(all: Bool) -> [Run] {
    if all { closeChunk() }
    return chunks.map(\.run)
  }

  /// Everything before `next` is sealed. The last piece of it stays if `keeping`.
  mutating func sealed(before next: Revision, keeping: Bool) {
    while let chunk = chunks.first, chunk.run.lastRevision < next {
      chunkedBytes -= chunk.run.records.count
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
    chunkedBytes = 0
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

  /// Runs after `revision`: about `limit` bytes, but at least one run if there is one. The first may begin
  /// before `revision`. Ends at the first gap; empty if a gap begins right after `revision`.
  func runs(after revision: Revision, limit: Int) -> [StoredRun] {
    var found: [StoredRun] = []
    var bytes = 0
    var next = revision.next
    for run in runs where run.lastRevision > revision {
      guard run.first <= next else { break }
      if !found.isEmpty, bytes + run.records.count > limit { break }
      found.append(StoredRun(run))
      bytes += run.records.count
      next = run.lastRevision.next
    }
    return found
  }

  /// The first revision held after `revision`.
  func first(after revision: Revision) -> Revision? {
    runs.first { $0.lastRevision > revision }.map { max($0.first, revision.next) }
  }

  /// The last revision held whose time is not after `time`; `nil` if there is none.
  func revision(at time: Timestamp) -> Revision? {
    runs.revision(at: time)
  }
}
