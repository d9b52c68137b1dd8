import EventLogFormat
import EventLogModel

/// Values of the table `meta` that the store relies on: their bytes and a CRC32C over key and bytes.
struct Meta {
  let database: SQLiteConnection

  enum Key: String {
    /// 16 random bytes: the identity of the store.
    case store
    /// u64: the first journal segment that is still needed.
    case oldestSegment = "oldest_segment"
    /// Two u64: the first journal frame that holds something not sealed, and `oldest_segment` at that time.
    case oldestFrame = "oldest_frame"
    /// u64: bytes of each segment since the last opening.
    case segmentBytes = "segment_bytes"
    /// u64 1: the folder has a manifest.
    case manifest
    /// u64 1: something was removed, and the journal may still hold it.
    case remains
  }

  /// The value; `nil` when it was never set. Throws `.damaged` when it fails its checksum.
  func read(_ key: Key) throws(LogError) -> [UInt8]? {
    let stored = try database.statement("SELECT v FROM meta WHERE k = ?").first(.text(key.rawValue)) {
      $0.bytes(0)
    }
    return try stored.map { stored throws(LogError) in try value(of: stored, key.rawValue) }
  }

  /// The value stored under a key, without its checksum. Throws `.damaged` when the checksum is wrong.
  func value(of stored: [UInt8], _ key: String) throws(LogError) -> [UInt8] {
    let value = Array(stored.dropLast(4))
    guard stored.count > 4, stored == signed(value, key) else {
      throw .damaged(Damage(what: "the store's value \(key) fails its checksum", place: database.path))
    }
    return value
  }

  /// A u64, of which later versions may have more bytes; `nil` when it was never set.
  func number(_ key: Key) throws(LogError) -> UInt64? {
    try read(key).map(Self.number)
  }

  func write(_ key: Key, number: UInt64) throws(LogError) {
    var value: [UInt8] = []
    value.appendLittleEndian(number)
    try write(key, value)
  }

  func write(_ key: Key, _ value: [UInt8]) throws(LogError) { try write(key.rawValue, value) }

  func write(_ key: String, _ value: [UInt8]) throws(LogError) {
    try database.statement("INSERT OR REPLACE INTO meta(k, v) VALUES(?, ?)").run(
      .text(key), .blob(signed(value, key)))
  }

  func write(_ oldest: JournalPlace) throws(LogError) {
    var value: [UInt8] = []
    value.appendLittleEndian(oldest.frame)
    value.appendLittleEndian(oldest.segment)
    try write(.oldestFrame, value)
  }

  /// `nil` if an older version wrote last: that version moves the oldest segment and does not know this
  /// value.
  func oldestFrame() throws(LogError) -> UInt64? {
    guard let value = try read(.oldestFrame), value.count >= 16,
      Self.number(Array(value[8..<16])) == (try number(.oldestSegment))
    else { return nil }
    return Self.number(Array(value[..<8]))
  }

  static func number(_ value: [UInt8]) -> UInt64 { value.reversed().reduce(0) { $0 << 8 | UInt64($1) } }

  private func signed(_ value: [UInt8], _ key: String) -> [UInt8] {
    var bytes = value
    bytes.appendLittleEndian(CRC32C.of(value, seed: CRC32C.of(Array(key.utf8))))
    return bytes
  }
}
