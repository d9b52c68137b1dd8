import BoardroomModel

/// Outlines of shapes from their boxes.
public enum ShapeOutline {
  /// The largest radius of a rounded corner in pixels; else it is a quarter of the shorter side.
  static let largestCorner = 32.0
  /// The distance of the control points of a quarter ellipse from its ends, in half axes: the usual
  /// approximation, with an error below 0.03 % of the radius.
  private static let quarter = 0.552_284_749_830_793_4

  /// The corners of a shape in its box, clockwise; nil for shapes without corners.
  public static func corners(_ type: ElementType, _ box: Area) -> [Spot]? {
    let places: [(Double, Double)]
    switch type {
    case .rectangle, .note, .image: places = [(0, 0), (1, 0), (1, 1), (0, 1)]
    case .triangle: places = [(0.5, 0), (1, 1), (0, 1)]
    case .rhombus: places = [(0.5, 0), (1, 0.5), (0.5, 1), (0, 0.5)]
    case .pentagram: places = star
    case .speechBalloon: places = balloon
    case .ellipse, .straight, .arrow, .text: return nil
    }
    return places.map { box.low + Spot($0.0 * box.size.x, $0.1 * box.size.y) }
  }

  /// A star of five points whose five lines are straight, stretched to the box.
  private static let star: [(Double, Double)] = [
    (0.5, 0), (0.618_034, 0.381_966), (1, 0.381_966), (0.690_983, 0.618_034), (0.809_017, 1),
    (0.5, 0.763_932), (0.190_983, 1), (0.309_017, 0.618_034), (0, 0.381_966), (0.381_966, 0.381_966),
  ]

  /// A box over four fifths of the height, with a tail down to the left.
  private static let balloon: [(Double, Double)] = [
    (0, 0), (1, 0), (1, 0.8), (0.45, 0.8), (0.15, 1), (0.25, 0.8), (0, 0.8),
  ]

  static func ellipse(_ box: Area) -> [PathStep] {
    let (centre, half) = (box.centre, box.size * 0.5)
    func at(_ x: Double, _ y: Double) -> Spot { centre + Spot(x * half.x, y * half.y) }
    return [
      .move(at(1, 0)), .cubic(at(1, quarter), at(quarter, 1), to: at(0, 1)),
      .cubic(at(-quarter, 1), at(-1, quarter), to: at(-1, 0)),
      .cubic(at(-1, -quarter), at(-quarter, -1), to: at(0, -1)),
      .cubic(at(quarter, -1), at(1, -quarter), to: at(1, 0)), .close,
    ]
  }

  static func polygon(_ corners: [Spot], rounded: Bool, in box: Area) -> [PathStep] {
    guard let first = corners.first else { return [] }
    guard rounded else { return [.move(first)] + corners.dropFirst().map { .line($0) } + [.close] }
    let reach = min(min(box.size.x, box.size.y) / 4, largestCorner)
    var steps: [PathStep] = []
    for (index, corner) in corners.enumerated() {
      let before = corners[(index + corners.count - 1) % corners.count]
      let after = corners[(index + 1) % corners.count]
      let begin = way(from: corner, to: before, reach)
      steps.append(index == 0 ? .move(begin) : .line(begin))
      steps.append(.curve(control: corner, to: way(from: corner, to: after, reach)))
    }
    return steps + [.close]
  }

  /// The point at distance `reach` on the way from `one` to `other`, at most the middle.
  private static func way(from one: Spot, to other: Spot, _ reach: Double) -> Spot {
    let distance = (other - one).length
    return distance > 0 ? one + (other - one) * min(reach / distance, 0.5) : one
  }

  /// A line through points; a rounded one is a curve that passes through each of them (Catmull and Rom's).
  static func polyline(_ points: [Spot], rounded: Bool) -> [PathStep] {
    guard let first = points.first else { return [] }
    guard rounded, points.count > 2 else { return [.move(first)] + points.dropFirst().map { .line($0) } }
    var steps: [PathStep] = [.move(first)]
    for index in 1..<points.count {
      let (from, to) = (points[index - 1], points[index])
      let before = points[max(index - 2, 0)]
      let after = points[min(index + 1, points.count - 1)]
      steps.append(.cubic(from + (to - before) * (1 / 6), to - (after - from) * (1 / 6), to: to))
    }
    return steps
  }

  /// The two sides of an arrow's head, at the end of a line through these points.
  static func arrowHead(_ points: [Spot], width: Double) -> [PathStep] {
    guard let tip = points.last, let from = points.last(where: { ($0 - tip).length > 0 }) else { return [] }
    let length = (tip - from).length
    let reach = min(8 + 3 * width, max(length / 2, 2 * width))
    let back = (from - tip) * (reach / length)
    // Half as wide as long on each side: an angle of 53 degrees, which reads as an arrow at any width.
    let side = Spot(-back.y, back.x) * 0.5
    return [.move(tip + back + side), .line(tip), .line(tip + back - side)]
  }
}
