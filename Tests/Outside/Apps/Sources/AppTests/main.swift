import BoardroomConformance
import BoardroomLegacy

/// An app that holds a room and leaves it when its user wants to; it never comes back by itself.
final class SmallApp: WhiteRoomCallbackDelegate, Sendable {
  private let sdk: WhiteSDK
  private let config: WhiteRoomConfig

  init(_ sdk: WhiteSDK, _ config: WhiteRoomConfig) {
    self.sdk = sdk
    self.config = config
  }

  func start() { sdk.joinRoom(with: config, callbacks: self) { _, _, _ in } }
}

let report = Conformance.check(
  AppUnderTest(
    "SmallApp", promises: [.staysAwayAfterKick],
    start: { stage in
      let app = SmallApp(stage.sdk, stage.config)
      app.start()
      return app
    }))
print(report)
precondition(report.isOk, "an app that does nothing wrong is found wrong")
