import BoardroomCore
import BoardroomModel
import EventLogModel

// Events of the family `scenes` that do not fit, or change what they say.

extension MisfitTests {
  static func put(_ ids: [SceneID], _ names: [String]) -> Event {
    .scenes(
      .put(
        ScenesPut(
          directory: "/", index: 0, scenes: zip(ids, names).map { SceneSpec(id: $0, name: $1) })))
  }

  static let scenesOfTheBoard: [(rule: String, Event, RoomParts?)] = [
    ("FOLD-23", .scenes(.cleaned(SceneCleaned(scene: 9, retainPPT: true))), nil),
    ("FOLD-23", .scenes(.cleaned(SceneCleaned(scene: 2, retainPPT: true))), []),
    ("FOLD-23", .scenes(.moved(SceneMoved(scene: 9, directory: "/", name: "x"))), nil),
    ("FOLD-23", .scenes(.moved(SceneMoved(scene: 2, directory: "/", name: "init"))), nil),
    ("FOLD-23", .scenes(.moved(SceneMoved(scene: 2, directory: "/d", name: "init"))), .scenes),
    ("FOLD-23", .scenes(.moved(SceneMoved(scene: 2, directory: "/", name: "a"))), []),
    ("FOLD-23", .scenes(.pptStepped(PPTStep(scene: 9, step: 0))), nil),
    ("FOLD-23", .scenes(.pptStepped(PPTStep(scene: 2, step: -1))), nil),
    ("FOLD-23", .scenes(.pptStepped(PPTStep(scene: 2, step: 3))), [.scenes, .currentScene]),
  ]

  static let scenesMisfits: [(rule: String, actor: Actor, event: Event)] = [
    ("FOLD-18", .member(0), put([1], ["a"])),
    ("FOLD-18", .member(0), put([0], ["a"])),
    ("FOLD-18", .member(0), put([3, 2], ["a", "b"])),
    ("FOLD-18", .member(0), put([2, 3], ["a", "a"])),
    ("FOLD-18", .member(0), put([.max], ["a"])),
    ("FOLD-19", .member(0), .scenes(.switched(2))),
  ]
}
