// The hash chain over the blocks of one log (docs/FORMAT.md, "Chain").
//
//   value(0)  = 32 zero bytes
//   value(i)  = SHA-256( value(i-1) | 16 B log | u64 first revision | u32 count | u64 base ms | u64 last ms
//                        | SHA-256(records) )
//
// Integers are little-endian. The chain uses the records before compression, so that packing a block again
// does not break it. When an open last block grows, block and chain value are replaced. A block in which
// records were erased keeps the SHA-256 of the records before that, so that an erasure does not break the
// chain either.

import Crypto
import EventLogModel

/// The hash chain of one log. Somebody who keeps the last value elsewhere can prove later that no block was
/// changed.
public enum Chain {
  /// Bytes of one value: SHA-256.
  public static let byteCount = 32
  /// The value before the first block of a log.
  public static let origin = [UInt8](repeating: 0, count: byteCount)

  /// The value after `run`, given the value before it.
  ///
  /// - Parameter digest: `digest(of:)` of the records as they were when the run was chained; `nil`: as they are.
  public static func value(
    after previous: [UInt8], log: LogID, run: Run, digest: [UInt8]? = nil
  ) -> [UInt8] {
    var bytes = previous
    bytes.reserveCapacity(previous.count + 44 + byteCount)
    bytes.append(contentsOf: log.bytes)
    bytes.appendLittleEndian(run.first.rawValue)
    bytes.appendLittleEndian(UInt32(truncatingIfNeeded: run.count))
    bytes.appendLittleEndian(run.base.milliseconds)
    bytes.appendLittleEndian(run.last.milliseconds)
    bytes.append(contentsOf: digest ?? Chain.digest(of: run.records))
    var outer = SHA256()
    bytes.withUnsafeBytes { outer.update(bufferPointer: $0) }
    return Array(outer.finalize())
  }
  /// SHA-256 of a run's records.
  public static func digest(of records: [UInt8]) -> [UInt8] {
    var digest = SHA256()
    records.withUnsafeBytes { digest.update(bufferPointer: $0) }
    return Array(digest.finalize())
  }
}
