import BoardroomClient
import BoardroomLegacy
import TestKit
import Testing

@Suite struct RtmGapTests {
  @Test("TL-7, RTMM-received, FACE-1: what came in the gap is told in order, however much it was")
  func shortButFull() {
    let scene = RtmScene()
    scene.run(to: 110)
    let page = String(repeating: "x", count: 30 << 10)
    for number in 1...4 { scene.ben.say("\(number)\(page)") }
    scene.comeBack(at: 128)
    #expect(scene.anna.heard.texts("ben: ").map { $0.prefix(6) } == ["ben: 1", "ben: 2", "ben: 3", "ben: 4"])
  }
}
