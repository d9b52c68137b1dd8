import EventLogFormat
import EventLogModel

/// The journal in a folder, for the commit thread.
final class FolderJournal: Journal, @unchecked Sendable {
  private let writer: JournalWriter
  private let shelf: SpareShelf
  private let folder: String
  let confirmDelay: UInt64?

  /// - Parameter confirmDelay: nanoseconds until the last frame is confirmed by an empty one.
  init(writer: JournalWriter, shelf: SpareShelf, folder: String, confirmDelay: UInt64) {
    self.writer = writer
    self.shelf = shelf
    self.folder = folder
    self.confirmDelay = confirmDelay
  }

  var segment: UInt64 { writer.segment }
  var nextFrame: UInt64 { writer.nextFrame }
  var fill: Double { writer.fill }

  func hasRoom(for frame: borrowing JournalFrameWriter) -> Bool { writer.hasRoom(for: frame) }
  func takesTurn(ofAtMost bytes: Int) -> Bool { writer.hasRoom(for: bytes) }

  /// A file's write ends, well or not, so that it never stalls.
  func write(
    _ frame: inout JournalFrameWriter, stall: (LogError) throws(LogError) -> Void
  ) throws(LogError) {
    try writer.write(&frame)
  }

  func flushEvidence() { writer.mark?.flush() }

  func beginSegment() throws(LogError) -> Bool {
    do throws(LogError) {
      if writer.hasBegun {
        try writer.finishSegment()
        return true
      }
      guard let spare = try takeSpare() else { return false }
      do throws(LogError) { try writer.beginSegment(in: spare) } catch {
        if ErrorNumber.isOfFiles(error), !writer.hasBegun { shelf.giveBack(spare) }
        throw error
      }
      return true
    } catch {
      // A full disk shows when a spare is made, as `full`: a header that cannot be written stops the store.
      if case .full = error {} else if !ErrorNumber.isOfFiles(error) { throw error }
      throw ErrorNumber.asFull(error, in: folder)
    }
  }

  /// A spare file from the shelf or a new one; `nil` if another thread has just taken it.
  private func takeSpare() throws(LogError) -> String? {
    if let spare = shelf.takeSpare() { return spare }
    try shelf.make()
    return shelf.takeSpare()
  }

  func close() { writer.close() }
}

/// A folder's segments and its manifest, for the sealer's thread.
final class FolderSegments: JournalSegments {
  private let shelf: SpareShelf
  private let manifest: ManifestFile
  private let store: [UInt8]
  /// When the folder's first manifest was written.
  private let created: Timestamp
  private let disk: any Disk
  private let lock: any DiskFile

  init(
    shelf: SpareShelf, manifest: ManifestFile, store: [UInt8], created: Timestamp, disk: any Disk,
    lock: any DiskFile
  ) {
    self.shelf = shelf
    self.manifest = manifest
    self.store = store
    self.created = created
    self.disk = disk
    self.lock = lock
  }

  var spares: Int { shelf.count }
  var isShortOfSpares: Bool { shelf.isShort }

  /// Nobody finds what is written to a folder that was moved away, and another program may use a new folder
  /// of its name.
  func misplaced() -> LogError? {
    if disk.isInPlace(lock) { return nil }
    return .stopped(reason: "the data folder \(manifest.folder) was removed, moved or replaced")
  }

  func makeSpare() throws(LogError) { try shelf.make() }
  func removeSpares() throws(LogError) { try shelf.removeSpares() }

  func retire(_ segment: UInt64, reusing: Bool) throws(LogError) {
    if reusing { try shelf.recycle(segment: segment) } else { try shelf.remove(segment: segment) }
  }

  func noteSettled(logs: UInt64, oldest: UInt64, frame: UInt64) throws(LogError) {
    try manifest.write(
      Manifest(store: store, created: created, logs: logs, oldestSegment: oldest, frame: frame))
  }
}
