/// What commits became on their way to members, counted along the way.
public struct FanOut: Sendable, Hashable {
  /// Messages with events handed to live connections: one for each commit, room and connection.
  public var deliveries = 0
  /// Their bytes, frame headers included.
  public var bytes = 0
  /// Connections that were left behind because their outbox was full, and read on from the log.
  public var leftBehind = 0

  package init(deliveries: Int = 0, bytes: Int = 0, leftBehind: Int = 0) {
    self.deliveries = deliveries
    self.bytes = bytes
    self.leftBehind = leftBehind
  }

  static func += (sum: inout FanOut, other: FanOut) {
    sum.deliveries += other.deliveries
    sum.bytes += other.bytes
    sum.leftBehind += other.leftBehind
  }
}

/// Counts for the rooms of one loop; touched on that loop only.
final class Traffic {
  var sum = FanOut()
}
