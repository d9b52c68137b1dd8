import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Reads the file of an export, in pieces of any size: JSONL or a block file, which it tells apart by the
/// first bytes. It checks every record, and that the revisions are 1, 2, 3….
public struct ImportReader: Sendable {
  enum Format {
    case unknown
    case lines
    case blocks(BlockReader)
  }

  /// A line holds one record, whose body is at most a message (256 KiB) and whose numbers may take four
  /// digits a byte in the mirror; 4 MiB is beyond all of them and the limit of a run.
  static let maximumLine = Run.maximumBytes

  /// The epoch of the exported log; only block files have it.
  public private(set) var epoch: Epoch?
  /// The room that was exported; only block files have it.
  public private(set) var room: RoomID?
  /// When the log was created; of a JSONL file, the time of its first record.
  public private(set) var created: Timestamp?
  public private(set) var count = 0
  private let place: String
  private var format = Format.unknown
  private var rest: [UInt8] = []
  private var line = 0

  /// `place` names the file in errors.
  public init(place: String) { self.place = place }

  /// Takes more bytes. Returns the records that are complete now.
  public mutating func feed(_ bytes: some Collection<UInt8>) throws(ReplayError) -> [Record] {
    rest.append(contentsOf: bytes)
    switch format {
    case .unknown:
      guard rest.count >= BlockFile.magic.count else { return [] }
      choose()
      return try feed([])
    case .lines: return try lines(atEnd: false)
    case .blocks(let reader): return try blocks(reader)
    }
  }

  /// Ends the file. Returns the last records.
  public mutating func finish() throws(ReplayError) -> [Record] {
    switch format {
    case .unknown, .lines: return try lines(atEnd: true)
    case .blocks(let reader):
      guard reader.isComplete, rest.isEmpty else {
        throw .unreadable(place: place, reason: "The file ends too early. Export it again.")
      }
      return []
    }
  }

  private mutating func choose() {
    format = rest.starts(with: BlockFile.magic) ? .blocks(BlockReader()) : .lines
  }

  private mutating func lines(atEnd: Bool) throws(ReplayError) -> [Record] {
    // Taken out of this value for the time of the loop, so that its memory can be read while the value
    // changes.
    var text: [UInt8] = []
    swap(&text, &rest)
    var records: [Record] = []
    let start = try text.withUnsafeBufferPointer { (text) throws(ReplayError) in
      var start = 0
      while let end = Self.lineEnd(in: text, from: start) {
        try parseLine(UnsafeBufferPointer(rebasing: text[start..<end]), into: &records)
        start = end + 1
      }
      guard text.count - start <= Self.maximumLine else {
        throw .unreadable(place: "\(place), line \(line + 1)", reason: "The line is longer than any record.")
      }
      guard atEnd, start < text.count else { return start }
      try parseLine(UnsafeBufferPointer(rebasing: text[start...]), into: &records)
      return text.count
    }
    text.removeFirst(start)
    swap(&text, &rest)
    return records
  }

  private static func lineEnd(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    var at = start
    while at < text.count {
      if text[at] == UInt8(ascii: "\n") { return at }
      at += 1
    }
    return nil
  }

  private mutating func parseLine(
    _ line: UnsafeBufferPointer<UInt8>, into records: inout [Record]
  ) throws(ReplayError) {
    self.line += 1
    guard !line.allSatisfy(Self.isBlank) else { return }
    let parsed: (revision: Revision, record: Record)
    do { parsed = try RecordMirror.record(fromLine: line) } catch {
      throw .unreadable(
        place: "\(place), line \(self.line)", reason: "It is not a record of an export (\(error)).")
    }
    let due = Revision(UInt64(count + 1))
    guard parsed.revision == due else {
      throw .notWhole(place: "\(place), line \(self.line)", expected: due, found: parsed.revision)
    }
    count += 1
    if created == nil { created = parsed.record.time }
    records.append(parsed.record)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }

  private mutating func blocks(_ reader: BlockReader) throws(ReplayError) -> [Record] {
    var reader = reader
    let runs: [Run]
    do { runs = try reader.readRuns(from: &rest) } catch {
      throw .unreadable(place: place, reason: error.description)
    }
    if let header = reader.header {
      (epoch, room, created) = (header.epoch, header.room, header.created)
    }
    var records: [Record] = []
    for run in runs {
      try expect(run.first, at: place)
      count += run.count - 1
      records += run.unpacked
    }
    format = .blocks(reader)
    return records
  }

  private mutating func expect(_ revision: Revision, at place: String) throws(ReplayError) {
    let due = Revision(UInt64(count + 1))
    guard revision == due else { throw .notWhole(place: place, expected: due, found: revision) }
    count += 1
  }
}
