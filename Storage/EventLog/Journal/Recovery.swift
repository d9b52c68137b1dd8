import EventLogFormat
import EventLogModel

/// Brings a folder to a state from which it can serve: reads the journal, lays it over the catalog, writes
/// what is not sealed into fresh segments, makes them durable, and only then gives up the old ones.
struct Recovery {
  let disk: any Disk
  let folder: JournalFolder
  let segmentBytes: Int
  let spareSegments: Int
  let acceptLoss: Bool

  struct Outcome {
    var logs: [UInt64: RecoveredLog]
    var damages: [Damage]
    var writer: JournalWriter
    var shelf: SpareShelf
    /// The first segment of the rewritten journal.
    var oldest: UInt64
  }

  func run(_ backend: any SealedBackend) throws(LogError) -> Outcome {
    let contents = try JournalReader(
      disk: disk, folder: folder, store: backend.storeID, oldest: try backend.oldestSegment(),
      segmentBytes: try backend.segmentBytes(), acceptLoss: acceptLoss
    ).read()
    var fold = JournalFold(
      rows: try backend.logs(), imports: try backend.imports(), acceptLoss: acceptLoss,
      place: folder.path)
    try fold.fold(contents)
    // Not before: damage leaves the folder as it was.
    try disk.makeFolder(folder.path)
    let shelf = SpareShelf(
      disk: disk, folder: folder, segmentBytes: segmentBytes, wanted: spareSegments)
    try shelf.adopt(names: contents.names, obsolete: contents.obsolete)
    let writer = JournalWriter(
      disk: disk, folder: folder, store: backend.storeID, segmentBytes: segmentBytes,
      segment: contents.highestSegment, nextFrame: contents.nextFrame, previous: contents.lastChecksum)
    let oldest = contents.highestSegment + 1
    try rewrite(fold.logs, writer, shelf, base: oldest)
    // From here on the fresh segments are the journal; before, the old ones are.
    try backend.beginJournal(oldestSegment: oldest, segmentBytes: segmentBytes)
    for damage in contents.damages + fold.damages { try backend.note(damage, number: nil) }
    try retire(contents, shelf)
    return Outcome(
      logs: fold.logs, damages: contents.damages + fold.damages, writer: writer, shelf: shelf, oldest: oldest)
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
    guard let spare = shelf.take() else { throw .full(place: folder.path) }
    try writer.beginSegment(in: spare, rewriteBase: base)
  }

  /// Old segments hold nothing that the fresh ones or the database do not.
  private func retire(_ contents: JournalContents, _ shelf: SpareShelf) throws(LogError) {
    let gone = Set(contents.obsolete)
    for number in contents.names.compactMap(JournalFolder.segmentNumber) where !gone.contains(number) {
      try shelf.recycle(segment: number)
    }
    while shelf.count == 0 { try shelf.make() }
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
