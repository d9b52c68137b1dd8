import BoardroomModel
import EventLogModel

/// What record bodies look like, for a store that keeps old ones in columns. The layouts are those of `DrawingBodies.swift`; of
/// every other kind it is the command's counter and then text.
public enum BodyShapes {
  /// For each kind that there is or may be.
  public static let all: [UInt8: BodyShape] = {
    var shapes: [UInt8: BodyShape] = [:]
    for kind in UInt8.min...UInt8.max { shapes[kind] = BodyShape([counter, .rest]) }
    shapes[EventKind.stroke.rawValue] = stroke
    shapes[EventKind.pointer.rawValue] = pointer
    shapes[EventKind.camera.rawValue] = camera
    return shapes
  }()

  /// One for all kinds: a member's next command has the next counter, whatever it is.
  private static let counter = BodyShape.ShapeField.unsigned(0)
  private static let scene = BodyShape.ShapeField.unsigned(3)

  private static let stroke = BodyShape([
    counter, .unsigned(1), .flags(2),
    .when(
      mask: StrokeFlags.begins, is: StrokeFlags.begins,
      [scene, .byte(4), .byte(5), .byte(6), .byte(7), .byte(8), .byte(9), .unsigned(10)]),
    .count(11),
    // A stroke's first point is a place, the others are steps from it.
    .many(12, signed: true, lead: 13, mask: StrokeFlags.begins),
    .many(14, signed: true, lead: 15, mask: StrokeFlags.begins),
    .many(16, signed: false, lead: 17, mask: StrokeFlags.begins),
    .when(
      mask: StrokeFlags.noPressure, is: 0, [.many(18, signed: true, lead: 19, mask: StrokeFlags.begins)]),
  ])

  private static let pointer = BodyShape([counter, scene, .byte(20), .signed(21), .signed(22)])
  private static let camera = BodyShape([counter, .byte(23), .signed(24), .signed(25), .unsigned(26)])
}
