import EventLogModel

// A journal frame: what one group commit wrote, the facts of all logs.
//
//   off  size
//     0     4  magic "BRJ1"
//     4     1  version: 1, or 2 if an entry in it is of version 2
//     5     1  codec of the payload: 0 plain, 1 LZ4 block
//     6     2  flags (0)
//     8     8  frame number: +1 from frame to frame, over all segments
//    16     4  length of the payload when unpacked
//    20     4  length of the payload as stored
//    24     4  events in it
//    28     4  runs in it
//    32     4  CRC32C of the frame before
//    36     4  CRC32C over bytes 0..<36 and the stored payload, starting from the segment's seed
//    40        payload (JournalEntry.swift), then zeros up to a multiple of 8

/// One frame, checked and unpacked.
public struct JournalFrame: Sendable, Hashable {
  public static let headerLength = 40
  /// The newest version; a frame is written in the oldest that its entries allow.
  public static let version: UInt8 = 2
  /// A group commit holds at most this many bytes before compression (docs/FORMAT.md, "Journal frame").
  public static let maximumBytes = 4 << 20
  static let magic: UInt32 = 0x314A_5242

  public var number: UInt64
  public var previous: UInt32
  public var checksum: UInt32
  public var entries: [JournalEntry]

  /// Bytes that a frame with a stored payload of `stored` bytes takes.
  @inlinable public static func length(stored: Int) -> Int { (headerLength + stored + 7) & ~7 }
}

/// The fixed part of a frame whose checksum was found right.
public struct JournalFrameHeader: Sendable, Hashable {
  public let version: UInt8
  public let codec: UInt8
  public let number: UInt64
  public let rawLength: Int
  public let storedLength: Int
  public let events: Int
  public let runs: Int
  public let previous: UInt32
  public let checksum: UInt32

  public var frameLength: Int { JournalFrame.length(stored: storedLength) }

  /// Reads the header at `offset` and checks everything that the checksum covers, and the padding.
  public init(
    reading segment: UnsafeRawBufferPointer, at offset: Int, seed: UInt32
  ) throws(JournalFault) {
    func word<Value: FixedWidthInteger>(_ at: Int, _ type: Value.Type) -> Value {
      Value(littleEndian: segment.loadUnaligned(fromByteOffset: offset + at, as: type))
    }
    guard offset + JournalFrame.headerLength <= segment.count, word(0, UInt32.self) == JournalFrame.magic
    else {
      throw .noFrame
    }
    version = word(4, UInt8.self)
    codec = word(5, UInt8.self)
    number = word(8, UInt64.self)
    rawLength = Int(word(16, UInt32.self))
    storedLength = Int(word(20, UInt32.self))
    events = Int(word(24, UInt32.self))
    runs = Int(word(28, UInt32.self))
    previous = word(32, UInt32.self)
    checksum = word(36, UInt32.self)
    let end = offset + JournalFrame.length(stored: storedLength)
    guard end <= segment.count else { throw .noFrame }
    let payload = offset + JournalFrame.headerLength
    let sum = CRC32C.of(UnsafeRawBufferPointer(rebasing: segment[offset..<offset + 36]), seed: seed)
    let whole = UnsafeRawBufferPointer(rebasing: segment[payload..<payload + storedLength])
    guard CRC32C.of(whole, seed: sum) == checksum,
      segment[(payload + storedLength)..<end].allSatisfy({ $0 == 0 })
    else { throw .checksum }
  }
}

extension JournalFrame {
  /// Reads the frame at `offset`. `expecting`, where given, is the number that it must have, and the checksum
  /// of the frame before it.
  public init(
    reading segment: UnsafeRawBufferPointer, at offset: Int, seed: UInt32,
    expecting: (number: UInt64, previous: UInt32)? = nil
  ) throws(JournalFault) {
    let header = try JournalFrameHeader(reading: segment, at: offset, seed: seed)
    if let expecting, (header.number, header.previous) != expecting {
      throw .outOfOrder(found: header.number)
    }
    let start = offset + Self.headerLength
    let payload = UnsafeRawBufferPointer(rebasing: segment[start..<start + header.storedLength])
    self.init(
      number: header.number, previous: header.previous, checksum: header.checksum,
      entries: try Self.entries(header, payload))
  }

  private static func entries(
    _ header: JournalFrameHeader, _ payload: UnsafeRawBufferPointer
  ) throws(JournalFault) -> [JournalEntry] {
    guard (1...version).contains(header.version), header.codec <= 1 else {
      throw .version("frame version \(header.version), codec \(header.codec)")
    }
    guard header.rawLength <= maximumBytes * 2 else { throw .damaged("payload length") }
    do throws(WireError) {
      let entries: [JournalEntry]
      if header.codec == 0 {
        entries = try parse(payload, header.version)
      } else {
        let plain = try LZ4.decompress(payload, count: header.rawLength)
        var failure: WireError?
        entries = plain.withUnsafeBytes { bytes in
          do throws(WireError) { return try parse(bytes, header.version) } catch {
            failure = error
            return []
          }
        }
        if let failure { throw failure }
      }
      guard agrees(header, entries) else { throw .badField("frame counts", at: 24) }
      return entries
    } catch {
      throw .damaged("frame payload: \(error)")
    }
  }

  private static func parse(
    _ payload: UnsafeRawBufferPointer, _ version: UInt8
  ) throws(WireError) -> [JournalEntry] {
    var reader = ByteReader(payload)
    var entries: [JournalEntry] = []
    while !reader.isAtEnd { entries.append(try JournalEntry(reading: &reader, version: version)) }
    return entries
  }

  private static func agrees(_ header: JournalFrameHeader, _ entries: [JournalEntry]) -> Bool {
    var (runs, events) = (0, 0)
    for case .run(_, let run) in entries {
      runs += 1
      events += run.count
    }
    return runs == header.runs && events == header.events
  }
}
