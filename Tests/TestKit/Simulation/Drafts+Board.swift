import BoardroomCodec
import BoardroomModel
import EventLogModel
import StorageTestKit

/// Commands for the whole board: changes, copies, scenes, stores and histories.
extension Drafts {
  static let boardDrawing: [(Draft, Int)] = [
    ({ $0.change() }, 14), ({ $0.copy() }, 5), ({ $0.clean() }, 2),
  ]
  static let boardScenes: [(Draft, Int)] = [
    ({ $0.removeScenes() }, 3), ({ $0.moveScene() }, 2), ({ $0.stepPPT() }, 2),
  ]
  static let boardPlain: [(Draft, Int)] = [
    ({ $0.setStore() }, 3), ({ $0.deleteStore() }, 1), ({ $0.keepHistory() }, 3),
    ({ .history(.undo($0.maybeScene())) }, 12), ({ .history(.redo($0.maybeScene())) }, 5),
  ]

  private mutating func maybeScene() -> SceneID? { luck.isLucky(4, in: 5) ? nil : anyScene() }

  private mutating func change() -> Command {
    .elements(
      .change(
        ElementsChanged(
          (0..<luck.number(1...2)).map { _ in ElementChange(id: anyElement(), set: attributes()) })))
  }

  mutating func attributes() -> JSONPatch {
    var fields: [(key: String, value: JSONText?)] = []
    for _ in 0..<luck.pick([(1, 4), (2, 1)]) {
      let (key, text): (String, String?) = luck.pick([
        (("x", "\(luck.number(0...99))"), 4), (("y", "7"), 1), (("x", nil), 1),
        (("locked", "true"), 2), (("locked", "false"), 1), (("locked", nil), 1),
        (("order", "\"V\(luck.number(1...9))\""), 2), (("transform", "[1,0,0,1,\(luck.number(0...9)),0]"), 2),
        (("style.colour", "[9,8,\(luck.number(0...9))]"), 2), (("text", "\"new \(luck.number(0...9))\""), 1),
        (("height", "-1"), 1),
      ])
      if !fields.contains(where: { $0.key == key }) {
        fields.append((key, text.map { JSONText(unchecked: $0) }))
      }
    }
    return JSONPatch(fields)
  }

  private mutating func copy() -> Command {
    .elements(
      .copy(
        (0..<luck.pick([(1, 4), (2, 1)])).map { _ in
          ElementCopy(
            from: anyElement(), id: ElementID(member: member, number: newNumber()), scene: anyScene(),
            set: luck.isLucky(1, in: 2) ? attributes() : nil)
        }))
  }

  private mutating func clean() -> Command {
    .scenes(.clean(SceneClean(scene: maybeScene(), retainPPT: luck.isLucky(1, in: 2))))
  }

  private mutating func removeScenes() -> Command { .scenes(.remove(path: anyPath())) }
  private mutating func moveScene() -> Command { .scenes(.move(path: anyPath(), target: anyPath())) }
  private mutating func stepPPT() -> Command { .scenes(.stepPPT(luck.isLucky(2, in: 3) ? .next : .previous)) }

  private mutating func setStore() -> Command {
    .state(
      .setStore(
        StoreSet(
          store: luck.pick([("s", 3), ("t", 1), ("", 1)]), patch: patch(["a", "b"]),
          resets: luck.isLucky(1, in: 6), onlyAbsent: luck.isLucky(1, in: 3))))
  }

  private mutating func deleteStore() -> Command { .state(.deleteStore(luck.pick([("s", 1), ("t", 1)]))) }
  private mutating func keepHistory() -> Command {
    .history(.keep(scenes: luck.pick([(2, 4), (1, 1), (0, 1), (99, 1)])))
  }
}
