import BoardroomModel
import EventLogModel

/// What is known of a room's past before any of it is read.
public struct ReplayOutline: Sendable, Hashable {
  /// The life of the log. Cursors of another epoch do not count.
  public var epoch: Epoch
  /// The first revision kept; 1 unless retention has moved it.
  public var low: Revision
  /// The last durable revision; zero for an empty log.
  public var last: Revision
  /// The times of the first event kept and of the last one.
  public var begin: Timestamp
  /// The time of the last event.
  public var end: Timestamp
  /// When the last member left, if nobody is inside at the end (RP-3).
  public var emptied: Timestamp?
  /// Whether replay is offered (RP-8).
  public var isRecord: Bool

  /// Makes an outline from its values.
  public init(
    epoch: Epoch, low: Revision, last: Revision, begin: Timestamp, end: Timestamp, emptied: Timestamp?,
    isRecord: Bool
  ) {
    (self.epoch, self.low, self.last) = (epoch, low, last)
    (self.begin, self.end, self.emptied, self.isRecord) = (begin, end, emptied, isRecord)
  }
}

/// Why a source has no answer.
public enum ReplaySourceError: Error, Sendable, Hashable {
  /// These events cannot be read; what comes after them can (RP-65).
  case gap(Gap)
  case failed(BoardroomError)
}

/// A room's log as a player reads it, wherever it lies. Every source may be asked from any thread.
public protocol ReplaySource: Sendable {
  var room: RoomID { get }

  /// As it is now: a room that is open goes on.
  func outline() async throws(ReplaySourceError) -> ReplayOutline

  /// Events right after a revision, about `limit` bytes but at least one run if there is one; empty at the end
  /// of the log. Throws a gap where the next event cannot be read.
  func runs(after revision: Revision, limit: Int) async throws(ReplaySourceError) -> [Run]

  /// The state of the newest snapshot not after `revision` that can be read.
  func state(notAfter revision: Revision) async throws(ReplaySourceError) -> RoomState?

  /// The state of the oldest snapshot that holds everything up to `revision` at least.
  func state(notBefore revision: Revision) async throws(ReplaySourceError) -> RoomState?

  /// The last revision whose time is not after `time` (RP-60, RP-62); zero if none.
  func revision(at time: Timestamp) async throws(ReplaySourceError) -> Revision
}

extension Run {
  /// The time of the first record.
  var begin: Timestamp {
    records.withUnsafeBytes { bytes in
      var walker = RecordWalker(bytes: bytes, first: first, base: base)
      return walker.next()?.time ?? base
    }
  }
}
