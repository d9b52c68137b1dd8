import EventLogModel

/// What a repair found, and what it could not find.
public struct RepairReport: Sendable, Hashable {
  /// One log of the repaired folder.
  public struct Log: Sendable, Hashable {
    public var log: LogID
    /// The last revision that the repaired log has; zero if it is empty.
    public var last = Revision.zero
    /// Events that it has.
    public var events = 0
    /// Runs that were missing in their place and were found elsewhere.
    public var found: [RecoveredEvents] = []
    /// Revisions that were found nowhere.
    public var lost: [ClosedRange<UInt64>] = []
    /// Whether the log has another epoch than before, because its epoch or its end was lost. Clients then
    /// begin anew.
    public var hasNewEpoch = false
    /// Whether it is known which revision was the last: from the catalog, or from the journal since the log's
    /// creation.
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
    /// Whether the hash chain of the blocks after them proves them. Otherwise only their own checksums do.
    public var isProved: Bool
  }

  /// Where events were found.
  public enum EventSource: String, Sendable, Hashable {
    /// A block in a page to which the database does not refer any more.
    case page
    /// A journal file, also one that was given up; of a database, a frame.
    case journal
    /// Some in pages, some in journal files.
    case both
  }

  public var logs: [Log] = []
  /// What was wrong with the folder, as far as it has a place.
  public var damages: [Damage] = []
  /// The database could not be opened. Everything was collected from bare pages, and deleted logs may have
  /// come back.
  public var isFromPages = false
  /// Whether something is lost and it is not known what: the journal's end, one of its segments, or a log of
  /// which neither name nor events were found. `damages` names it.
  public var hasUnknownLoss = false

  package init() {}

  /// Whether nothing is lost, as far as the folder shows it.
  public var isWhole: Bool { !isFromPages && !hasUnknownLoss && logs.allSatisfy(\.isWhole) }
}
