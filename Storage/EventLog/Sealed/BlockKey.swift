import EventLogModel

/// Rowids of the database: log number << 40 | revision.
package enum BlockKey {
  /// Bits of a revision. A room that wrote 1,000 events a second would reach the end in 34 years.
  package static let revisionBits: UInt64 = 40
  package static let revisionLimit: UInt64 = 1 << revisionBits
  /// Log numbers are 1 to 8,388,607, so that the key stays positive.
  package static let numberLimit: UInt64 = 1 << 23

  static func value(_ number: UInt64, _ revision: Revision) -> Value {
    .integer(integer(number, revision))
  }

  /// Numbers and revisions outside the limits give the nearest key inside: they are never stored.
  static func integer(_ number: UInt64, _ revision: Revision) -> Int64 {
    let number = min(number, numberLimit - 1)
    return Int64(number << revisionBits | min(revision.rawValue, revisionLimit - 1))
  }

  static func number(_ key: Int64) -> UInt64 { UInt64(bitPattern: key) >> revisionBits }
  static func revision(_ key: Int64) -> Revision {
    Revision(UInt64(bitPattern: key) & (revisionLimit - 1))
  }
  /// The key before all of a log's revisions, and the one after.
  static func bounds(_ number: UInt64) -> (lower: Value, upper: Value) {
    (value(number, .zero), value(number, Revision(revisionLimit - 1)))
  }
}
