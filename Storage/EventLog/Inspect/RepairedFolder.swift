import EventLogFormat
import EventLogModel

/// What a repair has found of one log, in a folder or in the tables of a database.
package struct FoundLog {
  /// A sound block's records, the chain value with it, and where some were erased the digest of the records as they were.
  package typealias ReadBlock = (run: Run, chain: [UInt8], originalDigest: [UInt8]?)

  let parts: LogRepair.Parts
  package var log: LogID { parts.log }
  /// The sound block that begins at a revision; nil if there is none.
  let block: (Revision) -> ReadBlock?
  /// The records of a block in a bare page.
  var pageRun: (Salvage.SoundBlock) -> Run? = { _ in nil }
  /// Whether a start accepted the loss of these revisions.
  let isAccepted: (ClosedRange<UInt64>) -> Bool
  /// When it was created, its epoch and whether it was deleted, as far as that is known beside the catalog's row and the entries
  /// that are not sealed.
  package var created: Timestamp?
  package var epoch: Epoch?
  package var isDeleted = false
  /// Whether its creation is known, and so all that the journal has of it since: which event is its last.
  package var isKnown = false
  /// Whether the last events of every log may be lost.
  package var hasLostEnd = false
  /// The last revision of an import that is not finished, as the catalog says.
  package var importLast: Revision?

  init(
    _ parts: LogRepair.Parts, block: @escaping (Revision) -> ReadBlock?,
    isAccepted: @escaping (ClosedRange<UInt64>) -> Bool
  ) {
    (self.parts, self.block, self.isAccepted) = (parts, block, isAccepted)
  }

  /// A log of which there are blocks and runs that are not sealed, and nothing else.
  ///
  /// - Parameters:
  ///   - entry: the catalog's row; nil where it cannot be read.
  ///   - keys: the first revisions of its blocks, in order.
  ///   - journaled: what is not sealed.
  package init(
    _ log: LogID, number: UInt64, entry: CatalogEntry?, keys: [Revision], journaled: JournaledLog,
    block: @escaping (Revision) -> ReadBlock?, isAccepted: @escaping (ClosedRange<UInt64>) -> Bool
  ) {
    self.init(
      LogRepair.Parts(
        number: number, log: log, entry: entry, keys: keys, pages: [], journaled: journaled, search: []),
      block: block, isAccepted: isAccepted)
  }

  /// Passes the events on in the order of revisions: `take` gets those that were found, `lose` is told which were not.
  fileprivate func assemble(
    take: @escaping (Run) throws(LogError) -> Void,
    lose: @escaping (ClosedRange<UInt64>) throws(LogError) -> Void
  ) throws(LogError) -> RepairReport.Log {
    var repair = LogRepair(
      parts, block: block, pageRun: pageRun, isAccepted: isAccepted, take: take, lose: lose)
    return try repair.run()
  }
}

/// The folder that a repair writes: one log after the other, each with a new number, and what is lost of it noted. Used from
/// one thread.
package final class RepairedFolder {
  private let folder: String
  private let store: SealedStore
  private var numbers: [LogID: UInt64] = [:]

  /// Bytes of records in one transaction.
  private static let batchBytes = 4 << 20

  /// - Parameter folder: exists and is empty.
  package init(_ folder: String) throws(LogError) {
    self.folder = folder
    store = try SealedStore(folder: folder, writable: true, acceptsGaps: true)
  }

  /// Ends without a proof.
  package func abandon() { store.close() }

  /// Writes one log. Returns nil for one that is deleted, and where a log of this name was written before: then a row is
  /// damaged, and the one that was found first stays.
  package func write(_ found: FoundLog) throws(LogError) -> RepairReport.Log? {
    guard numbers[found.parts.log] == nil else { return nil }
    let number = UInt64(numbers.count) + 1
    numbers[found.parts.log] = number
    return try write(found, as: number)
  }

  private func write(_ found: FoundLog, as number: UInt64) throws(LogError) -> RepairReport.Log? {
    let parts = found.parts
    let created =
      parts.entry?.row.created ?? found.created ?? Timestamp(milliseconds: WallClock.milliseconds)
    let isKnown = parts.entry != nil || found.isKnown
    var batch: [SealedChange] = []
    // Blocks that are to be removed are only read, because the hash chain reaches over them.
    let low = parts.low
    if low > 1 { batch.append(.low(number: number, low)) }
    if let last = found.importLast ?? parts.importLast {
      batch.append(.importing(number: number, through: last))
    }
    func begin(_ epoch: Epoch) throws(LogError) {
      try store.apply(
        [.created(number: number, log: parts.log, epoch: epoch, at: created)] + batch, oldestSegment: nil)
      batch = []
    }
    let epoch = parts.entry?.row.epoch ?? found.epoch
    // The row may be from before the deletion.
    guard parts.entry?.state ?? .live == .live, !found.isDeleted, !parts.journaled.isDeleted else {
      try begin(epoch ?? .random())
      try store.apply([.deleted(number: number, at: created)], oldestSegment: nil)
      return nil
    }
    // Whether the log's end is there is known only after reading all of it. So the first pass only reads, and
    // the second one writes.
    var outcome = try found.assemble(take: { _ in }, lose: { _ in })
    outcome.hasNewEpoch = outcome.hasNewEpoch || !isKnown || found.hasLostEnd
    outcome.isEndKnown = isKnown
    try begin(outcome.hasNewEpoch ? .random() : epoch ?? .random())
    var bytes = 0
    func flush() throws(LogError) {
      try store.apply(batch, oldestSegment: nil)
      (batch, bytes) = ([], 0)
    }
    _ = try found.assemble(
      take: { run throws(LogError) in
        guard let kept = run.suffix(after: low.previous) else { return }
        batch.append(.run(number: number, kept))
        bytes += kept.records.count
        if bytes >= Self.batchBytes { try flush() }
      },
      lose: { [store, log = parts.log] lost throws(LogError) in
        guard lost.upperBound >= low.rawValue else { return }
        let lost = max(lost.lowerBound, low.rawValue)...lost.upperBound
        let what = "\(Damage.missingEvents): a repair found them nowhere"
        try store.note(Damage(what: what, place: store.path, log: log, lost: lost), number: number)
      })
    try flush()
    return outcome
  }

  /// Notes damage, so that it stays named in the folder, and proves what was written: every checksum, every count, the
  /// hash chain. Throws `damaged` when that is not sound.
  package func finish(noting damages: [Damage]) throws(LogError) {
    for damage in damages where !damage.isHarmless {
      try store.note(damage, number: damage.log.flatMap { numbers[$0] })
    }
    _ = try store.finishChanges()
    store.close()
    let proof = try Verify.database(folder: folder, level: .full)
    if let finding = proof.findings.first { throw .damaged(finding) }
  }
}
