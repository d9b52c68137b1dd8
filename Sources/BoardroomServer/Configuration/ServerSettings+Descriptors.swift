import BoardroomWebhooks
import NIOCore

extension ServerSettings {
  var loops: Int { threads > 0 ? threads : System.coreCount }

  /// Lowers `connections.all` to what the system's limit of open files leaves for connections.
  ///
  /// - Parameter files: how many the process may have open at once.
  /// - Returns: what `connections.all` is now, if that is less than it was set to.
  public mutating func fit(openFiles files: Int) -> Int? {
    let kept = Descriptors.reserve(loops: loops, endpoints: webhooks.endpoints.count)
    let sockets = max(Descriptors.fewestSockets, files - kept)
    let allowed = sockets - ConnectionLimiter.turnaways(besides: sockets) - ConnectionLimiter.Limits.reserve
    guard allowed < allConnections else { return nil }
    allConnections = allowed
    return allowed
  }

  /// Pipes to other nodes, out of `connections.all`: a third, because each is for a connection of the port. With the usual
  /// value 33,333.
  var pipes: Int { allConnections / 3 }

  /// The limits of a server that is one node of several.
  var nodeLimits: ConnectionLimiter.Limits {
    var settings = self
    settings.allConnections -= pipes
    return settings.connectionLimits
  }

  var connectionLimits: ConnectionLimiter.Limits {
    ConnectionLimiter.Limits(
      address: min(addressConnections, allConnections - allConnections / 4), all: allConnections,
      thisMachine: allConnections - allConnections / 8, countsThisMachine: countsThisMachine)
  }
}
