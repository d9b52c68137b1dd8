import EventLogFormat
import EventLogModel

/// What entries of a journal say of one log, for a repair. They may be of what is sealed already.
package struct JournaledLog: Sendable {
  /// Its creation, if that is among them.
  package private(set) var created: (log: LogID, epoch: Epoch, time: Timestamp)?
  /// Its events, in order.
  package private(set) var runs: [Run] = []
  package private(set) var isDeleted = false
  /// The first revision that was not given up.
  private(set) var low: Revision = 1
  /// Where it began, if that was said before its first event.
  private(set) var beginning: Revision?
  /// The last revision that an import of it will have, also if the import has reached it.
  private(set) var importLast: Revision?

  package init() {}

  /// Those of all logs, by their numbers.
  package static func all(in contents: JournalContents) -> [UInt64: JournaledLog] {
    var found: [UInt64: JournaledLog] = [:]
    for frame in contents.entries { found[frame.entry.number, default: JournaledLog()].add(frame.entry) }
    return found
  }

  private mutating func add(_ entry: JournalEntry) {
    switch entry {
    case .created(_, let log, let epoch, let time): created = (log, epoch, time)
    case .run(_, let run): runs.append(run)
    case .deleted: isDeleted = true
    case .low(_, let revision):
      if runs.isEmpty { beginning = revision }
      low = max(low, revision)
    case .importing(_, let last): importLast = last
    }
  }
}
