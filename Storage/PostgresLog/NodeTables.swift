import EventLog
import EventLogFormat
import EventLogModel

/// What nodes have left in the tables, as one transaction sees it: their frames, and the catalog below them.
struct NodeTables {
  /// A start of a node whose frames nobody has recovered: the present one, or one that has ended.
  struct StartedNode: Sendable {
    var id: Int64
    var slot: Int64
    /// The node's name and address; empty where they were not asked for.
    var name = ""
    var address = ""
    /// Whether it shares the tables with no other node, so that all logs are its own.
    var isExclusive = true
  }

  let transaction: SealingTransaction
  let place: String

  func unrecovered() throws(LogError) -> [StartedNode] {
    let rows = try transaction.run([
      Query("select id, slot from incarnation where not recovered order by id")
    ])[0]
    return (0..<rows.count).map { StartedNode(id: rows.integer($0, 0), slot: rows.integer($0, 1)) }
  }

  /// The same with all that is known, in tables of the present version.
  ///
  /// - Parameter condition: more that must hold, as SQL.
  func started(where condition: String = "true", locking: String = "") throws(LogError) -> [StartedNode] {
    let rows = try transaction.run([
      Query(
        """
        select id, slot, node, (address is null)::int::bigint, coalesce(address, '') from incarnation
        where not recovered and \(condition) order by id \(locking)
        """)
    ])[0]
    return (0..<rows.count).map {
      StartedNode(
        id: rows.integer($0, 0), slot: rows.integer($0, 1), name: rows.text($0, 2),
        address: rows.text($0, 4), isExclusive: rows.integer($0, 3) != 0)
    }
  }

  /// Ends a node's connections. One that has just ended by itself makes the server warn, and a warning would leave the
  /// outcome unknown, as a commit's that waits for no standby any more: so warnings are off for this statement alone.
  static func endConnections(of node: Int64, where condition: String = "true") -> [Query] {
    [
      Query("set client_min_messages = error"),
      Query(
        "select pg_terminate_backend(pid) \(connections) and \(condition)",
        .integer(node)),
      Query("set client_min_messages = default"),
    ]
  }

  /// Whether another connection of an incarnation has a statement under way whose text begins like this.
  static func underWay(_ text: String, of incarnation: Int64) -> Query {
    Query(
      """
      select 1 \(connections) and state = 'active' and starts_with(query, $2) and pid <> pg_backend_pid()
      """, .integer(incarnation), .text(text))
  }

  /// The application name of the connections of an incarnation (`$1`): with the number of its table, because another
  /// store in another schema of the database has an incarnation of the same number. At most 63 bytes.
  private static let name = "'boardroom incarnation ' || $1 || ' of ' || 'incarnation'::regclass::oid"

  /// Gives the session the name of an incarnation's connections.
  static func naming(_ incarnation: Int64) -> Query {
    Query("select set_config('application_name', \(name), false)", .integer(incarnation))
  }

  /// The connections of all incarnations.
  static let connectionsOfAny = """
    from pg_stat_activity where starts_with(application_name, 'boardroom incarnation ')
    and right(application_name, length(' of ' || 'incarnation'::regclass::oid))
      = ' of ' || 'incarnation'::regclass::oid and datname = current_database()
    """
  static let connections =
    "from pg_stat_activity where application_name = \(name) and datname = current_database()"
  /// How often it is asked whether a node is there: its connections end a moment after its process.
  static let attempts = 20

  /// Whether a node's connections are there.
  func isConnected(_ node: StartedNode, attempts: Int = attempts) throws(LogError) -> Bool {
    for _ in 0..<attempts {
      // What the server tells of its connections stays the same within a transaction, unless it is asked for anew.
      let rows = try transaction.run([
        Query("select 1 from pg_stat_clear_snapshot()"),
        Query("select pid \(Self.connections)", .integer(node.id)),
      ])[1]
      if rows.isEmpty { return false }
      PostgresConnection.pause()
    }
    return true
  }

  /// Whether a node that shares the tables can be judged at a start, without having watched it: it is silent,
  /// and has no connections at a server that has been the primary long enough for it to come back. A server that was promoted has
  /// been up for long, and may lack the last beats; a checkpoint on its timeline says for how long it has been the primary at least.
  func isCertainlyDead(
    _ node: StartedNode, silence: Int64, grace: Int64
  ) throws(LogError) -> Bool {
    try !transaction.run([
      Query(
        """
        select 1 where pg_postmaster_start_time() < clock_timestamp() - interval '\(grace) milliseconds'
        and exists (select 1 from pg_control_checkpoint() where timeline_id = \(ServerChoice.timeline)
          and checkpoint_time < clock_timestamp() - interval '\(grace) milliseconds')
        and not exists (select 1 from beat where incarnation = \(node.id)
          and at > clock_timestamp() - interval '\(silence) milliseconds')
        and not exists (select pid \(Self.connections))
        """, .integer(node.id))
    ])[0].isEmpty
  }

  /// The catalog; of the logs of one owner if that is given.
  func rows(of owner: Int64? = nil) throws(LogError) -> [LogRow] {
    var query = Query(CatalogEntry.select + " order by no")
    if let owner { query = Query(CatalogEntry.select + " where owner = $1 order by no", .integer(owner)) }
    let rows = try transaction.run([query])[0]
    var found: [LogRow] = []
    found.reserveCapacity(rows.count)
    for row in 0..<rows.count { found.append(try CatalogEntry(rows, row, place).row) }
    return found
  }

  /// Bytes of frames that one statement reads at most, unless one frame is longer.
  static let pieceBytes = 8 << 20

  /// Frames of one table that are read together.
  private struct FramePiece {
    var table: String
    var numbers: ClosedRange<UInt64>
    var bytes: Int
    /// Where the one frame lies, if it has to be read without an index.
    var place: String?
  }

  /// The frames that a node has written, in their order. Throws `damaged` for one that is missing or wrong.
  ///
  /// They are read in pieces, so that their bytes lie in memory once, unpacked.
  func frames(of node: StartedNode) throws(LogError) -> JournalContents {
    var contents = JournalContents()
    try readFrames(of: node, into: &contents)
    return contents
  }

  /// The same. What was read before one that is missing or wrong stays; where the server cannot say which frames there are,
  /// all those that it can read stay that are in order.
  func readFrames(of node: StartedNode, into contents: inout JournalContents) throws(LogError) {
    var expected: (number: UInt64, previous: UInt32)?
    let (pieces, failure) = try allPieces(of: node)
    for piece in pieces {
      do throws(LogError) {
        try read(piece, of: node, &expected, into: &contents)
      } catch {
        // Up to the one that cannot be read.
        guard case .damaged = error, piece.numbers.count > 1 else { throw error }
        for number in piece.numbers where number >= expected?.number ?? 0 {
          let one = FramePiece(table: piece.table, numbers: number...number, bytes: 0)
          try read(one, of: node, &expected, into: &contents)
        }
      }
    }
    if let failure { throw failure }
  }

  private func read(
    _ piece: FramePiece, of node: StartedNode, _ expected: inout (number: UInt64, previous: UInt32)?,
    into contents: inout JournalContents
  ) throws(LogError) {
    let columns = "number, segment, bytes"
    let rows: Rows
    if let place = piece.place {
      rows = try HeapPages(transaction: transaction).rows(columns, of: piece.table, at: [place])
    } else {
      rows = try transaction.run([
        Query(
          """
          select \(columns) from \(piece.table)
          where incarnation = $1 and number between $2 and $3 order by number
          """, .integer(node.id), .bits(piece.numbers.lowerBound), .bits(piece.numbers.upperBound))
      ])[0]
    }
    let seed = FrameJournal.seed(of: node.id)
    for row in 0..<rows.count {
      let number = rows.unsigned(row, 0)
      do throws(JournalFault) {
        let frame = try JournalFrame(
          reading: rows.borrowed(row, 2), at: 0, seed: seed, expecting: expected)
        guard frame.number == number else { throw .outOfOrder(found: frame.number) }
        expected = (number + 1, frame.checksum)
        for entry in frame.entries {
          contents.entries.append(.init(segment: rows.unsigned(row, 1), frame: number, entry: entry))
        }
      } catch {
        throw .damaged(Damage(what: "frame \(number) of incarnation \(node.id): \(error)", place: place))
      }
    }
  }

  /// What a node's frame tables hold, in pieces in the order of the frames, and what was damaged of it, where only those were found that
  /// can be read.
  private func allPieces(of node: StartedNode) throws(LogError) -> (pieces: [FramePiece], LogError?) {
    let tables = (0..<PostgresSchema.frameTables).map {
      PostgresSchema.frameTable(slot: node.slot, segment: $0)
    }
    do throws(LogError) { return (try pieces(of: node, in: tables), nil) } catch {
      guard case .damaged = error else { throw error }
      var found: [FramePiece] = []
      for table in tables {
        do throws(LogError) { found += try pieces(of: node, in: [table]) } catch {
          guard case .damaged = error else { throw error }
          _ = try HeapPages(transaction: transaction).read("incarnation, number, ctid::text", of: table) {
            rows in
            for row in 0..<rows.count where rows.integer(row, 0) == node.id {
              let number = rows.unsigned(row, 1)
              found.append(
                FramePiece(table: table, numbers: number...number, bytes: 0, place: rows.text(row, 2)))
            }
          }
        }
      }
      return (found.sorted { $0.numbers.lowerBound < $1.numbers.lowerBound }, error)
    }
  }

  private func pieces(of node: StartedNode, in tables: [String]) throws(LogError) -> [FramePiece] {
    let selections = tables.enumerated().map { index, table in
      "select number, \(index)::bigint, length(bytes)::bigint from \(table) where incarnation = $1"
    }
    let rows = try transaction.run([
      Query(selections.joined(separator: " union all ") + " order by 1", .integer(node.id))
    ])[0]
    var pieces: [FramePiece] = []
    for row in 0..<rows.count {
      let number = rows.unsigned(row, 0)
      let (table, bytes) = (tables[Int(rows.integer(row, 1))], Int(rows.integer(row, 2)))
      if let last = pieces.last, last.table == table, last.bytes + bytes <= Self.pieceBytes {
        pieces[pieces.count - 1].numbers = last.numbers.lowerBound...number
        pieces[pieces.count - 1].bytes += bytes
      } else {
        pieces.append(FramePiece(table: table, numbers: number...number, bytes: bytes))
      }
    }
    return pieces
  }

  func fold(_ contents: JournalContents, over rows: [LogRow]) throws(LogError) -> JournalFold {
    var fold = JournalFold(rows: rows, imports: try transaction.imports(), acceptLoss: false, place: place)
    try fold.fold(contents)
    return fold
  }
}

/// The logs as they are at one moment, for a store that only reads.
struct TablesAtMoment {
  var logs: [UInt64: RecoveredLog]
  /// Empty for tables of a version that had none.
  var identity: [UInt8]

  /// How often it is begun again, when a node started between two looks.
  private static let attempts = 5

  /// Reads frames and catalog while a node may be writing. Throws `incompatible` where there are no tables.
  init(_ address: DatabaseAddress) throws(LogError) {
    let connection: PostgresConnection
    do throws(PostgresFailure) {
      connection = try PostgresConnection.reading(address)
    } catch {
      throw error.asLogError(in: address.place)
    }
    for _ in 0..<Self.attempts {
      let transaction = SealingTransaction(
        connection, place: address.place, silence: Int.max, isReading: true)
      guard let found = try Self.taken(transaction, address.place) else { continue }
      // What was read may be of a commit that no standby has, and that became visible since the connection was made,
      // because its wait was ended.
      do throws(PostgresFailure) { try connection.waitUntilReplicated() } catch {
        throw error.asLogError(in: address.place)
      }
      self = found
      return
    }
    throw .locked(path: address.place)
  }

  private init(logs: [UInt64: RecoveredLog], identity: [UInt8]) {
    (self.logs, self.identity) = (logs, identity)
  }

  /// Nil if a node has begun with other frame tables since they were locked.
  private static func taken(
    _ transaction: SealingTransaction, _ place: String
  ) throws(LogError) -> TablesAtMoment? {
    guard let version = try PostgresSchema.version(transaction) else {
      throw PostgresSchema.incompatible("no tables of Boardroom", place)
    }
    guard let frames = try FramesAtMoment(transaction, place) else { return nil }
    do throws(LogError) {
      let found = frames.found
      let logs = try found.fold(frames.contents, over: try found.rows()).logs
      let identity = version < 2 ? [] : try PostgresSchema.identity(transaction)
      try transaction.commit()
      return TablesAtMoment(logs: logs, identity: identity)
    } catch {
      if !transaction.isUnknown { transaction.rollBack() }
      throw error
    }
  }
}

/// The frames of all nodes as they are at one moment, in a transaction that sees that moment until it ends.
struct FramesAtMoment {
  let found: NodeTables
  private(set) var contents = JournalContents()

  /// Begins the transaction. Nil, without it, if a node has begun with other frame tables since they were locked.
  init?(_ transaction: SealingTransaction, _ place: String) throws(LogError) {
    let rows = try transaction.run([Query("select distinct slot from incarnation")])[0]
    let slots = (0..<rows.count).map { rows.integer($0, 0) }
    found = NodeTables(transaction: transaction, place: place)
    try transaction.beginReading()
    do throws(LogError) {
      // TRUNCATE shows even to older views, so the sealer has to wait with it until the frames are read. The
      // transaction's view begins with the first statement after this.
      let tables = slots.flatMap { slot in
        (0..<PostgresSchema.frameTables).map { PostgresSchema.frameTable(slot: slot, segment: $0) }
      }
      if !tables.isEmpty {
        try transaction.run([Query("lock table \(tables.joined(separator: ", ")) in access share mode")])
      }
      let nodes = try found.unrecovered()
      guard nodes.allSatisfy({ slots.contains($0.slot) }) else {
        transaction.rollBack()
        return nil
      }
      for node in nodes { contents.entries += try found.frames(of: node).entries }
    } catch {
      if !transaction.isUnknown { transaction.rollBack() }
      throw error
    }
  }
}
