import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import TestKit
import Testing

@Suite struct SceneTests {
  /// A room with the pages `/init`, `/book/one`, `/book/two`, `/book/three`, on the first of the book.
  private func book() throws -> (world: World, a: WhiteRoom, b: WhiteRoom, SimulatedClient, SimulatedClient) {
    let (world, anna, ben, a, b) = try pair()
    world.perform {
      let pages = ["one", "two", "three"].map { WhiteScene(name: $0) }
      _ = try? await a.putScenes("/book", scenes: pages, index: 0)
      _ = try? await a.setScenePath("/book")
    }
    world.run(for: 1)
    return (world, a, b, anna, ben)
  }

  @Test(
    "SC-1, SC-3, SC-11: every page by directory, one page, and what a path leads to; at once and asked again")
  func reading() throws {
    let (world, a, b, anna, ben) = try book()
    defer { withExtendedLifetime((anna, ben)) {} }
    for room in [a, b] {
      #expect(
        room.entireScenes.mapValues { $0.map(\.name) } == ["/": ["init"], "/book": ["one", "two", "three"]])
      #expect(room.scene(at: "/book/two")?.name == "two")
      #expect(room.scene(at: "/book") == nil)
      let types = ["/book/two", "/book", "/", "/none", "/book/two/x"].map { room.scenePathType($0) }
      #expect(types == [.page, .directory, .directory, .none, .none])
      let (all, one, type) = world.perform {
        (await room.getEntireScenes(), await room.getScene("/book/two"), await room.getScenePathType("/book"))
      }
      #expect(all == room.entireScenes)
      #expect(one == room.scene(at: "/book/two"))
      #expect(type == .directory)
    }
  }

  @Test("RS-4, RS-5, RS-9, GET-scenes: pages of the directory, a ppt by its fields, no components counted")
  func sceneState() throws {
    let (world, a, b, anna, ben) = try book()
    defer { withExtendedLifetime((anna, ben)) {} }
    let page = WhitePptPage(
      src: "https://x.example/1.png", width: 640, height: 360, previewURL: "https://x.example/p")
    world.perform {
      _ = try? await a.putScenes("/book", scenes: [WhiteScene(name: "two", page: page)], index: 9)
    }
    world.run(for: 1)
    #expect(b.scenes.map(\.name) == ["one", "three", "two"])
    #expect(b.scenes.map(\.componentsCount) == [0, 0, 0])
    #expect(b.scenes.last?.page == page)
    #expect(b.scenes.first?.page == nil)
    #expect(world.perform { await b.getScenes() } == b.scenes)
    #expect(b.sceneState.contextPath == "/book")
    #expect(b.sceneState.scenePath == "/book/one")
    #expect(b.pageState == WhitePageState(index: 0, length: 3))
    #expect(WhitePptPage(JSONText(unchecked: "{\"width\":1}")) == nil)
  }

  @Test(
    "SC-7, SC-8, EC-sceneState: removing pages and directories is told to the setter too; /init comes back")
  func removing() throws {
    let (world, a, b, anna, ben) = try book()
    world.perform { _ = try? await a.setScenePath("/book/two") }
    world.run(for: 1)
    anna.recorder.clear()
    ben.recorder.clear()
    let steps = ["/book/two", "/book", "/init"].map { path in
      world.perform { _ = try? await a.removeScenes(path) }
      world.run(for: 1)
      return a.sceneState.scenePath
    }
    #expect(steps == ["/book/three", "/init", "/init"])
    #expect(b.sceneState == a.sceneState)
    #expect(a.scenes.count == 1)
    #expect(anna.recorder.states.allSatisfy { $0.sceneState != nil })
    #expect(!anna.recorder.states.isEmpty)
    let unknown = world.perform { await code { try await a.removeScenes("/nowhere") } }
    #expect(unknown == .noSuchScene)
  }

  @Test("SC-9: a page is renamed by a path and moved by a directory; a directory cannot be moved")
  func moving() throws {
    let (world, a, b, anna, ben) = try book()
    defer { withExtendedLifetime((anna, ben)) {} }
    let codes = world.perform { () async -> [RefusalCode?] in
      [
        await code { try await a.moveScene("/book/one", target: "/book/first") },
        await code { try await a.moveScene("/init", target: "/book") },
        await code { try await a.moveScene("/book", target: "/shelf") },
      ]
    }
    world.run(for: 1)
    #expect(codes[0] == nil)
    #expect(codes[1] == nil)
    #expect(codes[2] != nil)
    #expect(b.scenes.map(\.name) == ["first", "two", "three", "init"])
    #expect(b.sceneState.scenePath == "/book/first")
  }

  @Test("SC-10: cleaning erases what is on the page and keeps the ppt if asked", arguments: [true, false])
  func cleaning(_ retainPPT: Bool) throws {
    let (world, a, b, anna, ben) = try book()
    defer { withExtendedLifetime((anna, ben)) {} }
    let page = WhitePptPage(src: "https://x.example/1.png", width: 1, height: 1)
    world.perform {
      _ = try? await a.putScenes("/book", scenes: [WhiteScene(name: "one", page: page)], index: 0)
      _ = try? await a.insertRectangle(x: 0, y: 0, width: 1, height: 1)
      _ = try? await a.cleanScene(retainPPT)
    }
    world.run(for: 1)
    #expect(world.perform { await b.getElements() }.isEmpty)
    #expect(b.scenes.first?.page == (retainPPT ? page : nil))
  }

  @Test("SC-12: pages are added, removed and leafed through; the ends and the last page complete with false")
  func pages() throws {
    let (world, _, _, a, b) = try pair()
    let leaves = world.perform { () async -> [Bool] in
      var leaves = [await a.removePage(), await a.nextPage(), await a.prevPage()]
      _ = try? await a.addPage()
      _ = try? await a.addPage(WhiteScene(name: "mine"), afterCurrent: true)
      leaves.append(await a.nextPage())
      leaves.append(await a.removePage(7))
      leaves.append(await a.removePage(0))
      return leaves
    }
    world.run(for: 1)
    #expect(leaves == [false, false, false, true, false, true])
    #expect(b.scenes.map(\.name) == ["mine", "2"])
    #expect(b.sceneState.sceneName == "mine")
    #expect(!world.log.contains { $0.event.kind == EventKind.refused.rawValue })
  }

  @Test("SC-12: the same with completions")
  func pagesWithCompletions() throws {
    let (world, _, _, a, _) = try pair()
    let answers = Box<[Bool]>([])
    let note: @Sendable (Bool) -> Void = { answer in answers.change { $0.append(answer) } }
    a.removePage(completion: note)
    a.addPage(completion: nil)
    a.nextPage(completion: note)
    a.nextPage(completion: note)
    a.prevPage(completion: note)
    world.run(for: 1)
    #expect(answers.value == [false, false, true, true] || answers.value == [false, true, false, true])
    #expect(a.pageState == WhitePageState(index: 0, length: 2))
  }

  @Test("SC-13: steps of a dynamic ppt cross the borders of pages")
  func pptSteps() throws {
    let (world, a, b, anna, ben) = try book()
    defer { withExtendedLifetime((anna, ben)) {} }
    let page = WhitePptPage(src: "https://x.example/2.png", width: 1, height: 1, steps: 2)
    let seen = world.perform { () async -> [String] in
      _ = try? await a.putScenes("/book", scenes: [WhiteScene(name: "two", page: page)], index: 1)
      var seen: [String] = []
      func note() { seen.append("\(a.sceneState.sceneName) \(a.scenes[a.pageState.index].pptStep)") }
      for _ in 1...3 {
        _ = try? await a.pptNextStep()
        note()
      }
      let end = await code { try await a.pptNextStep() }
      #expect(end == .noSuchScene)
      for _ in 1...3 {
        _ = try? await a.pptPreviousStep()
        note()
      }
      return seen
    }
    world.run(for: 1)
    #expect(seen == ["two 0", "two 1", "three 0", "two 1", "two 0", "one 0"])
    #expect(b.sceneState == a.sceneState)
  }

  @Test("SC-15: pictures of a page are SVG texts, the local one shows what is on its way")
  func pictures() throws {
    let (world, a, b, anna, ben) = try book()
    defer { withExtendedLifetime((anna, ben)) {} }
    a.insertText(x: 1, y: 2, text: "picture me", completion: nil)
    let (local, page, preview, missing) = world.perform {
      () async -> (String, String?, String?, RefusalCode?) in
      let local = await a.getLocalSnapShot()
      _ = try? await a.setGlobalState([:])
      return (
        local, try? await a.getSceneSnapshotImage("/book/one"),
        try? await a.getScenePreviewImage("/book/one"),
        await code { try await a.getSceneSnapshotImage("/nowhere") }
      )
    }
    world.run(for: 1)
    #expect(local.hasPrefix("<svg"))
    #expect(local.contains("picture me"))
    #expect(page == local)
    #expect(preview?.contains("picture me") == true)
    #expect(missing == .noSuchScene)
    let others = world.perform { try? await b.getSceneSnapshotImage("/book/one") }
    #expect(others == page)
    let answer = Box<String?>(nil)
    b.getLocalSnapShot { answer.value = $0 }
    world.run(for: 1)
    #expect(answer.value == page)
  }
}
