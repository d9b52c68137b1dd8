import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Reads a block file piece by piece.
struct BlockReader: Sendable {
  enum Failure: Error, CustomStringConvertible {
    case version(UInt8)
    case check
    case piece(WireError)
    case count
    case trailing

    var description: String {
      switch self {
      case .version(let found):
        "The block file has version \(found); this build reads \(BlockFile.version). Use a newer build."
      case .check: "The checksum is wrong: the file was damaged. Export it again."
      case .piece(let error): "A block cannot be read (\(error)). Export it again."
      case .count: "The file does not hold as many blocks and events as it says. Export it again."
      case .trailing: "Something follows the end of the file. Export it again."
      }
    }
  }

  private(set) var header: BlockFile.Header?
  private(set) var isComplete = false
  private var pieces = 0
  private var last = Revision.zero

  /// Reads all that is complete in `bytes` and leaves the rest.
  mutating func readRuns(from bytes: inout [UInt8]) throws(Failure) -> [Run] {
    var runs: [Run] = []
    var used = 0
    let input = bytes
    while used < input.count {
      if isComplete { throw .trailing }
      guard let (part, length) = try nextPart(input, at: used) else { break }
      used += length
      if let run = try accept(part) { runs.append(run) }
    }
    bytes.removeFirst(used)
    return runs
  }

  private enum BlockFilePart {
    case header(BlockFile.Header)
    case piece(StoredRun)
    case end(pieces: Int)
  }

  private mutating func accept(_ part: BlockFilePart) throws(Failure) -> Run? {
    switch part {
    case .header(let found):
      header = found
      return nil
    case .piece(let stored):
      pieces += 1
      last = stored.lastRevision
      do throws(WireError) { return try Self.unpack(stored) } catch { throw .piece(error) }
    case .end(let count):
      guard count == pieces, last == header?.last else { throw .count }
      isComplete = true
      return nil
    }
  }

  /// One part and its length; nil if not all of its bytes have come yet.
  private func nextPart(_ bytes: [UInt8], at start: Int) throws(Failure) -> (BlockFilePart, Int)? {
    var result: Result<(BlockFilePart, Int), WireError>?
    bytes.withUnsafeBytes { all in
      var reader = ByteReader(all, at: start)
      do throws(WireError) {
        let part = try header == nil ? readHeader(&reader) : readPart(&reader)
        result = .success((part, reader.position))
      } catch { result = .failure(error) }
    }
    switch result {
    case .success(let (part, end)):
      guard end + 4 <= bytes.count else { return nil }
      let check = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[end + $1]) << UInt32(8 * $1) }
      guard PieceCheck.of(bytes[start..<end]) == check else { throw .check }
      return (part, end + 4 - start)
    case .failure(.truncated): return nil
    case .failure(let error): throw refusal(error, bytes)
    case nil: return nil
    }
  }

  private func refusal(_ error: WireError, _ bytes: [UInt8]) -> Failure {
    let version = BlockFile.magic.count
    if header == nil, bytes.count > version, bytes[version] != BlockFile.version {
      return .version(bytes[version])
    }
    return .piece(error)
  }

  private func readHeader(_ reader: inout ByteReader) throws(WireError) -> BlockFilePart {
    _ = try reader.readBytes(BlockFile.magic.count)
    let at = reader.position
    guard try reader.byte() == BlockFile.version else { throw .badField("version", at: at) }
    guard let room = RoomID(bytes: try reader.readBytes(16)) else { throw .badField("room", at: at) }
    let epoch = Epoch(try reader.littleEndian(UInt64.self))
    let created = Timestamp(milliseconds: Int64(bitPattern: try reader.varint()))
    let last = Revision(try reader.varint())
    return .header(BlockFile.Header(room: room, epoch: epoch, created: created, last: last))
  }

  private func readPart(_ reader: inout ByteReader) throws(WireError) -> BlockFilePart {
    let at = reader.position
    switch try reader.byte() {
    case BlockFile.endTag: return .end(pieces: try reader.count("pieces", limit: .max))
    case BlockFile.pieceTag: return .piece(try readPiece(&reader))
    default: throw .badField("tag", at: at)
    }
  }

  private func readPiece(_ reader: inout ByteReader) throws(WireError) -> StoredRun {
    let at = reader.position
    let first = Revision(try reader.varint())
    let count = try reader.count("count", limit: Run.maximumBytes)
    let base = Timestamp(milliseconds: Int64(bitPattern: try reader.varint()))
    let last = Timestamp(milliseconds: Int64(bitPattern: try reader.varint()))
    guard let coding = StoredRun.Coding(rawValue: try reader.byte()), count > 0, first > 0,
      base.milliseconds >= 0
    else { throw .badField("block header", at: at) }
    let rawLength = try reader.count("raw length", limit: Run.maximumBytes)
    let bytes = try reader.readBytes(try reader.count("byte length", limit: Run.maximumBytes))
    return StoredRun(
      first: first, count: count, base: base, last: last, coding: coding, bytes: Array(bytes),
      rawLength: rawLength)
  }

  private static func unpack(_ stored: StoredRun) throws(WireError) -> Run {
    let records =
      switch stored.coding {
      case .plain: stored.bytes
      case .lz4: try LZ4Block.decompress(stored.bytes, count: stored.rawLength)
      }
    guard records.count == stored.rawLength else { throw .badField("raw length", at: 0) }
    var result: Result<Timestamp, WireError> = .success(.zero)
    records.withUnsafeBytes { bytes in
      do throws(WireError) {
        result = .success(try Run.check(bytes, count: stored.count, base: stored.base))
      } catch { result = .failure(error) }
    }
    guard try result.get() == stored.last else { throw .badField("last time", at: 0) }
    return Run(
      first: stored.first, count: stored.count, base: stored.base, last: stored.last, records: records)
  }
}
