import BoardroomHosting
import EventLogModel
import NIOCore
import Synchronization

/// A NIO event loop as the loop on which rooms and connections run.
public final class EventLoopHome: RoomLoop {
  public let eventLoop: any EventLoop
  private let speed: Int

  /// - Parameters:
  ///   - eventLoop: on which all of them run.
  ///   - speed: how many times as fast as the clock on the wall its waits go by, as `SteadyClock` has it.
  public init(_ eventLoop: any EventLoop, speed: Int = 1) {
    self.eventLoop = eventLoop
    self.speed = max(1, speed)
  }

  /// One home for each loop of a group.
  public static func all(of group: any EventLoopGroup, speed: Int = 1) -> [EventLoopHome] {
    group.makeIterator().map { EventLoopHome($0, speed: speed) }
  }

  public var isCurrent: Bool { eventLoop.inEventLoop }

  public func execute(_ work: @escaping @Sendable () -> Void) { eventLoop.execute(work) }

  /// Runs `work` on the loop after a delay of the server's clock.
  public func execute(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    eventLoop.scheduleTask(in: TimeAmount(delay / speed), work)
  }

  /// 500 µs: a loop of NIO reads its sockets when no task is due; a task that is due at once would run before
  /// that.
  public func yield(_ work: @escaping @Sendable () -> Void) {
    eventLoop.scheduleTask(in: .microseconds(500), work)
  }
}

/// The server's time: the wall clock at the start, moved on by a monotonic clock, so that no grace ends
/// because an operator sets the time.
public struct SteadyClock: Sendable {
  private let start: ContinuousClock.Instant
  private let wall: Timestamp
  private let speed: Int

  /// - Parameters:
  ///   - wall: the wall clock now.
  ///   - speed: how many times as fast as it this clock runs from here on; more than 1 is for tests.
  public init(startingAt wall: Timestamp, speed: Int = 1) {
    start = ContinuousClock.now
    self.wall = wall
    self.speed = max(1, speed)
  }

  public var now: Timestamp { wall + (ContinuousClock.now - start) * speed }
}
