import EventLog
import EventLogFormat
import EventLogModel

extension SealedHalf: ErasingBackend {
  /// One call is one transaction. If its outcome is not known it is done again: blocks that were replaced are as they should be then.
  func erase(
    _ erasure: SealedErasure, before revision: Revision?, blocks: Int
  ) throws(LogError) -> Revision? {
    try writer.writing { transaction throws(LogError) in
      guard let entry = try transaction.entry(erasure.number), entry.state == .live else { return nil }
      if revision == nil { try begin(erasure, entry, transaction) }
      var erasing = Erasing(of: erasure, in: entry, into: transaction)
      if revision == nil { try erasing.begin() }
      let rows = try transaction.run([
        Query(
          "select first from block where log = $1 and first < $2 and first >= $3 order by first desc limit $4",
          .bits(erasure.number), .revision(revision ?? entry.row.next), .revision(entry.row.low),
          .integer(blocks))
      ])[0]
      let firsts = (0..<rows.count).map { rows.revision($0, 0) }
      for first in firsts { try erasing.replace(blockAt: first) }
      try erasing.finish()
      return firsts.count < blocks ? nil : firsts.last
    }
  }

  private func begin(
    _ erasure: SealedErasure, _ entry: CatalogEntry, _ transaction: SealingTransaction
  ) throws(LogError) {
    // Endpoints of webhooks go on in the new epoch where they were in the old one.
    try transaction.run([
      Query(
        "update webhook_cursor set epoch = $3 where log = $1 and epoch = $2", .bytes(entry.row.log.bytes),
        .bits(entry.row.epoch.rawValue), .bits(erasure.epoch.rawValue))
    ])
    try drop(of: erasure.number, transaction) { $0 != erasure.base }
  }
}

extension SealedRows {
  /// Blocks that one statement brings at most.
  private static let erasedAtOnce = 32

  /// The blocks of a log some of whose records were erased, in order.
  func erasedBlocks(number: UInt64, log: LogID) throws(LogError) -> [ErasedBlock] {
    var (found, after): ([ErasedBlock], Revision) = ([], .zero)
    while true {
      // The fifth byte of a block is its version.
      let rows = try ask(
        Query(
          """
          select first, bytes from block where log = $1 and first > $2 and get_byte(bytes, 4) <> 1
          order by first limit $3
          """, .bits(number), .revision(after), .integer(Self.erasedAtOnce)))[0]
      for row in 0..<rows.count {
        after = rows.revision(row, 0)
        let block = try Block(stored: rows.borrowed(row, 1), at: after, of: log, in: place)
        guard let before = block.originalDigest else { continue }
        let run: Run
        do throws(WireError) { run = try block.unpacked() } catch {
          throw .damaged(Damage(what: "the block does not unpack", place: place, log: log))
        }
        found.append(
          ErasedBlock(
            first: block.first, last: block.last, before: before, after: Chain.digest(of: run.records)))
      }
      guard rows.count == Self.erasedAtOnce else { return found }
    }
  }
}

extension PostgresLogStore: ErasingStore {
  /// Throws `incompatible` for a node that shares its database: an erasure is done while no other node is there.
  public func erase(
    in log: LogID, keepingSnapshotAt base: Revision?,
    replacing: @escaping @Sendable (Run) throws(LogError) -> Run?
  ) async throws(LogError) -> Epoch {
    if let ownership {
      throw .incompatible(
        path: ownership.place, found: "a database that several nodes share",
        supported: "one that this process has for itself")
    }
    return try await self.base.erase(in: log, keepingSnapshotAt: base, replacing: replacing)
  }

  public func erasedBlocks(of log: LogID) async throws(LogError) -> [ErasedBlock] {
    try await base.erasedBlocks(of: log)
  }
}
