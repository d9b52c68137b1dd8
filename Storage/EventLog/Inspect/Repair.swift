import EventLogFormat
import EventLogModel

/// Makes a sound folder from what is left of a damaged one. It reads database, write-ahead log, journal, and
/// the copies that a start with accepted loss kept, and looks in the others for what one of them has lost.
///
/// The damaged folder is locked and not changed. Images, keys and webhooks are copied by the caller, who also
/// makes the snapshots again from the events. Used from one thread.
public final class Repair {
  private let folder: String
  private let disk: any Disk
  private let progress: (InspectProgress) -> Bool
  private let lock: any DiskFile
  private let salvage: Salvage?
  private let reader: SealedReader?
  private var contents = JournalContents()
  /// What `contents` has of each log, by its number.
  private var journaled: [UInt64: JournaledLog] = [:]
  private var search: JournalSearch?
  private var report = RepairReport()
  /// Whether frames are known to be missing at the journal's end, so that every log may have lost its last
  /// events.
  private var hasLostEnd = false
  /// The highest number that a log has had, as the manifest knows.
  private var highestLog: UInt64 = 0

  /// Reads everything that is there. `progress` is called from time to time and says whether to go on.
  ///
  /// - Throws: `locked` while a server has the folder open, `incompatible` for a newer format, `io`. Damage is not thrown.
  public convenience init(
    folder: String, progress: @escaping (InspectProgress) -> Bool = { _ in true }
  ) throws(LogError) {
    try self.init(folder: folder, disk: SystemDisk(), progress: progress)
  }

  init(
    folder: String, disk: any Disk, progress: @escaping (InspectProgress) -> Bool
  ) throws(LogError) {
    (self.folder, self.disk, self.progress) = (folder, disk, progress)
    lock = try disk.lock(folder + "/LOCK")
    let database = folder + "/" + SealedStore.fileName
    // The folder's lock keeps writers away, so that it does no harm that this releases SQLite's own locks.
    salvage =
      try DurableFile(database, on: disk).hasContent() ? try Salvage(file: database, progress: progress) : nil
    reader = try Self.passing(&report) { () throws(LogError) in try SealedReader(folder: folder, on: disk) }
    report.isFromPages = reader == nil
    if let found = try WriteAheadCheck(disk: disk, folder: folder).run() {
      report.damages.append(found.damage)
    }
    try readJournal()
  }

  deinit {
    reader?.close()
    lock.close()
  }

  /// Whether `progress` answered false, so that `write` would write only a part.
  public var wasCancelled: Bool { salvage?.wasCancelled ?? false }

  /// The result of `body`. Damage is noted, and the result is `nil` then.
  private static func passing<Value>(
    _ report: inout RepairReport, _ body: () throws(LogError) -> Value
  ) throws(LogError) -> Value? {
    do throws(LogError) { return try body() } catch {
      switch error {
      case .damaged(let found): report.damages.append(found)
      case .unstarted(let path): report.damages.append(Damage(what: "there is no database", place: path))
      default: throw error
      }
      return nil
    }
  }

  private func passing<Value>(_ body: () throws(LogError) -> Value) throws(LogError) -> Value? {
    try Self.passing(&report, body)
  }

  // MARK: What is there

  private func readJournal() throws(LogError) {
    let manifest = try passing { () throws(LogError) in
      try ManifestFile(disk: disk, folder: folder).read()
    }
    let known = manifest ?? nil
    let meta = reader.map { Meta(database: $0.database) }
    let ofDatabase = try passing { () throws(LogError) in try meta?.read(.store) }
    var store = (ofDatabase ?? nil) ?? known?.store
    if store == nil { store = try JournalSearch.store(of: folder, disk: disk) }
    guard let store else { return }
    search = try JournalSearch(folder: folder, store: store, disk: disk)
    let numbers =
      try DurableFile(folder + "/journal", on: disk).exists()
      ? try disk.list(folder + "/journal").compactMap(JournalFolder.segmentNumber) : []
    let oldest = try passing { () throws(LogError) in try meta?.number(.oldestSegment) }
    let oldestFrame = try passing { () throws(LogError) in try meta?.oldestFrame() }
    let read = try passing { () throws(LogError) in
      try JournalReader(
        disk: disk, folder: JournalFolder(of: folder), store: store,
        // Without the database it is not known where the journal begins, so all of it is read.
        oldest: (oldest ?? nil) ?? max(known?.oldestSegment ?? 0, numbers.min() ?? 0),
        oldestFrame: (oldestFrame ?? nil) ?? 0, segmentBytes: nil, acceptLoss: true
      ).read()
    }
    contents = read ?? JournalContents()
    journaled = JournaledLog.all(in: contents)
    highestLog = known?.logs ?? 0
    report.damages += contents.harmless + contents.damages
    report.hasUnknownLoss = !contents.damages.isEmpty
    if let remains = contents.remains { report.damages.append(remains) }
    let durable = max(
      known?.frame ?? 0, CommitMarkFile.frame(in: folder, of: store, on: disk) ?? 0)
    guard contents.nextFrame <= durable else { return }
    (hasLostEnd, report.hasUnknownLoss) = (true, true)
    let what =
      "frames \(contents.nextFrame) to \(durable), which were durable, are missing at the journal's end"
    report.damages.append(Damage(what: what, place: folder + "/journal"))
  }

  /// The numbers of all logs that anything is left of.
  private func numbers() throws(LogError) -> [UInt64] {
    var found = Set(journaled.keys)
    found.formUnion((salvage?.blocks.values.joined().map(\.number) ?? []))
    if let database = reader?.database {
      for query in ["SELECT no FROM log", "SELECT DISTINCT id >> 40 FROM block INDEXED BY block_time"] {
        let numbers = try passing { () throws(LogError) in
          try database.statement(query).all { $0.unsigned(0) }
        }
        found.formUnion(numbers ?? [])
      }
    }
    return found.filter { (1..<BlockKey.numberLimit).contains($0) }.sorted()
  }

  // MARK: Writing

  /// Writes the repaired `log.db` into the new folder `target`, which exists and is empty, and proves it: every checksum,
  /// every count, the hash chain.
  ///
  /// - Throws: `damaged` when what was written is not sound, `full`, `io`.
  public func write(to target: String) throws(LogError) -> RepairReport {
    let made = try RepairedFolder(target)
    do throws(LogError) {
      let earlier = try passing { () throws(LogError) in try reader?.database.noted() }
      let numbers = try numbers()
      for (done, number) in numbers.enumerated() {
        guard let found = try log(of: number) else { continue }
        guard progress(InspectProgress(done: done, total: numbers.count, log: found.parts.log)) else { break }
        if let outcome = try made.write(found) { report.logs.append(outcome) }
      }
      try reportMissing(Set(numbers))
      try made.finish(noting: ((earlier ?? nil) ?? []) + report.damages)
    } catch {
      made.abandon()
      throw error
    }
    return report
  }

  /// Numbers of logs have no gaps, and the catalog also has those of deleted logs, so a missing number is a
  /// lost log.
  private func reportMissing(_ numbers: Set<UInt64>) throws(LogError) {
    let highest = max(highestLog, numbers.max() ?? 0)
    guard highest > 0 else { return }
    for number in 1...highest where !numbers.contains(number) {
      report.hasUnknownLoss = true
      report.damages.append(
        Damage(what: "of log number \(number) there is nothing", place: folder + "/" + SealedStore.fileName))
      // A damaged number could be very large; the report must not become endless.
      guard report.damages.count < Self.mostDamages else { return }
    }
  }

  /// The most damages that are listed.
  private static let mostDamages = 10_000

  private func log(of number: UInt64) throws(LogError) -> FoundLog? {
    guard let parts = try parts(of: number) else { return nil }
    var found = FoundLog(parts) {
      self.block($0, of: parts)
    } isAccepted: { lost in
      guard let database = self.reader?.database else { return false }
      return (try? database.isAccepted(lost, number: number)) ?? false
    }
    found.pageRun = { self.run(of: $0) }
    let made = search?.created[number]
    let first = parts.pages.first.flatMap { run(of: $0)?.base } ?? parts.journal.first?.base
    (found.created, found.epoch, found.isKnown) = (made?.time ?? first, made?.epoch, made != nil)
    found.isDeleted = search?.deleted.contains(number) ?? false
    found.hasLostEnd = hasLostEnd
    found.importLast = try unfinished(number)
    return found
  }

  private func parts(of number: UInt64) throws(LogError) -> LogRepair.Parts? {
    let database = reader?.database
    let entry = try passing { () throws(LogError) in
      try database.flatMap { database throws(LogError) in try CatalogEntry.load(number, from: database) }
    }
    let pages = salvage?.blocks.values.joined().filter { $0.number == number } ?? []
    let catalog = entry ?? nil
    guard let log = catalog?.row.log ?? search?.created[number]?.log ?? pages.first?.log else {
      let events = journaled[number]?.runs.reduce(0) { $0 + $1.count } ?? 0
      let what = "\(events) events of log number \(number), whose name is nowhere"
      report.damages.append(Damage(what: what, place: folder + "/journal"))
      report.hasUnknownLoss = true
      return nil
    }
    return LogRepair.Parts(
      number: number, log: log, entry: catalog, keys: try keys(of: number, pages),
      pages: pages.filter { $0.log == log },
      journaled: journaled[number] ?? JournaledLog(), search: search?.pieces[number] ?? [])
  }

  /// From the table and from the time index: if a page of one is damaged, the other may have its keys.
  private func keys(of number: UInt64, _ pages: [Salvage.SoundBlock]) throws(LogError) -> [Revision] {
    guard let database = reader?.database else { return pages.map(\.first).sorted() }
    let (lower, upper) = BlockKey.bounds(number)
    var found: Set<Revision> = []
    _ = try passing { () throws(LogError) in
      try database.statement("SELECT id FROM block NOT INDEXED WHERE id > ? AND id <= ?").each(lower, upper) {
        found.insert(BlockKey.revision($0.integer(0)))
        return true
      }
    }
    _ = try passing { () throws(LogError) in
      try database.statement("SELECT id FROM block INDEXED BY block_time WHERE id >> 40 = ?").each(
        .bits(number)
      ) {
        found.insert(BlockKey.revision($0.integer(0)))
        return true
      }
    }
    return found.sorted()
  }

  private func unfinished(_ number: UInt64) throws(LogError) -> Revision? {
    let imports = try passing { () throws(LogError) in
      try reader.map { reader throws(LogError) in try ImportTable(database: reader.database).all() }
    }
    return ((imports ?? nil) ?? [:])[number]
  }

  private func run(of found: Salvage.SoundBlock) -> Run? { try? salvage?.run(of: found) }

  /// The block to which the database refers; without a database, the one from bare pages.
  private func block(_ first: Revision, of parts: LogRepair.Parts) -> FoundLog.ReadBlock? {
    guard let database = reader?.database else {
      guard let found = parts.pages.first(where: { $0.first == first }) else { return nil }
      return run(of: found).map { ($0, found.chain, found.originalDigest) }
    }
    let place = BlockPlace(number: parts.number, log: parts.log, path: database.path)
    guard let block = (try? place.fetch(first, from: database)) ?? nil, let run = try? place.unpack(block)
    else {
      return nil
    }
    return (run, block.chain, block.originalDigest)
  }
}
