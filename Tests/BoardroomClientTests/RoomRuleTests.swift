import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import TestKit
import Testing

/// Rules of scenes, view modes and writing, as an app sees them.
@Suite struct RoomRuleTests {
  @Test("SC-1, RS-4, RS-9: a new room has one scene, /init, and shows it")
  func firstScene() throws {
    let world = World()
    let room = try world.client("anna").join()
    let scene = try #require(room.state.sceneState)
    #expect(scene.scenePath == "/init")
    #expect(scene.sceneName == "init")
    #expect(scene.contextPath == "/")
    #expect(scene.index == 0)
    #expect(scene.scenes.map(\.name) == ["init"])
    #expect(room.state.pageState?.index == 0)
    #expect(room.state.pageState?.length == 1)
  }

  @Test("SC-4, RS-5: scenes are put at their index or last, the same path overwrites, and nothing switches")
  func puttingScenes() throws {
    let (world, _, _, a, b) = try pair()
    func put(_ names: [String], _ index: Int) {
      let ppt = JSONText(unchecked: #"{"src":"https://example.org/1.png","width":10,"height":20}"#)
      a.putScenes(
        "/deck", scenes: names.map { WhiteScene(name: $0, ppt: ppt) }, index: index, completion: nil)
      world.run(for: 1)
    }
    put(["one", "two"], 0)
    #expect(b.state.sceneState?.scenePath == "/init")
    put(["last"], 99)
    put(["first"], 0)
    world.perform { _ = try? await a.setScenePath("/deck/two") }
    let text = world.perform { try? await a.insertText(x: 0, y: 0, text: "on two") }
    #expect(b.state.sceneState?.scenes.map(\.name) == ["first", "one", "two", "last"])
    #expect(b.state.sceneState?.scenes.allSatisfy { $0.ppt?.text.contains("example.org") == true } == true)
    put(["two"], 3)
    #expect(b.state.sceneState?.scenes.map(\.name) == ["first", "one", "last", "two"])
    #expect(b.state.sceneState?.scenePath == "/deck/two")
    let board = world.perform { await b.getBoard() }
    #expect(board.elements[try #require(text)] == nil)
  }

  @Test("V-1 to V-6, RS-6, RS-7: one broadcasts, all others follow, until they move or it stops")
  func viewModes() throws {
    let (world, _, _, a, b) = try pair()
    func modes(_ rooms: WhiteRoom...) -> [WhiteViewMode?] {
      world.run(for: 1)
      return rooms.map { $0.state.broadcastState?.mode }
    }
    #expect(modes(a, b) == [.freedom, .freedom])
    let nobody = world.perform { await code { try await b.setViewMode(.follower) } }
    #expect(nobody == .noBroadcaster)
    a.setViewMode(.broadcaster, completion: nil)
    a.moveCamera(WhiteCameraState(centerX: 5, centerY: 6, scale: 2), completion: nil)
    world.run(for: 1)
    let cleo = world.client("cleo")
    let c = try cleo.join()
    #expect(modes(a, b, c) == [.broadcaster, .follower, .follower])
    #expect(c.state.cameraState == WhiteCameraState(centerX: 5, centerY: 6, scale: 2))
    #expect(c.state.broadcastState?.broadcasterId == a.roomMemberId)
    b.moveCamera(WhiteCameraState(centerX: 1, centerY: 1, scale: 1), completion: nil)
    #expect(modes(a, b, c) == [.broadcaster, .freedom, .follower])
    b.setViewMode(.broadcaster, completion: nil)
    #expect(modes(a, b, c) == [.follower, .broadcaster, .follower])
    #expect(c.state.cameraState?.centerX == 1)
    b.setViewMode(.freedom, completion: nil)
    #expect(modes(a, b, c) == [.freedom, .freedom, .freedom])
    c.setViewMode(.broadcaster, completion: nil)
    #expect(modes(a, b, c) == [.follower, .follower, .broadcaster])
    world.perform { await c.disconnect() }
    #expect(modes(a, b) == [.freedom, .freedom])
    #expect(a.state.broadcastState?.broadcasterId == nil)
  }

  @Test("W-4, RS-3, RM-listing: who becomes read-only goes off the list, who becomes writable comes onto it")
  func listing() throws {
    let (world, _, ben, a, b) = try pair()
    for (writable, listed) in [(false, ["ben"]), (true, ["anna", "ben"])] {
      ben.recorder.clear()
      world.perform { _ = try? await a.setWritable(writable) }
      world.run(for: 1)
      #expect(b.state.roomMembers?.map(\.uid) == listed)
      #expect(ben.recorder.states.map { $0.roomMembers?.count } == [listed.count])
    }
  }

  @Test("W-5: a room's limit keeps further writers out, also read-only ones; a reader's token comes in")
  func limit() throws {
    let world = World(created: RoomCreated(name: "small", limit: 1))
    let first = try world.client("anna").join { $0.roomToken = "writer" }
    for writable in [true, false] {
      let refused = #expect(throws: BoardroomError.self) {
        try world.client("ben").join {
          $0.roomToken = "writer"
          $0.isWritable = writable
        }
      }
      #expect(refused?.code == .writerLimit)
      #expect(refused?.actual == 2)
      #expect(refused?.allowed == 1)
    }
    let reader = try world.client("cleo").join { $0.roomToken = "reader" }
    #expect(first.phase == .connected)
    #expect(reader.phase == .connected)
  }
}
