import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Synchronization
import TestKit
import Testing

@Suite struct CallbackTests {
  @Test("CB-1: a callbacks object without a single method is good enough")
  func optional() throws {
    final class Silent: WhiteRoomCallbackDelegate, Sendable {}
    let world = World()
    let anna = world.client("anna")
    let silent = Silent()
    let room = try world.perform {
      await asResult { () async throws(BoardroomError) in
        try await anna.sdk.joinRoom(anna.config, callbacks: silent)
      }
    }.get()
    world.kick(try #require(room.roomMemberId))
    world.run(for: 1)
    #expect(room.phase == .disconnected)
  }

  @Test("CB-2, complaint 6: over three joins with the same object, each phase is told once")
  func oneObject() throws {
    let world = World()
    let anna = world.client("anna")
    for _ in 1...3 {
      let room = try anna.join()
      world.perform { await room.disconnect() }
      world.run(for: 1)
    }
    let one: [WhiteRoomPhase] = [.connecting, .connected, .disconnecting, .disconnected]
    #expect(anna.recorder.phases.map(\.phase) == one + one + one)
  }

  @Test("CB-3: the callbacks object is held weakly")
  func weakly() throws {
    let world = World()
    let anna = world.client("anna")
    var object: Recorder? = Recorder { 0 }
    weak let watched = object
    anna.sdk.joinRoom(with: anna.config, callbacks: object) { _, _, _ in }
    world.run(for: 2)
    #expect(watched?.phases.count == 2)
    object = nil
    #expect(watched == nil)
  }

  @Test("CB-4: inside the callback the room's state shows the new value")
  func cacheFirst() throws {
    let (world, anna, _, a, b) = try pair()
    let seen = Mutex<[String?]>([])
    anna.recorder.whenHeard { heard in
      guard case .state = heard else { return }
      seen.withLock { $0.append(a.state.globalState?["k"]?.text) }
    }
    b.setGlobalState(["k": .number("1")], completion: nil)
    world.run(for: 1)
    b.setGlobalState(["k": .number("2")], completion: nil)
    world.run(for: 1)
    #expect(seen.withLock { $0 } == ["1", "2"])
  }

  @Test("CB-5: setting what is there already, or setting and unsetting in a gap, tells nothing")
  func emptyDeltas() throws {
    let (world, anna, _, a, b) = try pair()
    b.setGlobalState(["k": .number("1")], completion: nil)
    world.run(for: 1)
    #expect(anna.recorder.states.count == 1)
    b.setGlobalState(["k": .number("1")], completion: nil)
    world.run(for: 1)
    #expect(anna.recorder.states.count == 1)
    anna.network.set(.cut)
    world.run(for: 1)
    b.setGlobalState(["k": .number("5")], completion: nil)
    world.run(for: 1)
    b.setGlobalState(["k": .number("1")], completion: nil)
    world.run(for: 1)
    anna.network.set(.clear)
    world.run(for: 20)
    #expect(a.phase == .connected)
    #expect(anna.recorder.states.count == 1)
  }

  @Test("CB-6: states and magix events come in the order of the log")
  func logOrder() throws {
    let (world, anna, _, a, b) = try pair()
    a.addMagixEventListener("step")
    let order = Mutex<[String]>([])
    anna.recorder.whenHeard { heard in
      switch heard {
      case .state(let state): order.withLock { $0.append("state \(state.globalState?["k"]?.text ?? "")") }
      case .magix(let event): order.withLock { $0.append("magix \(event.payload.text)") }
      case .phase, .committable, .disconnect, .kicked, .misfit: break
      }
    }
    _ = ben(b, steps: 5)
    world.run(for: 2)
    #expect(order.withLock { $0 } == (1...5).flatMap { ["state \($0)", "magix \($0)"] })
  }

  private func ben(_ room: WhiteRoom, steps: Int) -> Int {
    for step in 1...steps {
      room.setGlobalState(["k": JSONValue(step)], completion: nil)
      room.dispatchMagixEvent("step", payload: JSONValue(step), completion: nil)
    }
    return steps
  }

  @Test("CB-7: after a later join the old room object is silent")
  func oldRoomIsSilent() throws {
    let (world, anna, _, first, b) = try pair()
    let second = try anna.join { $0.uid = "anna again" }
    world.run(for: 2)
    anna.recorder.clear()
    b.setGlobalState(["k": .bool(true)], completion: nil)
    world.run(for: 2)
    #expect(anna.recorder.states.count == 1)
    #expect(first.phase == .disconnected)
    #expect(second.phase == .connected)
    #expect(second.state.roomMembers?.map(\.uid) == ["ben", "anna again"])
  }

  @Test("CB-10: the phase is told when it changes and only then")
  func phaseOnChange() throws {
    let (world, anna, _, _, _) = try pair()
    world.run(for: 30)
    #expect(anna.recorder.phases.isEmpty)
    for _ in 1...3 {
      anna.network.set(.cut)
      world.run(for: 3)
      anna.network.set(.clear)
      world.run(for: 15)
    }
    let phases = anna.recorder.phases.map(\.phase)
    #expect(phases == Array([[WhiteRoomPhase.reconnecting, .connected]].cycled(3).joined()))
  }

  @Test("CB-11, CB-12, EC-globalState: no callback at the setter, one at each other member")
  func globalStateEcho() throws {
    let (world, anna, ben, a, b) = try pair()
    world.perform { _ = try? await a.setGlobalState(["k": .string("v")]) }
    #expect(a.state.globalState?["k"]?.text == "\"v\"")
    world.run(for: 1)
    #expect(anna.recorder.states.isEmpty)
    #expect(ben.recorder.states.count == 1)
    #expect(ben.recorder.states[0] == only { $0.globalState = b.state.globalState })
  }

  @Test(
    "EC-memberState, -roomMembersOwn, -roomMembersOthers: nothing at the setter, roomMembers at the others")
  func memberStateEcho() throws {
    let (world, anna, ben, a, b) = try pair()
    var state = WhiteMemberState()
    state.currentApplianceName = "eraser"
    state.strokeColor = [1, 2, 3]
    world.perform { [state] in _ = try? await a.setMemberState(state) }
    world.run(for: 1)
    #expect(anna.recorder.states.isEmpty)
    #expect(a.state.memberState == state)
    #expect(ben.recorder.states == [only { $0.roomMembers = b.state.roomMembers }])
    #expect(b.state.roomMembers?.first { $0.uid == "anna" }?.memberState == state)
  }

  @Test("EC-sceneState, -broadcastState, -cameraState: these come back to the setter too")
  func echoed() throws {
    let (world, anna, ben, a, b) = try pair()
    a.putScenes(
      "/book", scenes: [WhiteScene(name: "one"), WhiteScene(name: "two")], index: 0, completion: nil)
    a.setScenePath("/book/two", completion: nil)
    world.run(for: 1)
    #expect(anna.recorder.states.last?.sceneState?.scenePath == "/book/two")
    #expect(a.state.pageState?.index == 1)
    #expect(a.state.pageState?.length == 2)
    #expect(b.state.sceneState?.scenes.map(\.name) == ["one", "two"])
    anna.recorder.clear()
    a.setViewMode(.broadcaster, completion: nil)
    world.run(for: 1)
    #expect(anna.recorder.states.map { $0.broadcastState?.mode } == [.broadcaster])
    #expect(b.state.broadcastState?.mode == .follower)
    #expect(b.state.broadcastState?.broadcasterId == a.roomMemberId)
    anna.recorder.clear()
    ben.recorder.clear()
    let camera = WhiteCameraState(centerX: -10.5, centerY: 4, scale: 2)
    a.moveCamera(camera, completion: nil)
    world.run(for: 1)
    #expect(anna.recorder.states == [only { $0.cameraState = camera }])
    #expect(ben.recorder.states == [only { $0.cameraState = camera }])
    #expect(b.state.zoomScale == 2)
  }

  @Test("CB-12, EC-all: with onlyCallbackRemoteStateModify false own changes come back as well")
  func echoEverything() throws {
    let (world, anna, ben, a, _) = try pair { $0.onlyCallbackRemoteStateModify = false }
    // A client that is let go leaves the room, which would be another change.
    defer { withExtendedLifetime(ben) {} }
    a.setGlobalState(["k": .bool(true)], completion: nil)
    world.run(for: 1)
    #expect(anna.recorder.states == [only { $0.globalState = a.state.globalState }])
    var state = WhiteMemberState()
    state.bold = true
    a.setMemberState(state, completion: nil)
    world.run(for: 1)
    #expect(anna.recorder.states.last?.memberState?.bold == true)
  }

  @Test("CB-13: told when the ability to write is gained or lost, and only then")
  func committable() throws {
    let (world, anna, ben, a, b) = try pair()
    #expect(a.isWritable)
    let now = world.perform { try? await a.setWritable(false) }
    #expect(now == false)
    world.perform { _ = try? await a.setWritable(false) }
    #expect(b.state.roomMembers?.map(\.uid) == ["ben"])
    let error = world.perform {
      await asResult { () async throws(BoardroomError) in try await a.setGlobalState(["k": .null]) }
    }
    guard case .failure(let refused) = error else { Issue.record("a read-only member wrote"); return }
    #expect(refused.code == .notWritable)
    world.perform { _ = try? await a.setWritable(true) }
    let told = anna.recorder.heard.filter { if case .committable = $0 { true } else { false } }
    #expect(told == [.committable(false), .committable(true)])
    #expect(ben.recorder.states.count == 2)
  }

  @Test("W-1, W-2: a read-only join is told nothing of writing; a second setWritable at once is refused")
  func readOnlyJoin() throws {
    let world = World()
    let anna = world.client("anna")
    let room = try anna.join { $0.isWritable = false }
    world.run(for: 1)
    #expect(!anna.recorder.heard.contains(.committable(true)))
    #expect(!room.isWritable)
    #expect(room.state.roomMembers == [])
    let answers = Mutex<[String]>([])
    for _ in 1...2 {
      room.setWritable(true) { writable, error in
        answers.withLock { $0.append("\(writable) \(error?.code.rawValue ?? "-")") }
      }
    }
    world.run(for: 1)
    #expect(answers.withLock { $0 } == ["false pending", "true -"])
  }

  @Test("CB-14: a deliberate disconnect is no error")
  func noErrorOnLeave() throws {
    let (world, anna, _, a, _) = try pair()
    world.perform { await a.disconnect() }
    world.run(for: 60)
    #expect(anna.recorder.disconnects.isEmpty)
  }

  @Test("CB-16: an event that does not fit is told with its author, and the room goes on")
  func misfit() throws {
    let (world, anna, _, a, b) = try pair()
    // A record that the server never decides on, put into the log behind its back.
    world.inject(
      RoomEvent(
        revision: 0, time: world.loop.now, actor: .member(1), counter: 0,
        event: .elements(.erased([ElementID(member: 1, number: 99)]))))
    world.run(for: 30)
    _ = b
    #expect(a.phase == .connected)
    let told = anna.recorder.heard.compactMap { heard in
      if case .misfit(let id, let text) = heard { (id, text) } else { nil }
    }
    #expect(told.map(\.0) == [1])
    #expect(told.first?.1.isEmpty == false)
    world.perform { _ = try? await a.setGlobalState(["after": .bool(true)]) }
    #expect(a.state.globalState?["after"]?.text == "true")
  }

  @Test("Complaint 3: with showsMemberPresence others' silence shows in roomMembers, without it does not")
  func presence() throws {
    for shows in [true, false] {
      let (world, anna, ben, a, _) = try pair { $0.showsMemberPresence = shows }
      ben.network.set(.cut)
      world.run(for: 5)
      #expect(anna.recorder.states.count == (shows ? 1 : 0))
      if shows { #expect(a.state.roomMembers?.map(\.isReconnecting) == [false, true]) }
      ben.network.set(.clear)
      world.run(for: 15)
      #expect(anna.recorder.states.count == (shows ? 2 : 0))
    }
  }

  @Test("Streams tell phases, state deltas and events as the callbacks do, and end with the room")
  func streams() throws {
    let (world, anna, _, a, b) = try pair()
    let (phases, states, events, before) = (a.phases, a.states, a.events, a.state)
    b.setGlobalState(["k": .number("1")], completion: nil)
    world.run(for: 1)
    world.perform { await a.disconnect() }
    let heard = world.perform {
      var all: ([WhiteRoomPhase], [WhiteRoomState], Int) = ([], [], 0)
      for await phase in phases { all.0.append(phase) }
      for await state in states { all.1.append(state) }
      for await event in events where event.event.kind == EventKind.globalState.rawValue { all.2 += 1 }
      return all
    }
    #expect(heard.0 == [.connected] + anna.recorder.phases.map(\.phase))
    #expect(heard.1 == [before] + anna.recorder.states)
    #expect(heard.2 == 1)
  }

  private func only(_ change: (inout WhiteRoomState) -> Void) -> WhiteRoomState {
    var state = WhiteRoomState()
    change(&state)
    return state
  }
}

extension Array {
  func cycled(_ times: Int) -> [Element] { (0..<times).flatMap { _ in self } }
}
