import EventLogModel
import NIOCore
import Synchronization

/// An event loop as the home of rooms and connections.
public final class EventLoopHome: RoomLoop {
  public let eventLoop: any EventLoop

  public init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  /// One home for each loop of a group.
  public static func all(of group: any EventLoopGroup) -> [EventLoopHome] {
    group.makeIterator().map(EventLoopHome.init)
  }

  public var isCurrent: Bool { eventLoop.inEventLoop }

  public func execute(_ work: @escaping @Sendable () -> Void) { eventLoop.execute(work) }

  public func execute(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    eventLoop.scheduleTask(in: TimeAmount(delay), work)
  }
}

/// The server's time: the wall clock at the start, moved on by a clock that never jumps, so that nobody's grace
/// ends because an operator sets the time.
public struct SteadyClock: Sendable {
  private let start: ContinuousClock.Instant
  private let wall: Timestamp

  /// - Parameter wall: the wall clock now.
  public init(startingAt wall: Timestamp) {
    start = ContinuousClock.now
    self.wall = wall
  }

  public var now: Timestamp { wall + (ContinuousClock.now - start) }
}
