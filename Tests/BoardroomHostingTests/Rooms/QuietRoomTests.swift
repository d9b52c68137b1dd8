import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import TestKit
import Testing

/// WIRE-20: in a quiet room the next heartbeat may take ten seconds, for those who say that they know that.
@Suite struct QuietRoomTests {
  private func quietMessages(of peer: SimulatedPeer) -> [Duration] {
    peer.notices.compactMap { if case .quiet(_, _, let interval) = $0 { interval } else { nil } }
  }

  /// A room in which the first member knows quiet rooms, and the second does not.
  private final class Scene {
    let server: SimulatedServer
    let one: SimulatedPeer
    let other: SimulatedPeer
    private var read = 0

    init(_ policy: ServerPolicy = ServerPolicy()) {
      server = SimulatedServer(policy: policy)
      let room = server.createRoom()
      one = server.join(room) { $0.acceptsQuiet = true }
      other = server.join(room)
      one.receive()
    }

    /// `one` says nothing.
    func pass(_ time: Duration) {
      server.advance(by: time) { other.say(.heartbeat(1)) }
      one.receive()
      other.receive()
    }

    /// `one` answers as clients do.
    func live(_ time: Duration) {
      server.advance(by: time) {
        other.say(.heartbeat(1))
        one.receive()
        let news = one.notices[read...]
        read = one.notices.count
        for notice in news {
          switch notice {
          case .quiet(_, _, let interval): one.say(.quiet(1, interval))
          case .heartbeat: one.say(.heartbeat(1))
          default: break
          }
        }
      }
      other.receive()
    }

    /// Until `one` was told that the room is quiet, and has answered.
    func becomeQuiet() {
      while !one.notices.contains(where: { if case .quiet = $0 { true } else { false } }) {
        live(.milliseconds(250))
      }
    }

    var phase: MemberPhase? { one.welcome.flatMap { other.mirror.members[$0.member]?.phase } }
  }

  @Test(
    "Ten seconds after the last event heartbeats are rare for who knows quiet rooms, and every second for who does not"
  )
  func rare() {
    let scene = Scene()
    scene.becomeQuiet()
    #expect(quietMessages(of: scene.one) == [.seconds(10)])
    #expect(quietMessages(of: scene.other).isEmpty)
    let before = (scene.one.heartbeats, scene.other.heartbeats)
    scene.live(.seconds(51))
    #expect(quietMessages(of: scene.one).count == 6)
    #expect(scene.one.heartbeats == before.0)
    #expect(scene.other.heartbeats >= before.1 + 49)
    #expect(scene.phase == .connected)
  }

  @Test(
    "Who said that it is silent for ten seconds is suspected four seconds after them, and has left 30 s after its last byte"
  )
  func suspicion() {
    let scene = Scene()
    scene.becomeQuiet()
    scene.pass(.milliseconds(13_900))
    #expect(scene.phase == .connected)
    scene.pass(.milliseconds(350))
    #expect(scene.phase == .reconnecting)
    scene.pass(.milliseconds(15_600))
    #expect(scene.phase == .reconnecting)
    scene.pass(.milliseconds(400))
    #expect(scene.phase == nil)
  }

  @Test(
    "X-1: where somebody does something, whoever is told of it and says nothing is suspected after four seconds"
  )
  func activity() {
    let scene = Scene()
    scene.becomeQuiet()
    scene.pass(.seconds(2))
    scene.other.command(.set("a", "1"))
    scene.pass(.milliseconds(3_900))
    #expect(scene.phase == .connected)
    scene.pass(.milliseconds(350))
    #expect(scene.phase == .reconnecting)
  }

  @Test("After an event heartbeats come every second again, also to who knows quiet rooms")
  func usualAgain() {
    let scene = Scene()
    scene.becomeQuiet()
    scene.other.command(.set("a", "1"))
    scene.one.receive()
    let before = scene.one.heartbeats
    scene.live(.seconds(5))
    #expect(scene.one.heartbeats >= before + 4)
    #expect(scene.phase == .connected)
  }

  @Test("WIRE-20: the answer to a `quiet` counts also where an earlier heartbeat of the member crossed that")
  func crossing() {
    let scene = Scene()
    scene.becomeQuiet()
    scene.one.say(.heartbeat(1))
    scene.one.say(.quiet(1, .seconds(10)))
    let before = scene.one.notices.count
    scene.pass(.milliseconds(1_500))
    // It has said something that is not `quiet`: the next message comes as soon as usual.
    #expect(scene.one.notices.count > before)
    scene.pass(.milliseconds(12_400))
    #expect(scene.phase == .connected)
    scene.pass(.milliseconds(350))
    #expect(scene.phase == .reconnecting)
  }

  @Test("A member may announce no longer silence than the server does, and none where the room is not quiet")
  func bounds() {
    let greedy = Scene()
    greedy.becomeQuiet()
    greedy.one.say(.quiet(1, .seconds(600)))
    greedy.pass(.milliseconds(14_350))
    #expect(greedy.phase == .reconnecting)

    let early = Scene()
    early.one.say(.quiet(1, .seconds(10)))
    early.pass(.milliseconds(4_350))
    #expect(early.phase == .reconnecting)
  }

  @Test("TL-1, TL-7: channels of services are never quiet: their clients notice silence after four seconds")
  func services() {
    let server = SimulatedServer()
    let channel = Place(service: .rtc, account: "7", channel: "c")
    let one = server.join(channel) { $0.acceptsQuiet = true }
    server.advance(by: .seconds(30)) { one.say(.heartbeat(1)) }
    one.receive()
    #expect(quietMessages(of: one).isEmpty)
    #expect(one.heartbeats >= 28)
  }

  @Test(
    "A short grace makes silences short, and a quiet heartbeat that is not rarer than the usual one makes no room quiet"
  )
  func settings() {
    var policy = ServerPolicy()
    #expect(policy.quietInterval == .seconds(10))
    policy.timings.offlineAfter = .seconds(10)
    #expect(policy.quietInterval == .seconds(3))
    policy.timings.offlineAfter = .milliseconds(5_500)
    #expect(policy.quietInterval == nil)
    policy = ServerPolicy()
    policy.quietHeartbeat = .seconds(1)
    #expect(policy.quietInterval == nil)
    let scene = Scene(policy)
    scene.live(.seconds(20))
    #expect(quietMessages(of: scene.one).isEmpty)
  }
}
