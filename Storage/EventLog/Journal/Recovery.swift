import EventLogFormat
import EventLogModel

/// Brings a folder into a state in which it can be used: reads the journal, applies it to the catalog, writes
/// what is not sealed into fresh segments, makes these durable, and only then gives up the old ones.
struct Recovery {
  let disk: any Disk
  let folder: JournalFolder
  let segmentBytes: Int
  let spareSegments: Int
  let acceptLoss: Bool
  let manifest: ManifestFile

  struct Outcome {
    var logs: [UInt64: RecoveredLog]
    /// Acknowledged events that are gone, and parts that are damaged without loss.
    var damages: [Damage]
    /// A last frame that may have been acknowledged or not.
    var remains: Damage?
    var writer: JournalWriter
    var shelf: SpareShelf
    /// Where the rewritten journal begins.
    var oldest: JournalPlace
    /// Old segments that stay until the database has settled.
    var held: [UInt64]
    /// When the folder's first manifest was written.
    var created: Timestamp
  }

  func run(_ backend: any FolderBackend) throws(LogError) -> Outcome {
    let marked = CommitMarkFile.frame(in: manifest.folder, of: backend.storeID, on: disk)
    let contents = try JournalReader(
      disk: disk, folder: folder, store: backend.storeID, oldest: try backend.oldestSegment(),
      oldestFrame: try backend.oldestFrame(), segmentBytes: try backend.segmentBytes(), acceptLoss: acceptLoss
    ).read()
    var fold = JournalFold(
      rows: try backend.logs(), imports: try backend.imports(), acceptLoss: acceptLoss,
      place: folder.path)
    try fold.fold(contents)
    let (known, faults, missing) = try knownManifest(backend, contents, fold, marked)
    let kept = try keep(contents, fold, missing)
    // Only from here on the folder is changed: if there is damage, it stays as it was.
    try disk.makeFolder(folder.path)
    let shelf = SpareShelf(
      disk: disk, folder: folder, segmentBytes: segmentBytes, wanted: spareSegments)
    // Events of these segments may be only in the database's write-ahead log.
    let isSettled = try backend.finishChanges()
    try shelf.adopt(names: contents.names, obsolete: isSettled ? contents.obsolete : [])
    let writer = JournalWriter(
      disk: disk, folder: folder, store: backend.storeID, segmentBytes: segmentBytes,
      segment: contents.highestSegment, nextFrame: contents.nextFrame, previous: contents.lastChecksum)
    let damages = (contents.harmless + contents.damages + fold.damages + faults + missing).map { damage in
      kept[damage.place].map { damage.kept(as: $0) } ?? damage
    }
    let numbers = Dictionary(fold.logs.values.map { ($0.log, $0.number) }, uniquingKeysWith: max)
    for damage in damages { try backend.note(damage, number: damage.log.flatMap { numbers[$0] }) }
    let logs = try sealGaps(fold, backend)
    let oldest = JournalPlace(segment: contents.highestSegment + 1, frame: contents.nextFrame)
    try rewrite(logs, writer, shelf, base: oldest.segment)
    // From here on the fresh segments are the journal; before, the old ones are.
    try backend.beginJournal(at: oldest, segmentBytes: segmentBytes)
    let held = try retire(contents, isSettled: isSettled, backend, shelf)
    writer.mark = try CommitMarkFile.begin(
      in: manifest.folder, of: backend.storeID, at: writer.nextFrame - 1, on: disk)
    let created = known?.created ?? Timestamp(milliseconds: WallClock.milliseconds)
    if held.isEmpty {
      try manifest.write(
        Manifest(
          store: backend.storeID, created: created,
          logs: fold.logs.keys.max() ?? 0, oldestSegment: oldest.segment, frame: writer.nextFrame - 1))
      try backend.noteManifest()
    }
    return Outcome(
      logs: logs, damages: damages, remains: missing.isEmpty ? contents.remains : nil, writer: writer,
      shelf: shelf, oldest: oldest, held: held, created: created)
  }

  /// The manifest. What it knows and is missing is refused, unless loss is accepted. A manifest that is
  /// itself damaged or missing is no loss: it is written again, and that is noted as damage.
  private func knownManifest(
    _ backend: any FolderBackend, _ contents: JournalContents, _ fold: JournalFold, _ marked: UInt64?
  ) throws(LogError) -> (Manifest?, faults: [Damage], missing: [Damage]) {
    let (known, faults, missing) = try manifest.compare(backend, contents, fold, marked)
    if let first = missing.first, !acceptLoss { throw .damaged(first) }
    return (known, faults, missing)
  }

  /// Copies the journal as it was found before anything of it is given up, and returns the copies' names by path.
  ///
  /// All segments that were read, because a repair of one may need its neighbours.
  private func keep(
    _ contents: JournalContents, _ fold: JournalFold, _ missing: [Damage]
  ) throws(LogError) -> [String: String] {
    let isLoss = !contents.damages.isEmpty || !fold.damages.isEmpty || !missing.isEmpty
    guard acceptLoss, isLoss else { return [:] }
    let parts = DamagedParts(disk: disk, folder: manifest.folder)
    let obsolete = Set(contents.obsolete)
    var kept: [String: String] = [:]
    for number in contents.names.compactMap(JournalFolder.segmentNumber) where !obsolete.contains(number) {
      let path = folder.segment(number)
      kept[path] = try parts.keep(path)
    }
    return kept
  }

  /// A journal must not have gaps, so events that were found after one are sealed at once. The notes of
  /// damage say what is missing.
  private func sealGaps(
    _ fold: JournalFold, _ backend: any FolderBackend
  ) throws(LogError) -> [UInt64: RecoveredLog] {
    let torn = fold.logs.values.filter(\.hasGap).sorted { $0.number < $1.number }
    guard !torn.isEmpty else { return fold.logs }
    let oldest = JournalPlace(segment: try backend.oldestSegment(), frame: try backend.oldestFrame())
    try backend.apply(torn.flatMap(\.unsealedWhole), oldest: oldest)
    let sealed = JournalFold(
      rows: try backend.logs(), imports: try backend.imports(), acceptLoss: acceptLoss, place: folder.path)
    var logs = fold.logs
    for log in torn { logs[log.number] = sealed.logs[log.number] }
    return logs
  }

  private func rewrite(
    _ logs: [UInt64: RecoveredLog], _ writer: JournalWriter, _ shelf: SpareShelf, base: UInt64
  ) throws(LogError) {
    var frame = JournalFrameWriter()
    let limit = JournalWriter.frameLimit(segmentBytes: segmentBytes) / 2
    try nextSegment(writer, shelf, base: base)
    for log in logs.values.sorted(by: { $0.number < $1.number }) {
      for entry in log.unsealedEntries {
        if !frame.isEmpty, frame.byteCount + entry.estimatedBytes > limit {
          try write(&frame, writer, shelf, base: base)
        }
        frame.add(entry)
      }
    }
    if !frame.isEmpty { try write(&frame, writer, shelf, base: base) }
    try writer.flush()
  }

  private func write(
    _ frame: inout JournalFrameWriter, _ writer: JournalWriter, _ shelf: SpareShelf, base: UInt64
  ) throws(LogError) {
    frame.pack()
    if !writer.hasRoom(for: frame) {
      try writer.flush()
      try nextSegment(writer, shelf, base: base)
    }
    try writer.write(&frame, flushing: false)
    frame.reset()
  }

  private func nextSegment(
    _ writer: JournalWriter, _ shelf: SpareShelf, base: UInt64
  ) throws(LogError) {
    if shelf.count == 0 { try shelf.make() }
    guard let spare = shelf.takeSpare() else { throw .full(place: folder.path) }
    try writer.beginSegment(in: spare, rewriteBase: base)
  }

  /// Gives up old segments, whose events are in the fresh ones or in the settled database. Until the database
  /// has settled they stay; these are returned.
  private func retire(
    _ contents: JournalContents, isSettled: Bool, _ backend: any FolderBackend, _ shelf: SpareShelf
  ) throws(LogError) -> [UInt64] {
    var old = contents.names.compactMap(JournalFolder.segmentNumber)
    if isSettled {
      let gone = Set(contents.obsolete)
      old.removeAll { gone.contains($0) }
    }
    if try backend.finishChanges() {
      for number in old { try shelf.recycle(segment: number) }
      old = []
    }
    while shelf.count == 0 { try shelf.make() }
    return old
  }
}

extension ManifestFile {
  /// The folder's manifest, what is wrong with it, and what it or the commit mark knows and the folder does
  /// not have.
  ///
  /// - Parameter marked: the last frame that was durable as the commit mark says it, read before the journal was.
  func compare(
    _ backend: any FolderBackend, _ contents: JournalContents, _ fold: JournalFold, _ marked: UInt64?
  ) throws(LogError) -> (known: Manifest?, faults: [Damage], missing: [Damage]) {
    var (known, faults, missing): (Manifest?, [Damage], [Damage]) = (nil, [], [])
    do throws(LogError) {
      known = try read()
      if known == nil, try backend.knowsManifest() {
        faults.append(Damage(what: "the manifest is missing", place: path))
      }
    } catch {
      guard case .damaged(let found) = error else { throw error }
      faults.append(found)
    }
    if let known {
      missing = known.missing(
        store: backend.storeID, oldest: try backend.oldestSegment(), logs: fold.logs.keys.max() ?? 0,
        in: folder)
      if known.store != backend.storeID { return (known, faults, missing) }
    }
    if let end = missingEnd(contents, durable: max(known?.frame ?? 0, marked ?? 0)) { missing.append(end) }
    return (known, faults, missing)
  }

  /// The frames up to `durable` that the journal does not have.
  private func missingEnd(_ contents: JournalContents, durable: UInt64) -> Damage? {
    guard contents.nextFrame <= durable else { return nil }
    let what =
      "frames \(contents.nextFrame) to \(durable), which were durable, are missing at the journal's end"
    return Damage(
      what: what, place: contents.remains?.place ?? folder + "/journal", offset: contents.remains?.offset)
  }
}

extension JournalEntry {
  /// At least the bytes that the entry takes in a frame.
  var estimatedBytes: Int {
    switch self {
    case .run(_, let run): run.records.count + 48
    case .created, .deleted, .low, .importing: 48
    }
  }
}
