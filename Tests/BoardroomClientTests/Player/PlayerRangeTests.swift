import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import TestKit
import Testing

/// What is played (RP-1 to RP-10), and who may (RP-36).
@Suite struct PlayerRangeTests {
  private func playability(_ world: World, _ change: (inout WhitePlayerConfig) -> Void = { _ in })
    -> WhitePlayability
  {
    var config = WhitePlayerConfig(room: world.room.description)
    change(&config)
    let source = world.recording
    return world.perform { [config] in await WhitePlayer.isPlayable(config, from: source) }
  }

  @Test(
    "RP-2, RP-3, RP-34: a begin and a duration, in seconds; else from the room's creation till all had left")
  func range() throws {
    let world = try RecordedRoom.short().world
    let begin = Double(world.start.milliseconds) / 1_000
    let (player, _) = world.player { config in
      config.beginTimestamp = begin + 4
      config.duration = .seconds(3)
    }
    world.ready(player)
    let info = try #require(world.perform { await player.getTimeInfo() })
    #expect(info.beginTimestamp == begin + 4)
    #expect(info.timeDuration == 3)
    #expect(
      info.framesCount
        == world.log.filter { event in
          let second = Double((event.time - world.start).wholeMilliseconds) / 1_000
          return second >= 4 && second <= 7
        }.count)
    #expect(player.roomMembers.count == 2)
    #expect(player.globalState.isEmpty)
    let (whole, _) = world.player()
    world.ready(whole)
    let all = try #require(world.perform { await whole.getTimeInfo() })
    #expect(all.framesCount == world.log.count)
    #expect(abs(all.timeDuration - 10) < 0.05)
  }

  @Test("RP-3: with somebody inside at the end, the range goes to the last event")
  func inhabited() throws {
    let world = World()
    let anna = world.client("anna")
    let a = try anna.join()
    world.run(to: 5)
    a.setGlobalState(["k": .bool(true)], completion: nil)
    world.run(to: 9)
    let outline = try world.perform { [source = world.recording] in
      await result { () async throws(ReplaySourceError) in try await source.outline() }
    }.get()
    #expect(outline.emptied == nil)
    #expect(outline.end == world.log.last?.time)
    #expect(outline.begin == world.log.first?.time)
    #expect(outline.last == world.log.last?.revision)
  }

  @Test("RP-36: why something cannot be played")
  func reasons() throws {
    let world = try RecordedRoom.short().world
    #expect(playability(world) == .playable)
    #expect(playability(world) { $0.begin = world.start + .seconds(11) } == .nothingRecorded)
    func isBad(_ change: (inout WhitePlayerConfig) -> Void) -> Bool {
      if case .badOptions(let error) = playability(world, change) {
        error.code == .badParameter
      } else {
        false
      }
    }
    #expect(isBad { $0.duration = .seconds(3) })
    #expect(isBad { ($0.begin, $0.duration) = (world.start, .zero) })
    #expect(isBad { ($0.slice, $0.begin) = ("0", world.start) })
    #expect(isBad { $0.slice = "first" })
    #expect(isBad { $0.step = .zero })
    let other = LogReplaySource(RoomID(high: 9, low: 9), in: world.store)
    guard
      case .notReadable(let error) = world.perform({
        await WhitePlayer.isPlayable(WhitePlayerConfig(room: "x"), from: other)
      })
    else { Issue.record("a room that is not there was playable"); return }
    #expect(error.code == .notFound)
    let (player, ears) = world.player(other)
    world.run(for: 1)
    #expect(player.phase == .stopped)
    #expect(!player.isPlayable)
    #expect(ears.heard == [.playable(false), .stopped(error), .phase(.stopped)])
  }

  @Test("RP-8, RP-36: a room that was not created recorded is not offered")
  func notRecorded() throws {
    let world = World(created: RoomCreated(name: "secret", isRecord: false))
    _ = try world.client("anna").join()
    world.run(for: 2)
    #expect(playability(world) == .notRecorded)
  }

  @Test("RP-9: a banned room can be replayed")
  func banned() throws {
    let world = try RecordedRoom.short().world
    world.inject(
      RoomEvent(revision: 0, time: world.loop.now, actor: .server, counter: 0, event: .room(.banned(true))))
    #expect(world.foldedState.isBanned)
    let (player, _) = world.player()
    player.play()
    world.run(for: 20)
    #expect(player.phase == .ended)
  }

  @Test(
    "RP-10: what is recorded are operations with their UTC, not a video: the map is exact to the millisecond")
  func operations() throws {
    let world = try RecordedRoom.short().world
    let (player, ears) = world.player()
    player.play()
    world.run(for: 20)
    let map = try #require(player.timeMap)
    let topics = world.log.filter { $0.event.kind == EventKind.globalState.rawValue }.map(\.time)
    let told = ears.all.filter {
      if case .state(let state) = $0.heard { state.globalState != nil } else { false }
    }
    // The first is the full state of the first frame.
    #expect(
      told.dropFirst().map { map.utc(at: .milliseconds(Int64(($0.second * 1_000).rounded()))) } == topics)
  }

  @Test("RP-5, RP-7: what is for the app's own view and media player is kept, and the camera's bound holds")
  func options() throws {
    let world = try RecordedRoom.short().world
    let (player, _) = world.player { config in
      config.mediaURL = "https://example.com/a.m3u8"
      (config.region, config.modulesOrigin) = ("cn-hz", "https://example.com")
      config.windowParams = JSONText(unchecked: "{}")
      config.cameraBound = WhiteCameraBound(maxScale: 2)
    }
    world.ready(player)
    #expect(player.config.mediaURL != nil)
    #expect(player.config.region == "cn-hz")
    #expect(player.config.modulesOrigin != nil)
    #expect(player.config.windowParams != nil)
    player.moveCamera(WhiteCameraState(centerX: 1, centerY: 2, scale: 9))
    world.run(for: 1)
    #expect(player.cameraState.scale == 2)
  }

  @Test(
    "RP-33, RS-12: directory follows the broadcaster, else the first writable member, else nobody; a gesture is free"
  )
  func observer() throws {
    let world = World(seed: 4)
    let (anna, ben) = (world.client("anna", latency: 0...0), world.client("ben", latency: 0...0))
    let (a, b) = (try anna.join(), try ben.join())
    func at(_ second: Double, _ room: WhiteRoom, _ x: Double) {
      world.run(to: second)
      room.moveCamera(WhiteCameraState(centerX: x, centerY: 0, scale: 2), completion: nil)
    }
    at(2, b, 20)
    at(3, a, 10)
    world.run(to: 4)
    b.setViewMode(.broadcaster, completion: nil)
    at(6, b, 25)
    world.run(to: 7)
    b.setViewMode(.freedom, completion: nil)
    world.run(to: 8)
    world.perform { await a.disconnect() }
    world.run(to: 9)
    world.perform { await b.disconnect() }
    world.run(to: 10)
    let (player, ears) = world.player()
    world.ready(player)
    func x(_ second: Double) -> Double {
      world.perform { _ = await player.seekToScheduleTime(second) }
      return player.cameraState.centerX
    }
    #expect(player.cameraState == .initial)
    #expect(player.observerMode == .directory)
    #expect([x(2.5), x(3.5), x(4.5), x(6.5), x(7.5), x(8.5)] == [0, 10, 20, 25, 10, 25])
    ears.clear()
    player.moveCamera(WhiteCameraState(centerX: 77, centerY: 0, scale: 1))
    world.run(for: 1)
    #expect(player.observerMode == .freedom)
    #expect(x(4.5) == 77)
    #expect(ears.states.first?.observerMode == .freedom)
    #expect(ears.states.first?.zoomScale == 1)
    player.setObserverMode(.directory)
    world.run(for: 1)
    #expect(player.cameraState.centerX == 20)
  }

  @Test("RP-38: pages, elements, pointers, stores and pictures can be read as in a room")
  func getters() throws {
    let world = World(seed: 4)
    let anna = world.client("anna")
    let a = try anna.join()
    a.putScenes(
      "/book", scenes: [WhiteScene(name: "one"), WhiteScene(name: "two")], index: 0, completion: nil)
    a.setScenePath("/book/two", completion: nil)
    world.perform {
      _ = try? await a.drawStroke(WhitePen(), [WhitePoint(x: 1, y: 2), WhitePoint(x: 3, y: 4)])
    }
    a.movePointer(x: 5, y: 6, completion: nil)
    world.perform { _ = try? await a.connectSyncedStore("votes", defaults: ["yes": JSONValue(3)]) }
    world.run(for: 1)
    world.perform { await a.setGlobalStateAndWait() }
    world.run(for: 1)
    let (live, picture, elements) = world.perform {
      (await a.getBoard(), try? await a.getSceneSnapshotImage("/book/two"), await a.getElements())
    }
    let (player, _) = world.player()
    player.play()
    world.run(for: 20)
    #expect(player.sceneState.scenePath == "/book/two")
    #expect(player.pageState.length == 2)
    #expect(player.scene(at: "/book/one")?.name == "one")
    #expect(player.scenePathType("/book") == .directory)
    #expect(player.entireScenes["/book"]?.count == 2)
    let read = world.perform {
      (
        await player.getBoard(), try? await player.getScenePreviewImage("/book/two"),
        await player.getElements(),
        await player.getPointers(), await player.getSyncedStore("votes"),
        await player.getElements("/book/one")
      )
    }
    #expect(hash(read.0) == hash(live))
    #expect(read.1 == picture)
    #expect(read.2 == elements)
    #expect(!elements.isEmpty)
    #expect(read.3.map(\.x) == [5])
    #expect(read.4["yes"]?.text == "3")
    #expect(read.5.isEmpty)
  }
}

extension WhiteRoom {
  fileprivate func setGlobalStateAndWait() async { _ = try? await setGlobalState(["k": .bool(true)]) }
}

/// An async throwing body as a result, for `World.perform`.
func result<Value: Sendable>(
  _ body: () async throws(ReplaySourceError) -> Value
) async -> Result<Value, ReplaySourceError> {
  do throws(ReplaySourceError) { return .success(try await body()) } catch { return .failure(error) }
}
