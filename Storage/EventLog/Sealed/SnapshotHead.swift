import EventLogFormat
import EventLogModel

/// The fields of a stored snapshot from which the checksum of its root begins.
package struct SnapshotHead {
  /// Bytes of a part's key.
  package static let keyLength = 16

  package var revision: Revision
  package var time: Timestamp
  package var hash: [UInt8]
  /// The keys of all parts, one after the other.
  package var keys: [UInt8]

  package init(revision: Revision, time: Timestamp, hash: [UInt8], keys: [UInt8]) {
    (self.revision, self.time, self.hash, self.keys) = (revision, time, hash, keys)
  }

  package func seed(_ log: LogID) -> UInt32 {
    var bytes = log.bytes
    bytes.appendLittleEndian(revision.rawValue)
    bytes.appendLittleEndian(time.milliseconds)
    bytes.appendLittleEndian(UInt32(hash.count))
    return CRC32C.of(keys, seed: CRC32C.of(hash, seed: CRC32C.of(bytes)))
  }

  package static func partSeed(_ log: LogID, _ key: [UInt8]) -> UInt32 { CRC32C.of(log.bytes + key) }

  package static func split(_ keys: [UInt8]) -> [[UInt8]] {
    stride(from: 0, to: keys.count, by: keyLength).map { Array(keys[$0..<min($0 + keyLength, keys.count)]) }
  }

  package static func hex(_ key: [UInt8]) -> String {
    LogID(bytes: key)?.description ?? "of \(key.count) bytes"
  }
}
