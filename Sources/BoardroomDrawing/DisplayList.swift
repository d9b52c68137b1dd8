import BoardroomModel

/// A place on a scene, in pixels; y grows downwards.
public struct Spot: Hashable, Sendable {
  public var x: Double
  public var y: Double
  public init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }

  static func + (left: Spot, right: Spot) -> Spot { Spot(left.x + right.x, left.y + right.y) }
  static func - (left: Spot, right: Spot) -> Spot { Spot(left.x - right.x, left.y - right.y) }
  static func * (spot: Spot, factor: Double) -> Spot { Spot(spot.x * factor, spot.y * factor) }
  func middle(to other: Spot) -> Spot { (self + other) * 0.5 }
  var length: Double { (x * x + y * y).squareRoot() }
}

/// A piece of an outline.
public enum PathStep: Hashable, Sendable {
  case move(Spot)
  case line(Spot)
  /// A quadratic curve.
  case curve(control: Spot, to: Spot)
  case close
}

public struct Paint: Hashable, Sendable {
  public var colour: Colour
  /// 0 clear to 1 opaque.
  public var opacity: Double
  public init(_ colour: Colour, opacity: Double = 1) {
    self.colour = colour
    self.opacity = opacity
  }
}

/// One act of drawing. The vocabulary is small on purpose: every renderer can carry it out, and two renderers
/// that do so show the same.
public enum Mark: Hashable, Sendable {
  case fill([PathStep], Paint)
  /// A line of this width, with round ends and joins.
  case line([PathStep], width: Double, Paint)
  /// Lines of text from a top left corner down; size is the height of a line's letters in pixels.
  case text([String], at: Spot, size: Double, Paint)
}

/// What to draw for one scene, in order.
public struct DisplayList: Hashable, Sendable {
  public private(set) var marks: [Mark] = []

  public init(marks: [Mark] = []) { self.marks = marks }

  /// Every element of the scene, in order of creation.
  public init(of state: RoomState, scene: SceneID) {
    for element in state.elements.all(in: scene) { marks += element.marks }
  }

  /// The smallest rectangle around everything; nil if there is nothing.
  public var bounds: (low: Spot, high: Spot)? {
    var bounds: (low: Spot, high: Spot)?
    for mark in marks {
      for (spot, reach) in mark.extent {
        let low = spot - Spot(reach, reach)
        let high = spot + Spot(reach, reach)
        bounds =
          bounds.map {
            (
              Spot(min($0.low.x, low.x), min($0.low.y, low.y)),
              Spot(max($0.high.x, high.x), max($0.high.y, high.y))
            )
          } ?? (low, high)
      }
    }
    return bounds
  }
}

extension Mark {
  /// Letters are about this wide for their height; renderers place lines, they do not measure them.
  static let letterWidth = 0.6
  /// From one line of text to the next, for a letter height of 1.
  static let lineHeight = 1.25

  /// Places that the mark touches, with how far it reaches around each.
  fileprivate var extent: [(Spot, Double)] {
    switch self {
    case .fill(let steps, _): steps.flatMap(\.spots).map { ($0, 0) }
    case .line(let steps, let width, _): steps.flatMap(\.spots).map { ($0, width / 2) }
    case .text(let lines, let at, let size, _):
      [
        (at, 0),
        (
          at
            + Spot(
              Double(lines.map(\.count).max() ?? 0) * size * Self.letterWidth,
              Double(lines.count) * size * Self.lineHeight), 0
        ),
      ]
    }
  }
}

extension PathStep {
  fileprivate var spots: [Spot] {
    switch self {
    case .move(let spot), .line(let spot): [spot]
    case .curve(let control, let spot): [control, spot]
    case .close: []
    }
  }
}
