import BoardroomCore
import BoardroomModel
import EventLogModel

// Events of the family `drawing` that do not fit, or change what they say.

extension MisfitTests {
  private static func segment(_ number: UInt64, on scene: SceneID?) -> Event {
    .drawing(
      .stroke(
        StrokeSegment(number: number, begin: scene.map { style(on: $0) }, ends: false, points: points())))
  }

  static let drawingMisfits: [(rule: String, actor: Actor, event: Event)] = [
    ("FOLD-14", .member(7), segment(1, on: 1)),
    ("FOLD-14", .server, segment(1, on: 1)),
    ("FOLD-14", .member(7), .drawing(.pointer(PointerMove(scene: 1, unit: 0, x: 0, y: 0)))),
    ("FOLD-14", .member(7), .drawing(.camera(Camera(unit: 0, x: 0, y: 0, scale: 1)))),
    ("FOLD-15", .member(0), segment(3, on: 9)),
    ("FOLD-15", .member(0), segment(1, on: 1)),
    ("FOLD-15", .member(0), segment(1, on: nil)),
    ("FOLD-15", .member(0), segment(3, on: nil)),
    ("FOLD-15", .member(7), segment(2, on: nil)),
  ]
}
