/// Which segments of an incarnation still have rows in their tables. Tables are used in turn, so a table is emptied
/// before a later segment comes to it.
package struct SegmentTurn: Sendable {
  /// How many tables there are.
  private let tables: UInt64
  /// The segment before which all tables are empty.
  package private(set) var oldestInUse: UInt64 = 1
  /// The last segment whose table was to be emptied.
  private var retiring: UInt64 = 0

  package init(tables: UInt64) { self.tables = tables }

  /// Whether the table of a segment is empty, as all later ones of its turn.
  package func isFree(_ segment: UInt64) -> Bool { segment < oldestInUse + tables }
  /// Whether a segment's table was emptied since: it may be another segment's by now, and is left alone.
  package func isRetired(_ segment: UInt64) -> Bool { segment < oldestInUse }
  /// Whether a segment's table may be empty: it was emptied, or that is under way and its answer may be late or lost.
  package func mayBeEmpty(_ segment: UInt64) -> Bool { isRetired(segment) || segment <= retiring }
  /// The segment's table is going to be emptied: all that is in it is sealed.
  package mutating func beginRetiring(_ segment: UInt64) { retiring = max(retiring, segment) }
  /// The segment's table was emptied.
  package mutating func retire(_ segment: UInt64) { oldestInUse = max(oldestInUse, segment + 1) }
}
