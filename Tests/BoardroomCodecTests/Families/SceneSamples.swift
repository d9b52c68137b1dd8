import BoardroomCodec
import BoardroomModel
import EventLogModel

// The family `scenes`: random valid values, and bodies that it does not have.

extension Chance {
  mutating func scenesEvent(_ kind: EventKind) -> Event? {
    switch kind {
    case .scenesPut: .scenes(.put(scenesPut(numbered: true)))
    case .sceneSwitched: .scenes(.switched(scene()))
    case .sceneCleaned: .scenes(.cleaned(SceneCleaned(scene: scene(), retainPPT: coin())))
    case .scenesRemoved:
      .scenes(
        .removed(
          ScenesRemoved(
            scenes: (0..<upTo(3)).map { _ in scene() }, current: scene(), fresh: coin() ? scene() : nil)))
    case .sceneMoved:
      .scenes(
        .moved(
          SceneMoved(
            scene: scene(), directory: pick(["/", "/a"]), name: word(), index: coin() ? upTo(9) : nil)))
    case .pptStepped: .scenes(.pptStepped(PPTStep(scene: scene(), step: upTo(99))))
    default: nil
    }
  }

  mutating func scenesCommand(_ kind: EventKind) -> Command? {
    switch kind {
    case .scenesPut: .scenes(.put(scenesPut(numbered: false)))
    case .sceneSwitched: .scenes(.switchTo(coin() ? .index(upTo(99)) : .path(pick(["/", "/a", "/init"]))))
    case .sceneCleaned: .scenes(.clean(SceneClean(scene: coin() ? scene() : nil, retainPPT: coin())))
    case .scenesRemoved: .scenes(.remove(path: pick(["/", "/a", "/a/b c"])))
    case .sceneMoved:
      .scenes(.move(path: "/init", target: pick(["/a", "/a/b"]), index: coin() ? upTo(9) : nil))
    case .pptStepped: .scenes(.stepPPT(pick(PPTDirection.allCases)))
    default: nil
    }
  }

  mutating func scenesPut(numbered: Bool) -> ScenesPut {
    ScenesPut(
      directory: pick(["/", "/a", "/a/b c"]), index: upTo(9),
      scenes: (0..<upTo(3)).map { _ in
        SceneSpec(id: numbered ? scene() : 0, name: word(), ppt: coin() ? jsonObject().text : nil)
      })
  }
}

extension BadInput {
  static let scenes: [BadInput] = [
    .body(
      "a switch to a path and an index", "sceneSwitched", "{\"path\":\"/a\",\"index\":1}",
      bad("sceneSwitched.path", "or index must be given, and not both")),
    .body(
      "a directory with an empty name", "scenesPut", "{\"directory\":\"/a//b\",\"index\":0,\"scenes\":[]}",
      badName("scenesPut.directory", "must begin with a slash, not end with one, and hold no empty name"),
      .badName),
    .body(
      "a scene's name with a slash", "scenesPut",
      "{\"directory\":\"/\",\"index\":0,\"scenes\":[{\"name\":\"a/b\"}]}",
      badName("scenes.name", "must not be empty and not hold a slash"), .badName),
    .body(
      "a scene without a name", "scenesPut", "{\"directory\":\"/\",\"index\":0,\"scenes\":[{\"name\":\"\"}]}",
      badName("scenes.name", "must not be empty and not hold a slash"), .badName),
    .body(
      "a switch to a path without a slash", "sceneSwitched", "{\"path\":\"a\"}",
      badName("sceneSwitched.path", "must begin with a slash, not end with one, and hold no empty name"),
      .badName),
    .body(
      "a path that ends with a slash", "scenesRemoved", "{\"path\":\"/a/\"}",
      badName("scenesRemoved.path", "must begin with a slash, not end with one, and hold no empty name"),
      .badName),
    .body(
      "a move to no path", "sceneMoved", "{\"path\":\"/a\",\"target\":\"\"}",
      badName("sceneMoved.target", "must begin with a slash, not end with one, and hold no empty name"),
      .badName),
    .body(
      "more scenes than a room may have", "scenesPut",
      "{\"directory\":\"/\",\"index\":0,\"scenes\":[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"}]}",
      .tooLarge(what: "scene count", actual: 3, allowed: 2), .tooLarge),
  ]
}
