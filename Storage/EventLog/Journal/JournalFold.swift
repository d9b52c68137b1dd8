import EventLogFormat
import EventLogModel

/// One log as recovery finds it: what is sealed, and what only the journal holds.
package struct RecoveredLog: Sendable {
  package var number: UInt64
  package var log: LogID
  var epoch: Epoch
  var created: Timestamp
  package var isDeleted = false
  var low: Revision = 1
  /// The first revision not sealed.
  var next: Revision = 1
  var lastTime: Timestamp
  /// Runs that are not sealed, in order; without gaps, unless loss was accepted.
  var runs: [Run] = []
  /// Entries of the journal that the catalog does not know yet.
  var unsealedCreation = false
  var unsealedDeletion: Timestamp?
  var unsealedLow: Revision?
  /// Whether the log began at `unsealedLow`, and the catalog does not know it yet.
  var beginsAtLow = false
  /// The last revision that an import of the log will have, also if the import has reached it.
  var importLast: Revision?
  /// Whether the catalog has `importLast` already.
  var isImportSealed = false
  /// The last journal frame that had something of the log.
  var frame: UInt64 = 0
  /// Revisions are missing before one of the runs: an accepted loss.
  var hasGap = false

  var last: Revision { runs.last?.lastRevision ?? next.previous }

  /// The last revision of an import that is not finished.
  var unfinished: Revision? { importLast.flatMap { last < $0 ? $0 : nil } }
}

/// Applies the journal's entries to the catalog's logs, for the recovery of a folder and of a node. Events that are sealed already are skipped by their
/// revision.
package struct JournalFold {
  package private(set) var logs: [UInt64: RecoveredLog] = [:]
  package private(set) var damages: [Damage] = []
  let acceptLoss: Bool
  let place: String
  private var holes: [JournalContents.Hole] = []
  private var frame: UInt64 = 0

  package init(
    rows: [LogRow], imports: [UInt64: Revision] = [:], acceptLoss: Bool, place: String
  ) {
    self.acceptLoss = acceptLoss
    self.place = place
    for row in rows {
      logs[row.number] = RecoveredLog(
        number: row.number, log: row.log, epoch: row.epoch, created: row.created, isDeleted: row.deleted,
        low: row.low, next: row.next, lastTime: row.lastTime, importLast: imports[row.number],
        isImportSealed: imports[row.number] != nil)
    }
  }

  package mutating func fold(_ contents: JournalContents) throws(LogError) {
    holes = contents.holes
    for entry in contents.entries {
      frame = entry.frame
      try fold(entry.entry)
    }
  }

  private mutating func fold(_ entry: JournalEntry) throws(LogError) {
    switch entry {
    case .created(let number, let log, let epoch, let time):
      guard logs[number] == nil else { return }
      logs[number] = RecoveredLog(
        number: number, log: log, epoch: epoch, created: time, lastTime: time, unsealedCreation: true)
    case .run(let number, let run):
      // The log is taken out of the dictionary and put back, so that its runs are not copied.
      guard var log = logs.removeValue(forKey: number) else { return try reportUnknown(number) }
      defer { logs[number] = log }
      try add(run, to: &log)
    case .deleted(let number, let time):
      guard logs[number] != nil else { return try reportUnknown(number) }
      guard !logs[number]!.isDeleted else { return }
      logs[number]!.isDeleted = true
      logs[number]!.unsealedDeletion = time
      logs[number]!.runs = []
    case .low(let number, let revision):
      guard logs[number] != nil else { return try reportUnknown(number) }
      guard revision > logs[number]!.low else { return }
      // The log begins at this revision: it is the copy of a log whose earlier events were removed.
      if logs[number]!.last == .zero { (logs[number]!.next, logs[number]!.beginsAtLow) = (revision, true) }
      logs[number]!.low = revision
      logs[number]!.unsealedLow = revision
    case .importing(let number, let last):
      guard logs[number] != nil else { return try reportUnknown(number) }
      logs[number]!.importLast = last
    }
  }

  private mutating func add(_ run: Run, to log: inout RecoveredLog) throws(LogError) {
    guard !log.isDeleted, let rest = run.suffix(after: log.last) else { return }
    if rest.first != log.last.next {
      log.hasGap = true
      try report(missing(before: rest, of: log))
    }
    log.runs.append(rest)
    log.frame = frame
    log.lastTime = max(log.lastTime, rest.last)
  }

  /// What is lost between what is known of a log and its next run: revisions, times, and the bytes that held them.
  private func missing(before run: Run, of log: RecoveredLog) -> Damage {
    let held = holes.filter { $0.frames.lowerBound > log.frame && $0.frames.upperBound <= frame }
    var what =
      "\(Damage.missingEvents) from the journal, between \(log.lastTime.iso8601) and \(run.base.iso8601)"
    if let first = held.first, let last = held.last {
      let bytes = held.reduce(0) { $0 + $1.bytes }
      what += ", in frames \(first.frames.lowerBound) to \(last.frames.upperBound - 1) of \(bytes) bytes"
    }
    return Damage(
      what: what, place: held.first?.path ?? place, offset: held.first?.offset, log: log.log,
      lost: log.last.next.rawValue...run.first.previous.rawValue)
  }

  private mutating func reportUnknown(_ number: UInt64) throws(LogError) {
    let what = "an entry of log number \(number), which was never created"
    try report(Damage(what: what, place: place))
  }

  private mutating func report(_ damage: Damage) throws(LogError) {
    guard acceptLoss else { throw .damaged(damage) }
    damages.append(damage)
  }
}

extension RecoveredLog {
  /// Whether the journal removes events that the catalog still has.
  package var hasUnsealedRemoval: Bool { unsealedLow != nil || unsealedDeletion != nil }

  /// What the journal has of the log and the sealed half does not, in an order in which it can be sealed.
  package var unsealedWhole: [SealedChange] {
    let runs = runs.map { SealedChange.run(number: number, $0) }
    let before = unsealedChanges.prefix {
      switch $0 {
      case .created, .importing: true
      case .low: beginsAtLow
      case .run, .deleted: false
      }
    }
    return before + runs + unsealedChanges.dropFirst(before.count)
  }

  /// The entries of this log that the journal must still hold, in an order in which they can be replayed.
  var unsealedEntries: [JournalEntry] {
    var entries: [JournalEntry] = []
    if unsealedCreation { entries.append(.created(number: number, log: log, epoch: epoch, at: created)) }
    if let unfinished, !isImportSealed { entries.append(.importing(number: number, through: unfinished)) }
    if let unsealedLow, beginsAtLow { entries.append(.low(number: number, unsealedLow)) }
    entries += runs.map { .run(number: number, $0) }
    if let unsealedLow, !beginsAtLow { entries.append(.low(number: number, unsealedLow)) }
    if let unsealedDeletion { entries.append(.deleted(number: number, at: unsealedDeletion)) }
    return entries
  }
}
