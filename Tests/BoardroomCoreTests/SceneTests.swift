import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

@Suite("Scenes")
struct SceneTests {
  private func paths(_ trial: Trial) -> [String] { trial.state.scenes.map(\.path) }

  private func trial() throws -> Trial {
    var trial = Trial()
    try trial.join()
    return trial
  }

  @Test("SC-1: a new room has one scene, /init, number 1, and it is the current one")
  func first() {
    let trial = Trial()
    #expect(paths(trial) == ["/init"])
    #expect(trial.state.currentScene == 1)
    #expect(trial.state.nextScene == 2)
  }

  @Test(
    "SC-2, SC-9: a slash that a combining mark follows is a slash: what a move makes of it every reader takes"
  )
  func slashBeforeMark() throws {
    var trial = try trial()
    // The mark belongs to the next name; as one `Character` with the slash it is no slash to Swift.
    let target = "/a/\u{301}b"
    let outcome = trial.say(.scenes(.move(path: "/init", target: target, index: nil)), 0)
    #expect(outcome.isDone)
    let scene = try #require(trial.state.scenes.first)
    #expect(scene.directory == "/a")
    #expect(scene.name == "\u{301}b")
    #expect(trial.state.pathType("/a") == .directory)
    // Below a page there is no place, with a mark or without.
    #expect(!trial.say(pages(target, ["x"]), 0).isDone)
  }

  static let places: [(put: [(String, [String], Int)], paths: [String])] = [
    ([("/", ["a"], 0)], ["/a", "/init"]),
    ([("/", ["a", "b"], 1)], ["/init", "/a", "/b"]),
    ([("/", ["a"], 99)], ["/init", "/a"]),
    ([("/", ["a", "b"], 9), ("/", ["c"], 1)], ["/init", "/c", "/a", "/b"]),
    ([("/d", ["1", "2"], 0)], ["/init", "/d/1", "/d/2"]),
    ([("/d", ["1", "2"], 0), ("/", ["a"], 9)], ["/init", "/a", "/d/1", "/d/2"]),
    (
      [("/d", ["1", "2"], 0), ("/d/e", ["x"], 0), ("/d", ["3"], 1)],
      ["/init", "/d/1", "/d/3", "/d/2", "/d/e/x"]
    ),
    // The same path: the old page goes, the new one stands where the index says.
    ([("/d", ["1", "2", "3"], 0), ("/d", ["2"], 1)], ["/init", "/d/1", "/d/2", "/d/3"]),
    ([("/d", ["1", "2", "3"], 0), ("/d", ["3", "1"], 0)], ["/init", "/d/3", "/d/1", "/d/2"]),
  ]

  @Test("SC-4: scenes are put at their index, past the end last, and never switch", arguments: places.indices)
  func placing(row: Int) throws {
    var trial = try trial()
    for (directory, names, index) in Self.places[row].put {
      #expect(trial.say(pages(directory, names, at: index), 0).isDone)
      #expect(trial.state.currentScene == 1)
    }
    #expect(paths(trial) == Self.places[row].paths)
    #expect(Set(trial.state.scenes.map(\.id)).count == trial.state.scenes.count)
  }

  @Test("SC-4: the same path overwrites: a new number, and what was on the old page is gone")
  func overwrites() throws {
    var trial = try trial()
    trial.say(pages("/", ["a"]), 0)
    trial.say(begin(1, on: 1), 0)
    trial.say(begin(2, on: 2), 0)
    trial.say(shape(0, 3, on: 1), 0)
    trial.say(pages("/", ["init"], at: 0), 0)
    #expect(paths(trial) == ["/init", "/a"])
    #expect(trial.state.scene(path: "/init")?.id == 3)
    #expect(trial.state.currentScene == 3, "the current path stays current")
    #expect(trial.state.elements.places.compactMap { $0?.id } == [ElementID(member: 0, number: 2)])
    #expect(trial.say(extend(1), 0).code == .noSuchElement)
  }

  @Test("SC-4: the event says the index that was settled on")
  func settledIndex() throws {
    var trial = try trial()
    trial.say(pages("/", ["a"], at: 99), 0)
    guard case .scenes(.put(let put))? = trial.log.last?.event else { Issue.record("no event"); return }
    #expect(put.index == 1)
    #expect(put.scenes.map(\.id) == [2])
  }

  static let refused: [(Command, RefusalCode)] = [
    (pages("d", ["a"]), .badName), (pages("", ["a"]), .badName), (pages("/d/", ["a"]), .badName),
    (pages("/d//e", ["a"]), .badName), (pages("/d", [""]), .badName), (pages("/d", ["a/b"]), .badName),
    (pages("/d", ["a\u{7}"]), .badName), (pages("/d", ["a", "a"]), .badParameter),
    (pages("/d", []), .badParameter),
    (pages("/d", [String(repeating: "x", count: 129)]), .tooLarge),
    (pages("/d", ["a"], at: -1), .badParameter),
    // SC-3: below a page, and in a directory's place.
    (pages("/init", ["a"]), .badName), (pages("/init/b", ["a"]), .badName), (pages("/", ["dir"]), .badName),
    (.scenes(.switchTo(.path("dir"))), .badName), (.scenes(.switchTo(.path("/none"))), .noSuchScene),
    (.scenes(.switchTo(.path("/dir/"))), .badName), (.scenes(.switchTo(.index(-1))), .badParameter),
    (.scenes(.switchTo(.index(1))), .badParameter),
  ]

  @Test("SC-2, SC-3, SC-6: wrong paths and indexes have their own codes", arguments: refused.indices)
  func refusals(row: Int) throws {
    var trial = try trial()
    trial.say(pages("/dir/sub", ["1"]), 0)
    let before = trial.state.scenes
    #expect(trial.say(Self.refused[row].0, 0).code == Self.refused[row].1, "\(Self.refused[row].0)")
    #expect(trial.state.scenes == before)
    #expect(trial.state.currentScene == 1)
  }

  static let switches: [(SceneTarget, String)] = [
    (.path("/a"), "/a"), (.path("/d"), "/d/1"), (.path("/d/2"), "/d/2"), (.path("/"), "/init"),
    (.path("/deep"), "/deep/er/x"), (.index(1), "/a"), (.index(0), "/init"),
  ]

  @Test(
    "SC-5, SC-6: a path switches to its page, a directory to its first, an index within",
    arguments: switches.indices)
  func switching(row: Int) throws {
    var trial = try trial()
    trial.say(pages("/", ["a"]), 0)
    trial.say(pages("/d", ["1", "2"]), 0)
    trial.say(pages("/deep/er", ["x"]), 0)
    #expect(trial.say(.scenes(.switchTo(Self.switches[row].0)), 0).isDone)
    #expect(trial.state.scene(trial.state.currentScene)?.path == Self.switches[row].1)
  }

  @Test("SC-3: a path leads to nothing, a page or a directory")
  func pathTypes() throws {
    var trial = try trial()
    trial.say(pages("/deep/er", ["x"]), 0)
    let types = ["/", "/init", "/deep", "/deep/er", "/deep/er/x", "/dee", "nothing"].map(trial.state.pathType)
    #expect(types == [.directory, .page, .directory, .directory, .page, .none, .none])
  }

  @Test("SC-4: a room holds no more scenes than its limit")
  func limit() throws {
    var trial = Trial(RoomPolicy(limits: WireLimits(scenes: 3)))
    try trial.join()
    #expect(trial.say(pages("/", ["a", "b"]), 0).isDone)
    #expect(trial.say(pages("/", ["c"]), 0).code == .tooLarge)
    #expect(trial.say(pages("/", ["b"]), 0).isDone, "one that overwrites adds none")
  }
}
