import EventLog
import EventLogModel

extension PostgresLogStore {
  /// Gives every log a new life, for a database that was set back: members may have seen events that it does not have, and
  /// each cursor of theirs into the old life is refused from then on. Endpoints of webhooks go on where the logs end, if they
  /// were told of more.
  ///
  /// What an earlier node has left is recovered first. Blocks. Throws `locked` while a node is connected, else what `open`
  /// throws. One that was cut short has changed nothing.
  ///
  /// - Returns: how many logs there are.
  public static func giveNewLives(address: String, options: Options = Options()) async throws(LogError) -> Int
  {
    let store = try open(address: address, options: options)
    await store.shutdown()
    let address = try DatabaseAddress(address)
    return try SealingTransaction.onItsOwn(at: address) { transaction, _ throws(LogError) in
      try transaction.begin(under: PostgresSchema.locking)
      try transaction.refuseWhileNodesAreThere(address.place)
      let logs = try renewAll(transaction, address.place)
      try transaction.commit()
      return logs
    }
  }

  /// How many rows are changed by one statement.
  private static let portion = 1_000

  private static func renewAll(
    _ transaction: SealingTransaction, _ place: String
  ) throws(LogError) -> Int {
    var (count, last): (Int, UInt64) = (0, 0)
    while true {
      let rows = try transaction.run([
        Query(
          CatalogEntry.select + " where state = 0 and no > $1 order by no limit $2", .bits(last),
          .integer(portion))
      ])[0]
      var (old, new): ([CatalogEntry], [CatalogEntry]) = ([], [])
      for row in 0..<rows.count {
        var entry = try CatalogEntry(rows, row, place)
        old.append(entry)
        entry.row.epoch = .random()
        new.append(entry)
      }
      guard let end = new.last else { return count }
      try transaction.run([CatalogEntry.upsert(new), cursors(old, new)])
      (count, last) = (count + new.count, end.row.number)
    }
  }

  /// Moves the cursors of webhooks that are in the old lives into the new ones.
  private static func cursors(_ old: [CatalogEntry], _ new: [CatalogEntry]) -> Query {
    func integers(_ values: [UInt64]) -> QueryParameter { .integers(values.map { Int64(bitPattern: $0) }) }
    return Query(
      """
      update webhook_cursor known set epoch = new, revision = least(known.revision, last)
      from unnest($1, $2, $3, $4) moved(id, old, new, last) where known.log = id and known.epoch = old
      """, .byteLists(old.map(\.row.log.bytes)), integers(old.map(\.row.epoch.rawValue)),
      integers(new.map(\.row.epoch.rawValue)), integers(old.map(\.row.next.previous.rawValue)))
  }
}
