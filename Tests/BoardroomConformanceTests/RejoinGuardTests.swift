import BoardroomConformance
import Testing

@Test("S1, S2: one disconnect, one rejoin, a new room object, the old callbacks")
func rejoinGuard() {
  let report = Conformance.check(
    AppUnderTest(
      "RejoinGuard", promises: [.rejoins(within: 1), .staysAwayAfterKick],
      start: { stage in
        let app = RejoinGuard(stage.sdk, stage.config)
        app.start()
        return app
      },
      room: { $0.room }, act: { $0.draw() }, leave: { $0.leave() }, visible: { $0.shown }))
  #expect(report.isOk, "\(report)")
}
