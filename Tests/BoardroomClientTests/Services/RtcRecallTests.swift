import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Synchronization
import TestKit
import Testing

/// RP-72: what `RtcRecall` tells is what the clients heard live.
@Suite struct RtcRecallTests {
  private static let room = SpaceName.channel(.rtc, "room")
  private let world = World(seed: 41)

  private func recording() -> LogReplaySource { LogReplaySource(Self.room.log, in: world.store) }

  private func recalled(
    _ viewer: RtcReplayViewer, from source: (any ReplaySource)? = nil, until: Timestamp? = nil
  ) throws -> (lines: [RtcListener.Line], outcome: RtcRecall.Outcome) {
    let source = source ?? recording()
    let begin = world.start
    let result = world.perform { () async -> Result<([RtcListener.Line], RtcRecall.Outcome), any Error> in
      var lines: [RtcListener.Line] = []
      do {
        let outcome = try await RtcRecall(viewer, of: "room", in: source, until: until).tell { event, time in
          lines.append(.init(at: Int((time - begin).wholeMilliseconds), event: event))
        }
        return .success((lines, outcome))
      } catch { return .failure(error) }
    }
    return try result.get()
  }

  private func expectEqual(_ recalled: [RtcListener.Line], _ live: [RtcListener.Line]) {
    #expect(recalled.count == live.count, "\(recalled)\n\(live)")
    for (one, other) in zip(recalled, live) { #expect(one == other) }
  }

  /// The same, where nobody told the log when: no further off than a heartbeat.
  private func expectNearlyEqual(_ recalled: [RtcListener.Line], _ live: [RtcListener.Line]) {
    #expect(recalled.map(\.event) == live.map(\.event))
    for (one, other) in zip(recalled, live) { #expect(abs(one.at - other.at) <= 1_100, "\(one) \(other)") }
  }

  private func user(_ uid: UInt, stays: StayMemory? = nil) -> RtcListener { RtcListener(world, uid, stays) }

  @Test(
    "RP-72: callback by callback and to the millisecond: others, a blip, an outage, a takeover, a leave, a kick"
  )
  func story() throws {
    let (one, two, three, again) = (user(1), user(2), user(3), user(2))
    for (second, user) in [(2.0, one), (4, two), (6, three)] {
      world.run(to: second)
      user.join()
    }
    world.run(to: 8)
    three.connection.leaveChannel()
    world.run(to: 10)
    one.network.set(.cut)
    world.run(to: 11)
    three.join()
    world.run(to: 12)
    one.network.set(.clear)
    world.run(to: 20)
    one.network.set(.silent)
    world.run(to: 26)
    three.connection.leaveChannel()
    world.run(to: 32)
    one.network.set(.clear)
    one.connection.networkIsBack()
    world.run(to: 36)
    three.join()
    world.run(to: 42)
    // Another process of the same user: nobody is told that it has gone.
    again.join()
    world.run(to: 50)
    world.kick("1", from: Self.room)
    world.run(to: 52)
    again.connection.leaveChannel()
    world.run(to: 54)
    #expect(
      one.texts == [
        "2000 2 0", "2000 3 1", "2000 joined", "4000 +2", "6000 +3", "8000 -3", "\(one.mended) +3",
        "\(one.told) 4 2", "\(one.told + 6_000) lost", "32000 3 15", "32000 rejoined", "32000 -3", "36000 +3",
        "50000 5 3",
      ])
    #expect((23_000...24_000).contains(one.told))
    #expect(two.lines.last?.event == .state(.failed, .sameUidLogin))
    for viewer in [RtcReplayViewer.member(0), .user(1)] {
      let (lines, outcome) = try recalled(viewer)
      expectEqual(lines, one.lines)
      #expect(outcome.stays == 1)
      #expect(outcome.gaps.isEmpty)
    }
    let both = try recalled(.user(2))
    expectEqual(both.lines, two.lines + again.lines)
    #expect(both.outcome.stays == 2)
    expectEqual(try recalled(.member(1)).lines, two.lines)
    expectEqual(try recalled(.user(3)).lines, three.lines)
    let source = SlowSource(recording(), on: world.loop, pages: 3)
    expectEqual(try recalled(.member(0), from: source).lines, one.lines)
  }

  @Test("RP-72, TL-2: nothing is told of a silence of less than 4 s")
  func blip() throws {
    let (one, two) = (user(1), user(2))
    for user in [one, two] { user.join() }
    let last = world.silence(one.network, at: 100)
    world.run(to: last.client + 3.9)
    one.network.set(.clear)
    world.run(to: 130)
    #expect(one.texts == ["0 2 0", "0 3 1", "0 joined", "0 +2"])
    expectEqual(try recalled(.user(1)).lines, one.lines)
    expectEqual(try recalled(.user(2)).lines, two.lines)
  }

  @Test(
    "RP-72, TL-5: back after the grace as another member: one connection hears both stays, and only the difference"
  )
  func late() throws {
    let (one, two, three) = (user(1), user(2), user(3))
    for user in [one, two] { user.join() }
    _ = world.silence(one.network, at: 100)
    world.run(to: 110)
    three.join()
    two.connection.leaveChannel()
    world.run(to: 125)
    one.network.set(.clear)
    one.connection.networkIsBack()
    world.run(to: 130)
    #expect(one.texts.suffix(3) == ["125000 rejoined", "125000 -2", "125000 +3"])
    let (lines, outcome) = try recalled(.user(1))
    expectEqual(lines, one.lines)
    #expect(outcome.stays == 2)
    expectEqual(try recalled(.user(3)).lines, three.lines)
  }

  @Test(
    "RP-72, TL-1: never back: lost and failed, reckoned from what the server saw; not before it is so late",
    arguments: [SimulatedNetwork.Weather.silent, .cut])
  func never(_ weather: SimulatedNetwork.Weather) throws {
    let (one, two) = (user(1), user(2))
    for user in [one, two] { user.join() }
    _ = world.silence(one.network, at: 100)
    one.network.set(weather)
    world.run(to: 102)
    two.connection.leaveChannel()
    world.run(to: 1_310)
    #expect(
      one.lines.map(\.event).suffix(3) == [
        .state(.reconnecting, .interrupted), .connectionDidLost, .state(.failed, .joinFailed),
      ])
    expectNearlyEqual(try recalled(.user(1)).lines, one.lines)
    let present = try recalled(.user(1), until: world.start + .seconds(1_200)).lines
    expectNearlyEqual(present, one.lines.dropLast())
  }

  @Test("RP-72, FACE-4: a program that was killed and one that goes on with its stay are two clients")
  func keptStay() throws {
    let stays = StayMemory()
    let (one, two, again) = (user(1, stays: stays), user(2), user(1, stays: stays))
    for user in [one, two] { user.join() }
    world.run(to: 20)
    let before = one.lines
    one.network.set(.cut)
    world.run(to: 30)
    again.join()
    world.run(to: 40)
    #expect(again.texts == ["30000 2 0", "30000 3 1", "30000 joined", "30000 +2"])
    expectEqual(try recalled(.user(1)).lines, before + again.lines)
    expectEqual(try recalled(.user(2)).lines, two.lines)
  }

  @Test("RP-72, RP-65: a member that never came was told nothing, and what cannot be read is told as a gap")
  func nothing() throws {
    let one = user(1)
    one.join()
    world.run(to: 5)
    for uid: UInt in 2...6 {
      let other = user(uid)
      other.join()
      world.run(for: 2)
      other.connection.leaveChannel()
      world.run(for: 2)
    }
    let nobody = try recalled(.member(77))
    #expect(nobody.lines.isEmpty)
    #expect(nobody.outcome.stays == 0)
    #expect(nobody.outcome.gaps.isEmpty)
    let source = SlowSource(recording(), on: world.loop)
    source.damage(6...8)
    let damaged = try recalled(.member(0), from: source)
    #expect(damaged.outcome.stays == 1)
    #expect(damaged.outcome.gaps.count == 1)
    #expect(damaged.lines.first?.event == .state(.connecting, .connecting))
  }
}

/// A user whose network takes no time, so that its moments are the log's.
private final class RtcListener: RtcConnectionDelegate, Sendable {
  struct Line: Hashable, Sendable {
    var at: Int
    var event: RtcEvent
  }
  let network: SimulatedNetwork
  let connection: RtcConnection
  private let uid: UInt
  private let clock: @Sendable () -> Double
  private let heard = Mutex<[Line]>([])

  init(_ world: World, _ uid: UInt, _ stays: StayMemory?) {
    self.uid = uid
    network = world.network(latency: 0...0)
    clock = { world.seconds }
    connection = RtcConnection(
      configuration: World.services(stays: stays), context: world.loop, transport: network)
    connection.delegate = self
  }

  var lines: [Line] { heard.withLock { $0 } }
  func join() { connection.joinChannel(byToken: "token", channelId: "room", uid: uid) }

  /// When reconnecting was told, and when an event of a blip was.
  var told: Int { lines.first { $0.event == .state(.reconnecting, .interrupted) }?.at ?? -1 }
  var mended: Int { lines.first { (11_000...16_000).contains($0.at) }?.at ?? -1 }

  var texts: [String] {
    lines.map { line in
      let text =
        switch line.event {
        case .state(let state, let reason): "\(state.rawValue) \(reason.rawValue)"
        case .connectionDidLost: "lost"
        case .joinedChannel: "joined"
        case .rejoinedChannel: "rejoined"
        case .userJoined(let uid, _): "+\(uid)"
        case .userOffline(let uid, _): "-\(uid)"
        case .leftChannel: "left"
        case .tokenWillExpire: "token"
        }
      return "\(line.at) \(text)"
    }
  }

  private func add(_ event: RtcEvent) {
    let line = Line(at: Int((clock() * 1_000).rounded()), event: event)
    heard.withLock { $0.append(line) }
  }

  func connectionChangedToState(_ state: RtcConnectionState, reason: RtcConnectionReason) {
    add(.state(state, reason))
  }
  func rtcEngineConnectionDidLost() { add(.connectionDidLost) }
  func didJoinChannel(_ channel: String, withUid uid: UInt, elapsed: Int) {
    add(.joinedChannel(channel, uid: uid, elapsed: elapsed))
  }
  func didRejoinChannel(_ channel: String, withUid uid: UInt, elapsed: Int) {
    add(.rejoinedChannel(channel, uid: uid, elapsed: elapsed))
  }
  func didJoinedOfUid(_ uid: UInt, elapsed: Int) { add(.userJoined(uid, elapsed: elapsed)) }
  func didOfflineOfUid(_ uid: UInt, reason: RtcOfflineReason) { add(.userOffline(uid, reason)) }
  func didLeaveChannel() { add(.leftChannel) }
}
