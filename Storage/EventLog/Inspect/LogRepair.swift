import EventLogFormat
import EventLogModel

/// Collects one log from its blocks, from blocks that the database does not refer to any more, and from
/// journal files. Passes the events on in the order of revisions.
struct LogRepair {
  /// Everything that was found of the log.
  struct Parts {
    var number: UInt64
    var log: LogID
    /// The catalog's row; `nil` where it cannot be read.
    var entry: CatalogEntry?
    /// The first revisions of the blocks, in order.
    var keys: [Revision]
    /// Blocks in bare pages.
    var pages: [Salvage.SoundBlock]
    /// What the journal has of it.
    var journaled: JournaledLog
    /// Other runs that were found in journal files.
    var search: [JournalSearch.JournalPiece]

    /// Runs of the journal that are not sealed, in order.
    var journal: [Run] { journaled.runs }

    /// The revision that it begins with.
    var beginning: Revision {
      guard let entry else { return journaled.created == nil ? 1 : journaled.beginning ?? 1 }
      // Of an empty one it is said before its first event, which may not be sealed yet.
      return entry.row.next == 1 ? journaled.beginning ?? entry.firstKept : entry.firstKept
    }

    /// The first revision that was not given up. Events before it may be there still.
    var low: Revision { max(beginning, entry?.row.low ?? 1, journaled.low) }

    /// The last revision of an import that is not finished as far as the journal and the catalog's row say.
    var importLast: Revision? {
      journaled.importLast.flatMap { last in (entry?.row.next ?? 1) <= last ? last : nil }
    }
  }

  /// A stretch of revisions whose blocks cannot be read, with what was found for it.
  private struct Filling {
    var revisions: ClosedRange<UInt64>
    var runs: [Run] = []
    var places: Set<RepairReport.EventSource> = []
    var isProved = false
  }

  private let parts: Parts
  private let block: (Revision) -> FoundLog.ReadBlock?
  private let pageRun: (Salvage.SoundBlock) -> Run?
  private let isAccepted: (ClosedRange<UInt64>) -> Bool
  private let take: (Run) throws(LogError) -> Void
  private let lose: (ClosedRange<UInt64>) throws(LogError) -> Void

  private(set) var report: RepairReport.Log
  /// For every revision below it is decided what becomes of it.
  private var at: Revision
  /// The chain value up to there; `nil` if it is not known.
  private var chain: [UInt8]?
  /// Runs that were found elsewhere since the last sound block. The chain value of the next sound block says
  /// whether they are the original events.
  private var open: [Filling] = []

  /// - Parameters:
  ///   - block: the sound block that begins at a revision; `nil` if there is none.
  ///   - isAccepted: whether a start accepted the loss of these revisions.
  ///   - take: gets the runs, in order, without overlaps.
  ///   - lose: called with revisions that were found nowhere, before `take` gets the run that follows them.
  init(
    _ parts: Parts, block: @escaping (Revision) -> FoundLog.ReadBlock?,
    pageRun: @escaping (Salvage.SoundBlock) -> Run?, isAccepted: @escaping (ClosedRange<UInt64>) -> Bool,
    take: @escaping (Run) throws(LogError) -> Void,
    lose: @escaping (ClosedRange<UInt64>) throws(LogError) -> Void
  ) {
    self.parts = parts
    (self.block, self.pageRun, self.isAccepted) = (block, pageRun, isAccepted)
    (self.take, self.lose) = (take, lose)
    report = RepairReport.Log(log: parts.log)
    at = parts.beginning
    if let entry = parts.entry, entry.firstKept == at {
      chain = entry.chainBefore.isEmpty ? nil : entry.chainBefore
    } else {
      chain = Chain.origin
    }
  }

  /// The keys of blocks that there can be. A damaged key may be any: one behind the log's end would be taken for the loss of all
  /// before it.
  private func keys() -> [Revision] {
    if let next = parts.entry?.row.next { return parts.keys.filter { $0 < next } }
    // Where the end is not known, a block whose row is sound lies near the one before it: it has fewer events than bytes.
    var keys = parts.keys
    while let last = keys.last, block(last) == nil,
      last - (keys.dropLast().last ?? at) > BlockSize.limit
    { keys.removeLast() }
    return keys
  }

  /// Returns the report of the log. Throws what `take` and `lose` throw.
  mutating func run() throws(LogError) -> RepairReport.Log {
    let keys = keys()
    for (index, key) in keys.enumerated() where key >= at {
      if key > at { try fill(from: at, to: key, isOneBlock: false) }
      if let found = block(key) {
        try meet(found)
      } else if let end = keys[(index + 1)...].first ?? parts.entry?.row.next, end > key {
        try fill(from: key, to: end, isOneBlock: true)
      }
    }
    if let entry = parts.entry {
      if entry.row.next > at { try fill(from: at, to: entry.row.next, isOneBlock: false) }
      try compareChain(with: entry.row.chain)
    }
    try compareChain(with: nil)
    try addJournal()
    // If the log's end is lost, its revisions would be given to other events; so the log gets another epoch.
    if let known = parts.entry?.row.next, let last = report.lost.last, last.upperBound >= known.rawValue - 1,
      report.last < known.previous
    {
      report.hasNewEpoch = true
    }
    return report
  }

  // MARK: Blocks

  private mutating func meet(_ found: FoundLog.ReadBlock) throws(LogError) {
    if let chain {
      let value = Chain.value(
        after: chain, log: parts.log, run: found.run, digest: found.originalDigest)
      try compareChain(with: found.chain, after: value)
    }
    try compareChain(with: nil)
    try hand(found.run)
    (chain, report.chain) = (found.chain, found.chain)
  }

  /// Decides everything up to `end`. `value` is the chain value that should be there, where it is known.
  private mutating func compareChain(with value: [UInt8]?) throws(LogError) {
    try compareChain(with: value, after: chain)
  }

  /// Runs that were found elsewhere are the original events if the chain leads over them to `value`.
  /// Otherwise they are left out.
  private mutating func compareChain(with value: [UInt8]?, after found: [UInt8]?) throws(LogError) {
    guard !open.isEmpty else { return }
    let isProved = value != nil && found == value
    let isRefuted = value != nil && found != nil && found != value
    for filling in open {
      var filling = filling
      filling.isProved = isProved
      if isRefuted { (filling.runs, filling.places) = ([], []) }
      try hand(filling)
    }
    open = []
  }

  private mutating func hand(_ filling: Filling) throws(LogError) {
    var next = Revision(filling.revisions.lowerBound)
    for run in filling.runs {
      if run.first > next { try miss(next.rawValue...run.first.previous.rawValue) }
      let place = filling.places.count == 1 ? filling.places.first ?? .both : .both
      report.found.append(
        .init(
          revisions: run.first.rawValue...run.lastRevision.rawValue, place: place, isProved: filling.isProved)
      )
      try hand(run)
      next = run.lastRevision.next
    }
    if next.rawValue <= filling.revisions.upperBound {
      try miss(next.rawValue...filling.revisions.upperBound)
    }
  }

  private mutating func hand(_ run: Run) throws(LogError) {
    try take(run)
    report.events += run.suffix(after: parts.low.previous)?.count ?? 0
    report.last = run.lastRevision
    at = run.lastRevision.next
  }

  private mutating func miss(_ revisions: ClosedRange<UInt64>) throws(LogError) {
    // What was given up is not lost.
    if revisions.upperBound >= parts.low.rawValue {
      report.lost.append(max(revisions.lowerBound, parts.low.rawValue)...revisions.upperBound)
    }
    try lose(revisions)
    at = Revision(revisions.upperBound).next
  }

  // MARK: What cannot be read where it belongs

  /// Looks for the revisions from `first` up to, and without, `end`.
  private mutating func fill(from first: Revision, to end: Revision, isOneBlock: Bool) throws(LogError) {
    let revisions = first.rawValue...end.previous.rawValue
    var filling = Filling(revisions: revisions)
    defer { at = end }
    // A start accepted the loss of these, and the chain goes on over them.
    guard !isAccepted(revisions) else { return open.append(filling) }
    var next = first
    var values = chain
    while next < end {
      guard let found = candidate(at: next, before: end) else {
        values = nil
        guard let later = nextCandidate(after: next, before: end) else { break }
        next = later
        continue
      }
      filling.runs.append(found.run)
      filling.places.insert(found.place)
      values =
        found.isBlock
        ? values.map {
          Chain.value(after: $0, log: parts.log, run: found.run, digest: found.originalDigest)
        } : nil
      next = found.run.lastRevision.next
    }
    if isOneBlock, values == nil || filling.runs.count > 1, let whole = Self.joined(filling.runs, revisions) {
      values = chain.map { Chain.value(after: $0, log: parts.log, run: whole) }
      filling.runs = [whole]
    }
    chain = values
    open.append(filling)
  }

  private struct Candidate {
    var run: Run
    var place: RepairReport.EventSource
    /// Whether it is one block as it was stored.
    var isBlock = false
    var originalDigest: [UInt8]?
  }

  /// Where event `revision` was found: first a block that begins there and does not go beyond `end`.
  private func candidate(at revision: Revision, before end: Revision) -> Candidate? {
    let pages = parts.pages.filter { $0.first <= revision && revision <= $0.first + ($0.count - 1) }
    for found in pages where found.first == revision && found.first + found.count <= end {
      if let run = pageRun(found) {
        return Candidate(
          run: run, place: .page, isBlock: true, originalDigest: found.originalDigest)
      }
    }
    func cut(_ run: Run) -> Run? { run.suffix(after: revision.previous)?.prefix(through: end.previous) }
    // The newest first: an older use of a file may have another event of this revision, which was never
    // acknowledged.
    let journal = parts.journal.last { $0.first <= revision && revision <= $0.lastRevision }
    let searched = parts.search.last { $0.run.first <= revision && revision <= $0.run.lastRevision }?.run
    if let run = (journal ?? searched).flatMap(cut) { return Candidate(run: run, place: .journal) }
    for found in pages {
      if let run = pageRun(found).flatMap(cut) { return Candidate(run: run, place: .page) }
    }
    return nil
  }

  private func nextCandidate(after revision: Revision, before end: Revision) -> Revision? {
    let firsts = parts.pages.map(\.first) + parts.journal.map(\.first) + parts.search.map(\.run.first)
    return firsts.filter { $0 > revision && $0 < end }.min()
  }

  /// One run of all of them, if they are all of `revisions`.
  private static func joined(_ runs: [Run], _ revisions: ClosedRange<UInt64>) -> Run? {
    guard let first = runs.first, first.first.rawValue == revisions.lowerBound,
      zip(runs, runs.dropFirst()).allSatisfy({ $0.lastRevision.next == $1.first }),
      runs.last?.lastRevision.rawValue == revisions.upperBound
    else { return nil }
    var builder = RunBuilder(first: first.first, base: first.base)
    for run in runs { builder.appendRun(run) }
    return builder.takeRun()
  }

  // MARK: The journal

  private mutating func addJournal() throws(LogError) {
    for run in parts.journal {
      guard let rest = run.suffix(after: at.previous) else { continue }
      if rest.first > at {
        chain = nil
        try fill(from: at, to: rest.first, isOneBlock: false)
        try compareChain(with: nil)
      }
      try hand(rest)
    }
  }
}
