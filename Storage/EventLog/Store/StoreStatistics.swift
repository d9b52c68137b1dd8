import EventLogModel

/// What the store has done and holds, for metrics. Counts run from the opening of the store.
public struct StoreStatistics: Sendable, Hashable {
  /// Group commits, the events and runs in them.
  public var commits = 0
  public var events = 0
  public var runs = 0
  /// Bytes of payload before compression, and bytes written to the journal.
  public var rawBytes = 0
  public var journalBytes = 0
  /// How long a write with its flush took.
  public var commitLatency = LatencyHistogram()
  /// The age of the group commit that is under way, the wait for space included; zero if there is none.
  public var commitUnderWay = Duration.zero
  /// Journal segments that hold something not sealed, the present one included.
  public var segmentsInUse = 0
  public var spareSegments = 0
  /// Events that only the journal holds.
  public var unsealedEvents = 0
  /// Bytes of records that only the journal holds, and of all records in memory.
  public var unsealedBytes = 0
  public var tailBytes = 0
  /// Transactions of the sealer, and bytes of records that it sealed.
  public var seals = 0
  public var sealedBytes = 0
  public var sealFailures = 0
  /// Blocks of idle logs that were packed into columns, and the bytes that this saved.
  public var packedBlocks = 0
  public var packedSavings = 0
  /// Times that a commit had to wait for the sealer or for space.
  public var commitStalls = 0
  /// Revisions that were lost by damage since the folder was made, as far as is known.
  public var lostRevisions = 0
  public var logs = 0
  public var openLogs = 0
  /// Why the store takes no events; nil if it takes them.
  public var refusal: LogError?

  public init() {}
}

/// Counts of durations by upper bound.
public struct LatencyHistogram: Sendable, Hashable {
  /// Upper bounds in microseconds; a last bucket takes everything above. Chosen around what a plain
  /// fdatasync took on the disks that were measured (p50 0.16 ms, p99 up to 20 ms).
  public static let bounds = [
    50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 200_000, 1_000_000,
  ]

  public private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
  /// The sum of all durations, in nanoseconds.
  public private(set) var total: UInt64 = 0

  public init() {}

  /// Counts one duration.
  public mutating func add(nanoseconds: UInt64) {
    let microseconds = Int(nanoseconds / 1_000)
    counts[Self.bounds.firstIndex { microseconds <= $0 } ?? Self.bounds.count] += 1
    total &+= nanoseconds
  }

  public var count: Int { counts.reduce(0, +) }
}
