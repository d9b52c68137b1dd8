import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomLegacy
import BoardroomModel
import EventLogModel

extension World {
  /// A network to this world's server that a test can disturb.
  public func network(latency: ClosedRange<Int> = 5...25) -> SimulatedNetwork {
    SimulatedNetwork(loop: loop, latency: latency, nodes: nodes) { self.engine }
  }

  /// How services of this world are reached.
  public static func services(
    appId: String = "simulated", stays: (any StayKeeper)? = nil
  ) -> ServiceConfiguration {
    ServiceConfiguration(appId: appId, endpoint: .simulated, stays: stays)
  }

  /// The server's state of an account or a channel.
  public func state(of space: SpaceName) -> RoomState? {
    perform { [engine = engine(of: space.log)] in await engine.summary(of: space.log)?.state }
  }

  /// Removes an account from a channel, or a login (by its service's name) from an account.
  public func kick(_ uid: String, from space: SpaceName, reason: KickReason = .kickByAdmin) {
    guard let member = state(of: space)?.members.values.first(where: { $0.uid == uid })?.id else { return }
    perform { [engine = engine(of: space.log)] in
      _ = try? await engine.kick(member, from: space.log, reason: reason)
    }
  }
}
