import EventLogFormat
import EventLogModel

/// Finds blocks in the bare pages of a `log.db` that SQLite cannot read any more. A block describes itself,
/// so that schema, inner pages and the page's own header are not needed.
///
/// It also finds blocks in pages that are free but not yet used again: of trimmed and deleted logs, and
/// shorter forms of blocks that have grown since. Of several blocks with one beginning the longest counts.
/// Changes nothing. The file must not be open in this process, because closing it here would release SQLite's
/// locks.
public final class Salvage {
  /// One sound block.
  public struct SoundBlock: Sendable, Hashable {
    public let log: LogID
    /// The log's number, as the block's row has it.
    let number: UInt64
    public let first: Revision
    public let count: Int
    public let last: Timestamp
    public let isOpen: Bool
    public let chain: [UInt8]
    /// Of a block some of whose records were erased: the digest of the records as they were.
    let originalDigest: [UInt8]?
    /// Offset of the block's first byte in the file; in the WAL's form of a page it lies there instead.
    public let offset: Int
    let view: PageFile.PageVersion
  }

  private let pages: PageFile
  /// Sound blocks by log, in order of their revisions.
  public private(set) var blocks: [LogID: [SoundBlock]] = [:]
  /// Places that look like a block but fail its checksum.
  public private(set) var damaged: [Damage] = []
  public private(set) var wasCancelled = false

  /// Scans the file and, if there is one, the WAL beside it. `progress` is asked every 1,000 pages whether to
  /// go on. Throws `.io` when the file cannot be opened.
  public init(
    file path: String, progress: (InspectProgress) -> Bool = { _ in true }
  ) throws(LogError) {
    pages = try PageFile(path: path)
    var best: [LogID: [Revision: SoundBlock]] = [:]
    var broken: [Int: Damage] = [:]
    for number in stride(from: 1, through: pages.pageCount, by: 1) {
      if number % 1_000 == 0 {
        guard progress(InspectProgress(done: number, total: pages.pageCount)) else {
          wasCancelled = true
          break
        }
      }
      scan(number, .newest, &best, &broken)
      // The main file's form may be sound where the WAL's is not.
      if !pages.walPages.isEmpty { scan(number, .mainFileOnly, &best, &broken) }
    }
    blocks = best.mapValues { $0.values.sorted { $0.first < $1.first } }
    damaged = broken.sorted { $0.key < $1.key }.map(\.value)
  }

  private func scan(
    _ number: Int, _ view: PageFile.PageVersion, _ best: inout [LogID: [Revision: SoundBlock]],
    _ broken: inout [Int: Damage]
  ) {
    let page = pages.page(number, view)
    for start in BlockCell.magics(in: page) {
      let offset = (number - 1) * PageFile.pageSize + start
      guard let cell = BlockCell.assemble(page, blockAt: start, pages, view),
        let block = Salvage.sound(cell.block)
      else {
        broken[offset] = Damage(what: "a block that fails its checksum", place: pages.path, offset: offset)
        continue
      }
      let known = best[block.log]?[block.first]
      guard block.count > known?.count ?? 0 || block.replaces(known) else { continue }
      best[block.log, default: [:]][block.first] = SoundBlock(
        log: block.log, number: UInt64(bitPattern: cell.row) >> 40, first: block.first,
        count: block.count, last: block.lastTime,
        isOpen: block.isOpen, chain: block.chain, originalDigest: block.originalDigest, offset: offset,
        view: view)
    }
  }

  private static func sound(_ bytes: [UInt8]) -> Block? {
    guard let block = try? bytes.withUnsafeBytes({ try Block(reading: $0) }) else { return nil }
    return (try? block.unpacked()) == nil ? nil : block
  }

  /// The records of a found block.
  public func run(of found: SoundBlock) throws(LogError) -> Run {
    let (number, start) = (found.offset / PageFile.pageSize + 1, found.offset % PageFile.pageSize)
    let page = pages.page(number, found.view)
    let block = BlockCell.assemble(page, blockAt: start, pages, found.view).flatMap {
      Salvage.sound($0.block)
    }
    guard let run = try? block?.unpacked() else {
      throw .damaged(
        Damage(
          what: "a block that changed since the scan", place: pages.path, offset: found.offset,
          log: found.log))
    }
    return run
  }

  /// All that is left of a log: runs in rising order without overlaps; what lies between them is lost.
  public func runs(of log: LogID) throws(LogError) -> [Run] {
    var runs: [Run] = []
    var end = Revision.zero
    for found in blocks[log] ?? [] {
      guard let run = try run(of: found).suffix(after: end) else { continue }
      runs.append(run)
      end = run.lastRevision
    }
    return runs
  }
}

extension Block {
  /// Whether it is a later form of a block of the same length, with records erased. Erased content must not
  /// come back.
  fileprivate func replaces(_ known: Salvage.SoundBlock?) -> Bool {
    guard let known, originalDigest != nil else { return false }
    return known.originalDigest == nil && known.count == count
  }
}

/// A cell of the block table inside a page, found by the magic of the block in it.
enum BlockCell {
  private static let magic: [UInt8] = Array("BRB1".utf8)
  /// Length of an overflow page's content: a page less the number of the next one.
  private static let overflowLength = PageFile.pageSize - 4
  /// The longest and shortest start of a cell before its block: payload length, rowid, record header, three
  /// integers.
  private static let prefixLengths = 7...45

  static func magics(in page: [UInt8]) -> [Int] {
    page.withUnsafeBytes { bytes in
      var found: [Int] = []
      for offset in 0..<max(0, bytes.count - Block.headerLength)
      where bytes[offset] == magic[0] && bytes[offset + 1] == magic[1]
        && bytes[offset + 2] == magic[2] && bytes[offset + 3] == magic[3]
      {
        found.append(offset)
      }
      return found
    }
  }

  /// The bytes of the block whose magic stands at `start`: those in the page and those on overflow pages; and the key
  /// of its row.
  static func assemble(
    _ page: [UInt8], blockAt start: Int, _ pages: PageFile, _ view: PageFile.PageVersion
  ) -> (row: Int64, block: [UInt8])? {
    let header = page[start...]
    guard let length = try? header.withUnsafeBytes({ try Block.length(of: $0) }) else { return nil }
    for prefix in prefixLengths where start >= prefix {
      guard let payload = payloadLength(page, from: start - prefix, blockAt: start, length) else { continue }
      let (total, before) = (payload.total, payload.before)
      guard let block = collect(page, blockAt: start, length, (total, before), pages, view) else { continue }
      return (payload.row, block)
    }
    return nil
  }

  /// The length of the cell's payload and of its part before the block, and the row's key, if a cell of the block
  /// table that leads to this block can begin at `cell`.
  private static func payloadLength(
    _ page: [UInt8], from cell: Int, blockAt start: Int, _ length: Int
  ) -> (total: Int, before: Int, row: Int64)? {
    var position = cell
    guard let total = varint(page, &position), let row = varint(page, &position) else { return nil }
    let record = position
    guard let headerLength = varint(page, &position) else { return nil }
    var types: [Int] = []
    while position < record + headerLength, types.count < 16 {
      guard let type = varint(page, &position) else { return nil }
      types.append(type)
    }
    guard position == record + headerLength, types.last == 2 * length + 12 else { return nil }
    let values = types.dropLast().reduce(0) { $0 + (valueLengths[$1] ?? 1 << 20) }
    guard position + values == start, total == headerLength + values + length else { return nil }
    return (total, start - record, Int64(row))
  }

  /// Bytes of SQLite's integer serial types.
  private static let valueLengths = [0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 8: 0, 9: 0]

  private static func collect(
    _ page: [UInt8], blockAt start: Int, _ length: Int, _ payload: (total: Int, before: Int),
    _ pages: PageFile, _ view: PageFile.PageVersion
  ) -> [UInt8]? {
    let local = localLength(payload.total) - payload.before
    guard local >= 0, start + local <= page.count else { return nil }
    var block = Array(page[start..<start + min(local, length)])
    guard block.count < length else { return block }
    guard start + local + 4 <= page.count else { return nil }
    var next = Int(bigEndian(page, start + local))
    while block.count < length {
      guard next > 0, next <= pages.pageCount else { return nil }
      let overflow = pages.page(next, view)
      block += overflow[4..<4 + min(overflowLength, length - block.count)]
      next = Int(bigEndian(overflow, 0))
    }
    return block
  }

  /// How much of a payload lies in the leaf page: sqlite.org/fileformat2.html, section 1.6.
  private static func localLength(_ total: Int) -> Int {
    let usable = PageFile.pageSize
    guard total > usable - 35 else { return total }
    let least = (usable - 12) * 32 / 255 - 23
    let some = least + (total - least) % (usable - 4)
    return some <= usable - 35 ? some : least
  }

  /// SQLite's own integers of variable length: big-endian, seven bits a byte, eight in the ninth.
  private static func varint(_ bytes: [UInt8], _ position: inout Int) -> Int? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard position < bytes.count else { return nil }
      let byte = bytes[position]
      position += 1
      if index == 8 { return Int(exactly: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { return Int(value) }
    }
    return nil
  }
}
