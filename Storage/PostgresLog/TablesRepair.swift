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
  private let text: String
  private let address: DatabaseAddress
  private let connection: PostgresConnection
  private let tables: NodeTables
  private let progress: (InspectProgress) -> Bool
  private var report = RepairReport()
  /// What the frames have of each log, by its number.
  private var journaled: [UInt64: JournaledLog] = [:]
  private var imports: [UInt64: Revision] = [:]
  /// Whether frames are missing, so that every log may have lost its last events.
  private var hasLostEnd = false
  /// What could not be asked in the middle of a log.
  private var failure: LogError?

  private var transaction: SealingTransaction { tables.transaction }

  /// What a server answers that cannot read a page of a table or of an index, or the file of one.
  private static let unreadable: Set<String> = ["XX001", "XX002", "58030", "58P01"]

  /// Reads the frames that are there. `progress` is called for each log, and says whether to go on; if not, only a part is written.
  ///
  /// Throws `locked` while a node is there, `incompatible` for tables of a later version and where there are none, `stopped`
  /// when nobody answers. Damage is not thrown.
  public init(
    address: String, progress: @escaping (InspectProgress) -> Bool = { _ in true }
  ) throws(LogError) {
    text = address
    self.address = try DatabaseAddress(address)
    self.progress = progress
    do throws(PostgresFailure) {
      connection = try PostgresConnection.reading(self.address)
    } catch { throw error.asLogError(in: self.address.place) }
    let place = self.address.place
    // Each statement for itself: after one that cannot be read the next one is.
    tables = NodeTables(
      transaction: SealingTransaction(connection, place: place, silence: Int.max, isReading: true),
      place: place)
    guard try PostgresSchema.version(transaction) != nil else {
      throw PostgresSchema.incompatible("no tables of Boardroom", place)
    }
    try transaction.refuseWhileNodesAreThere(place)
    imports = try transaction.imports()
    var frames = JournalContents()
    for node in try tables.unrecovered() {
      try passing { () throws(LogError) in
        do throws(LogError) { try tables.readFrames(of: node, into: &frames) } catch {
          (hasLostEnd, report.hasUnknownLoss) = (true, true)
          throw error
        }
      }
    }
    journaled = JournaledLog.all(in: frames)
  }

  /// The result of `body`. Damage is noted, and the result is nil then.
  @discardableResult
  private func passing<Value>(_ body: () throws(LogError) -> Value) throws(LogError) -> Value? {
    do throws(LogError) { return try body() } catch {
      guard case .damaged(let found) = error else { throw error }
      report.damages.append(found)
      return nil
    }
  }

  // MARK: Writing

  /// Writes the repaired `log.db` into the new folder `target`, which exists and is empty, and proves it: every checksum,
  /// every count, the hash chain.
  ///
  /// Throws `damaged` when what was written is not sound, `full`, `io`, `locked` if a node has come meanwhile.
  public func write(to target: String) throws(LogError) -> RepairReport {
    let made = try RepairedFolder(target)
    do throws(LogError) {
      let earlier = try PostgresLogStore.earlierDamage(address: text)
      let numbers = try numbers()
      for (done, number) in numbers.enumerated() {
        guard let found = try log(of: number) else { continue }
        guard progress(InspectProgress(done: done, total: numbers.count, log: found.log)) else { break }
        let outcome = try made.write(found)
        if let failure { throw failure }
        if let outcome { report.logs.append(outcome) }
      }
      try transaction.refuseWhileNodesAreThere(address.place)
      try made.finish(noting: earlier + report.damages)
    } catch {
      made.abandon()
      throw error
    }
    return report
  }

  /// The numbers of all logs that anything is left of.
  private func numbers() throws(LogError) -> [UInt64] {
    var found = Set(journaled.keys)
    for (what, query) in [
      ("the catalog", "select no from log"), ("blocks", "select distinct log from block"),
    ] {
      let rows = try passing { () throws(LogError) in try read(Query(query), what) }
      if let rows { found.formUnion((0..<rows.count).map { rows.unsigned($0, 0) }) }
    }
    return found.sorted()
  }

  private func read(_ query: Query, _ what: String, of log: LogID? = nil) throws(LogError) -> Rows {
    do throws(PostgresFailure) { return try connection.run([query])[0] } catch {
      guard case .refused(let state, _) = error, Self.unreadable.contains(state) else {
        throw error.asLogError(in: address.place)
      }
      throw .damaged(Damage(what: "the server cannot read \(what)", place: address.place, log: log))
    }
  }

  // MARK: One log

  private func log(of number: UInt64) throws(LogError) -> FoundLog? {
    let entry = try passing { () throws(LogError) -> CatalogEntry? in
      let rows = try read(
        Query(CatalogEntry.select + " where no = $1", .bits(number)), "row \(number) of the catalog")
      return rows.isEmpty ? nil : try CatalogEntry(rows, 0, address.place)
    }
    let row = entry ?? nil
    let journaled = journaled[number] ?? JournaledLog()
    let made = journaled.created
    let known = row?.row.log ?? made?.log
    guard let log = try known == nil ? name(of: number) : known else {
      let events = journaled.runs.reduce(0) { $0 + $1.count }
      let what = "\(events) events of log number \(number), whose name is nowhere"
      report.damages.append(Damage(what: what, place: address.place))
      report.hasUnknownLoss = true
      return nil
    }
    let keys = try passing { () throws(LogError) in
      let rows = try read(
        Query("select first from block where log = $1 order by first", .bits(number)), "keys of blocks",
        of: log)
      return (0..<rows.count).map { rows.revision($0, 0) }
    }
    let blocks = SoundBlocks(of: log) { [self] first, limit throws(LogError) in
      try read(
        Query(
          "select first, bytes from block where log = $1 and first >= $2 order by first limit $3",
          .bits(number), .revision(first), .integer(limit)), "blocks", of: log)
    }
    var found = FoundLog(log, number: number, entry: row, keys: keys ?? [], journaled: journaled) {
      [self] first in
      noting { () throws(LogError) in try blocks.block(at: first) } ?? nil
    } isAccepted: { [self] lost in
      noting { () throws(LogError) in try transaction.isAccepted(lost, number: number) } ?? false
    }
    (found.created, found.epoch, found.isKnown) = (
      made?.time ?? journaled.runs.first?.base, made?.epoch, made != nil
    )
    (found.hasLostEnd, found.importLast) = (hasLostEnd, imports[number])
    return found
  }

  /// What is asked for in the middle of a log. A failure is thrown when the log was written.
  private func noting<Value>(_ body: () throws(LogError) -> Value) -> Value? {
    guard failure == nil else { return nil }
    do throws(LogError) { return try body() } catch {
      failure = error
      return nil
    }
  }

  /// The name that sound blocks of a number have, whose row cannot be read.
  private func name(of number: UInt64) throws(LogError) -> LogID? {
    let rows = try passing { () throws(LogError) in
      try read(
        Query(
          "select bytes from block where log = $1 order by first limit \(SoundBlocks.atOnce)", .bits(number)),
        "blocks of log number \(number)")
    }
    guard let rows else { return nil }
    for row in 0..<rows.count {
      if let block = try? Block(reading: rows.borrowed(row, 0)) { return block.log }
    }
    return nil
  }
}

/// The blocks of one log whose checksums are right, read some at a time.
private final class SoundBlocks {
  /// Blocks that one statement brings.
  static let atOnce = 32

  private let log: LogID
  private let read: (_ first: Revision, _ limit: Int) throws(LogError) -> Rows
  private var rows: Rows?
  private var places: [Revision: Int] = [:]

  /// - Parameter read: brings rows with first revision and bytes, from a revision on. Throws `damaged` where the server cannot
  ///   read one of them.
  init(of log: LogID, read: @escaping (_ first: Revision, _ limit: Int) throws(LogError) -> Rows) {
    (self.log, self.read) = (log, read)
  }

  /// Nil if there is none.
  func block(at first: Revision) throws(LogError) -> FoundLog.ReadBlock? {
    if places[first] == nil { try fetch(from: first) }
    guard let rows, let row = places[first], let block = try? Block(reading: rows.borrowed(row, 1)),
      block.log == log, block.first == first, let run = try? block.unpacked()
    else { return nil }
    return (run, block.chain, block.originalDigest)
  }

  /// Where one of some cannot be read the first is asked for alone.
  private func fetch(from first: Revision) throws(LogError) {
    (rows, places) = (nil, [:])
    for limit in [Self.atOnce, 1] {
      do throws(LogError) {
        let found = try read(first, limit)
        for row in 0..<found.count { places[found.revision(row, 0)] = row }
        return rows = found
      } catch {
        guard case .damaged = error else { throw error }
      }
    }
  }
}
