import EventLogModel

/// What a repair found, put together and could not find.
public struct RepairReport: Sendable, Hashable {
  /// One log of the repaired folder.
  public struct Log: Sendable, Hashable {
    public var log: LogID
    /// The last revision that the repaired log has; zero if it is empty.
    public var last = Revision.zero
    /// Events that it has.
    public var events = 0
    /// Runs that were not where they belong, and were found elsewhere.
    public var found: [RecoveredEvents] = []
    /// Revisions that are nowhere.
    public var lost: [ClosedRange<UInt64>] = []
    /// The log has another epoch than before, since its own, or its end, is lost: clients start afresh.
    public var hasNewEpoch = false
    /// Whether something says which revision was the last: the catalog, or the journal from the log's creation on.
    public var isEndKnown = true
    /// The damaged log's chain value after its last block that could be compared; `nil` if there was none.
    public var chain: [UInt8]?

    /// Whether each event is there, and it is known that it is.
    public var isWhole: Bool { lost.isEmpty && isEndKnown }
  }

  /// Events that were found elsewhere.
  public struct RecoveredEvents: Sendable, Hashable {
    public var revisions: ClosedRange<UInt64>
    public var place: EventSource
    /// Whether the hash chain of the blocks behind them agrees; else their own checksums are all that speaks for them.
    public var isProved: Bool
  }

  public enum EventSource: String, Sendable, Hashable {
    /// A block in a page that the database does not lead to any more.
    case page
    /// A journal file, also one that was given up.
    case journal
    /// Some in pages, some in journal files.
    case both
  }

  public var logs: [Log] = []
  /// What was wrong with the folder, as far as it has a place.
  public var damages: [Damage] = []
  /// The database could not be opened: everything was gathered from bare pages, and logs that were deleted before may
  /// have come back.
  public var isFromPages = false
  /// Something is lost of which nobody can say what it was: the journal's end, one of its segments, or a log whose name and
  /// events are nowhere. It stands in `damages`.
  public var hasUnknownLoss = false

  /// Whether everything is there that was, as far as the folder itself can say.
  public var isWhole: Bool { !isFromPages && !hasUnknownLoss && logs.allSatisfy(\.isWhole) }
}
