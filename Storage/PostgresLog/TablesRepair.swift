import EventLog
import EventLogFormat
import EventLogModel

/// Makes a sound folder of what is left in the tables of a store, as `Repair` does of a damaged folder: every block whose
/// checksum is right, and the frames that no node has sealed. There are no bare pages and no earlier journals here; what the
/// database has lost may be at a standby, which is the database's own to bring back.
///
/// No node may be there, and nothing is changed. Images, keys and webhooks are copied by the caller, who also makes the
/// snapshots again from the events. Used from one thread.
public final class TablesRepair {
  private let address: DatabaseAddress
  private let tables: NodeTables
  private let progress: (InspectProgress) -> Bool
  private var report = RepairReport()
  /// What the frames have of each log, by its number.
  private var journaled: [UInt64: JournaledLog] = [:]
  /// The names of the logs that were found.
  private var names: [UInt64: LogID] = [:]
  /// Whether frames are missing, so that every log may have lost its last events.
  private var hasLostEnd = false
  /// What could not be asked in the middle of a log.
  private var failure: LogError?
  /// Where rows of the catalog lie, where they are looked for without the index.
  private var entryPlaces: [UInt64: [String]]?
  /// Where rows of blocks lie, of the partitions in which they are looked for without the index.
  private var blockPlaces: [String: [UInt64: [PlacedBlock]]] = [:]

  private var transaction: SealingTransaction { tables.transaction }
  private var pages: HeapPages { HeapPages(transaction: transaction) }

  /// Reads the frames that are there. `progress` is called for each log, and says whether to go on; if not, only a part is written.
  ///
  /// Throws `locked` while a node is there, `incompatible` for tables of a later version and where there are none, `stopped`
  /// when nobody answers. Damage is not thrown.
  public init(
    address: String, progress: @escaping (InspectProgress) -> Bool = { _ in true }
  ) throws(LogError) {
    self.address = try DatabaseAddress(address)
    self.progress = progress
    let place = self.address.place
    do throws(PostgresFailure) {
      // Each statement for itself: after one that cannot be read the next one is.
      tables = NodeTables(
        transaction: SealingTransaction(
          try PostgresConnection.reading(self.address), place: place, silence: Int.max, isReading: true),
        place: place)
    } catch { throw error.asLogError(in: place) }
    // Where the version cannot be read, the statements fit the tables or are refused.
    let version = try passing { () throws(LogError) in try PostgresSchema.version(transaction) }
    if case .some(nil) = version { throw PostgresSchema.incompatible("no tables of Boardroom", place) }
    try refuseWhileNodesAreThere()
    try readFrames()
  }

  private func readFrames() throws(LogError) {
    var frames = JournalContents()
    let nodes = try passing { () throws(LogError) in try tables.unrecovered() }
    if nodes == nil { (hasLostEnd, report.hasUnknownLoss) = (true, true) }
    for node in nodes ?? [] {
      try passing { () throws(LogError) in
        do throws(LogError) { try tables.readFrames(of: node, into: &frames) } catch {
          (hasLostEnd, report.hasUnknownLoss) = (true, true)
          throw error
        }
      }
    }
    journaled = JournaledLog.all(in: frames)
  }

  /// Where it cannot be read which nodes are not recovered, a connection of any is one too many.
  private func refuseWhileNodesAreThere() throws(LogError) {
    do throws(LogError) { return try transaction.refuseWhileNodesAreThere(address.place) } catch {
      guard case .damaged = error else { throw error }
    }
    let rows = try transaction.run([Query("select pid \(NodeTables.connectionsOfAny)")])[0]
    if !rows.isEmpty { throw .locked(path: address.place) }
  }

  /// The result of `body`. Damage is noted, and the result is nil then.
  @discardableResult
  private func passing<Value>(_ body: () throws(LogError) -> Value) throws(LogError) -> Value? {
    do throws(LogError) { return try body() } catch {
      guard case .damaged(let found) = error else { throw error }
      note([found])
      return nil
    }
  }

  /// Each once: several statements meet one page.
  private func note(_ damages: [Damage]) {
    for damage in damages where !report.damages.contains(damage) { report.damages.append(damage) }
  }

  // MARK: Writing

  /// Writes the repaired `log.db` into the new folder `target`, which exists and is empty, and proves it: every checksum,
  /// every count, the hash chain.
  ///
  /// Throws `damaged` when what was written is not sound, `locked` when a node has come meanwhile, `full`, `io`.
  public func write(to target: String) throws(LogError) -> RepairReport {
    let made = try RepairedFolder(target)
    do throws(LogError) {
      let numbers = try numbers()
      for (done, number) in numbers.enumerated() {
        guard let found = try log(of: number) else { continue }
        guard progress(InspectProgress(done: done, total: numbers.count, log: found.log)) else { break }
        let outcome = try made.write(found)
        if let failure { throw failure }
        if let outcome { report.logs.append(outcome) }
      }
      let earlier = try passing { () throws(LogError) in try earlierDamage() }
      try refuseWhileNodesAreThere()
      try made.finish(noting: (earlier ?? []) + report.damages)
    } catch {
      made.abandon()
      throw error
    }
    return report
  }

  /// Damage that was noted earlier. The logs' names are those that were found.
  private func earlierDamage() throws(LogError) -> [Damage] {
    let rows = try transaction.run([Query("select what, place, log, first, last from damage order by n")])[0]
    return (0..<rows.count).map { row in
      let (first, last) = (rows.unsigned(row, 3), rows.unsigned(row, 4))
      return Damage(
        what: rows.text(row, 0), place: rows.text(row, 1), log: names[rows.unsigned(row, 2)],
        lost: last > 0 && first <= last ? first...last : nil)
    }
  }

  // MARK: What is there

  /// The numbers of all logs that anything is left of.
  private func numbers() throws(LogError) -> [UInt64] {
    var found = Set(journaled.keys)
    if let listed = try passing({ () throws(LogError) in try numbers("select no from log") }) {
      found.formUnion(listed)
    } else {
      found.formUnion(try placesOfEntries().keys)
    }
    let listed = try passing { () throws(LogError) in try numbers("select distinct log from block") }
    if let listed { return found.union(listed).sorted() }
    for partition in try partitions() {
      let part = try passing { () throws(LogError) in try numbers("select distinct log from \(partition)") }
      if let part { found.formUnion(part) } else { found.formUnion(try placesOfBlocks(in: partition).keys) }
    }
    // A damaged number may be any.
    return found.filter { (1...UInt64(Int64.max)).contains($0) }.sorted()
  }

  private func numbers(_ query: String) throws(LogError) -> [UInt64] {
    let rows = try transaction.run([Query(query)])[0]
    return (0..<rows.count).map { rows.unsigned($0, 0) }
  }

  private func partitions() throws(LogError) -> [String] {
    let rows = try transaction.run([
      Query(
        "select inhrelid::regclass::text from pg_inherits where inhparent = 'block'::regclass order by inhrelid"
      )
    ])[0]
    return (0..<rows.count).map { rows.text($0, 0) }
  }

  private func partition(of number: UInt64) throws(LogError) -> String {
    let rows = try transaction.run([
      Query(
        """
        select 'block_' || n from generate_series(0, $2 - 1) n
        where satisfies_hash_partition('block'::regclass, $2::int, n::int, $1::bigint)
        """, .bits(number), .integer(try partitions().count))
    ])[0]
    return rows.text(0, 0)
  }

  private func placesOfEntries() throws(LogError) -> [UInt64: [String]] {
    if let entryPlaces { return entryPlaces }
    var found: [UInt64: [String]] = [:]
    let damages = try pages.read("no, ctid::text", of: "log") { rows in
      for row in 0..<rows.count { found[rows.unsigned(row, 0), default: []].append(rows.text(row, 1)) }
    }
    note(damages)
    // What was on these pages may be of logs of which nothing else is left.
    if !damages.isEmpty || found.isEmpty { report.hasUnknownLoss = true }
    entryPlaces = found
    return found
  }

  private func placesOfBlocks(in partition: String) throws(LogError) -> [UInt64: [PlacedBlock]] {
    if let known = blockPlaces[partition] { return known }
    var found: [UInt64: [PlacedBlock]] = [:]
    let damages = try pages.read("first, count, ctid::text, log", of: partition) { rows in
      for (row, block) in PlacedBlock.all(rows).enumerated() {
        found[rows.unsigned(row, 3), default: []].append(block)
      }
    }
    note(damages)
    // What was on these pages is named by the rows of their logs, where all of these are known.
    if entryPlaces != nil, !damages.isEmpty || found.isEmpty { report.hasUnknownLoss = true }
    blockPlaces[partition] = found
    return found
  }

  // MARK: One log

  private func log(of number: UInt64) throws(LogError) -> FoundLog? {
    let row = try entry(of: number)
    let journaled = journaled[number] ?? JournaledLog()
    let made = journaled.created
    let known = row.entry?.row.log ?? made?.log
    guard let log = try known == nil ? name(of: number) : known else {
      let events = journaled.runs.reduce(0) { $0 + $1.count }
      let what = "\(events) events of log number \(number), whose name is nowhere"
      report.damages.append(Damage(what: what, place: address.place))
      report.hasUnknownLoss = true
      return nil
    }
    names[number] = log
    let blocks = try blocks(of: number, log, row.entry)
    var found = FoundLog(log, number: number, entry: row.entry, keys: blocks.keys, journaled: journaled) {
      [self] first in
      noting { () throws(LogError) in try blocks.block(at: first) } ?? nil
    } isAccepted: { [self] lost in
      noting { () throws(LogError) in try transaction.isAccepted(lost, number: number) } ?? false
    }
    (found.created, found.epoch, found.isKnown) = (
      made?.time ?? journaled.runs.first?.base, made?.epoch, made != nil
    )
    (found.hasLostEnd, found.importLast) = (hasLostEnd, row.importLast)
    return found
  }

  /// The catalog's row of a log, and the last revision of an import of it that is not finished.
  private func entry(of number: UInt64) throws(LogError) -> (entry: CatalogEntry?, importLast: Revision?) {
    let columns = "\(CatalogEntry.columns), import_last"
    var answers: [Rows] = []
    let found = try passing { () throws(LogError) in
      try transaction.run([Query("select \(columns) from log where no = $1", .bits(number))])[0]
    }
    if let found {
      answers = [found]
    } else {
      for place in try placesOfEntries()[number] ?? [] {
        let found = try passing { () throws(LogError) in
          try pages.rows(columns, of: "log", at: [place])
        }
        if let found { answers.append(found) }
      }
    }
    for rows in answers where !rows.isEmpty {
      let entry = try passing { () throws(LogError) in try CatalogEntry(rows, 0, address.place) }
      // After the columns of the entry.
      if let entry { return (entry, rows.isNull(0, 17) ? nil : rows.revision(0, 17)) }
    }
    return (nil, nil)
  }

  /// The blocks of a log by the keys of their rows, if these are what they have to be: each begins where the one before
  /// it ends. Otherwise all are looked at, and count by what is in them.
  private func blocks(of number: UInt64, _ log: LogID, _ entry: CatalogEntry?) throws(LogError) -> SoundBlocks
  {
    let partition = try partition(of: number)
    let placed = try placed(number, in: partition)
    var (places, keys): ([Revision: PlacedBlock], Set<Revision>) = ([:], [])
    if Self.isConnected(placed, entry) {
      for block in placed { places[block.first] = block }
    } else {
      try each(placed, of: partition) { placed, block in
        guard let block, block.log == log else {
          // Nothing is known of it but its key, which may be as damaged.
          keys.insert(placed.first)
          return
        }
        // Of two versions of a row the later one is longer.
        if block.count > places[block.first]?.count ?? 0 {
          places[block.first] = PlacedBlock(first: block.first, place: placed.place, count: block.count)
        }
      }
    }
    keys.formUnion(places.keys)
    return SoundBlocks(of: log, keys: keys.sorted()) { [self, places] keys throws(LogError) in
      let found = keys.compactMap { places[$0]?.place }
      guard !found.isEmpty else { return nil }
      return try passing { () throws(LogError) in try pages.rows("bytes", of: partition, at: found) }
    }
  }

  /// Whether each of the blocks begins where the one before it ends, from the log's begin to its end, where they are known.
  private static func isConnected(_ blocks: [PlacedBlock], _ entry: CatalogEntry?) -> Bool {
    var expected = entry?.firstKept ?? blocks.first?.first ?? .zero
    for block in blocks {
      guard block.first == expected, (1...Run.maximumBytes).contains(block.count) else { return false }
      expected = expected + block.count
    }
    return expected == entry?.row.next ?? expected
  }

  /// Where the blocks of a log lie, in the order of what their rows say. Each is read there, and not by the index.
  private func placed(_ number: UInt64, in partition: String) throws(LogError) -> [PlacedBlock] {
    let rows = try passing { () throws(LogError) in
      try transaction.run([
        Query(
          "select first, count, ctid::text from \(partition) where log = $1 order by first", .bits(number))
      ])[0]
    }
    guard let rows else {
      return try (placesOfBlocks(in: partition)[number] ?? []).sorted { $0.first < $1.first }
    }
    return PlacedBlock.all(rows)
  }

  /// Calls `take` with each of the blocks; nil for one that is not sound or cannot be read.
  private func each(
    _ placed: [PlacedBlock], of partition: String, take: (PlacedBlock, Block?) -> Void
  ) throws(LogError) {
    var rest = placed[...]
    while !rest.isEmpty {
      let some = rest.prefix(SoundBlocks.atOnce)
      rest = rest.dropFirst(some.count)
      let rows = try? pages.rows("ctid::text, bytes", of: partition, at: some.map(\.place))
      for block in some {
        var found = rows
        // Where one of some cannot be read each is asked for alone.
        if found == nil {
          found = try passing { () throws(LogError) in
            try pages.rows("ctid::text, bytes", of: partition, at: [block.place])
          }
        }
        let row = found.flatMap { found in
          (0..<found.count).first { found.text($0, 0) == block.place }.map { (found, $0) }
        }
        take(block, row.flatMap { rows, row in rows.block(row, 1) })
      }
    }
  }

  /// What is asked for in the middle of a log. A failure that is no damage is thrown when the log was written.
  private func noting<Value>(_ body: () throws(LogError) -> Value) -> Value? {
    guard failure == nil else { return nil }
    do throws(LogError) { return try passing(body) } catch {
      failure = error
      return nil
    }
  }

  /// The name that sound blocks of a number have, whose row cannot be read.
  private func name(of number: UInt64) throws(LogError) -> LogID? {
    let partition = try partition(of: number)
    var found: LogID?
    try each(try placed(number, in: partition), of: partition) { _, block in
      found = found ?? block?.log
    }
    return found
  }
}
