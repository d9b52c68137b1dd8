import EventLogModel

// A journal segment: one file of the journal, written from the front, later used again under another number.
//
//   off  size
//     0     8  "BRJSEG01"
//     8     4  format version of the segment (1)
//    12     4  length of the header: 4096
//    16     8  segment number; the file is named after it
//    24     8  number of the first frame
//    32     8  use: random, new for every use of the file; seeds the checksum of its frames
//    40    16  store id, as in the sealed database
//    56     8  created, ms since 1970
//    64     8  rewrite base: 0, or the first segment of the recovery that wrote this one
//    72     4  CRC32C of bytes 0..<72
//    76        zero up to 4096; frames follow
//
// The use makes what an earlier use left behind invalid without erasing it. docs/FORMAT.md is the reference.

/// The first page of a journal segment.
public struct JournalSegmentHeader: Sendable, Hashable {
  /// Bytes that the header takes; the first frame begins here.
  public static let length = 4_096
  public static let formatVersion: UInt32 = 1

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

  /// What the checksums of this segment's frames start from.
  public var seed: UInt32 { UInt32(truncatingIfNeeded: use ^ (use >> 32)) }

  /// The header page, `length` bytes.
  public var encoded: [UInt8] {
    var bytes = Self.magic
    bytes.reserveCapacity(Self.length)
    bytes.appendLittleEndian(Self.formatVersion)
    bytes.appendLittleEndian(UInt32(Self.length))
    bytes.appendLittleEndian(segment)
    bytes.appendLittleEndian(firstFrame)
    bytes.appendLittleEndian(use)
    bytes += store
    bytes.appendLittleEndian(created.milliseconds)
    bytes.appendLittleEndian(rewriteBase)
    bytes.appendLittleEndian(bytes.withUnsafeBytes { CRC32C.of($0) })
    bytes += [UInt8](repeating: 0, count: Self.length - bytes.count)
    return bytes
  }

  static let magic = Array("BRJSEG01".utf8)

  /// Whether the rest of the header page is zero; the fields end at a multiple of 4.
  private static func isZero(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Bool {
    var found: UInt32 = 0
    for at in stride(from: start, to: length, by: 4) {
      found |= bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)
    }
    return found == 0
  }

  /// Reads a header page.
  /// - Throws: `JournalFault.damaged` for anything but what `encoded` gave, `.version` for a newer format
  ///   whose checksum is right.
  public init(reading bytes: UnsafeRawBufferPointer) throws(JournalFault) {
    guard bytes.count >= Self.length else { throw .damaged("segment header cut short") }
    do throws(WireError) {
      var reader = ByteReader(bytes)
      let magic = try reader.take(8)
      let version = try reader.littleEndian(UInt32.self)
      let length = try reader.littleEndian(UInt32.self)
      segment = try reader.littleEndian()
      firstFrame = try reader.littleEndian()
      use = try reader.littleEndian()
      store = Array(try reader.take(16))
      created = Timestamp(milliseconds: try reader.littleEndian())
      rewriteBase = try reader.littleEndian()
      let covered = UnsafeRawBufferPointer(rebasing: bytes[..<reader.position])
      let sum = try reader.littleEndian(UInt32.self)
      guard magic.elementsEqual(Self.magic), sum == CRC32C.of(covered) else {
        throw WireError.badField("segment header", at: 0)
      }
      guard version == Self.formatVersion else { throw WireError.badField("version \(version)", at: 8) }
      guard length == UInt32(Self.length), Self.isZero(bytes, from: reader.position) else {
        throw WireError.badField("segment header", at: reader.position)
      }
    } catch {
      if case .badField(let text, at: 8) = error { throw .version(text) }
      throw .damaged("segment header with a wrong checksum or field")
    }
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
