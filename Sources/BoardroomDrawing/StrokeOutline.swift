import BoardroomCodec
import BoardroomModel

// How a stroke looks. With pressure it is an outline of varying width, without it a line of even width;
// both are smoothed by letting quadratic curves run from the middle of one stretch to the middle of the next.

enum StrokeOutline {
  /// The least part of its width that a pen draws, also with pressure 0, so that light strokes stay visible.
  static let thinnest = 0.3
  /// Points nearer than this, in pixels, to the one before are left out, because they change nothing visible.
  static let closest = 0.05

  /// `fields` holds what was changed since the stroke was drawn.
  static func marks(_ stroke: StrokeContent, _ fields: ElementFields) -> [Mark] {
    let points = thinned(stroke.points())
    guard let first = points.first else { return [] }
    let width = fields.style("width")?.double.map { max($0, 0) } ?? Double(stroke.style.width) / 4
    let paint = Paint(
      fields.colour("colour") ?? stroke.style.colour, opacity: opacity(stroke.style, fields.share("opacity")))
    let spots = points.map { Spot($0.x, $0.y) }
    guard points.count > 1 else {
      let here = Spot(first.x, first.y)
      return [.line([.move(here), .line(here)], width: width * share(first.pressure), paint)]
    }
    guard points.allSatisfy({ $0.pressure != nil }) else {
      return [.line(smoothLine(spots), width: width, paint)]
    }
    let reaches = smoothed(points.map { width / 2 * share($0.pressure) })
    return [.fill(smoothRing(ring(spots, reaches)), paint)]
  }

  /// A highlighter is always translucent, whatever its opacity says.
  private static func opacity(_ style: StrokeStyle, _ changed: Double?) -> Double {
    let opacity = changed ?? Double(style.opacity) / 255
    switch style.tool {
    case .pencil, .laser: return opacity
    case .highlighter: return opacity * 0.4
    }
  }

  private static func share(_ pressure: Double?) -> Double {
    guard let pressure else { return 1 }
    return thinnest + (1 - thinnest) * min(max(pressure, 0), 1)
  }

  private static func thinned(_ points: [StrokePoint]) -> [StrokePoint] {
    var kept: [StrokePoint] = []
    for point in points {
      if let last = kept.last, Spot(point.x - last.x, point.y - last.y).length < closest { continue }
      kept.append(point)
    }
    return kept
  }

  /// Each width becomes the mean of itself (twice) and its neighbours, because pens report pressure in coarse
  /// steps.
  private static func smoothed(_ reaches: [Double]) -> [Double] {
    reaches.indices.map { index in
      let before = reaches[max(index - 1, 0)]
      let after = reaches[min(index + 1, reaches.count - 1)]
      return (before + 2 * reaches[index] + after) / 4
    }
  }

  static func smoothLine(_ spots: [Spot]) -> [PathStep] {
    guard let first = spots.first, let last = spots.last, spots.count > 2 else {
      return spots.enumerated().map { $0.offset == 0 ? .move($0.element) : .line($0.element) }
    }
    var steps: [PathStep] = [.move(first)]
    for index in 1..<spots.count - 1 {
      steps.append(.curve(control: spots[index], to: spots[index].middle(to: spots[index + 1])))
    }
    return steps + [.line(last)]
  }

  /// Corners of the outline: along one side, around the end, back along the other, around the start.
  private static func ring(_ spots: [Spot], _ reaches: [Double]) -> [Spot] {
    let normals = spots.indices.map { normal(spots, at: $0) }
    let left = spots.indices.map { spots[$0] + normals[$0] * reaches[$0] }
    let right = spots.indices.reversed().map { spots[$0] - normals[$0] * reaches[$0] }
    let end = cap(spots.last!, normals.last! * reaches.last!)
    let start = cap(spots.first!, normals.first! * -reaches.first!)
    return left + end + right + start
  }

  /// The unit vector to the left of the way from the point before to the point after.
  private static func normal(_ spots: [Spot], at index: Int) -> Spot {
    let way = spots[min(index + 1, spots.count - 1)] - spots[max(index - 1, 0)]
    guard way.length > 0 else { return Spot(0, 1) }
    return Spot(-way.y, way.x) * (1 / way.length)
  }

  /// A half circle around `centre` from `from` to its opposite, turning over the way's forward side.
  private static func cap(_ centre: Spot, _ from: Spot) -> [Spot] {
    let forward = Spot(from.y, -from.x)
    return Self.halfCircle.map { cosine, sine in centre + from * cosine + forward * sine }
  }

  /// Cosine and sine at 36, 72, 108 and 144 degrees: four corners cut a half circle into five equal parts.
  private static let halfCircle: [(Double, Double)] = [
    (0.809_016_994_374_947_4, 0.587_785_252_292_473_1), (0.309_016_994_374_947_4, 0.951_056_516_295_153_6),
    (-0.309_016_994_374_947_4, 0.951_056_516_295_153_6), (-0.809_016_994_374_947_4, 0.587_785_252_292_473_1),
  ]

  private static func smoothRing(_ corners: [Spot]) -> [PathStep] {
    guard let first = corners.first, let last = corners.last else { return [] }
    var steps: [PathStep] = [.move(last.middle(to: first))]
    for (index, corner) in corners.enumerated() {
      steps.append(.curve(control: corner, to: corner.middle(to: corners[(index + 1) % corners.count])))
    }
    return steps + [.close]
  }
}
