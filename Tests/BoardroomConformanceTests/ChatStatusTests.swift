import BoardroomConformance
import Synchronization
import Testing

@Test("CONF-5, TL-13: an app's RTM object in the local party's place, and what it shows after each timeline")
func chatStatus() {
  let made = Mutex<[ChatStatus]>([])
  let report = Conformance.check(
    rtm: { _ in
      let status = ChatStatus()
      made.withLock { $0.append(status) }
      return status
    }, only: ["TL-9", "TL-12", "TL-14"])
  #expect(report.isOk, "\(report)")
  #expect(made.withLock { $0.map(\.line) } == ["with ben", "signed out", "with ben"])
}
