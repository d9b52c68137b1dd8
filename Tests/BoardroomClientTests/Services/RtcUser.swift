import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import TestKit

/// A user of RTC in a simulated world, and what it was told: callbacks with their arguments.
final class RtcUser: RtcConnectionDelegate, Sendable {
  let uid: UInt
  let network: SimulatedNetwork
  let heard: HeardLines
  let connection: RtcConnection

  init(_ world: World, _ uid: UInt, appId: String = "simulated", options: RtcOptions = RtcOptions()) {
    self.uid = uid
    network = world.network()
    heard = HeardLines(world)
    connection = RtcConnection(
      configuration: World.services(appId: appId), options: options, context: world.loop, transport: network)
    connection.delegate = self
  }

  func join(_ channel: String = "room", token: String = "token") {
    connection.joinChannel(byToken: token, channelId: channel, uid: uid) { [heard] in
      heard.add("joinChannel \($0.rawValue)")
    }
  }

  func connectionChangedToState(_ state: RtcConnectionState, reason: RtcConnectionReason) {
    heard.add("state \(state.rawValue) \(reason.rawValue)")
  }
  func rtcEngineConnectionDidLost() { heard.add("lost") }
  func didJoinChannel(_ channel: String, withUid uid: UInt, elapsed: Int) {
    heard.add("didJoin \(channel) \(uid)")
  }
  func didRejoinChannel(_ channel: String, withUid uid: UInt, elapsed: Int) {
    heard.add("didRejoin \(channel) \(uid)")
  }
  func didJoinedOfUid(_ uid: UInt, elapsed: Int) { heard.add("joined \(uid)") }
  func didOfflineOfUid(_ uid: UInt, reason: RtcOfflineReason) {
    heard.add("offline \(uid) \(reason.rawValue)")
  }
  func didLeaveChannel() { heard.add("didLeave") }
}

/// Users 1 and 2 in one channel of RTC. The network of 1 falls silent at 100 s or so.
struct RtcScene {
  let world: World
  let local: RtcUser
  let remote: RtcUser
  /// By how much the last byte at each side was otherwise than at 100.
  let localShift: Double
  let remoteShift: Double

  init(options: RtcOptions = RtcOptions()) {
    world = World(seed: 11)
    local = RtcUser(world, 1, options: options)
    remote = RtcUser(world, 2)
    local.join()
    world.run(for: 1)
    remote.join()
    let last = world.silence(local.network, at: 100)
    (localShift, remoteShift) = (last.client - 100, last.server - 100)
    local.heard.clear()
    remote.heard.clear()
  }

  func run(to second: Double) { world.run(to: second + localShift) }

  func comeBack(at second: Double) {
    run(to: second)
    local.network.set(.clear)
    local.connection.networkIsBack()
    run(to: second + 8)
  }

  /// Whether the local user heard these, each at its second.
  func heard(_ expected: [(Double, String)]) -> Bool {
    Self.matches(local.heard.all, expected, shift: localShift)
  }
  /// Wider, because a return is timed by the local side's last byte.
  func heardRemotely(_ expected: [(Double, String)]) -> Bool {
    Self.matches(remote.heard.all, expected, shift: remoteShift, within: 1.1)
  }

  private static func matches(
    _ lines: [HeardLines.Line], _ expected: [(Double, String)], shift: Double, within tolerance: Double = 0.6
  ) -> Bool {
    lines.map(\.text) == expected.map(\.1)
      && zip(lines, expected).allSatisfy { abs($0.second - shift - $1.0) <= tolerance }
  }
}
