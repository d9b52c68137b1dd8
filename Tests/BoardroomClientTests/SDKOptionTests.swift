import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import Synchronization
import TestKit
import Testing

@Suite struct SDKOptionTests {
  /// Every method that ends in a command.
  private static let writes: [(name: String, call: @Sendable (WhiteRoom) async throws -> Void)] = [
    ("setGlobalState", { _ = try await $0.setGlobalState([:]) }),
    ("setMemberState", { _ = try await $0.setMemberState(WhiteMemberState()) }),
    ("setViewMode", { _ = try await $0.setViewMode(.freedom) }),
    ("setWritable", { _ = try await $0.setWritable(true) }),
    ("dispatchMagixEvent", { _ = try await $0.dispatchMagixEvent("m", payload: .null) }),
    ("setScenePath", { _ = try await $0.setScenePath("/init") }),
    ("setSceneIndex", { _ = try await $0.setSceneIndex(0) }),
    ("putScenes", { _ = try await $0.putScenes("/", scenes: [WhiteScene(name: "x")], index: 0) }),
    ("removeScenes", { _ = try await $0.removeScenes("/init") }),
    ("moveScene", { _ = try await $0.moveScene("/init", target: "/x") }),
    ("cleanScene", { _ = try await $0.cleanScene(true) }),
    ("addPage", { _ = try await $0.addPage() }),
    ("pptNextStep", { _ = try await $0.pptNextStep() }),
    ("pptPreviousStep", { _ = try await $0.pptPreviousStep() }),
    ("moveCamera", { _ = try await $0.moveCamera(.initial) }),
    ("movePointer", { _ = try await $0.movePointer(x: 0, y: 0) }),
    ("insertText", { _ = try await $0.insertText(x: 0, y: 0, text: "t") }),
    ("insertRectangle", { _ = try await $0.insertRectangle(x: 0, y: 0, width: 1, height: 1) }),
    ("insertImage", { _ = try await $0.insertImage(WhiteImageInformation(uuid: "u", width: 1, height: 1)) }),
    ("drawStroke", { _ = try await $0.drawStroke(WhitePen(), [WhitePoint(x: 0, y: 0)]) }),
    ("erase", { _ = try await $0.erase([WhiteElementID(member: 0, number: 1)]) }),
    ("move", { _ = try await $0.move([WhiteElementID(member: 0, number: 1)], x: 1, y: 1) }),
    ("lock", { _ = try await $0.lock([WhiteElementID(member: 0, number: 1)], true) }),
    ("bringToFront", { _ = try await $0.bringToFront([WhiteElementID(member: 0, number: 1)]) }),
    ("completeImageUpload", { _ = try await $0.completeImageUpload("u", src: "https://x.example") }),
    ("disableSerialization", { _ = try await $0.disableSerialization(false) }),
    ("connectSyncedStore", { _ = try await $0.connectSyncedStore("s") }),
  ]

  @Test(
    "P-12: without queuesWhileAway every write is refused at once while the room is not connected, and never sent later"
  )
  func notConnected() throws {
    let world = World()
    let anna = try Listener(world) { $0.queuesWhileAway = false }
    let room = anna.room
    anna.client.network.set(.cut)
    world.run(for: 1)
    #expect(room.phase == .reconnecting)
    let before = world.log.count
    for write in Self.writes {
      let refusal = world.perform(atMost: 0.001) { await code { try await write.call(room) } }
      #expect(refusal == .notConnected, "\(write.name)")
    }
    let leafed = world.perform(atMost: 0.001) { (await room.nextPage(), await room.removePage()) }
    #expect(leafed == (false, false))
    anna.client.network.set(.clear)
    world.run(for: 15)
    let kinds = world.log.dropFirst(before).map(\.event.kind)
    #expect(Set(kinds).isSubset(of: [EventKind.memberPhase.rawValue, EventKind.clientPhases.rawValue]))
  }

  @Test("W-3, ME-11: a read-only member's writes are refused here and not sent; its view it may change")
  func readOnly() throws {
    let world = World()
    let anna = try Listener(world) { $0.isWritable = false }
    let room = anna.room
    let before = world.log.count
    let codes = world.perform { () async -> [RefusalCode?] in
      [
        await code { try await room.setGlobalState([:]) },
        await code { try await room.dispatchMagixEvent("m", payload: .null) },
        await code { try await room.insertText(x: 0, y: 0, text: "t") }, await code { try await room.undo() },
        await code { try await room.setViewMode(.broadcaster) },
        await code { try await room.setViewMode(.freedom) },
        await code { try await room.moveCamera(.initial) },
      ]
    }
    #expect(codes == [.notWritable, .notWritable, .notWritable, .forbidden, .notWritable, nil, nil])
    #expect(world.log.count == before + 2)
    // Before the answer to setWritable only the server knows.
    let outcome = Outcome()
    room.setWritable(true, completion: nil)
    room.setGlobalState(["k": .null]) { outcome.set($0) }
    world.run(for: 1)
    #expect((try? outcome.value?.get()) != nil)
  }

  @Test(
    "W-3, JO-rejectWhenReadonlyErrorLevel, JO-enableWritableAssert: throw, warn or ignore; or tell always",
    arguments: WhiteReadonlyErrorLevel.allCases)
  func errorLevel(_ level: WhiteReadonlyErrorLevel) throws {
    let world = World()
    for asserts in [false, true] {
      let anna = try Listener(world, "\(level) \(asserts)") {
        $0.isWritable = false
        $0.rejectWhenReadonlyErrorLevel = level
        $0.enableWritableAssert = asserts
      }
      anna.room.setGlobalState(["k": .null], completion: nil)
      world.run(for: 1)
      #expect(anna.ears.heard.errors.map(\.code) == (level == .throw ? [.notWritable] : []))
      #expect(anna.ears.heard.lines.map(\.level) == (level == .warn ? [.warning] : []))
      anna.ears.clear()
      let refusal = world.perform {
        await code { try await anna.room.dispatchMagixEvent("m", payload: .null) }
      }
      #expect(refusal == .notWritable)
      #expect(anna.ears.heard.errors.count == (asserts ? 1 : 0))
    }
  }

  @Test("JO-readOnce, JO-region, JO-hotKeys, JO-disableCameraTransform: options are those of the join")
  func readOnce() throws {
    let world = World()
    let client = world.client("anna")
    var config = client.config
    config.region = "cn-hz"
    config.userPayload = .object([("avatar", .string("https://x.example/a.png"))])
    config.view.hotKeys = ["b": "pencil"]
    config.view.disableCameraTransform = true
    let taken = config
    let room = try world.perform {
      await asResult { () async throws(BoardroomError) in try await client.sdk.joinRoom(taken) }
    }.get()
    config.region = "sg"
    config.uid = "other"
    #expect(room.options.region == "cn-hz")
    #expect(room.uid == "anna")
    #expect(room.options.view.hotKeys["b"] == "pencil")
    #expect(room.roomMembers.first?.uid == "anna")
    #expect(room.roomMembers.first?.payload == taken.userPayload?.text)
    #expect(room.inputs.isCameraTransformDisabled)
    #expect(!room.inputs.isDeviceInputsDisabled)
  }

  @Test("CA-4, JO-disableDeviceInputs: the switches are the app's; disableOperations is both")
  func inputs() throws {
    let (world, _, _, a, _) = try pair()
    a.disableOperations(true)
    #expect(a.inputs.isCameraTransformDisabled)
    #expect(a.inputs.isDeviceInputsDisabled)
    a.disableDeviceInputs(false)
    #expect(a.inputs.isCameraTransformDisabled)
    #expect(!a.inputs.isDeviceInputsDisabled)
    // They are for gestures: the app itself may still move the camera.
    #expect(world.perform { await code { try await a.moveCamera(.initial) } } == nil)
  }

  @Test("SO-reconnection: switched off, the first loss is the end")
  func noReconnection() throws {
    let world = World()
    let anna = try Listener(world, sdk: { $0.reconnects = false })
    anna.client.network.set(.cut)
    world.run(for: 6)
    #expect(anna.room.phase == .disconnected)
    #expect(anna.ears.heard.phases.last == .disconnected)
    #expect(anna.room.error?.code == .networkLost)
  }

  @Test("SO-enableInterrupterAPI, SCB-urlInterrupter: the app may change a picture's address")
  func interrupter() throws {
    let world = World()
    for enabled in [true, false] {
      let anna = try Listener(world, "\(enabled)", sdk: { $0.enableInterrupterAPI = enabled })
      anna.ears.held.withLock { $0.suffix = "?signed" }
      let source = world.perform { () async -> String? in
        let image = WhiteImageInformation(uuid: "\(enabled)", width: 1, height: 1)
        _ = try? await anna.room.insertImage(image, src: "https://x.example/1.png")
        return await anna.room.getElements().last?.source
      }
      #expect(source == (enabled ? "https://x.example/1.png?signed" : "https://x.example/1.png"))
    }
  }

  @Test("SO-log, SCB-logger: lines below the level are not told")
  func logLevel() throws {
    let world = World()
    for (level, count) in [(WhiteLogLine.Level.warning, 1), (.error, 0), (nil, 0)] {
      let anna = try Listener(world, "\(count) \(level == nil)", sdk: { $0.logLevel = level })
      let payload = JSONValue.string(String(repeating: "x", count: 2_000))
      world.perform { _ = try? await anna.room.dispatchMagixEvent("m", payload: payload) }
      #expect(anna.ears.heard.lines.count == count)
    }
  }

  @Test("SCB-throwError: a failed command that nobody waits for is told to the common callbacks object")
  func throwError() throws {
    let world = World()
    let anna = try Listener(world)
    anna.room.setScenePath("/nowhere", completion: nil)
    anna.room.setScenePath("/nowhere") { _ in }
    world.run(for: 1)
    #expect(anna.ears.heard.errors.map(\.code) == [.noSuchScene])
  }

  @Test("SCB-sdkSetupFail, ERR-join, JO-uuid: what keeps an SDK from working fails the join by a code")
  func setupFails() throws {
    let world = World()
    let client = world.client("anna")
    var config = client.config
    config.uuid = "not a uuid"
    let taken = config
    let refusal = world.perform { await code { try await client.sdk.joinRoom(taken) } }
    #expect(refusal == .badName)
    #expect(world.perform { await code { try await client.sdk.joinRoom(client.config) } } == nil)
  }

  @Test("SO-userCursor, SO-useMultiViews, SO-enableSyncedStore: kept as they were given")
  func sdkOptions() throws {
    let world = World()
    let anna = try Listener(
      world,
      sdk: {
        $0.appIdentifier = "app"
        $0.region = "sg"
        $0.view.userCursor = true
        $0.view.useMultiViews = true
      })
    let kept = anna.sdk.configuration
    #expect(kept.appIdentifier == "app")
    #expect(kept.region == "sg")
    #expect(kept.view.userCursor)
    #expect(kept.view.useMultiViews)
    #expect(kept.view.enableSyncedStore)
  }

  @Test(
    "CB-15: each reason of 2.5 reaches the app that was removed by its name, once, and nobody else; it is no loss",
    arguments: KickReason.allCases)
  func kicks(_ reason: KickReason) throws {
    let world = World()
    let (anna, ben) = (try Listener(world), try Listener(world, "ben"))
    world.kick(try #require(anna.room.memberId), reason: reason)
    world.run(for: 60)
    #expect(anna.ears.heard.kicks == [reason.rawValue])
    #expect(anna.ears.heard.phases == [.disconnected], "it does not come back by itself")
    #expect(anna.ears.heard.disconnects.isEmpty, "a removal is no loss")
    #expect(ben.ears.heard.kicks.isEmpty)
    #expect(ben.room.phase == .connected)
    #expect(ben.room.state.roomMembers?.map(\.uid) == ["ben"])
  }
}
