// A log's stored blocks in one portable file: what `boardroom export --blocks` writes.
//
//   file    = 16 bytes "boardroom.blocks" | u8 version (1) | header | piece … | end
//   header  = 16 bytes room | u64 epoch | uv created (ms since 1970) | uv last revision | u32 check
//   piece   = u8 1 | uv first revision | uv count | uv base time | uv last time | u8 coding (0 plain, 1 LZ4)
//             | uv raw length | uv byte length | bytes | u32 check
//   end     = u8 0 | uv number of pieces | u32 check
//
// `check` is the CRC-32C of the part before it, from the part's first byte (of the header: from the file's).
// Pieces follow one another without gaps from revision 1. Bytes are those of the store: records as in
// docs/PROTOCOL.md, section 4, or one LZ4 block of them. A reader refuses other versions.

import BoardroomCodec
import BoardroomModel
import EventLogModel

/// The format of block files: header, pieces and end.
public enum BlockFile {
  static let magic = Array("boardroom.blocks".utf8)
  static let version: UInt8 = 1
  static let pieceTag: UInt8 = 1
  static let endTag: UInt8 = 0

  /// The header of a block file.
  public struct Header: Sendable, Hashable {
    public var room: RoomID
    public var epoch: Epoch
    public var created: Timestamp
    public var last: Revision

    public init(room: RoomID, epoch: Epoch, created: Timestamp, last: Revision) {
      self.room = room
      self.epoch = epoch
      self.created = created
      self.last = last
    }
  }

  public static func encode(_ header: Header) -> [UInt8] {
    var bytes = magic + [version] + header.room.bytes
    bytes.appendLittleEndian(header.epoch.rawValue)
    bytes.appendVarint(UInt64(bitPattern: header.created.milliseconds))
    bytes.appendVarint(header.last.rawValue)
    return sealed(bytes)
  }

  public static func encode(_ piece: StoredRun) -> [UInt8] {
    var bytes = [pieceTag]
    bytes.appendVarint(piece.first.rawValue)
    bytes.appendVarint(UInt64(piece.count))
    bytes.appendVarint(UInt64(bitPattern: piece.base.milliseconds))
    bytes.appendVarint(UInt64(bitPattern: piece.last.milliseconds))
    bytes.append(piece.coding.rawValue)
    bytes.appendVarint(UInt64(piece.rawLength))
    bytes.appendVarint(UInt64(piece.bytes.count))
    return sealed(bytes + piece.bytes)
  }

  public static func encodeEnd(pieces: Int) -> [UInt8] {
    var bytes = [endTag]
    bytes.appendVarint(UInt64(pieces))
    return sealed(bytes)
  }

  private static func sealed(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes.appendLittleEndian(PieceCheck.of(bytes))
    return bytes
  }
}

/// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78), as everywhere in this repository. This layer reaches no
/// engine, so it has its own few lines.
enum PieceCheck {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
  }

  static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
  }
}

/// Writes a log's stored pieces as they are, without unpacking them.
public enum BlockExport {
  /// Returns the number of events written. Only whole logs: those that retention has shortened are refused.
  @discardableResult
  public static func write(
    _ recording: Recording, progress: (Revision) -> Void = { _ in }, to sink: ([UInt8]) throws -> Void
  ) async throws -> Int {
    let info = recording.info
    guard info.low <= 1 else { throw ReplayError.log(.trimmed(recording.room, low: info.low)) }
    try sink(
      BlockFile.encode(
        BlockFile.Header(room: info.log, epoch: info.epoch, created: info.created, last: info.last)))
    var at = Revision.zero
    var pieces = 0
    while at < info.last {
      let stored = try await recording.store.read(info.log, after: at, limit: Recording.pageBytes)
      for piece in stored where at < info.last {
        let whole = try cut(piece, after: at, through: info.last, of: recording)
        try sink(BlockFile.encode(whole))
        at = whole.lastRevision
        pieces += 1
        progress(at)
      }
      if stored.isEmpty { break }
    }
    try sink(BlockFile.encodeEnd(pieces: pieces))
    return at - .zero
  }

  /// The piece, or the part of it that is to be written.
  private static func cut(
    _ piece: StoredRun, after: Revision, through: Revision, of recording: Recording
  ) throws -> StoredRun {
    if piece.first == after.next, piece.lastRevision <= through { return piece }
    let run = try recording.store.unpack(piece, of: recording.room)
    guard let part = run.suffix(after: after)?.prefix(through: through) else { return piece }
    return StoredRun(part)
  }
}
