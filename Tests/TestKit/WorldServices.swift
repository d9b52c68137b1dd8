import BoardroomClient
import Synchronization

extension World {
  /// Runs until a byte of this network has just reached the server, at about `second`, and then keeps all others from
  /// arriving. Gives the seconds of the last byte that reached each side.
  public func silence(_ network: SimulatedNetwork, at second: Double) -> (client: Double, server: Double) {
    run(to: second - 1.5)
    var (client, server) = (seconds, seconds)
    var passed = (client: network.passed(.toClient), server: network.passed(.toServer))
    while true {
      run(for: 0.005)
      if network.passed(.toClient) != passed.client {
        (client, passed.client) = (seconds, network.passed(.toClient))
      }
      guard network.passed(.toServer) != passed.server else { continue }
      (server, passed.server) = (seconds, network.passed(.toServer))
      if seconds >= second - 0.5 { break }
    }
    network.set(.silent)
    return (client, server)
  }
}

/// What came when, as lines of text: a callback and its arguments in order.
public final class HeardLines: Sendable {
  public struct Line: Sendable, Hashable {
    public let second: Double
    public let text: String
  }
  private let lines = Mutex<[Line]>([])
  private let clock: @Sendable () -> Double

  public init(_ world: World) { clock = { world.seconds } }

  public var all: [Line] { lines.withLock { $0 } }
  public var texts: [String] { all.map(\.text) }
  public func clear() { lines.withLock { $0 = [] } }
  public func add(_ text: String) {
    let line = Line(second: clock(), text: text)
    lines.withLock { $0.append(line) }
  }
  /// When the first line of this text came.
  public func second(of text: String) -> Double? { all.first { $0.text == text }?.second }
  /// Lines that begin so.
  public func texts(_ prefix: String) -> [String] { texts.filter { $0.hasPrefix(prefix) } }
}
