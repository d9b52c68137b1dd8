import BoardroomCodec
import BoardroomModel

/// Labels: texts in shapes, and on lines and arrows (docs/DRAWING.md).
extension ShapeMarks {
  /// Pixels between a label and the sides of its part of the shape.
  private static let margin = 8.0
  /// Pixels of ground around the label of a line.
  private static let ground = 4.0

  /// A label in the middle of its part of the shape.
  func shapeLabel(_ type: ElementType) -> [Mark] {
    guard !lines.isEmpty else { return [] }
    let area = Self.labelArea(type, fields.area)
    let inside = Area(
      low: Spot(area.low.x + Self.margin, area.low.y), high: Spot(area.high.x - Self.margin, area.high.y))
    let alignment = askedAlignment ?? .center
    let top = area.centre.y - labelHeight * 0.5
    return letters(at: Spot(anchor(alignment, inside).x, top), alignment, labelColour)
  }

  /// A label in the middle of a line, on a ground that hides the line.
  var lineLabel: [Mark] {
    guard !lines.isEmpty, let middle = Self.middle(of: fields.points, rounded: fields.isSet("rounded")) else {
      return []
    }
    let top = middle.y - labelHeight * 0.5
    let text = letters(at: Spot(middle.x, top), .center, labelColour)
    guard let width = fields.style("textWidth")?.double, width > 0 else { return text }
    let low = Spot(middle.x - width * 0.5, top)
    let ground = Area(low: low, high: low + Spot(width, labelHeight)).grown(by: Self.ground)
    let path = ShapeOutline.polygon(ground.corners, rounded: false, in: ground)
    return [.fill(path, Paint(Colour(red: 255, green: 255, blue: 255)))] + text
  }

  private var labelHeight: Double { Double(lines.count) * letterHeight * Mark.lineHeight }

  private var labelColour: Colour? { fields.colour("textColor") ?? fields.colour("colour") }

  /// The part of a shape's box that is for its label.
  private static func labelArea(_ type: ElementType, _ box: Area) -> Area {
    let (left, top, right, bottom): (Double, Double, Double, Double) =
      switch type {
      case .ellipse: (0.15, 0.15, 0.85, 0.85)
      case .triangle: (0.25, 0.5, 0.75, 1)
      case .rhombus: (0.25, 0.25, 0.75, 0.75)
      case .pentagram: (0.3, 0.38, 0.7, 0.76)
      case .speechBalloon: (0, 0, 1, 0.8)
      case .rectangle, .straight, .arrow, .text, .note, .image: (0, 0, 1, 1)
      }
    let size = box.size
    return Area(
      low: box.low + Spot(left * size.x, top * size.y), high: box.low + Spot(right * size.x, bottom * size.y))
  }

  /// The middle one of an odd number of points of a curve; else half of the way along straight lines.
  private static func middle(of points: [Spot], rounded: Bool) -> Spot? {
    if rounded, points.count > 2, !points.count.isMultiple(of: 2) { return points[points.count / 2] }
    let ways = zip(points, points.dropFirst()).map { from, to in (from, to, (to - from).length) }
    var left = ways.reduce(0) { $0 + $1.2 } * 0.5
    for (from, to, way) in ways {
      if way > 0, left <= way { return from + (to - from) * (left / way) }
      left -= way
    }
    return points.first
  }
}
