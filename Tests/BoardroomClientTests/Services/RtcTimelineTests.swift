import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import TestKit
import Testing

/// The golden timelines of RTC (PARITY rows TL), against the real server: user 1 is silent from 100 on.
@Suite struct RtcTimelineTests {
  @Test("TL-1, RTC-T3..T7, RTCR-2, RTCR-4, RTCT-5, RTCT-9: never back: 104 (4, 2), 110 lost, 1300 (5, 4)")
  func never() {
    let scene = RtcScene()
    scene.run(to: 1_299)
    #expect(scene.local.connection.getConnectionState() == .reconnecting)
    scene.run(to: 1_310)
    #expect(
      scene.heard([(104, "state 4 2"), (110, "lost"), (1_300, "state 5 4")]),
      "RTC-T3: silent from 100, RTC-T4: 104, RTC-T5: 110, RTC-T7: 1300")
    #expect(scene.heardRemotely([(120, "offline 1 1")]), "RTC-T6")
    #expect(scene.local.connection.getConnectionState() == .failed)
    scene.local.network.set(.clear)
    let passed = scene.local.network.passed(.toServer)
    scene.run(to: 1_500)
    #expect(scene.local.heard.texts.count == 3)
    #expect(scene.local.network.passed(.toServer) == passed, "no attempt after the failure")
  }

  @Test("X-46: with the FAQ's anchor it fails at 1320")
  func anchor() {
    var options = RtcOptions()
    options.failsAfterOffline = true
    let scene = RtcScene(options: options)
    scene.run(to: 1_330)
    #expect(scene.heard([(104, "state 4 2"), (110, "lost"), (1_320, "state 5 4")]))
  }

  @Test("TL-2, RTCB-blip: back at 103.9: nothing anywhere")
  func blip() {
    let scene = RtcScene()
    scene.run(to: 103.9)
    scene.local.network.set(.clear)
    scene.run(to: 125)
    #expect(scene.heard([]))
    #expect(scene.heardRemotely([]))
  }

  @Test("TL-3: back at 107: 104 (4, 2), 107 (3, 15) and didRejoin; the other nothing")
  func seven() {
    let scene = RtcScene()
    scene.comeBack(at: 107)
    #expect(scene.heard([(104, "state 4 2"), (107, "state 3 15"), (107, "didRejoin room 1")]))
    scene.run(to: 150)
    #expect(scene.heardRemotely([]))
  }

  @Test("TL-4, RTCB-back, RTCR-15, RTCT-8: back at 115: lost at 110, (3, 15) at 115; the other nothing")
  func fifteen() {
    let scene = RtcScene()
    scene.comeBack(at: 115)
    #expect(
      scene.heard([
        (104, "state 4 2"), (110, "lost"), (115, "state 3 15"), (115, "didRejoin room 1"),
      ]))
    scene.run(to: 150)
    #expect(scene.heardRemotely([]))
  }

  @Test("TL-5, RTCB-late, RTCO-1: back at 125: the other has offline (1) at 120 and joined at about 125.1")
  func late() {
    let scene = RtcScene()
    scene.comeBack(at: 125)
    #expect(
      scene.heard([
        (104, "state 4 2"), (110, "lost"), (125, "state 3 15"), (125, "didRejoin room 1"),
      ]))
    #expect(scene.heardRemotely([(120, "offline 1 1"), (125.1, "joined 1")]))
  }

  @Test(
    "TL-6, RTCB-failed, RTCT-12, RTCT-13, X-4: failed: a join is refused; leave (1, 5), then join (2, 0), (3, 1)"
  )
  func failed() {
    let scene = RtcScene()
    scene.run(to: 1_310)
    scene.local.heard.clear()
    scene.local.network.set(.clear)
    scene.local.join()
    scene.run(to: 1_320)
    #expect(scene.local.heard.texts == ["joinChannel -17"])
    scene.local.connection.leaveChannel()
    scene.local.join()
    scene.run(to: 1_325)
    #expect(
      scene.local.heard.texts.dropFirst() == [
        "state 1 5", "didLeave", "state 2 0", "state 3 1", "didJoin room 1", "joined 2",
      ])
  }

  @Test("X-47: old-style, a rejoin is told with reason 1")
  func oldStyle() {
    var options = RtcOptions()
    options.rejoinsWithJoinSuccess = true
    let scene = RtcScene(options: options)
    scene.comeBack(at: 107)
    #expect(scene.heard([(104, "state 4 2"), (107, "state 3 1"), (107, "didRejoin room 1")]))
  }

  @Test(
    "RTCB-killedBack, X-69: a process that ends without a word and is back within 20 s: the other sees nothing"
  )
  func killedAndBack() {
    let scene = RtcScene()
    scene.local.network.set(.cut)
    scene.run(to: 119)
    let again = RtcUser(scene.world, 1)
    again.join()
    scene.run(to: 119.5)
    // The same uid in another process takes the old stay over: it is another session.
    #expect(again.heard.texts == ["state 2 0", "state 3 1", "didJoin room 1", "joined 2"])
    scene.run(to: 150)
    #expect(scene.heardRemotely([]))
  }

  @Test("RTCB-killedGone, X-69: a process that ends without a word is offline (1) after 20 s")
  func killed() {
    let scene = RtcScene()
    scene.local.network.set(.cut)
    scene.run(to: 150)
    #expect(scene.heardRemotely([(120, "offline 1 1")]))
  }

  @Test(
    "RTCB-empty: 10 s after the last one has left, the channel is at its end; one who comes before goes on in it"
  )
  func empty() {
    let world = World(seed: 11)
    let user = RtcUser(world, 1)
    func visit() -> Int? {
      user.join()
      world.run(for: 1)
      user.connection.leaveChannel()
      world.run(for: 1)
      return world.state(of: .channel(.rtc, "room"))?.space?.joins
    }
    #expect(visit() == 1)
    world.run(for: 7)
    #expect(visit() == 2, "9 s later")
    world.run(for: 9.5)
    #expect(world.state(of: .channel(.rtc, "room"))?.space?.joins == 0)
    #expect(visit() == 1)
  }
}
