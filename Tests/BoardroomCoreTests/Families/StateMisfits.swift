import BoardroomCore
import BoardroomModel
import EventLogModel

// Events of the family `state` that do not fit, or change what they say.

extension MisfitTests {
  static let stateOfTheBoard: [(rule: String, Event, RoomParts?)] = [
    ("FOLD-24", .state(.storeDeleted("none")), nil),
    ("FOLD-24", .state(.storeDeleted("s")), .stores),
    ("FOLD-24", .state(.storeSet(StoreSet(store: "s", patch: patch([("x", "1")])))), []),
    ("FOLD-24", .state(.storeSet(StoreSet(store: "s", patch: patch([]), resets: true))), .stores),
  ]

  static let stateMisfits: [(rule: String, actor: Actor, event: Event)] = [
    ("FOLD-14", .member(7), .state(.member(patch([("a", "1")])))),
    ("FOLD-14", .server, .state(.member(patch([("a", "1")])))),
  ]
}
