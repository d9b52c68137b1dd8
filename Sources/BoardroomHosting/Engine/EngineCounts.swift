/// How much is going on.
public struct EngineCounts: Sendable, Hashable {
  public var rooms: Int
  /// Stays, with and without a connection.
  public var members: Int
  public var connections: Int
  /// Connections that get each commit as it comes; the others are entering or catching up.
  public var live: Int
  /// Replays that are watched, or were until just now.
  public var replays = 0
  /// Connections that see a room and are no members of it.
  public var spectators = 0
  /// What went out to members since the start.
  public var fanOut = FanOut()

  package init(
    rooms: Int, members: Int, connections: Int, live: Int, replays: Int = 0, spectators: Int = 0,
    fanOut: FanOut = FanOut()
  ) {
    self.rooms = rooms
    self.members = members
    self.connections = connections
    self.live = live
    self.replays = replays
    self.spectators = spectators
    self.fanOut = fanOut
  }
}
