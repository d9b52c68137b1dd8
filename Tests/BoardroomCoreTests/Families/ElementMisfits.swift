import BoardroomCore
import BoardroomModel
import EventLogModel

// Events of the family `elements` that do not fit, or change what they say.

extension MisfitTests {
  static let elementsMisfits: [(rule: String, actor: Actor, event: Event)] = [
    (
      "FOLD-16", .member(0),
      .elements(.put(ElementPut(id: ElementID("0.9")!, scene: 9, type: .text, raw: json("{}"))))
    ),
    ("FOLD-13", .member(0), .elements(.erased([ElementID("4.4")!]))),
  ]
}
