/// A piece of an outline.
public enum PathStep: Hashable, Sendable {
  case move(Spot)
  case line(Spot)
  /// A quadratic curve.
  case curve(control: Spot, to: Spot)
  case cubic(Spot, Spot, to: Spot)
  case close

  /// The points of the step; a curve stays inside of them.
  var spots: [Spot] {
    switch self {
    case .move(let spot), .line(let spot): [spot]
    case .curve(let control, let spot): [control, spot]
    case .cubic(let first, let second, let spot): [first, second, spot]
    case .close: []
    }
  }

  func moved(by transform: Transform) -> PathStep {
    switch self {
    case .move(let spot): .move(transform(spot))
    case .line(let spot): .line(transform(spot))
    case .curve(let control, let spot): .curve(control: transform(control), to: transform(spot))
    case .cubic(let first, let second, let spot):
      .cubic(transform(first), transform(second), to: transform(spot))
    case .close: .close
    }
  }
}

extension Sequence<PathStep> {
  /// As SVG and `Path2D` read it, with two decimals at most.
  var pathText: String {
    func pair(_ spot: Spot) -> String { "\(SceneSVG.decimal(spot.x)),\(SceneSVG.decimal(spot.y))" }
    return map { step in
      switch step {
      case .move(let spot): "M\(pair(spot))"
      case .line(let spot): "L\(pair(spot))"
      case .curve(let control, let spot): "Q\(pair(control)) \(pair(spot))"
      case .cubic(let first, let second, let spot): "C\(pair(first)) \(pair(second)) \(pair(spot))"
      case .close: "Z"
      }
    }.joined()
  }
}
