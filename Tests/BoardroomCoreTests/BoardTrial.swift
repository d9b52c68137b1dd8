import BoardroomCore
import BoardroomModel
import EventLogModel

// Commands of the whole board, for tests.

func element(_ text: String) -> ElementID { ElementID(text)! }

/// A rectangle with a body that the codec reads too.
func rectangle(_ id: String, x: Int = 0, on scene: SceneID = 1, set: [(String, String?)]? = nil) -> Command {
  let fields = "\"type\":\"rectangle\",\"x\":\(x),\"y\":0,\"width\":10,\"height\":10"
  let attributes = set.map { ",\"set\":" + patch($0).raw.text } ?? ""
  return .elements(
    .put(
      ElementPut(
        id: element(id), scene: scene, type: .rectangle,
        raw: json("{\"id\":\"\(id)\",\"scene\":\(scene),\(fields)\(attributes)}"), set: set.map(patch))))
}

func change(_ id: String, _ fields: (String, String?)...) -> Command {
  .elements(.change(ElementsChanged([ElementChange(id: element(id), set: patch(fields))])))
}

func changes(_ list: [(String, [(String, String?)])]) -> Command {
  .elements(
    .change(
      ElementsChanged(list.map { ElementChange(id: element($0.0), set: patch($0.1)) })))
}

func erase(_ ids: String...) -> Command { .elements(.erase(ids.map(element))) }

func copy(_ from: String, as id: String, on scene: SceneID = 1, _ set: [(String, String?)]? = nil) -> Command
{
  .elements(
    .copy([
      ElementCopy(from: element(from), id: element(id), scene: scene, set: set.map(patch))
    ]))
}

func store(
  _ name: String, _ fields: [(String, String?)], resets: Bool = false, onlyAbsent: Bool = false
) -> Command {
  .state(.setStore(StoreSet(store: name, patch: patch(fields), resets: resets, onlyAbsent: onlyAbsent)))
}

extension Trial {
  /// A room of some writers who keep a history each.
  static func withHistories(_ count: Int, scenes: Int = 20, _ policy: RoomPolicy = RoomPolicy(rate: nil))
    throws -> Trial
  {
    var trial = Trial(policy)
    for _ in 0..<count {
      let member = try trial.join()
      trial.say(.history(.keep(scenes: scenes)), member)
    }
    return trial
  }

  func attribute(_ key: String, of id: String) -> String? {
    state.elements[element(id)]?.attributes[key]?.text
  }
  func has(_ id: String) -> Bool { state.elements.ordinal(of: element(id)) != nil }
  func isBuried(_ id: String) -> Bool { state.elements.isBuried(element(id)) }
  /// Steps to undo and to redo.
  func steps(_ member: MemberID, on scene: SceneID? = nil) -> [Int] {
    [state.undoSteps(of: member, on: scene), state.redoSteps(of: member, on: scene)]
  }
  var currentPath: String? { state.scene(state.currentScene)?.path }
}

extension Decision {
  var refusal: Refusal? {
    if case .refused(let refusal, _) = self { refusal } else { nil }
  }
}
