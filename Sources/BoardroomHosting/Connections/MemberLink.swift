import BoardroomModel
import EventLogModel

/// Where rooms and connections live: runs work one after the other, in the order it came. An event loop in
/// the server, a queue that the test drains in tests.
public protocol RoomLoop: AnyObject, Sendable {
  /// Whether the caller runs on this loop.
  var isCurrent: Bool { get }
  /// Runs `work` later on this loop, never at once.
  func execute(_ work: @escaping @Sendable () -> Void)
  /// The same after a delay. A loop under a virtual clock may leave it out: whoever turns that clock calls
  /// `RoomServerEngine.tick` instead.
  func execute(after delay: Duration, _ work: @escaping @Sendable () -> Void)
  /// Runs `work` later on this loop, after it has looked after its sockets. Where there are none: later.
  func yield(_ work: @escaping @Sendable () -> Void)
}

extension RoomLoop {
  public func yield(_ work: @escaping @Sendable () -> Void) { execute(work) }
}

/// One connection as rooms see it: something that takes ready bytes. All methods are called on the loop to
/// which the connection belongs; `isFull` from any thread.
public protocol MemberLink: AnyObject, Sendable {
  /// Adds a message to what goes out; it may wait for `flush`.
  func write(_ bytes: SharedBytes)
  /// Sends what was written, with one system call where the system takes it.
  func flush()
  /// Ends the connection once everything written has gone out, or cannot go out.
  func close(code: UInt16, reason: String)
  /// Whether more is waiting to go out than the outbox may hold (`ServerPolicy.outbox`). When it no longer is,
  /// the transport calls `ConnectionHandle.drained`.
  var isFull: Bool { get }
  /// The connection is live: nothing of the log's past goes out any more, unless it falls behind.
  func isLive()
}

extension MemberLink {
  public func isLive() {}
}

/// The WebSocket codes with which the server closes (docs/PROTOCOL.md, section 9).
public enum CloseCode {
  public static let left: UInt16 = 1_000
  public static let goingAway: UInt16 = 1_001
  /// Frames that RFC 6455 does not allow.
  public static let protocolError: UInt16 = 1_002
  /// Text that is not UTF-8.
  public static let badText: UInt16 = 1_007
  public static let refused: UInt16 = 1_008
  public static let internalFailure: UInt16 = 1_011
  public static let kicked: UInt16 = 4_001

  /// The code that goes with a farewell.
  static func of(_ farewell: Farewell) -> UInt16 {
    switch farewell.kick {
    case .GatewayAdjust: return goingAway
    case .crash: return internalFailure
    case .kickByAdmin, .roomDelete, .roomZombie, .roomBan, .replaceByOther: return kicked
    case nil: break
    }
    return switch farewell.refusal.code {
    case .goingAway: goingAway
    case .internalFailure: internalFailure
    default: refused
    }
  }
}

/// A value that belongs to one loop. Crossing threads is allowed only to come back to that loop, which debug
/// builds check at every touch.
struct Confined<Value>: @unchecked Sendable {
  private let held: Value
  let loop: any RoomLoop

  init(_ value: Value, to loop: any RoomLoop) {
    held = value
    self.loop = loop
  }

  var value: Value {
    assert(loop.isCurrent, "touched away from its loop")
    return held
  }

  /// Runs `work` with the value: at once if the caller is on its loop, otherwise in a later turn.
  func run(_ work: @escaping @Sendable (Value) -> Void) {
    if loop.isCurrent { return work(value) }
    loop.execute { work(value) }
  }
}
