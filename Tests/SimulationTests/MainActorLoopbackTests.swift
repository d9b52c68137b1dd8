import BoardroomClient
import BoardroomCore
import BoardroomLegacy
import BoardroomModel
import Observation
import Synchronization
import TestKit
import Testing

/// Apps whose objects belong to an actor, over real sockets (docs/adr/0044-callbacks-on-an-executor-of-the-apps.md).
@Suite(.timeLimit(.minutes(15))) struct MainActorLoopbackTests {
  @MainActor final class App: @MainActor WhiteRoomCallbackDelegate, @MainActor WhiteCommonCallbackDelegate {
    var phases: [WhiteRoomPhase] = []
    var states = 0
    var events: [String] = []
    var errors: [RefusalCode] = []

    func firePhaseChanged(_ phase: WhiteRoomPhase) {
      MainActor.preconditionIsolated()
      phases.append(phase)
    }
    func fireRoomStateChanged(_ modifyState: WhiteRoomState) {
      MainActor.preconditionIsolated()
      states += 1
    }
    func fireMagixEvent(_ event: WhiteEvent) {
      MainActor.preconditionIsolated()
      events.append(event.payload.text)
    }
    func throwError(_ error: BoardroomError) {
      MainActor.preconditionIsolated()
      errors.append(error.code)
    }
  }

  @Test("An app on the main actor is the delegate: callbacks and completions come there, in the log's order")
  @MainActor func roomOnTheMainActor() async throws {
    try await LoopbackServer.run { @MainActor server in
      let app = App()
      let sdk = WhiteSDK(
        sdkConfiguration: WhiteSdkConfiguration(endpoint: server.endpoint), callbackExecutor: .main,
        commonCallbackDelegate: app)
      var config = WhiteRoomConfig(uuid: server.room.description, roomToken: server.token)
      config.disableMagixEventDispatchLimit = true
      let room = try await sdk.joinRoom(config, callbacks: app)
      #expect(app.phases == [.connecting, .connected])
      room.addMagixEventListener("count")
      for number in 1...40 { room.dispatchMagixEvent("count", payload: JSONValue(number), completion: nil) }
      try await room.dispatchMagixEvent("count", payload: "end")
      #expect(app.events == (1...40).map { "\($0)" } + ["\"end\""])
      let isOnMain = await withCheckedContinuation { continuation in
        room.setGlobalState(["a": 1]) { _ in
          continuation.resume(returning: MainActor.assumeIsolated { true })
        }
      }
      #expect(isOnMain)
      #expect(room.globalState["a"]?.value == 1)
      await room.disconnect()
      #expect(app.phases == [.connecting, .connected, .disconnecting, .disconnected])
    }
  }

  actor Bot: WhiteRoomCallbackDelegate {
    nonisolated let phases = Mutex<[WhiteRoomPhase]>([])
    nonisolated func firePhaseChanged(_ phase: WhiteRoomPhase) {
      preconditionIsolated()
      phases.withLock { $0.append(phase) }
    }
  }

  @Test("The executor is the app's choice: an actor of its own is called on itself")
  func actorOfTheApps() async throws {
    try await LoopbackServer.run { server in
      let bot = Bot()
      let sdk = WhiteSDK(
        sdkConfiguration: WhiteSdkConfiguration(endpoint: server.endpoint), callbackExecutor: .actor(bot))
      let config = WhiteRoomConfig(uuid: server.room.description, roomToken: server.token)
      let room = try await sdk.joinRoom(config, callbacks: bot)
      await room.disconnect()
      #expect(bot.phases.withLock { $0 } == [.connecting, .connected, .disconnecting, .disconnected])
    }
  }

  @Test("A room for SwiftUI: what a view reads is observed, and is that of the room")
  @MainActor func observedRoom() async throws {
    try await LoopbackServer.run { @MainActor server in
      let observed = ObservedRoom(WhiteSdkConfiguration(endpoint: server.endpoint))
      #expect(observed.phase == .disconnected)
      let config = WhiteRoomConfig(uuid: server.room.description, roomToken: server.token, uid: "ana")
      let room = try await observed.join(config)
      #expect(observed.phase == .connected)
      #expect(observed.isWritable)
      #expect(observed.members.map(\.uid) == ["ana"])
      try await room.setGlobalState(["topic": "waves"])
      #expect(observed.state.globalState?["topic"] != nil)
      try await room.disableSerialization(false)
      let changes = observed.boardChanges
      try await room.insertText(x: 1, y: 2, text: "a")
      #expect(observed.boardChanges > changes)
      #expect(observed.undoSteps == 1)
      let isTold = Mutex(false)
      withObservationTracking {
        _ = observed.phase
      } onChange: {
        isTold.withLock { $0 = true }
      }
      await observed.leave()
      #expect(isTold.withLock { $0 })
      #expect(observed.phase == .disconnected)
      #expect(!observed.isWritable)
      #expect(observed.state.roomMembers != nil)
      let stranger = WhiteRoomConfig(uuid: server.room.description, roomToken: "no")
      await #expect(throws: BoardroomError.self) { try await observed.join(stranger) }
      #expect(observed.error?.code == .tokenInvalid)
    }
  }

  @Test("More than HandedBytes.most comes whole to an app on the main actor: reading stops, and goes on")
  @MainActor func muchAtOnce() async throws {
    try await LoopbackServer.run { @MainActor server in
      let sdk = WhiteSDK(
        sdkConfiguration: WhiteSdkConfiguration(endpoint: server.endpoint), callbackExecutor: .main)
      var config = WhiteRoomConfig(uuid: server.room.description, roomToken: server.token)
      config.disableMagixEventDispatchLimit = true
      let app = App()
      let room = try await sdk.joinRoom(config, callbacks: app)
      room.addMagixEventListener("large")
      let writer = try await WhiteSDK(
        sdkConfiguration: WhiteSdkConfiguration(endpoint: server.endpoint), callbackExecutor: .ownLoop
      ).joinRoom(config)
      let text = JSONValue.string(String(repeating: "x", count: 30_000))
      for _ in 1...45 { try await writer.dispatchMagixEvent("large", payload: text) }
      let last = try await room.setGlobalState(["done": true])
      #expect(last.revision > 0)
      #expect(app.events.count == 45)
      await writer.disconnect()
      await room.disconnect()
    }
  }
}
