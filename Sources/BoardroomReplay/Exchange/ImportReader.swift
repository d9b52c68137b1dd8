import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Reads what an export wrote, in pieces of any size: JSONL or a block file, told apart by the first bytes.
/// Every record is checked, and that revisions count 1, 2, 3….
public struct ImportReader: Sendable {
  enum Format {
    case unknown
    case lines
    case blocks(BlockReader)
  }

  /// A line holds one record, whose body is at most a message (256 KiB) and whose numbers may take four
  /// digits a byte in the mirror; 4 MiB is beyond all of them and the limit of a run.
  static let maximumLine = Run.maximumBytes

  /// The life that the file was exported from; only block files say it.
  public private(set) var epoch: Epoch?
  /// The room that the file was exported from; only block files say it.
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

  /// Takes more bytes and gives the records that are complete.
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

  /// Takes the end of the file.
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
    var records: [Record] = []
    var start = 0
    while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
      line += 1
      if let record = try record(rest[start..<end]) { records.append(record) }
      start = end + 1
    }
    rest.removeFirst(start)
    if rest.count > Self.maximumLine {
      throw .unreadable(place: "\(place), line \(line + 1)", reason: "The line is longer than any record.")
    }
    if atEnd, !rest.isEmpty {
      line += 1
      if let record = try record(rest[...]) { records.append(record) }
      rest = []
    }
    return records
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }

  private mutating func record(_ line: ArraySlice<UInt8>) throws(ReplayError) -> Record? {
    guard !line.allSatisfy(Self.isBlank) else { return nil }
    let here = "\(place), line \(self.line)"
    let parsed: (revision: Revision, record: Record)
    do { parsed = try RecordMirror.record(fromLine: line) } catch {
      throw .unreadable(place: here, reason: "It is not a record of an export (\(error)).")
    }
    try expect(parsed.revision, at: here)
    if created == nil { created = parsed.record.time }
    return parsed.record
  }

  private mutating func blocks(_ reader: BlockReader) throws(ReplayError) -> [Record] {
    var reader = reader
    let runs: [Run]
    do { runs = try reader.take(from: &rest) } catch {
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
