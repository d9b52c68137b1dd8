import EventLogFormat
import EventLogModel

/// Values of the table `meta` that the store relies on: their bytes and a CRC32C over key and bytes.
struct Meta {
  let database: Connection

  enum Key: String {
    /// 16 random bytes: the identity of the store.
    case store
    /// u64: the first journal segment that is still needed.
    case oldestSegment = "oldest_segment"
    /// u64: bytes of each segment since the last opening.
    case segmentBytes = "segment_bytes"
  }

  /// The value; `nil` when it was never set. Throws `.damaged` when it fails its checksum.
  func read(_ key: Key) throws(LogError) -> [UInt8]? {
    let stored = try database.statement("SELECT v FROM meta WHERE k = ?").first(.text(key.rawValue)) {
      $0.bytes(0)
    }
    guard let stored else { return nil }
    let value = Array(stored.dropLast(4))
    guard stored.count > 4, stored == signed(value, key) else {
      throw .damaged(
        Damage(what: "the store's value \(key.rawValue) fails its checksum", place: database.path))
    }
    return value
  }

  /// A u64, of which later versions may have more bytes; `nil` when it was never set.
  func number(_ key: Key) throws(LogError) -> UInt64? {
    try read(key).map { $0.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
  }

  func write(_ key: Key, number: UInt64) throws(LogError) {
    var value: [UInt8] = []
    value.appendLittleEndian(number)
    try write(key, value)
  }

  func write(_ key: Key, _ value: [UInt8]) throws(LogError) {
    try database.statement("INSERT OR REPLACE INTO meta(k, v) VALUES(?, ?)").run(
      .text(key.rawValue), .blob(signed(value, key)))
  }

  private func signed(_ value: [UInt8], _ key: Key) -> [UInt8] {
    var bytes = value
    bytes.appendLittleEndian(CRC32C.of(value, seed: CRC32C.of(Array(key.rawValue.utf8))))
    return bytes
  }
}
