import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

@Suite("Scenes that go")
struct SceneRemovalTests {
  /// A room with exactly these pages, the current one among them.
  static func trial(_ paths: [String], current: String) throws -> Trial {
    var trial = Trial(RoomPolicy(rate: nil))
    try trial.join()
    for path in paths {
      let slash = path.lastIndex(of: "/")!
      let directory = slash == path.startIndex ? "/" : String(path[..<slash])
      #expect(trial.say(pages(directory, [String(path[path.index(after: slash)...])]), 0).isDone)
    }
    #expect(trial.say(.scenes(.switchTo(.path(current))), 0).isDone)
    #expect(trial.say(.scenes(.remove(path: "/init")), 0).isDone)
    #expect(trial.currentPath == current)
    return trial
  }

  struct Row: Sendable {
    var clause: String
    var paths: [String]
    var current: String
    var remove: String
    var then: String
  }

  static let rows: [Row] = [
    Row(
      clause: "page: next sibling", paths: ["/d/1", "/d/2", "/d/3"], current: "/d/2", remove: "/d/2",
      then: "/d/3"),
    Row(
      clause: "page: the first one's next", paths: ["/d/1", "/d/2"], current: "/d/1", remove: "/d/1",
      then: "/d/2"),
    Row(
      clause: "page: previous sibling", paths: ["/d/1", "/d/2", "/d/3"], current: "/d/3", remove: "/d/3",
      then: "/d/2"),
    Row(
      clause: "page: up, next directory", paths: ["/p", "/d/1", "/e/1"], current: "/d/1", remove: "/d/1",
      then: "/e/1"),
    Row(
      clause: "page: up, page of the parent", paths: ["/p", "/q", "/d/1"], current: "/d/1", remove: "/d/1",
      then: "/p"),
    Row(
      clause: "page: up, directory before", paths: ["/c/1", "/d/1"], current: "/d/1", remove: "/d/1",
      then: "/c/1"),
    Row(
      clause: "page at the top: whatever is left", paths: ["/p", "/d/1"], current: "/p", remove: "/p",
      then: "/d/1"),
    Row(
      clause: "page: only below it is something left", paths: ["/d/1", "/d/e/1"], current: "/d/1",
      remove: "/d/1", then: "/d/e/1"),
    Row(
      clause: "directory: next one's first page", paths: ["/p", "/d/1", "/d/2", "/e/1", "/e/2"],
      current: "/d/2", remove: "/d", then: "/e/1"),
    Row(
      clause: "directory: next one's page lies deeper", paths: ["/p", "/d/1", "/e/f/1"], current: "/d/1",
      remove: "/d", then: "/e/f/1"),
    Row(
      clause: "directory: first page of the parent", paths: ["/p", "/q", "/c/1", "/d/1"], current: "/d/1",
      remove: "/d", then: "/p"),
    Row(
      clause: "directory: the one before", paths: ["/b/1", "/c/1", "/c/2", "/d/1"], current: "/d/1",
      remove: "/d", then: "/c/1"),
    Row(
      clause: "directory: one level up, next", paths: ["/a/b/1", "/z/1"], current: "/a/b/1", remove: "/a/b",
      then: "/z/1"),
    Row(
      clause: "directory: one level up, page", paths: ["/p", "/y/1", "/a/b/1"], current: "/a/b/1",
      remove: "/a/b", then: "/p"),
    Row(
      clause: "directory: one level up, before", paths: ["/y/1", "/a/b/1"], current: "/a/b/1", remove: "/a/b",
      then: "/y/1"),
    Row(
      clause: "directory above the current one", paths: ["/p", "/a/b/1", "/a/c/1", "/z/1"], current: "/a/b/1",
      remove: "/a", then: "/z/1"),
    Row(clause: "another page", paths: ["/d/1", "/d/2"], current: "/d/1", remove: "/d/2", then: "/d/1"),
    Row(
      clause: "another directory", paths: ["/p", "/d/1", "/d/e/1"], current: "/p", remove: "/d", then: "/p"),
  ]

  @Test("SC-8, X-64: what is shown when the current page goes", arguments: rows.indices)
  func successor(index: Int) throws {
    let row = Self.rows[index]
    var trial = try Self.trial(row.paths, current: row.current)
    let staying = trial.state.scenes.map(\.path).filter {
      $0 != row.remove && !$0.hasPrefix(row.remove + "/")
    }
    #expect(trial.say(.scenes(.remove(path: row.remove)), 0).isDone)
    #expect(trial.currentPath == row.then, "\(row.clause)")
    #expect(trial.state.scenes.map(\.path) == staying)
    #expect(trial.anomalies.isEmpty)
  }

  @Test("SC-7: removing all of them makes /init anew, which is current", arguments: ["/", "/d"])
  func fresh(path: String) throws {
    var trial = try Self.trial(["/d/1", "/d/e/2"], current: "/d/e/2")
    trial.say(begin(1, on: trial.state.currentScene), 0)
    let next = trial.state.nextScene
    #expect(trial.say(.scenes(.remove(path: path)), 0).isDone)
    #expect(trial.state.scenes == [Scene(id: next, directory: "/", name: "init")])
    #expect(trial.state.currentScene == next)
    #expect(trial.state.nextScene == next + 1)
    #expect(trial.state.elements.count == 0)
    #expect(trial.anomalies.isEmpty)
    #expect(trial.say(.scenes(.remove(path: "/init")), 0).isDone, "one always remains")
    #expect(trial.currentPath == "/init")
    #expect(trial.state.currentScene == next + 1)
  }

  @Test("SC-7: scenes go with what is on them; a path that leads nowhere is noSuchScene")
  func contents() throws {
    var trial = try Self.trial(["/p", "/d/1"], current: "/p")
    let ids = trial.state.scenes.map(\.id)
    trial.say(begin(1, on: ids[0]), 0)
    trial.say(begin(2, on: ids[1]), 0)
    #expect(trial.say(.scenes(.remove(path: "/x")), 0).code == .noSuchScene)
    #expect(trial.say(.scenes(.remove(path: "x")), 0).code == .badName)
    #expect(trial.say(.scenes(.remove(path: "/d/")), 0).code == .badName)
    #expect(trial.say(.scenes(.remove(path: "/d")), 0).isDone)
    #expect(trial.has("0.1"))
    #expect(!trial.has("0.2"))
    #expect(trial.say(extend(2), 0).code == .noSuchElement)
  }

  static let unfit: [ScenesRemoved] = [
    ScenesRemoved(scenes: [], current: 2), ScenesRemoved(scenes: [9], current: 2),
    ScenesRemoved(scenes: [2], current: 2), ScenesRemoved(scenes: [2], current: 9),
    ScenesRemoved(scenes: [2], current: 4, fresh: 4), ScenesRemoved(scenes: [2, 3], current: 2),
    ScenesRemoved(scenes: [2, 3], current: 4), ScenesRemoved(scenes: [2, 3], current: 5, fresh: 4),
    ScenesRemoved(scenes: [2, 3], current: 3, fresh: 3),
    ScenesRemoved(scenes: [2, 3], current: .max, fresh: .max),
  ]

  @Test("FOLD-20: scenesRemoved fits whole or not at all", arguments: unfit.indices)
  func misfits(row: Int) throws {
    var trial = try Self.trial(["/p", "/d/1"], current: "/p")
    let before = trial.state
    trial.record([Proposed(actor: .server, event: .scenes(.removed(Self.unfit[row])))])
    #expect(trial.anomalies.count == 1)
    #expect(trial.state.scenes == before.scenes)
    #expect(trial.state.currentScene == before.currentScene)
    #expect(trial.state.nextScene == before.nextScene)
  }

  static let moves: [(from: String, target: String, code: RefusalCode?, paths: [String])] = [
    ("/p", "/q2", nil, ["/q2", "/q", "/d/1", "/d/2", "/e/1"]),
    ("/p", "/d", nil, ["/q", "/d/1", "/d/2", "/d/p", "/e/1"]),
    ("/d/1", "/", nil, ["/p", "/q", "/1", "/d/2", "/e/1"]),
    ("/d/1", "/d/9", nil, ["/p", "/q", "/d/9", "/d/2", "/e/1"]),
    ("/d/1", "/new/page", nil, ["/p", "/q", "/d/2", "/e/1", "/new/page"]),
    ("/d/1", "/e/2", nil, ["/p", "/q", "/d/2", "/e/1", "/e/2"]),
    ("/d/1", "/d", nil, ["/p", "/q", "/d/1", "/d/2", "/e/1"]),
    ("/d/1", "/d/1", nil, ["/p", "/q", "/d/1", "/d/2", "/e/1"]),
    ("/e/1", "/e", nil, ["/p", "/q", "/d/1", "/d/2", "/e/1"]),
    ("/d", "/e", .badParameter, []), ("/x", "/e", .noSuchScene, []), ("/d/1", "/e", .conflict, []),
    ("/d/1", "/p", .conflict, []), ("/d/1", "/p/x", .badName, []), ("d/1", "/e", .badName, []),
    ("/d/1", "e", .badName, []), ("/d/1", "/e/", .badName, []), ("/p", "/d/1/x", .badName, []),
    ("/d/1", "/" + String(repeating: "n", count: 129), .tooLarge, []),
  ]

  @Test(
    "SC-9: a page is moved into a directory or gets a new path; a directory cannot be",
    arguments: moves.indices)
  func moving(row: Int) throws {
    let move = Self.moves[row]
    var trial = try Self.trial(["/p", "/q", "/d/1", "/d/2", "/e/1"], current: "/d/1")
    let (before, id) = (trial.state, trial.state.scene(path: move.from)?.id)
    trial.say(begin(1, on: before.currentScene), 0)
    #expect(trial.say(.scenes(.move(path: move.from, target: move.target)), 0).code == move.code, "\(move)")
    #expect(trial.state.scenes.map(\.path) == (move.code == nil ? move.paths : before.scenes.map(\.path)))
    #expect(trial.state.currentScene == before.currentScene)
    #expect(trial.state.elements.count == 1)
    #expect(id.map { trial.state.scene($0) != nil } ?? true, "its number is what it was")
    #expect(trial.anomalies.isEmpty)
  }

  @Test("FOLD-23, SC-10: cleaning takes everything off one scene, locked or not, and the ppt only if told")
  func cleaning() throws {
    var trial = Trial()
    try trial.join()
    let ppt = json("{\"src\":\"a\",\"steps\":3}")
    trial.say(
      .scenes(
        .put(
          ScenesPut(directory: "/d", index: 0, scenes: [SceneSpec(id: 0, name: "1", ppt: ppt)]))), 0)
    trial.say(.scenes(.switchTo(.path("/d"))), 0)
    trial.say(.scenes(.stepPPT(.next)), 0)
    trial.say(rectangle("0.1", on: 2, set: [("locked", "true")]), 0)
    trial.say(begin(2, on: 2), 0)
    trial.say(begin(3, on: 1), 0)
    #expect(trial.say(.scenes(.clean(SceneClean(retainPPT: true))), 0).isDone)
    #expect(!trial.has("0.1"))
    #expect(!trial.has("0.2"))
    #expect(trial.has("0.3"))
    #expect(trial.state.scene(2)?.ppt == ppt)
    #expect(trial.state.scene(2)?.pptStep == 1)
    #expect(trial.say(.scenes(.clean(SceneClean(scene: 2))), 0).isDone)
    #expect(trial.state.scene(2)?.ppt == nil)
    #expect(trial.state.scene(2)?.pptStep == 0)
    #expect(trial.say(.scenes(.clean(SceneClean(scene: 9))), 0).code == .noSuchScene)
    #expect(trial.say(extend(2), 0).code == .noSuchElement)
    #expect(trial.say(extend(3), 0).isDone)
  }

  @Test("FOLD-23, SC-13: steps of a ppt, over the borders of its pages, not beyond the first and the last")
  func stepping() throws {
    var trial = Trial()
    try trial.join()
    let texts = ["{\"steps\":2}", "{\"src\":\"x\"}", "{ \"a\":{\"steps\":9}, \"st\\u0065ps\" : 3}"]
    let specs = texts.enumerated().map { SceneSpec(id: 0, name: "\($0)", ppt: json($1)) }
    trial.say(.scenes(.put(ScenesPut(directory: "/ppt", index: 0, scenes: specs))), 0)
    trial.say(.scenes(.switchTo(.path("/ppt"))), 0)
    func place() -> String {
      "\(trial.currentPath ?? "") \(trial.state.scene(trial.state.currentScene)?.pptStep ?? -1)"
    }
    var seen = [place()]
    while trial.say(.scenes(.stepPPT(.next)), 0).isDone { seen.append(place()) }
    #expect(seen == ["/ppt/0 0", "/ppt/0 1", "/ppt/1 0", "/ppt/2 0", "/ppt/2 1", "/ppt/2 2"])
    #expect(trial.say(.scenes(.stepPPT(.next)), 0).code == .noSuchScene)
    var back: [String] = []
    while trial.say(.scenes(.stepPPT(.previous)), 0).isDone { back.append(place()) }
    #expect(back == seen.dropLast().reversed())
    #expect(trial.anomalies.isEmpty)
  }

  static let steps: [(String?, Int)] = [
    (nil, 1), ("{}", 1), ("{\"steps\":4}", 4), ("{\"steps\":0}", 1), ("{\"steps\":-2}", 1),
    ("{\"steps\":2.5}", 1),
    ("{\"steps\":\"3\"}", 1), ("{\"x\":{\"steps\":5}}", 1), ("{\"x\":\"}\\\"steps\\\":7\",\"steps\":6}", 6),
    ("[1]", 1), ("{\"x\":[1,{\"steps\":2}],\"steps\": 8 }", 8), ("\"steps\"", 1),
  ]

  @Test("SC-13: a page has the whole number `steps` of its ppt, else one", arguments: steps.indices)
  func stepCount(row: Int) {
    let (text, count) = Self.steps[row]
    #expect(Scene(id: 1, directory: "/", name: "a", ppt: text.map(json)).pptSteps == count)
  }
}
