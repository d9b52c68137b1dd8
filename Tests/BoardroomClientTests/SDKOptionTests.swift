import BoardroomClient
import BoardroomCodec
import BoardroomModel
import TestKit
import Testing

@Suite struct SDKOptionTests {
  /// Every method that ends in a command.
  private static let writes: [(name: String, call: @Sendable (WhiteRoom) async throws(BoardroomError) -> Void)] = [
    ("setGlobalState", { r throws(BoardroomError) in _ = try await r.setGlobalState([:]) }),
    ("setMemberState", { r throws(BoardroomError) in _ = try await r.setMemberState(WhiteMemberState()) }),
    ("setViewMode", { r throws(BoardroomError) in _ = try await r.setViewMode(.freedom) }),
    ("setWritable", { r throws(BoardroomError) in _ = try await r.setWritable(true) }),
    ("dispatchMagixEvent", { r throws(BoardroomError) in _ = try await r.dispatchMagixEvent("m", payload: .null) }),
    ("setScenePath", { r throws(BoardroomError) in _ = try await r.setScenePath("/init") }),
    ("setSceneIndex", { r throws(BoardroomError) in _ = try await r.setSceneIndex(0) }),
    ("putScenes", { r throws(BoardroomError) in _ = try await r.putScenes("/", scenes: [WhiteScene(name: "x")], index: 0) }),
    ("removeScenes", { r throws(BoardroomError) in _ = try await r.removeScenes("/init") }),
    ("moveScene", { r throws(BoardroomError) in _ = try await r.moveScene("/init", target: "/x") }),
    ("cleanScene", { r throws(BoardroomError) in _ = try await r.cleanScene(true) }),
    ("addPage", { r throws(BoardroomError) in _ = try await r.addPage() }),
    ("pptNextStep", { r throws(BoardroomError) in _ = try await r.pptNextStep() }),
    ("pptPreviousStep", { r throws(BoardroomError) in _ = try await r.pptPreviousStep() }),
    ("moveCamera", { r throws(BoardroomError) in _ = try await r.moveCamera(.initial) }),
    ("movePointer", { r throws(BoardroomError) in _ = try await r.movePointer(x: 0, y: 0) }),
    ("insertText", { r throws(BoardroomError) in _ = try await r.insertText(0, 0, "t") }),
    ("insertRectangle", { r throws(BoardroomError) in _ = try await r.insertRectangle(x: 0, y: 0, width: 1, height: 1) }),
    ("insertImage", { r throws(BoardroomError) in _ = try await r.insertImage(WhiteImageInformation(uuid: "u", width: 1, height: 1)) }),
    ("drawStroke", { r throws(BoardroomError) in _ = try await r.drawStroke(WhitePen(), [WhitePoint(x: 0, y: 0)]) }),
    ("erase", { r throws(BoardroomError) in _ = try await r.erase([WhiteElementID(member: 0, number: 1)]) }),
    ("move", { r throws(BoardroomError) in _ = try await r.move([WhiteElementID(member: 0, number: 1)], x: 1, y: 1) }),
    ("lock", { r throws(BoardroomError) in _ = try await r.lock([WhiteElementID(member: 0, number: 1)], true) }),
    ("bringToFront", { r throws(BoardroomError) in _ = try await r.bringToFront([WhiteElementID(member: 0, number: 1)]) }),
    ("completeImageUpload", { r throws(BoardroomError) in _ = try await r.completeImageUpload("u", src: "https://x.example") }),
    ("disableSerialization", { r throws(BoardroomError) in _ = try await r.disableSerialization(false) }),
    ("connectSyncedStore", { r throws(BoardroomError) in _ = try await r.connectSyncedStore("s") }),
  ]

  @Test("P-12: every write is refused at once while the room is not connected, and never sent later")
  func notConnected() throws {
    let world = World()
    let anna = try Listener(world)
    let room = anna.room
    anna.client.network.set(.cut)
    world.run(for: 1)
    #expect(room.phase == .reconnecting)
    let before = world.log.count
    for write in Self.writes {
      let code = world.perform(atMost: 0.001) { await code { try await write.call(room) } }
      #expect(code == .notConnected, "\(write.name)")
    }
    let leafed = world.perform(atMost: 0.001) { (await room.nextPage(), await room.removePage()) }
    #expect(leafed == (false, false))
    anna.client.network.set(.clear)
    world.run(for: 15)
    let kinds = world.log.dropFirst(before).map(\.event.kind)
    #expect(Set(kinds).isSubset(of: [EventKind.memberPhase.rawValue, EventKind.clientPhases.rawValue]))
  }

  @Test("W-3, ME-11: a read-only member's writes are refused here and not sent; its own view it may change")
  func readOnly() throws {
    let world = World()
    let anna = try Listener(world) { $0.isWritable = false }
    let room = anna.room
    let before = world.log.count
    let codes = world.perform { () async -> [RefusalCode?] in
      [
        await code { try await room.setGlobalState([:]) },
        await code { try await room.dispatchMagixEvent("m", payload: .null) },
        await code { try await room.insertText(0, 0, "t") }, await code { try await room.undo() },
        await code { try await room.setViewMode(.broadcaster) },
        await code { try await room.setViewMode(.freedom) }, await code { try await room.moveCamera(.initial) },
      ]
    }
    #expect(codes == [.notWritable, .notWritable, .notWritable, .forbidden, .notWritable, nil, nil])
    #expect(world.log.count == before + 2)
    // Before the answer to setWritable only the server knows.
    let outcome = Outcome()
    room.setWritable(true)
    room.setGlobalState(["k": .null]) { outcome.set($0) }
    world.run(for: 1)
    #expect((try? outcome.value?.get()) != nil)
  }

  @Test(
    "W-3, JO-rejectWhenReadonlyErrorLevel, JO-enableWritableAssert: throw, warn or ignore; the assert tells in any case",
    arguments: WhiteReadonlyErrorLevel.allCases)
  func errorLevel(_ level: WhiteReadonlyErrorLevel) throws {
    let world = World()
    for asserts in [false, true] {
      let anna = try Listener(world, "\(level) \(asserts)") {
        $0.isWritable = false
        $0.rejectWhenReadonlyErrorLevel = level
        $0.enableWritableAssert = asserts
      }
      anna.room.setGlobalState(["k": .null])
      world.run(for: 1)
      #expect(anna.ears.heard.errors.map(\.code) == (level == .throw ? [.notWritable] : []))
      #expect(anna.ears.heard.lines.map(\.level) == (level == .warn ? [.warning] : []))
      anna.ears.clear()
      let code = world.perform {
        await code { try await anna.room.dispatchMagixEvent("m", payload: .null) }
      }
      #expect(code == .notWritable && anna.ears.heard.errors.count == (asserts ? 1 : 0))
    }
  }

  @Test("JO-readOnce, JO-region, JO-uid, RM-uid, RM-payload: options are those of the join, whatever becomes of theirs")
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
    #expect(room.options.region == "cn-hz" && room.uid == "anna" && room.options.view.hotKeys["b"] == "pencil")
    #expect(room.roomMembers.first?.uid == "anna")
    #expect(room.roomMembers.first?.payload == taken.userPayload?.text)
    #expect(room.inputs.isCameraTransformDisabled && !room.inputs.isDeviceInputsDisabled)
  }

  @Test("CA-4, JO-disableDeviceInputs, JO-disableCameraTransform: the switches are the app's; disableOperations is both")
  func inputs() throws {
    let (world, _, _, a, _) = try pair()
    a.disableOperations(true)
    #expect(a.inputs.isCameraTransformDisabled && a.inputs.isDeviceInputsDisabled)
    a.disableDeviceInputs(false)
    #expect(a.inputs.isCameraTransformDisabled && !a.inputs.isDeviceInputsDisabled)
    // They are for gestures: the app itself may still move the camera.
    #expect(world.perform { await code { try await a.moveCamera(.initial) } } == nil)
  }

  @Test("SO-reconnection: switched off, the first loss is the end")
  func noReconnection() throws {
    let world = World()
    let anna = try Listener(world, sdk: { $0.reconnects = false })
    anna.client.network.set(.cut)
    world.run(for: 6)
    #expect(anna.room.phase == .disconnected && anna.ears.heard.phases.last == .disconnected)
    #expect(anna.room.error?.code == .networkLost)
  }

  @Test("SO-enableInterrupterAPI, SCB-urlInterrupter: the app may change a picture's address before it goes to the room")
  func interrupter() throws {
    let world = World()
    for enabled in [true, false] {
      let anna = try Listener(world, "\(enabled)", sdk: { $0.enableInterrupterAPI = enabled })
      anna.ears.interrupt.withLock { $0 = { $0 + "?signed" } }
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

  @Test("SCB-throwError: a command that nobody waits for and that fails is told to the common callbacks object")
  func throwError() throws {
    let world = World()
    let anna = try Listener(world)
    anna.room.setScenePath("/nowhere")
    anna.room.setScenePath("/nowhere") { _ in }
    world.run(for: 1)
    #expect(anna.ears.heard.errors.map(\.code) == [.noSuchScene])
  }

  @Test("SCB-sdkSetupFail, ERR-join, JO-uuid: what keeps an SDK from working fails the join, with a code of its own")
  func setupFails() throws {
    let world = World()
    let client = world.client("anna")
    var config = client.config
    config.uuid = "not a uuid"
    let taken = config
    let code = world.perform { await code { try await client.sdk.joinRoom(taken) } }
    #expect(code == .badName)
    #expect(world.perform { await code { try await client.sdk.joinRoom(client.config) } } == nil)
  }

  @Test("SO-appIdentifier, SO-region, SO-userCursor, SO-useMultiViews, SO-enableSyncedStore: kept as they were given")
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
    #expect(kept.appIdentifier == "app" && kept.region == "sg" && kept.view.userCursor)
    #expect(kept.view.useMultiViews && kept.view.enableSyncedStore)
  }

  @Test("CB-15: each reason of 2.5 reaches the app by its name, and then the phase", arguments: KickReason.allCases)
  func kicks(_ reason: KickReason) throws {
    let world = World()
    let anna = try Listener(world)
    world.kick(try #require(anna.room.memberId), reason: reason)
    world.run(for: 1)
    #expect(anna.ears.heard.kicks == [reason.rawValue])
    #expect(anna.room.phase == .disconnected && anna.ears.heard.phases.last == .disconnected)
  }
}
