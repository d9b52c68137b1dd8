import BoardroomClient
import BoardroomCodec
import BoardroomModel
import EventLogModel
import Synchronization

extension World {
  /// All events of an account's or a channel's log, as they are stored.
  public func log(of space: SpaceName) -> [RoomEvent] {
    let runs = perform { [store] in
      var runs: [Run] = []
      var last = Revision.zero
      while let next = try? await store.runs(of: space.log, after: last, limit: 1 << 20), let end = next.last
      {
        runs += next
        last = end.lastRevision
      }
      return runs
    }
    var events: [RoomEvent] = []
    for run in runs {
      run.forEach { view, _ in
        if let event = try? EventCodec.decode(view, in: run.records) { events.append(event) }
      }
    }
    return events
  }

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

/// Stays that outlast their clients, in memory.
public final class StayMemory: StayKeeper {
  private let stays = Mutex<[Place: KeptStay]>([:])
  public init() {}

  public var places: Set<Place> { stays.withLock { Set($0.keys) } }
  public func stay(at place: Place) -> KeptStay? { stays.withLock { $0[place] } }
  public func keep(_ stay: KeptStay?, at place: Place) { stays.withLock { $0[place] = stay } }
}
