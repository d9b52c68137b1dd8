import EventLogModel

// The payload of a journal frame: entries, one after the other, nothing between and nothing after.
//
//   1  run          uv log number | run (as in EventLogModel/Run.swift)
//   2  log created  uv log number | 16 B log id, most significant first | u64 epoch | uv time ms
//   3  log deleted  uv log number | uv time ms
//   4  low moved    uv log number | uv first revision kept
//   5  importing    uv log number | uv last revision that the import will have; frames of version 2 only
//
// Log numbers are the catalog's: 1, 2, 3…, never used again. An entry with another tag means a newer frame
// version; entries carry no length, because within one version there are no unknown ones.

/// One fact of a group commit.
public enum JournalEntry: Sendable, Hashable {
  case run(number: UInt64, Run)
  case created(number: UInt64, log: LogID, epoch: Epoch, at: Timestamp)
  case deleted(number: UInt64, at: Timestamp)
  /// Retention has moved the first revision kept.
  case low(number: UInt64, Revision)
  /// The log is being imported, and not to be read before it has reached this revision.
  case importing(number: UInt64, through: Revision)

  enum Tag: UInt8 { case run = 1, created, deleted, low, importing }

  /// The log that it is about.
  package var number: UInt64 {
    switch self {
    case .run(let number, _), .created(let number, _, _, _), .deleted(let number, _), .low(let number, _),
      .importing(let number, _):
      number
    }
  }

  /// The first version of a frame in which the entry may stand.
  var frameVersion: UInt8 { if case .importing = self { 2 } else { 1 } }

  /// Log numbers fit beside a 40-bit revision in one signed 64-bit key of the sealed database.
  public static let maximumNumber = 1 << 23 - 1

  /// Writes the entry.
  public func append(to bytes: inout [UInt8]) {
    switch self {
    case .run(let number, let run):
      Self.appendRun(run, number: number, to: &bytes)
    case .created(let number, let log, let epoch, let time):
      bytes.append(Tag.created.rawValue)
      bytes.appendVarint(number)
      bytes += log.bytes
      bytes.appendLittleEndian(epoch.rawValue)
      bytes.appendVarint(UInt64(bitPattern: time.milliseconds))
    case .deleted(let number, let time):
      bytes.append(Tag.deleted.rawValue)
      bytes.appendVarint(number)
      bytes.appendVarint(UInt64(bitPattern: time.milliseconds))
    case .low(let number, let revision):
      bytes.append(Tag.low.rawValue)
      bytes.appendVarint(number)
      bytes.appendVarint(revision.rawValue)
    case .importing(let number, let last):
      bytes.append(Tag.importing.rawValue)
      bytes.appendVarint(number)
      bytes.appendVarint(last.rawValue)
    }
  }

  @inlinable static func appendRun(_ run: Run, number: UInt64, to bytes: inout [UInt8]) {
    bytes.append(1)
    bytes.appendVarint(number)
    run.appendEncoded(to: &bytes)
  }

  /// `version` is that of the frame in which the entry stands.
  public init(reading reader: inout ByteReader, version: UInt8 = 1) throws(WireError) {
    let at = reader.position
    guard let tag = Tag(rawValue: try reader.byte()) else { throw .badField("entry tag", at: at) }
    guard tag != .importing || version >= 2 else { throw .badField("entry tag", at: at) }
    let number = UInt64(try reader.count("log number", limit: Self.maximumNumber))
    guard number > 0 else { throw .badField("log number", at: at) }
    switch tag {
    case .run:
      self = .run(number: number, try Run(reading: &reader))
    case .created:
      let log = LogID(bytes: try reader.readBytes(16))!
      let epoch = Epoch(try reader.littleEndian(UInt64.self))
      self = .created(number: number, log: log, epoch: epoch, at: try Self.time(&reader))
    case .deleted:
      self = .deleted(number: number, at: try Self.time(&reader))
    case .low:
      self = .low(number: number, Revision(try reader.varint()))
    case .importing:
      self = .importing(number: number, through: Revision(try reader.varint()))
    }
  }

  private static func time(_ reader: inout ByteReader) throws(WireError) -> Timestamp {
    Timestamp(milliseconds: Int64(bitPattern: try reader.varint()))
  }
}
