import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import TestKit
import Testing

/// The golden timelines of PARITY rows TL for White, against the real server. L = 100 is the second of the last
/// byte in both directions; one tick of the server is a quarter of a second.
@Suite struct TimelineTests {
  static let tick = 0.3

  struct Scene {
    let world: World
    let anna: SimulatedClient
    let ben: SimulatedClient
    let annasRoom: WhiteRoom
    let bensRoom: WhiteRoom
  }

  /// Anna and Ben in one room; at 100 s Anna has just spoken and been answered.
  func scene(_ change: (inout WhiteRoomConfig) -> Void = { _ in }) throws -> Scene {
    let world = World(seed: 7)
    let anna = world.client("anna")
    let ben = world.client("ben")
    let annasRoom = try anna.join(change)
    let bensRoom = try ben.join()
    var state = WhiteMemberState()
    state.strokeWidth = 9
    annasRoom.setMemberState(state, completion: nil)
    world.run(to: 99.94)
    annasRoom.moveCamera(WhiteCameraState(centerX: 1, centerY: 1, scale: 1), completion: nil)
    world.run(to: 100)
    anna.recorder.clear()
    ben.recorder.clear()
    return Scene(world: world, anna: anna, ben: ben, annasRoom: annasRoom, bensRoom: bensRoom)
  }

  func near(_ second: Double, _ expected: Double) -> Bool { abs(second - expected) <= Self.tick }

  @Test("TL-22, PT-5: back at 120: phase 2 at 104, 1 at 120; memberState stays; nobody sees it; one delta")
  func short() throws {
    let scene = try scene()
    let member = scene.annasRoom.roomMemberId
    let before = scene.bensRoom.state.roomMembers
    scene.anna.network.set(.silent)
    scene.world.run(to: 110)
    scene.bensRoom.setGlobalState(["topic": .string("one")], completion: nil)
    scene.world.run(to: 111)
    scene.bensRoom.setGlobalState(["topic": .string("two"), "page": .number("3")], completion: nil)
    scene.world.run(to: 120)
    scene.anna.network.set(.clear)
    scene.annasRoom.networkIsBack()
    scene.world.run(to: 125)

    let phases = scene.anna.recorder.phases
    #expect(phases.map(\.phase) == [.reconnecting, .connected])
    #expect(near(phases[0].second, 104))
    #expect(near(phases[1].second, 120))
    #expect(scene.annasRoom.roomMemberId == member)
    #expect(scene.annasRoom.state.memberState?.strokeWidth == 9)
    #expect(scene.anna.recorder.states.count == 1)
    let delta = try #require(scene.anna.recorder.states.first)
    #expect(delta.globalState?["topic"]?.text == "\"two\"")
    #expect(delta.globalState?["page"]?.text == "3")
    #expect(delta.roomMembers == nil)
    #expect(delta.memberState == nil)
    #expect(scene.ben.recorder.states.allSatisfy { $0.roomMembers == nil })
    #expect(scene.bensRoom.state.roomMembers == before)
  }

  @Test("TL-23, PT-4, PT-6: not back: phase 2 at 104; others lose it at 130; phase 4 and error at 149")
  func long() throws {
    let scene = try scene()
    scene.anna.network.set(.silent)
    scene.world.run(to: 129)
    #expect(scene.bensRoom.state.roomMembers?.count == 2)
    scene.world.run(to: 131)
    #expect(scene.bensRoom.state.roomMembers?.map(\.uid) == ["ben"])
    let left = try #require(
      scene.ben.recorder.all.first { entry in
        if case .state(let state) = entry.heard { state.roomMembers != nil } else { false }
      })
    #expect(near(left.second, 130))
    scene.world.run(to: 160)
    let phases = scene.anna.recorder.phases
    #expect(phases.map(\.phase) == [.reconnecting, .disconnected])
    #expect(near(phases[0].second, 104))
    #expect(near(phases[1].second, 149))
    #expect(scene.anna.recorder.disconnects.count == 1)
    #expect(scene.anna.recorder.disconnects[0].contains("45 s"))
    #expect(scene.annasRoom.error?.code == .networkLost)
  }

  @Test("TL-24: after that a join without callbacks: phases 0, 1 on the old object, new room, new member")
  func rejoin() throws {
    let scene = try scene()
    scene.anna.network.set(.silent)
    scene.world.run(to: 160)
    scene.anna.network.set(.clear)
    scene.anna.recorder.clear()
    let room = try scene.world.perform { [anna = scene.anna] in
      await asResult { () async throws(BoardroomError) in try await anna.sdk.joinRoom(anna.config) }
    }.get()
    #expect(scene.anna.recorder.phases.map(\.phase) == [.connecting, .connected])
    #expect(room !== scene.annasRoom)
    #expect(room.roomMemberId != scene.annasRoom.roomMemberId)
    #expect(room.state.memberState?.strokeWidth == nil)
    #expect(scene.annasRoom.phase == .disconnected)
  }

  @Test("TL-25: two outages, 100 to 140 and from 160: the second has its full 45 s")
  func twoOutages() throws {
    let scene = try scene()
    scene.anna.network.set(.silent)
    scene.world.run(to: 140)
    scene.anna.network.set(.clear)
    scene.annasRoom.networkIsBack()
    scene.world.run(to: 159.94)
    #expect(scene.annasRoom.phase == .connected)
    scene.annasRoom.moveCamera(WhiteCameraState(centerX: 2, centerY: 2, scale: 1), completion: nil)
    scene.world.run(to: 160)
    scene.anna.network.set(.silent)
    scene.world.run(to: 208.6)
    #expect(scene.annasRoom.phase == .reconnecting)
    scene.world.run(to: 215)
    let phases = scene.anna.recorder.phases
    #expect(phases.map(\.phase) == [.reconnecting, .connected, .reconnecting, .disconnected])
    for (phase, second) in zip(phases, [104.0, 140, 164, 209]) { #expect(near(phase.second, second)) }
  }

  @Test("TL-26, CB-15, PT-9, KICK-kickByAdmin: a REST kick: its callback, phase 4, no automatic reconnect")
  func kick() throws {
    let scene = try scene()
    scene.world.kick(try #require(scene.annasRoom.roomMemberId))
    scene.world.run(for: 100)
    let told = scene.anna.recorder.heard.filter { if case .state = $0 { false } else { true } }
    #expect(told == [.kicked("kickByAdmin"), .phase(.disconnected), .committable(false)])
    #expect(scene.annasRoom.error?.kick == .kickByAdmin)
    #expect(scene.bensRoom.state.roomMembers?.map(\.uid) == ["ben"])
  }

  @Test("TL-2 for White: back at 103.9 on the same connection: nothing anywhere")
  func blip() throws {
    let scene = try scene()
    scene.anna.network.set(.silent)
    scene.world.run(to: 103.9)
    scene.anna.network.set(.clear)
    scene.world.run(to: 110)
    #expect(scene.anna.recorder.phases.isEmpty)
    #expect(scene.ben.recorder.phases.isEmpty)
  }

  @Test("TL-9: back at exactly the end of the grace counts as gone: a new member, and others saw the leave")
  func boundary() throws {
    /// Without a way to go, so that what is sent at an instant arrives at it. Gives whether Anna is who she was, what Ben
    /// saw of it, and when the log has her leave.
    func play(backAt second: Double?) throws -> (isSame: Bool, leaves: Int, gone: Double?) {
      let world = World(seed: 7)
      let (anna, ben) = (world.client("anna", latency: 0...0), world.client("ben", latency: 0...0))
      let (room, _) = (try anna.join(), try ben.join())
      let member = room.roomMemberId
      world.run(to: 100)
      ben.recorder.clear()
      anna.network.set(.cut)
      world.run(to: second ?? 140)
      if second != nil {
        anna.network.set(.clear)
        room.networkIsBack()
        world.run(for: 3)
        #expect(room.phase == .connected)
      }
      let left = world.log.first { if case .members(.left(.timeout)) = $0.event { true } else { false } }
      let leaves = ben.recorder.states.filter { $0.roomMembers?.contains { $0.uid == "anna" } == false }
      return (
        room.roomMemberId == member, leaves.count,
        left.map { Double(($0.time - world.start).wholeMilliseconds) / 1_000 }
      )
    }
    // The same seed gives the same run: this is when the server lets go of her.
    let end = try #require(try play(backAt: nil).gone)
    #expect((129...130.3).contains(end))
    let exact = try play(backAt: end)
    #expect(!exact.isSame)
    #expect(exact.gone == end)
    let early = try play(backAt: end - 0.5)
    #expect(early.isSame)
    #expect(early.leaves == 0)
    #expect(early.gone == nil)
  }

  @Test("X-52: the timeout option rules outages too: given up 10 s after entry into reconnecting")
  func timeout() throws {
    let scene = try scene { $0.timeout = .seconds(10) }
    scene.anna.network.set(.silent)
    scene.world.run(to: 130)
    let phases = scene.anna.recorder.phases
    #expect(phases.map(\.phase) == [.reconnecting, .disconnected])
    #expect(near(phases[1].second, 114))
  }
}

/// An async throwing body as a result, for `World.perform`.
func asResult<Value: Sendable>(
  _ body: () async throws(BoardroomError) -> Value
) async -> Result<Value, BoardroomError> {
  do throws(BoardroomError) { return .success(try await body()) } catch { return .failure(error) }
}
