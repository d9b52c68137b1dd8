// One sealed block: a run of one log, compressed, checksummed, chained. All integers little-endian.
//
//   off  field
//     0  u32 magic "BRB1"
//     4  u8 version (1) | u8 codec: 0 plain, 1 LZ4, 3 columns | u16 flags: 1 open, may be replaced
//     8  16 B log
//    24  u64 first revision
//    32  u32 count | u32 length of the records | u32 length of the payload | u32 dictionary (0: none)
//    48  u64 base time ms: what the first record's step counts from | u64 time of the last record ms
//    64  32 B chain value with this block
//    96  u32 CRC32C of the records
//   100  24 B zero
//   124  u32 CRC32C over bytes 0 to 123 and the payload
//   128  payload: the records, their LZ4 block, or the same in columns (Columns/ColumnPayload.swift); never open then
//
// Version 2 is a block in which some records were replaced by records with less content: bytes 128 to 159 are
// the SHA-256 of the records before that, from which its chain value was made, and the payload begins at 160.
// It is never open.
//
// A block can be read without anything else of its file: `Salvage` finds blocks in files whose other pages
// are damaged.

import EventLogModel

/// One sealed block. The layout is at the top of this file.
public struct Block: Sendable, Hashable {
  /// How the payload holds the records.
  public enum Codec: UInt8, Sendable, Hashable { case plain = 0, lz4 = 1, columns = 3 }

  public static let headerLength = 128
  public static let magic: UInt32 = 0x3142_5242
  static let version: UInt8 = 1
  /// The version of a block in which some records were erased.
  static let erasedVersion: UInt8 = 2
  static let openFlag: UInt16 = 1

  public let log: LogID
  public let first: Revision
  public let count: Int
  /// The time from which the first record's step counts.
  public let base: Timestamp
  /// The time of the last record.
  public let lastTime: Timestamp
  public let codec: Codec
  /// The records, packed as the codec says.
  public let payload: [UInt8]
  /// Bytes of the records, unpacked.
  public let rawLength: Int
  /// Whether it is the last block of a log and still short, so that the next seal may replace it by a longer
  /// one.
  public let isOpen: Bool
  /// The chain value with this block.
  public let chain: [UInt8]
  /// In a block in which some records were erased: `Chain.digest(of:)` of the records before that. Else nil.
  public let originalDigest: [UInt8]?
  let recordsChecksum: UInt32

  /// Bytes of the block as it is stored.
  public var encodedLength: Int {
    Block.headerLength + (originalDigest?.count ?? 0) + payload.count
  }

  public var last: Revision { first + (count - 1) }

  /// Packs `run` of `log`, whose block before has the chain value `previous`.
  public init(sealing run: Run, of log: LogID, after previous: [UInt8], isOpen: Bool) {
    self.init(
      run, of: log, StoredRun(packing: run), isOpen: isOpen,
      chain: Chain.value(after: previous, log: log, run: run), originalDigest: nil)
  }

  /// Makes the block that takes the place of `block` after an erasure: `old` are its records before, `run`
  /// those after it. Revisions, times and chain value stay.
  public init(erasing block: Block, of old: Run, leaving run: Run) {
    self.init(
      run, of: block.log, StoredRun(packing: run), isOpen: false, chain: block.chain,
      originalDigest: block.originalDigest ?? Chain.digest(of: old.records))
  }

  private init(
    _ run: Run, of log: LogID, _ stored: StoredRun, isOpen: Bool, chain: [UInt8], originalDigest: [UInt8]?
  ) {
    (self.log, self.isOpen, self.chain, self.originalDigest) = (log, isOpen, chain, originalDigest)
    (first, count, base, lastTime) = (run.first, run.count, run.base, run.last)
    recordsChecksum = CRC32C.of(run.records)
    codec = stored.coding == .lz4 ? .lz4 : .plain
    (payload, rawLength) = (stored.bytes, stored.rawLength)
  }

  /// Makes the same block with its records (`run`) in columns. `nil` if `block` is open, or if columns are
  /// not shorter.
  ///
  /// The result is unpacked and compared with `run`, so that no block is replaced by a different one.
  public init?(columnsOf block: Block, _ run: Run, shapes: [UInt8: BodyShape]) {
    guard !block.isOpen else { return nil }
    let payload = ColumnPayload.encode(run, shapes: shapes)
    guard payload.count < block.payload.count else { return nil }
    (log, isOpen, chain) = (block.log, false, block.chain)
    (originalDigest, recordsChecksum) = (block.originalDigest, block.recordsChecksum)
    (first, count, base, lastTime) = (block.first, block.count, block.base, block.lastTime)
    (codec, self.payload, rawLength) = (Codec.columns, payload, block.rawLength)
    guard (try? unpacked()) == run else { return nil }
  }

  /// The chain value with this block, whose records are `run`, given the value before it.
  public func chainValue(after previous: [UInt8], run: Run) -> [UInt8] {
    Chain.value(after: previous, log: log, run: run, digest: originalDigest)
  }

  /// The block as bytes.
  public var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encodedLength)
    appendHeader(to: &bytes)
    let digest = originalDigest ?? []
    let checksum = CRC32C.of(payload, seed: CRC32C.of(digest, seed: CRC32C.of(bytes)))
    bytes.appendLittleEndian(checksum)
    bytes.append(contentsOf: digest)
    bytes.append(contentsOf: payload)
    return bytes
  }

  private func appendHeader(to bytes: inout [UInt8]) {
    bytes.appendLittleEndian(Block.magic)
    bytes.append(originalDigest == nil ? Block.version : Block.erasedVersion)
    bytes.append(codec.rawValue)
    bytes.appendLittleEndian(isOpen ? Block.openFlag : 0)
    bytes.append(contentsOf: log.bytes)
    bytes.appendLittleEndian(first.rawValue)
    bytes.appendLittleEndian(UInt32(count))
    bytes.appendLittleEndian(UInt32(rawLength))
    bytes.appendLittleEndian(UInt32(payload.count))
    bytes.appendLittleEndian(UInt32(0))
    bytes.appendLittleEndian(base.milliseconds)
    bytes.appendLittleEndian(lastTime.milliseconds)
    bytes.append(contentsOf: chain)
    bytes.appendLittleEndian(recordsChecksum)
    bytes.append(contentsOf: [UInt8](repeating: 0, count: 24))
  }
}

extension Block {
  /// Reads a block and checks header and checksum. Does not unpack the payload.
  ///
  /// Throws for any single changed, missing or added byte.
  public init(reading bytes: UnsafeRawBufferPointer) throws(WireError) {
    let length = try Block.length(of: bytes)
    guard bytes.count >= length else { throw .truncated(at: bytes.count) }
    guard bytes.count == length else { throw .trailingBytes(at: length) }
    let header = UnsafeRawBufferPointer(rebasing: bytes[..<124])
    let rest = UnsafeRawBufferPointer(rebasing: bytes[Block.headerLength...])
    var reader = ByteReader(bytes, at: 124)
    let checksum = try reader.littleEndian(UInt32.self)
    guard checksum == CRC32C.of(rest, seed: CRC32C.of(header)) else {
      throw .badField("block checksum", at: 124)
    }
    let digest = Block.digestLength(of: bytes)
    try self.init(
      header: header, digest: digest > 0 ? Array(rest[..<digest]) : nil,
      payload: UnsafeRawBufferPointer(rebasing: rest[digest...]))
  }

  /// Bytes between header and payload.
  private static func digestLength(of bytes: UnsafeRawBufferPointer) -> Int {
    bytes[4] == erasedVersion ? Chain.byteCount : 0
  }

  /// The length of the block that begins with `bytes`. Looks at magic, version and payload length only, and
  /// checks nothing else.
  public static func length(of bytes: UnsafeRawBufferPointer) throws(WireError) -> Int {
    var reader = ByteReader(bytes)
    guard try reader.littleEndian(UInt32.self) == magic else { throw .badField("block magic", at: 0) }
    guard bytes.count >= headerLength else { throw .truncated(at: bytes.count) }
    reader.position = 40
    let payload = Int(try reader.littleEndian(UInt32.self))
    guard payload > 0, payload <= Run.maximumBytes else { throw .badField("payload length", at: 40) }
    return headerLength + digestLength(of: bytes) + payload
  }

  private init(
    header: UnsafeRawBufferPointer, digest: [UInt8]?, payload: UnsafeRawBufferPointer
  ) throws(WireError) {
    var reader = ByteReader(header, at: 4)
    guard (Block.version...Block.erasedVersion).contains(try reader.byte()) else {
      throw .badField("block version", at: 4)
    }
    guard let codec = Codec(rawValue: try reader.byte()) else { throw .badField("codec", at: 5) }
    let flags = try reader.littleEndian(UInt16.self)
    let mayBeOpen = digest == nil && codec != .columns
    guard flags & ~(mayBeOpen ? Block.openFlag : 0) == 0 else { throw .badField("block flags", at: 6) }
    guard let log = LogID(bytes: try reader.readBytes(16)) else { throw .truncated(at: 8) }
    let first = try reader.littleEndian(UInt64.self)
    let count = try reader.littleEndian(UInt32.self)
    let rawLength = try reader.littleEndian(UInt32.self)
    reader.position = 44
    let dictionary = try reader.littleEndian(UInt32.self)
    let base = try reader.littleEndian(Int64.self)
    let last = try reader.littleEndian(Int64.self)
    guard first > 0, first <= UInt64(Int64.max), count > 0, count <= rawLength,
      rawLength <= Run.maximumBytes, dictionary == 0, base >= 0, last >= base,
      codec != .plain || rawLength == payload.count
    else { throw .badField("block header", at: 24) }
    chain = Array(try reader.readBytes(Chain.byteCount))
    recordsChecksum = try reader.littleEndian()
    guard try reader.readBytes(24).allSatisfy({ $0 == 0 }) else { throw .badField("reserved bytes", at: 100) }
    self.log = log
    isOpen = flags & Block.openFlag != 0
    originalDigest = digest
    (self.first, self.count) = (Revision(first), Int(count))
    (self.base, lastTime) = (Timestamp(milliseconds: base), Timestamp(milliseconds: last))
    (self.codec, self.payload, self.rawLength) = (codec, Array(payload), Int(rawLength))
  }

  /// Unpacks the block and checks its records: their checksum, every record's header, the last time.
  public func unpacked() throws(WireError) -> Run {
    let run = try checkedRun()
    try checkSum(of: run)
    return run
  }

  /// Unpacks the block for a caller that knows the chain value before it. If the chain value fits, its
  /// SHA-256 proves the records, and their checksum is not computed as well. Records of an erased block are
  /// always checked by their checksum.
  ///
  /// - Returns: the records, and whether the chain value fits; nil if `previous` is nil.
  public func unpacked(after previous: [UInt8]?) throws(WireError) -> (run: Run, isChained: Bool?) {
    let run = try checkedRun()
    let isChained = previous.map { chainValue(after: $0, run: run) == chain }
    if isChained != true || originalDigest != nil { try checkSum(of: run) }
    return (run, isChained)
  }

  /// The run as readers get it: plain or as one LZ4 block. Columns exist on disk only; they are unpacked and
  /// checked here. Other payloads are passed on as they are stored.
  public func stored() throws(WireError) -> StoredRun {
    let coding: StoredRun.Coding
    switch codec {
    case .plain: coding = .plain
    case .lz4: coding = .lz4
    case .columns: return StoredRun(packing: try unpacked())
    }
    return StoredRun(
      first: first, count: count, base: base, last: lastTime, coding: coding, bytes: payload,
      rawLength: rawLength)
  }

  private func checkedRun() throws(WireError) -> Run {
    guard rawLength <= Run.maximumBytes else { throw .badField("records length", at: 36) }
    switch codec {
    case .plain, .lz4: return try stored().unpacked()
    case .columns:
      let records = try payload.withUnsafeBufferPointer { payload throws(WireError) in
        try ColumnPayload.decode(UnsafeRawBufferPointer(payload), count: count, rawLength: rawLength)
      }
      return try StoredRun(
        first: first, count: count, base: base, last: lastTime, coding: .plain, bytes: records,
        rawLength: rawLength
      ).unpacked()
    }
  }

  private func checkSum(of run: Run) throws(WireError) {
    guard CRC32C.of(run.records) == recordsChecksum else { throw .badField("records checksum", at: 96) }
  }
}

extension StoredRun {
  /// Unpacks the run and checks every record's header and the last time. Throws when the bytes are not the
  /// records that the header promises.
  public func unpacked() throws(WireError) -> Run {
    let records = try unpackedRecords()
    let end = try records.withUnsafeBufferPointer { buffer throws(WireError) in
      try Run.check(UnsafeRawBufferPointer(buffer), count: count, base: base)
    }
    guard end == last else { throw .badField("last time", at: 56) }
    return Run(first: first, count: count, base: base, last: last, records: records)
  }

  private func unpackedRecords() throws(WireError) -> [UInt8] {
    guard rawLength <= Run.maximumBytes else { throw .badField("records length", at: 36) }
    switch coding {
    case .plain:
      guard bytes.count == rawLength else { throw .badField("records length", at: 36) }
      return bytes
    case .lz4:
      return try bytes.withUnsafeBufferPointer { buffer throws(WireError) in
        try LZ4.decompress(UnsafeRawBufferPointer(buffer), count: rawLength)
      }
    }
  }

  /// Packs the run into one LZ4 block, or keeps it plain if that is not shorter.
  init(packing run: Run) {
    let packed = LZ4.compress(run.records)
    self.init(
      first: run.first, count: run.count, base: run.base, last: run.last,
      coding: packed == nil ? .plain : .lz4, bytes: packed ?? run.records, rawLength: run.records.count)
  }
}

extension Run {
  /// Cuts the run between records into pieces of at most `limit` bytes each. A longer record is a piece of
  /// its own.
  public func cut(limit: Int) -> [Run] {
    guard records.count > limit else { return [self] }
    var pieces: [Run] = []
    records.withUnsafeBytes { bytes in
      var walker = RecordWalker(bytes: bytes, first: first, base: base)
      var start = (position: 0, revision: first, base: base)
      var end = start
      while let view = walker.next() {
        if walker.position - start.position > limit, end.position > start.position {
          pieces.append(piece(bytes, from: start, to: end))
          start = end
        }
        end = (walker.position, view.revision.next, view.time)
      }
      pieces.append(piece(bytes, from: start, to: end))
    }
    return pieces
  }

  private typealias Edge = (position: Int, revision: Revision, base: Timestamp)

  private func piece(_ bytes: UnsafeRawBufferPointer, from start: Edge, to end: Edge) -> Run {
    Run(
      first: start.revision, count: end.revision - start.revision, base: start.base, last: end.base,
      records: Array(bytes[start.position..<end.position]))
  }
}
