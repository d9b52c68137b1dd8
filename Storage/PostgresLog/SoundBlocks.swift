import EventLog
import EventLogFormat
import EventLogModel

/// Where the row of a block lies.
struct PlacedBlock {
  /// What the row says of its first revision.
  var first: Revision
  /// As `ctid` gives it.
  var place: String
  /// The block's events.
  var count: Int

  /// Those of rows with the columns `first`, `count` and `ctid::text`.
  static func all(_ rows: Rows) -> [PlacedBlock] {
    (0..<rows.count).map {
      PlacedBlock(
        first: rows.revision($0, 0), place: rows.text($0, 2), count: Int(clamping: rows.integer($0, 1)))
    }
  }
}

/// The blocks of one log whose checksums are right, read some at a time.
final class SoundBlocks {
  /// Blocks that one statement brings.
  static let atOnce = 32

  /// Where blocks begin, in order; also such that are not sound.
  let keys: [Revision]
  private let log: LogID
  private let read: (ArraySlice<Revision>) throws(LogError) -> Rows?
  private let positions: [Revision: Int]
  private var found: [Revision: Block] = [:]

  /// - Parameter read: brings rows with the bytes of some blocks; nil where the server cannot read one of them.
  init(
    of log: LogID, keys: [Revision], read: @escaping (ArraySlice<Revision>) throws(LogError) -> Rows?
  ) {
    (self.log, self.keys, self.read) = (log, keys, read)
    positions = Dictionary(zip(keys, keys.indices)) { first, _ in first }
  }

  /// Nil if there is none.
  func block(at first: Revision) throws(LogError) -> FoundLog.ReadBlock? {
    if found[first] == nil { try fetch(from: first) }
    guard let block = found[first], let run = try? block.unpacked() else { return nil }
    return (run, block.chain, block.originalDigest)
  }

  /// Where one of some cannot be read the first is asked for alone.
  private func fetch(from first: Revision) throws(LogError) {
    found = [:]
    guard let index = positions[first] else { return }
    for limit in [Self.atOnce, 1] {
      guard let rows = try read(keys[index...].prefix(limit)) else { continue }
      for row in 0..<rows.count {
        guard let block = rows.block(row, 0), block.log == log else { continue }
        if block.count > found[block.first]?.count ?? 0 { found[block.first] = block }
      }
      return
    }
  }
}

extension Rows {
  /// The block in a column, if its checksum is right.
  func block(_ row: Int, _ column: Int) -> Block? {
    withExtendedLifetime(self) { try? Block(reading: borrowed(row, column)) }
  }
}
