import EventLogFormat
import EventLogModel

/// Writes frames into segments. Used by one thread at a time: the one that opens the store, then the commit
/// thread.
final class JournalWriter: @unchecked Sendable {
  private let disk: any Disk
  private let folder: JournalFolder
  private let store: [UInt8]
  private let segmentBytes: Int

  private var file: (any DiskFile)?
  /// A segment with header and name, whose name is not durable yet.
  private var begun: (file: any DiskFile, seed: UInt32)?
  private var offset = 0
  private var seed: UInt32 = 0
  /// The number of the segment being written.
  private(set) var segment: UInt64
  private(set) var nextFrame: UInt64
  private var previous: UInt32
  /// Notes each durable frame that is not empty.
  var mark: CommitMarkFile?

  /// - Parameters:
  ///   - segment: the highest segment number used so far.
  ///   - previous: the checksum of frame `nextFrame - 1`, 0 if there is none.
  init(
    disk: any Disk, folder: JournalFolder, store: [UInt8], segmentBytes: Int, segment: UInt64,
    nextFrame: UInt64, previous: UInt32
  ) {
    self.disk = disk
    self.folder = folder
    self.store = store
    self.segmentBytes = segmentBytes
    self.segment = segment
    self.nextFrame = nextFrame
    self.previous = previous
  }

  /// The most that one frame's payload may hold before compression, so that any frame fits a segment.
  static func frameLimit(segmentBytes: Int) -> Int {
    min(JournalFrame.maximumBytes, segmentBytes - JournalSegmentHeader.length - JournalFrame.headerLength - 8)
  }

  var needsSegment: Bool { file == nil }
  func hasRoom(for frame: borrowing JournalFrameWriter) -> Bool { hasRoom(for: frame.frameLength) }
  func hasRoom(for bytes: Int) -> Bool { file != nil && offset + bytes <= segmentBytes }
  /// How much of the present segment is written, 0 to 1.
  var fill: Double { Double(offset) / Double(segmentBytes) }

  /// Whether the next segment has its name already: then `finishSegment` is what is left to do.
  var hasBegun: Bool { begun != nil }

  /// Begins the next segment in the file at `spare`. The header is durable before the file gets its name, and
  /// the name before any frame is written, so that each segment under its name has a whole header.
  ///
  /// After an error for lack of open files the call can be repeated: nothing has happened, or `hasBegun` is
  /// true.
  func beginSegment(in spare: String, rewriteBase: UInt64 = 0) throws(LogError) {
    precondition(begun == nil, "a segment that was begun is finished first")
    let next = segment + 1
    let header = JournalSegmentHeader(
      segment: next, firstFrame: nextFrame, use: Epoch.random().rawValue, store: store,
      created: Timestamp(milliseconds: WallClock.milliseconds), rewriteBase: rewriteBase)
    file?.close()
    file = nil
    let opened = try disk.open(spare, create: false, readOnly: false)
    do throws(LogError) {
      try opened.write(header.encoded, at: 0)
      try opened.flush()
      try disk.rename(spare, to: folder.segment(next))
    } catch {
      opened.close()
      throw error
    }
    begun = (opened, header.seed)
    try finishSegment()
  }

  /// Makes the name of the segment that was begun durable; from then on frames go there.
  func finishSegment() throws(LogError) {
    guard let begun else { return }
    try disk.flushFolder(folder.path)
    self.begun = nil
    file = begun.file
    segment += 1
    seed = begun.seed
    offset = JournalSegmentHeader.length
  }

  /// Writes a packed frame and, if asked to, makes it durable.
  func write(_ frame: inout JournalFrameWriter, flushing: Bool = true) throws(LogError) {
    guard let file else { throw .stopped(reason: "the journal has no segment") }
    let checksum: UInt32
    do throws(LogError) {
      checksum = try frame.withFrame(number: nextFrame, previous: previous, seed: seed) {
        bytes throws(LogError) in
        try file.write(bytes, at: offset)
      }.checksum
      if flushing { try file.flush() }
    } catch {
      throw named(error)
    }
    // An empty frame holds no events, so that damage to it is no loss.
    if flushing, !frame.isEmpty { mark?.note(nextFrame) }
    offset += frame.frameLength
    nextFrame += 1
    previous = checksum
  }

  func flush() throws(LogError) {
    do throws(LogError) { try file?.flush() } catch { throw named(error) }
  }

  /// The file was opened as a spare and was renamed since; the error gets its new name.
  private func named(_ error: LogError) -> LogError {
    guard case .io(let operation, _, let code) = error else { return error }
    return .io(operation: operation, path: folder.segment(segment), code: code)
  }

  func close() {
    file?.close()
    begun?.file.close()
    mark?.close()
    file = nil
    begun = nil
  }
}
