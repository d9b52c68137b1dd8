import EventLogFormat
import EventLogModel

/// What the catalog of the sealed half knows of a log.
package struct LogRow: Sendable, Hashable {
  package var number: UInt64
  package var log: LogID
  package var epoch: Epoch
  package var created: Timestamp
  package var deleted: Bool
  /// The first revision kept.
  package var low: Revision
  /// The first revision that is not sealed.
  package var next: Revision
  /// The time of the last sealed record; of creation before there is one.
  package var lastTime: Timestamp
  package var blocks: Int
  /// Bytes of the kept blocks' records, and of the blocks as stored.
  package var rawBytes: Int
  package var storedBytes: Int
  /// The chain value at the last block.
  package var chain: [UInt8]

  package init(
    number: UInt64, log: LogID, epoch: Epoch, created: Timestamp, deleted: Bool, low: Revision,
    next: Revision, lastTime: Timestamp, blocks: Int, rawBytes: Int, storedBytes: Int, chain: [UInt8]
  ) {
    (self.number, self.log, self.epoch, self.created) = (number, log, epoch, created)
    (self.deleted, self.low, self.next, self.lastTime) = (deleted, low, next, lastTime)
    (self.blocks, self.rawBytes, self.storedBytes, self.chain) = (blocks, rawBytes, storedBytes, chain)
  }
}

/// A change that the sealer brings from the journal to the sealed half, in the journal's order. After a
/// failure it may come again.
package enum SealedChange: Sendable {
  case created(number: UInt64, log: LogID, epoch: Epoch, at: Timestamp)
  /// Joined with and cut into blocks; records below the log's `next` are skipped.
  case run(number: UInt64, Run)
  case deleted(number: UInt64, at: Timestamp)
  /// The first kept revision has moved; rounded down to the beginning of a block.
  case low(number: UInt64, Revision)
  /// The log is being imported, and complete once it has reached this revision.
  case importing(number: UInt64, through: Revision)

  /// The number of the log that changes.
  package var number: UInt64 {
    switch self {
    case .created(let number, _, _, _), .run(let number, _), .deleted(let number, _), .low(let number, _),
      .importing(let number, _):
      number
    }
  }
}

/// A log's row of the catalog with what only the writer and the checks need.
package struct CatalogEntry: Sendable, Hashable {
  package enum State: Int64, Sendable {
    case live = 0
    case deleting = 1
    case deleted = 2
  }

  package var row: LogRow
  package var state: State
  /// The first revision whose block is there: at most `low`, and below it until `tidy` has caught up.
  package var firstKept: Revision
  /// The chain value before the first kept block; empty when that cannot be known any more.
  package var chainBefore: [UInt8]
  /// The first revision of the open last block; zero when the last block is closed.
  package var openFirst: Revision
  /// The chain value before the open block.
  package var openBefore: [UInt8]

  package init(
    row: LogRow, state: State, firstKept: Revision, chainBefore: [UInt8], openFirst: Revision,
    openBefore: [UInt8]
  ) {
    (self.row, self.state, self.firstKept) = (row, state, firstKept)
    (self.chainBefore, self.openFirst, self.openBefore) = (chainBefore, openFirst, openBefore)
  }

  package init(created number: UInt64, _ log: LogID, _ epoch: Epoch, _ time: Timestamp) {
    self.init(
      row: LogRow(
        number: number, log: log, epoch: epoch, created: time, deleted: false, low: 1, next: 1,
        lastTime: time, blocks: 0, rawBytes: 0, storedBytes: 0, chain: Chain.origin),
      state: .live, firstKept: 1, chainBefore: Chain.origin, openFirst: .zero, openBefore: Chain.origin)
  }

  /// CRC32C over all columns in their order: integers as eight bytes, blobs as length and bytes.
  package var checksum: UInt32 {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    bytes.appendLittleEndian(row.number)
    bytes.appendBlob(row.log.bytes)
    bytes.appendLittleEndian(row.epoch.rawValue)
    bytes.appendLittleEndian(row.created.milliseconds)
    bytes.appendLittleEndian(state.rawValue)
    bytes.appendLittleEndian(row.low.rawValue)
    bytes.appendLittleEndian(row.next.rawValue)
    bytes.appendLittleEndian(row.lastTime.milliseconds)
    bytes.appendLittleEndian(Int64(row.blocks))
    bytes.appendLittleEndian(Int64(row.rawBytes))
    bytes.appendLittleEndian(Int64(row.storedBytes))
    bytes.appendBlob(row.chain)
    bytes.appendLittleEndian(firstKept.rawValue)
    bytes.appendBlob(chainBefore)
    bytes.appendLittleEndian(openFirst.rawValue)
    bytes.appendBlob(openBefore)
    return CRC32C.of(bytes)
  }
}

extension [UInt8] {
  fileprivate mutating func appendBlob(_ bytes: [UInt8]) {
    appendLittleEndian(UInt64(bytes.count))
    append(contentsOf: bytes)
  }
}
