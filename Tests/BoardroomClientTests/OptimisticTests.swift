import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import TestKit
import Testing

/// One's own commands are shown before the log has them, and taken back if they are refused.
@Suite struct OptimisticTests {
  /// Lets everything happen that needs no time: nothing crosses the network.
  private func instant(_ world: World) { world.run(for: 0) }

  @Test("OPT-1, OPT-4: own changes are shown before anything reached the server; not as confirmed")
  func atOnce() throws {
    let (world, _, _, a, b) = try pair()
    let before = world.log.count
    a.setGlobalState(["k": .number("1")], completion: nil)
    var member = WhiteMemberState()
    member.strokeWidth = 7
    a.setMemberState(member, completion: nil)
    a.putScenes("/book", scenes: [WhiteScene(name: "one")], index: 0, completion: nil)
    a.setScenePath("/book/one", completion: nil)
    a.setViewMode(.broadcaster, completion: nil)
    a.moveCamera(WhiteCameraState(centerX: 1, centerY: 2, scale: 3), completion: nil)
    instant(world)
    #expect(a.globalState["k"]?.text == "1")
    #expect(a.memberState.strokeWidth == 7)
    #expect(a.roomMembers.first { $0.memberId == a.memberId }?.memberState.strokeWidth == 7)
    #expect(a.sceneState.scenePath == "/book/one")
    #expect(a.entireScenes["/book"]?.count == 1)
    #expect(a.broadcastState.broadcasterId == a.memberId)
    #expect(a.zoomScale == 3)
    #expect(world.log.count == before)
    #expect(b.globalState.isEmpty)
    let confirmed = Box<WhiteRoomState?>(nil)
    world.perform { confirmed.value = await a.getConfirmedState() }
    #expect(confirmed.value?.globalState?.isEmpty == true)
    #expect(confirmed.value?.sceneState?.scenePath == "/init")
    world.run(for: 2)
    #expect(b.globalState == a.globalState)
    #expect(b.sceneState == a.sceneState)
    #expect(world.perform { await a.getConfirmedState() } == a.state)
  }

  @Test("OPT-2, CB-5, EC-sceneState: what was shown and then came true is told once: no flicker")
  func noFlicker() throws {
    let (world, anna, _, a, _) = try pair { $0.onlyCallbackRemoteStateModify = false }
    a.setGlobalState(["k": .number("1")], completion: nil)
    a.putScenes("/book", scenes: [WhiteScene(name: "one")], index: 0, completion: nil)
    a.setScenePath("/book/one", completion: nil)
    a.moveCamera(WhiteCameraState(centerX: 1, centerY: 2, scale: 3), completion: nil)
    for value in 2...20 { a.setGlobalState(["k": JSONValue(value)], completion: nil) }
    world.run(for: 2)
    let states = anna.recorder.states
    #expect(states.compactMap { $0.globalState?["k"]?.text } == (1...20).map(String.init))
    #expect(states.compactMap { $0.sceneState?.scenePath } == ["/book/one"])
    #expect(states.compactMap(\.cameraState).map(\.scale) == [3])
  }

  @Test("OPT-2: cameras faster than the server records them are shown without a step back")
  func cameras() throws {
    let (world, anna, _, a, _) = try pair()
    let outcomes = (1...30).map { _ in Outcome() }
    for (step, outcome) in outcomes.enumerated() {
      let camera = WhiteCameraState(centerX: Double(step + 1), centerY: 0, scale: 1)
      a.moveCamera(camera) { outcome.set($0) }
      world.run(for: 0.01)
    }
    world.run(for: 2)
    let seen = anna.recorder.states.compactMap { $0.cameraState?.centerX }
    #expect(seen == (1...30).map(Double.init))
    #expect(outcomes.allSatisfy { (try? $0.value?.get()) != nil })
  }

  @Test("OPT-3: what the server refuses is taken back, and the app is told by callback and completion")
  func refused() throws {
    // Of this limit the client knows nothing: the welcome has only those of sizes on the wire.
    let world = World { $0.memberState = 24 }
    let anna = world.client("anna")
    let room = try anna.join()
    world.run(for: 1)
    anna.recorder.clear()
    var state = WhiteMemberState()
    state.other["note"] = JSONValue.string("far more than twenty-four bytes").text
    let outcome = Outcome()
    room.setMemberState(state) { outcome.set($0) }
    world.run(for: 0)
    #expect(room.memberState.other["note"] != nil)
    #expect(anna.recorder.states.isEmpty)
    world.run(for: 2)
    guard case .failure(let error)? = outcome.value else { Issue.record("taken"); return }
    #expect(error.code == .tooLarge)
    #expect(error.allowed == 24)
    #expect(room.memberState.other.isEmpty)
    #expect(anna.recorder.states.map { $0.memberState?.other.isEmpty } == [true])
  }

  @Test("OPT-3, EL-3: a lock that came first refuses one's move: shown, taken back, told by callback")
  func lostRace() throws {
    let world = World()
    let (anna, ben) = (try Listener(world), try Listener(world, "ben"))
    let (a, b) = (anna.room, ben.room)
    let id = try #require(world.perform { try? await a.insertRectangle(x: 0, y: 0, width: 1, height: 1) })
    world.run(for: 1)
    anna.ears.clear()
    // Ben's lock is on its way to the server before Anna moves, and reaches it first.
    b.lock([id], true, completion: nil)
    world.run(for: 0.004)
    anna.client.network.set(.silent)
    let outcome = Outcome()
    a.move([id], x: 5, y: 0) { outcome.set($0) }
    world.run(for: 0)
    #expect(world.perform(atMost: 0.001) { await a.getElement(id)?.x } == 5)
    #expect(world.perform(atMost: 0.001) { await a.getConfirmedBoard().elements[id]?.attributes["x"] } == nil)
    let boards = anna.ears.heard.boards
    world.run(for: 1)
    anna.client.network.set(.clear)
    world.run(for: 2)
    guard case .failure(let error)? = outcome.value else { Issue.record("taken"); return }
    #expect(error.code == .locked)
    #expect(anna.ears.heard.boards > boards)
    #expect(world.perform { await a.getElement(id)?.x } == 0)
  }

  @Test("OPT-1: others' concurrent changes win or lose by their place in the log, and the mirrors agree")
  func logOrder() throws {
    for seed in UInt64(1)...8 {
      let world = World(seed: seed)
      let (anna, ben) = (world.client("anna"), world.client("ben"))
      let (a, b) = (try anna.join(), try ben.join())
      world.run(for: 1)
      a.setGlobalState(["k": .string("anna")], completion: nil)
      b.setGlobalState(["k": .string("ben")], completion: nil)
      world.run(for: 0)
      #expect(a.globalState["k"]?.text == "\"anna\"")
      #expect(b.globalState["k"]?.text == "\"ben\"")
      world.run(for: 2)
      let last = world.serverState?.globalState["k"]
      #expect(a.globalState["k"] == last)
      #expect(b.globalState["k"] == last)
      let (one, two) = world.perform { (await a.getBoard(), await b.getBoard()) }
      #expect(one == two)
    }
  }

  @Test("X-9: commands under way when the connection breaks stay shown, are sent again and come true once")
  func resent() throws {
    let world = World()
    let anna = try Listener(world)
    let room = anna.room
    anna.client.network.breakAfter(10, .toServer)
    let outcome = Outcome()
    room.setGlobalState(["k": .number("1")]) { outcome.set($0) }
    room.insertRectangle(at: 0)
    world.run(for: 0.2)
    #expect(room.phase == .reconnecting)
    #expect(room.globalState["k"]?.text == "1")
    #expect(world.perform(atMost: 0.1) { await room.getElements().count } == 1)
    anna.client.network.heal()
    world.run(for: 10)
    #expect(room.phase == .connected)
    #expect((try? outcome.value?.get()) != nil)
    #expect(room.globalState["k"]?.text == "1")
    #expect(world.perform { await room.getConfirmedBoard().elements.count } == 1)
    let told = anna.ears.heard.states.filter { $0.globalState != nil }
    #expect(told.isEmpty)
  }

  @Test("OPT-3: the session is lost: what never arrived is taken back, and told by callback and completion")
  func sessionLost() throws {
    let world = World()
    let anna = try Listener(world)
    let room = anna.room
    world.perform { _ = try? await room.setGlobalState(["k": .number("0")]) }
    anna.client.network.set(.silent)
    let outcome = Outcome()
    room.setGlobalState(["k": .number("1")]) { outcome.set($0) }
    room.insertRectangle(at: 0)
    world.run(for: 1)
    #expect(room.globalState["k"]?.text == "1")
    anna.client.network.set(.cut)
    world.run(for: 32)
    anna.client.network.set(.clear)
    world.run(for: 12)
    #expect(room.phase == .connected)
    #expect(room.globalState["k"]?.text == "0")
    #expect(anna.ears.heard.states.compactMap { $0.globalState?["k"]?.text } == ["0"])
    #expect(world.perform { await room.getElements() }.isEmpty)
    guard case .failure(let error)? = outcome.value else { Issue.record("taken"); return }
    #expect(error.code == .networkLost)
  }

  @Test("The room is over with commands under way: its state is that of the log")
  func over() throws {
    let world = World()
    let anna = try Listener(world)
    let room = anna.room
    anna.client.network.set(.silent)
    room.setGlobalState(["k": .number("1")], completion: nil)
    world.run(for: 0.1)
    world.perform { await room.disconnect() }
    #expect(room.phase == .disconnected)
    #expect(room.globalState.isEmpty)
  }

  @Test("A stroke is on one's own board while it is drawn, in the order of its segments")
  func stroke() throws {
    let (world, anna, _, a, b) = try pair()
    anna.network.set(.silent)
    let stroke = a.beginStroke(WhitePen(), [WhitePoint(x: 0, y: 0)], completion: nil)
    for step in 1...5 { stroke.extend([WhitePoint(x: Double(step), y: 0)], completion: nil) }
    let counts = world.perform(atMost: 0.01) { await a.getBoard().elements.places.map { $0?.pointCount } }
    #expect(counts == [6])
    let none = world.perform(atMost: 0.01) { await b.getBoard().elements.count }
    #expect(none == 0)
    anna.network.set(.clear)
    stroke.end(completion: nil)
    world.run(for: 1)
    let (one, two) = world.perform { (await a.getBoard(), await b.getBoard()) }
    #expect(one == two)
    #expect(one.elements.openStrokes.isEmpty)
  }

  @Test("Without the option optimistic nothing is shown that the log does not hold")
  func notOptimistic() throws {
    let (world, _, _, a, _) = try pair { $0.optimistic = false }
    a.setGlobalState(["k": .number("1")], completion: nil)
    a.insertRectangle(at: 0)
    instant(world)
    #expect(a.globalState.isEmpty)
    #expect(world.perform(atMost: 0.001) { await a.getElements().isEmpty })
    world.run(for: 1)
    #expect(a.globalState["k"]?.text == "1")
    #expect(world.perform { await a.getElements().count } == 1)
  }

  @Test("A thousand commands under way are shown and confirmed one by one, by anybody's events between them")
  func many() throws {
    let (world, anna, _, a, b) = try pair { $0.onlyCallbackRemoteStateModify = false }
    for value in 1...1_000 {
      a.setGlobalState(["k": JSONValue(value)], completion: nil)
      if value % 100 == 0 {
        b.setGlobalState(["other": JSONValue(value)], completion: nil)
        world.run(for: 0.05)
      }
    }
    world.run(for: 5)
    let seen = anna.recorder.states.compactMap { $0.globalState?["k"]?.text }.compactMap { Int($0) }
    #expect(seen == seen.sorted())
    #expect(seen.last == 1_000)
    let (one, two) = world.perform { (await a.getBoard(), await b.getBoard()) }
    #expect(one == two)
    #expect(a.globalState["other"]?.text == "1000")
  }
}

extension WhiteRoom {
  fileprivate func insertRectangle(at x: Double) {
    insert(WhiteShape(.rectangle, x: x, y: 0, width: 1, height: 1), completion: nil)
  }
}

extension Element {
  fileprivate var pointCount: Int? {
    if case .stroke(let stroke) = content { stroke.pointCount } else { nil }
  }
}
