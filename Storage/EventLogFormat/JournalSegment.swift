import EventLogModel

// A journal segment: one file of the journal, written from the front, later used again under another number.
//
//   off  size
//     0     8  "BRJSEG01"
//     8     4  format version of the segment (2; in 1 there is no copy)
//    12     4  length of the header: 4096
//    16     8  segment number; the file is named after it
//    24     8  number of the first frame
//    32     8  use: random, new for every use of the file; seeds the checksum of its frames
//    40    16  store id, as in the sealed database
//    56     8  created, ms since 1970
//    64     8  rewrite base: 0, or the first segment of the recovery that wrote this one
//    72     4  CRC32C of bytes 0..<72
//    76        zero up to 2048
//  2048    76  the same again
//  2124        zero up to 4096; frames follow
//
// Frames that an earlier use of the file left are not valid under the new use, without being erased.
// docs/FORMAT.md is the reference.

/// The first page of a journal segment.
public struct JournalSegmentHeader: Sendable, Hashable {
  /// Bytes that the header takes; the first frame begins here.
  public static let length = 4_096
  public static let formatVersion: UInt32 = 2
  /// Where the copy of the fields begins: in another sector, so that one of the two stays whole if a sector
  /// is lost.
  static let copyOffset = 2_048
  /// The bytes of the fields, checksum included.
  static let fieldBytes = 76

  public var segment: UInt64
  /// The number of the first frame in the segment, one more than the last of the segment before.
  public var firstFrame: UInt64
  /// Random, new whenever the file is used again.
  public var use: UInt64
  /// 16 bytes that name the store.
  public var store: [UInt8]
  public var created: Timestamp
  /// 0, or the first segment of the recovery that wrote this one: see `docs/FORMAT.md`, recovery.
  public var rewriteBase: UInt64

  public init(
    segment: UInt64, firstFrame: UInt64, use: UInt64, store: [UInt8], created: Timestamp, rewriteBase: UInt64
  ) {
    precondition(store.count == 16, "a store id has 16 bytes")
    self.segment = segment
    self.firstFrame = firstFrame
    self.use = use
    self.store = store
    self.created = created
    self.rewriteBase = rewriteBase
  }

  /// The value from which the checksums of this segment's frames start.
  public var seed: UInt32 { UInt32(truncatingIfNeeded: use ^ (use >> 32)) }

  /// The header page, `length` bytes.
  public var encoded: [UInt8] { encoded(version: Self.formatVersion) }

  /// The header page as a format version wrote it: 1 without the copy.
  package func encoded(version: UInt32) -> [UInt8] {
    var fields = Self.magic
    fields.reserveCapacity(Self.fieldBytes)
    fields.appendLittleEndian(version)
    fields.appendLittleEndian(UInt32(Self.length))
    fields.appendLittleEndian(segment)
    fields.appendLittleEndian(firstFrame)
    fields.appendLittleEndian(use)
    fields += store
    fields.appendLittleEndian(created.milliseconds)
    fields.appendLittleEndian(rewriteBase)
    fields.appendLittleEndian(fields.withUnsafeBytes { CRC32C.of($0) })
    var page = [UInt8](repeating: 0, count: Self.length)
    page.replaceSubrange(0..<Self.fieldBytes, with: fields)
    if version > 1 { page.replaceSubrange(Self.copyOffset..<Self.copyOffset + Self.fieldBytes, with: fields) }
    return page
  }

  static let magic = Array("BRJSEG01".utf8)

  /// A header page that was read, and whether all of it was right.
  public struct HeaderPage: Sendable, Hashable {
    public var header: JournalSegmentHeader
    /// Whether all of it is as it was written; false if only one of the two copies of the fields is right.
    public var isWhole: Bool

    package init(header: JournalSegmentHeader, isWhole: Bool) {
      self.header = header
      self.isWhole = isWhole
    }
  }

  /// Reads a header page.
  /// - Throws: `JournalFault.damaged` when neither copy of the fields is what `encoded` gave, `.version` for a newer format
  ///   whose checksum is right.
  public static func page(reading bytes: UnsafeRawBufferPointer) throws(JournalFault) -> HeaderPage {
    guard bytes.count >= length else { throw .damaged("segment header cut short") }
    let (first, second) = (fields(of: bytes, at: 0), fields(of: bytes, at: copyOffset))
    guard let found = first ?? second else {
      throw .damaged("segment header with a wrong checksum or field")
    }
    guard found.version <= formatVersion, found.version > 0 else {
      throw .version("version \(found.version)")
    }
    let isWhole =
      found.version == 1
      ? isZero(bytes, fieldBytes..<length)
      : first == second && isZero(bytes, fieldBytes..<copyOffset)
        && isZero(bytes, (copyOffset + fieldBytes)..<length)
    // Version 1 has no copy, so a damaged page of it is refused.
    guard isWhole || found.version > 1 else {
      throw .damaged("segment header with a wrong checksum or field")
    }
    return HeaderPage(header: found.header, isWhole: isWhole)
  }

  /// Reads a header page, without reporting whether one of the copies was damaged.
  public init(reading bytes: UnsafeRawBufferPointer) throws(JournalFault) {
    self = try Self.page(reading: bytes).header
  }

  private struct Fields: Equatable {
    var version: UInt32
    var header: JournalSegmentHeader
  }

  /// The fields that stand at `offset`; `nil` where their checksum or their form is wrong.
  private static func fields(of bytes: UnsafeRawBufferPointer, at offset: Int) -> Fields? {
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + fieldBytes]))
    do throws(WireError) {
      let magic = try reader.readBytes(8)
      let version = try reader.littleEndian(UInt32.self)
      let length = try reader.littleEndian(UInt32.self)
      let (segment, firstFrame, use): (UInt64, UInt64, UInt64) = (
        try reader.littleEndian(), try reader.littleEndian(), try reader.littleEndian()
      )
      let store = Array(try reader.readBytes(16))
      let created = Timestamp(milliseconds: try reader.littleEndian())
      let rewriteBase: UInt64 = try reader.littleEndian()
      let covered = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + reader.position])
      let sum = try reader.littleEndian(UInt32.self)
      guard magic.elementsEqual(Self.magic), sum == CRC32C.of(covered), length == UInt32(Self.length) else {
        return nil
      }
      return Fields(
        version: version,
        header: JournalSegmentHeader(
          segment: segment, firstFrame: firstFrame, use: use, store: store, created: created,
          rewriteBase: rewriteBase))
    } catch {
      return nil
    }
  }

  /// Whether a part of the header page is zero; its bounds are multiples of 4.
  private static func isZero(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
    var found: UInt32 = 0
    for at in stride(from: range.lowerBound, to: range.upperBound, by: 4) {
      found |= bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)
    }
    return found == 0
  }
}

/// Why bytes are not the segment header or journal frame that was looked for.
public enum JournalFault: Error, Sendable, Hashable {
  /// No frame begins here: the magic number or a length is not one.
  case noFrame
  /// The checksum or the padding is wrong.
  case checksum
  /// A whole frame, but not the one that must follow.
  case outOfOrder(found: UInt64)
  /// Right checksum, but of a version that this build does not know.
  case version(String)
  /// Right checksum, but the content is not what the format says.
  case damaged(String)
}
