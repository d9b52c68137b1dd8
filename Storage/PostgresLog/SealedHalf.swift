import EventLog
import EventLogFormat
import EventLogModel

/// The sealed half in a database: blocks, snapshots and the catalog. Used by the sealer's thread.
final class SealedHalf: SealedBackend {
  let writer: SealWriter
  private let openBlock: Int
  /// The incarnation whose logs it removes from, and those that nobody owns; nil if all logs are its own.
  private let owner: Int64?
  /// Blocks that one portion of `tidy` removes.
  private static let tidyBlocks = 64

  /// - Parameter openBlock: a log's last block of fewer bytes of records stays open.
  init(writer: SealWriter, openBlock: Int, owner: Int64? = nil) {
    self.writer = writer
    self.openBlock = openBlock
    self.owner = owner
  }

  func apply(_ changes: [SealedChange], oldest: JournalPlace) throws(LogError) {
    guard !changes.isEmpty else { return }
    try writer.writing { transaction throws(LogError) in
      try transaction.prefetch(Set(changes.map(\.number)))
      var sealing = Sealing(into: transaction, acceptsGaps: false, openBlock: openBlock)
      for change in changes { try sealing.add(change) }
      try sealing.finish()
    }
  }

  /// What a transaction wrote is durable with its answer.
  func finishChanges() throws(LogError) -> Bool { true }
  func noteManifest() throws(LogError) {}
  func noteCleared() throws(LogError) {}
  func close() { writer.close() }

  // MARK: Snapshots

  func put(_ snapshot: Snapshot, number: UInt64) throws(LogError) {
    try writer.writing { transaction throws(LogError) in
      guard let entry = try transaction.entry(number) else {
        throw .damaged(
          Damage(
            what: "a snapshot of log number \(number), which is not in the catalog", place: writer.place))
      }
      guard entry.state == .live else { throw .deleted(entry.row.log) }
      try insert(snapshot, of: entry.row, transaction)
      let revisions = try SealedHalf.snapshots(of: number, transaction).map(\.revision)
      let stays = SnapshotThinning.kept(of: revisions)
      try drop(of: number, transaction) { !stays.contains($0) }
    }
  }

  private func insert(
    _ snapshot: Snapshot, of row: LogRow, _ transaction: SealingTransaction
  ) throws(LogError) {
    let number = row.number
    let named = snapshot.parts.filter(\.bytes.isEmpty).map(\.key)
    if !named.isEmpty {
      let rows = try transaction.run([
        Query("select key from part where log = $1 and key = any($2)", .bits(number), .byteLists(named))
      ])[0]
      let stored = Set((0..<rows.count).map { rows.bytes($0, 0) })
      if let missing = named.first(where: { !stored.contains($0) }) {
        throw .missingPart(row.log, key: SnapshotHead.hex(missing))
      }
    }
    let parts = snapshot.parts.filter { !$0.bytes.isEmpty }
    for part in parts { precondition(part.key.count == SnapshotHead.keyLength, "a part's key has 16 bytes") }
    let head = SnapshotHead(
      revision: snapshot.revision, time: snapshot.time, hash: snapshot.stateHash,
      keys: snapshot.parts.flatMap(\.key))
    try put(parts, of: row, transaction)
    try transaction.run([
      Query(
        """
        insert into snapshot(log, revision, time_ms, hash, keys, bytes) values ($1, $2, $3, $4, $5, $6)
        on conflict (log, revision) do update set time_ms = excluded.time_ms, hash = excluded.hash,
        keys = excluded.keys, bytes = excluded.bytes
        """, .bits(number), .revision(head.revision), .integer(head.time.milliseconds), .bytes(head.hash),
        .bytes(head.keys), .bytes(Piece.encode(snapshot.root, seed: head.seed(row.log))))
    ])
  }

  private func put(
    _ parts: [SnapshotPart], of row: LogRow, _ transaction: SealingTransaction
  ) throws(LogError) {
    var (keys, pieces, bytes): ([[UInt8]], [[UInt8]], Int) = ([], [], 0)
    for (index, part) in parts.enumerated() {
      let piece = Piece.encode(part.bytes, seed: SnapshotHead.partSeed(row.log, part.key))
      keys.append(part.key)
      pieces.append(piece)
      bytes += piece.count
      guard bytes >= SealingTransaction.pieceBytes || index == parts.count - 1 else { continue }
      try transaction.run([
        Query(
          "insert into part(log, key, bytes) select $1, * from unnest($2, $3) on conflict do nothing",
          .bits(row.number), .byteLists(keys), .byteLists(pieces))
      ])
      (keys, pieces, bytes) = ([], [], 0)
    }
  }

  private static func snapshots(
    of number: UInt64, _ transaction: SealingTransaction
  ) throws(LogError) -> [(revision: Revision, keys: [[UInt8]])] {
    let rows = try transaction.run([
      Query("select revision, keys from snapshot where log = $1 order by revision", .bits(number))
    ])[0]
    return (0..<rows.count).map { (rows.revision($0, 0), SnapshotHead.split(rows.bytes($0, 1))) }
  }

  /// Removes the snapshots that `isDoomed` picks, and the parts that no snapshot left names.
  func drop(
    of number: UInt64, _ transaction: SealingTransaction, where isDoomed: (Revision) -> Bool
  ) throws(LogError) {
    let all = try SealedHalf.snapshots(of: number, transaction)
    let doomed = all.filter { isDoomed($0.revision) }
    guard !doomed.isEmpty else { return }
    let named = Set(all.filter { !isDoomed($0.revision) }.flatMap(\.keys))
    let keys = Set(doomed.flatMap(\.keys)).subtracting(named)
    try transaction.run([
      Query(
        "delete from snapshot where log = $1 and revision = any($2)", .bits(number),
        .integers(doomed.map { Int64(bitPattern: $0.revision.rawValue) })),
      Query("delete from part where log = $1 and key = any($2)", .bits(number), .byteLists(Array(keys))),
    ])
  }

  // MARK: Removal

  /// The first log that blocks are to be removed of; by an index of such logs alone.
  static func due(owner: Int64?) -> String {
    let own = owner.map { "and (owner = \($0) or owner is null)" } ?? ""
    return "select no from log where \(PostgresSchema.removalIsDue) \(own) order by no limit 1"
  }

  func tidy() throws(LogError) -> Bool {
    let due = Self.due(owner: owner)
    // Asked for twice a second: where there is nothing, nothing is written and no standby waited for.
    guard try !writer.reading([Query(due)])[0].isEmpty else { return false }
    return try writer.writing { transaction throws(LogError) in
      // A claim of the log waits for the row, and reads it afterwards.
      let locking = owner == nil ? "" : "for update skip locked"
      let rows = try transaction.run([Query("\(due) \(locking)")])[0]
      guard !rows.isEmpty, var entry = try transaction.entry(rows.unsigned(0, 0)) else { return false }
      if entry.state == .deleting {
        try removeSome(ofDeleted: &entry, transaction)
      } else {
        try removeSome(belowLowOf: &entry, transaction)
      }
      try transaction.update(entry)
      return true
    }
  }

  private func removeSome(
    ofDeleted entry: inout CatalogEntry, _ transaction: SealingTransaction
  ) throws(LogError) {
    if try removeBlocks(below: Revision(BlockKey.revisionLimit), of: &entry, transaction) { return }
    let number = QueryParameter.bits(entry.row.number)
    try transaction.run([
      Query("delete from part where log = $1", number), Query("delete from snapshot where log = $1", number),
    ])
    entry.state = .deleted
    (entry.row.blocks, entry.row.rawBytes, entry.row.storedBytes) = (0, 0, 0)
    (entry.chainBefore, entry.openFirst) = ([], .zero)
  }

  private func removeSome(
    belowLowOf entry: inout CatalogEntry, _ transaction: SealingTransaction
  ) throws(LogError) {
    let removed = try removeBlocks(below: entry.row.low, of: &entry, transaction)
    guard !removed || entry.firstKept >= entry.row.low else { return }
    entry.firstKept = entry.row.low
    let low = entry.row.low
    try drop(of: entry.row.number, transaction) { $0.next < low }
  }

  /// Removes a portion of the blocks that begin below `end`, oldest first; false when there was none.
  private func removeBlocks(
    below end: Revision, of entry: inout CatalogEntry, _ transaction: SealingTransaction
  ) throws(LogError) -> Bool {
    let number = QueryParameter.bits(entry.row.number)
    let doomed = try transaction.run([
      Query(
        """
        select first, raw, length(bytes) from block where log = $1 and first < $2 order by first
        limit \(Self.tidyBlocks)
        """, number, .revision(end))
    ])[0]
    guard !doomed.isEmpty else { return false }
    let last = doomed.revision(doomed.count - 1, 0)
    // The chain value before the first kept block is taken from the removed block, while that can still be
    // read.
    let found = try transaction.run([
      Query("select bytes from block where log = $1 and first = $2", number, .revision(last)),
      Query("select min(first) from block where log = $1 and first > $2", number, .revision(last)),
      Query("delete from block where log = $1 and first <= $2", number, .revision(last)),
    ])
    entry.chainBefore = (try? Block(reading: found[0].borrowed(0, 0)))?.chain ?? []
    entry.firstKept = found[1].isNull(0, 0) ? entry.row.next : found[1].revision(0, 0)
    for row in 0..<doomed.count {
      entry.row.blocks -= 1
      entry.row.rawBytes &-= Int(doomed.integer(row, 1))
      entry.row.storedBytes -= Int(doomed.integer(row, 2))
    }
    return true
  }
}
