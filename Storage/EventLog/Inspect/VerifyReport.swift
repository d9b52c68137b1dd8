import EventLogModel

/// How thoroughly `Verify` checks.
public enum VerifyLevel: Sendable, Hashable {
  /// The catalog against the blocks' keys: counts, gaps, overlaps. Reads no payload.
  case quick
  /// Also SQLite's own check, every checksum, every record's header, the chain and every snapshot.
  case full
}

/// The result of a check: what was checked, what is wrong, and what can still be read.
public struct VerifyReport: Sendable, Hashable {
  /// Numbers of what was checked.
  public struct VerifiedTotals: Sendable, Hashable {
    public var logs = 0
    public var blocks = 0
    public var records = 0
    /// Bytes of records, and of the blocks that hold them; zero at the quick level.
    public var rawBytes = 0
    public var storedBytes = 0
    public var snapshots = 0
    public var journalFrames = 0
  }

  /// One log and the sealed revisions that can be read, in rising order.
  public struct Readable: Sendable, Hashable {
    public var number: UInt64
    public var log: LogID
    public var revisions: [ClosedRange<UInt64>]
  }

  public var level: VerifyLevel
  public var checked = VerifiedTotals()
  public var findings: [Damage] = []
  public var logs: [Readable] = []
  /// The caller asked to stop. The report is true but not complete.
  public var wasCancelled = false

  public init(level: VerifyLevel) { self.level = level }

  public var isSound: Bool { findings.isEmpty && !wasCancelled }

  /// Adds what a check of the journal found.
  public mutating func add(journal findings: [Damage], frames: Int) {
    self.findings += findings
    checked.journalFrames += frames
  }
}

/// How far a long operation has come.
public struct InspectProgress: Sendable, Hashable {
  /// Of `total` in the same unit: blocks for a check, pages for a copy or a salvage.
  public var done: Int
  public var total: Int
  /// The log being looked at.
  public var log: LogID?

  public init(done: Int, total: Int, log: LogID? = nil) {
    self.done = done
    self.total = total
    self.log = log
  }
}

extension LogError {
  /// The damage that it tells of; nil for what is none. A missing part has no place of its own.
  package func damage(in place: String) -> Damage? {
    switch self {
    case .damaged(let found): found
    case .missingPart(let log, let key):
      Damage(what: "snapshot part \(key) is missing", place: place, log: log)
    default: nil
    }
  }
}
