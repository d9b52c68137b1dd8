/// A place on a scene, in pixels; y grows downwards.
public struct Spot: Hashable, Sendable {
  public var x: Double
  public var y: Double
  public init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }

  public static func + (left: Spot, right: Spot) -> Spot { Spot(left.x + right.x, left.y + right.y) }
  public static func - (left: Spot, right: Spot) -> Spot { Spot(left.x - right.x, left.y - right.y) }
  public static func * (spot: Spot, factor: Double) -> Spot { Spot(spot.x * factor, spot.y * factor) }
  /// The middle between this point and another one.
  public func middle(to other: Spot) -> Spot { (self + other) * 0.5 }
  public var length: Double { (x * x + y * y).squareRoot() }
}

/// An upright rectangle, in pixels.
public struct Area: Hashable, Sendable {
  public var low: Spot
  public var high: Spot
  public init(low: Spot, high: Spot) {
    self.low = low
    self.high = high
  }

  public var size: Spot { high - low }
  public var centre: Spot { low.middle(to: high) }
  public var corners: [Spot] { [low, Spot(high.x, low.y), high, Spot(low.x, high.y)] }

  /// The smallest rectangle around all of them; nil if there are none.
  public init?(around spots: some Sequence<Spot>) {
    var area: Area?
    for spot in spots { area = area?.grown(to: Area(low: spot, high: spot)) ?? Area(low: spot, high: spot) }
    guard let area else { return nil }
    self = area
  }

  func grown(to other: Area) -> Area {
    Area(
      low: Spot(min(low.x, other.low.x), min(low.y, other.low.y)),
      high: Spot(max(high.x, other.high.x), max(high.y, other.high.y)))
  }

  func grown(by reach: Double) -> Area {
    Area(low: low - Spot(reach, reach), high: high + Spot(reach, reach))
  }

  func touches(_ other: Area) -> Bool {
    low.x <= other.high.x && other.low.x <= high.x && low.y <= other.high.y && other.low.y <= high.y
  }
}

/// Maps a point (x, y) to (a x + c y + e, b x + d y + f), as in SVG and canvas.
public struct Transform: Hashable, Sendable {
  public var (a, b, c, d, e, f): (Double, Double, Double, Double, Double, Double)

  public init(_ a: Double, _ b: Double, _ c: Double, _ d: Double, _ e: Double, _ f: Double) {
    (self.a, self.b, self.c, self.d, self.e, self.f) = (a, b, c, d, e, f)
  }

  /// Six finite numbers; nil for anything else.
  public init?(_ numbers: [Double]) {
    guard numbers.count == 6, numbers.allSatisfy(\.isFinite) else { return nil }
    self.init(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5])
  }

  public static let identity = Transform(1, 0, 0, 1, 0, 0)
  public var numbers: [Double] { [a, b, c, d, e, f] }

  /// The point after the transform.
  public func callAsFunction(_ spot: Spot) -> Spot {
    Spot(a * spot.x + c * spot.y + e, b * spot.x + d * spot.y + f)
  }

  /// How much lengths grow, as a mean of all directions.
  var scale: Double { abs(a * d - b * c).squareRoot() }

  /// A rotation around a point, in radians, clockwise on the screen (y grows downwards).
  public static func turn(_ angle: Double, about centre: Spot) -> Transform {
    let (cosine, sine) = (Angle.cosine(angle), Angle.sine(angle))
    return Transform(
      cosine, sine, -sine, cosine, centre.x - cosine * centre.x + sine * centre.y,
      centre.y - sine * centre.x - cosine * centre.y)
  }
}

extension Transform {
  public static func == (left: Transform, right: Transform) -> Bool { left.numbers == right.numbers }
  public func hash(into hasher: inout Hasher) { hasher.combine(numbers) }
}

/// Sine, cosine and their inverse, made from additions and multiplications only, so that every machine gets
/// the same last bit. The libraries of systems do not promise that.
public enum Angle {
  /// Terms of the series up to x^17: below 1e-17 for |x| up to pi/4.
  private static let terms = 9

  /// The sine of an angle in radians.
  public static func sine(_ angle: Double) -> Double {
    let (rest, quarter) = reduced(angle)
    switch quarter {
    case 0: return series(rest, odd: true)
    case 1: return series(rest, odd: false)
    case 2: return -series(rest, odd: true)
    default: return -series(rest, odd: false)
    }
  }

  /// The cosine of an angle in radians.
  public static func cosine(_ angle: Double) -> Double {
    let (rest, quarter) = reduced(angle)
    switch quarter {
    case 0: return series(rest, odd: false)
    case 1: return -series(rest, odd: true)
    case 2: return -series(rest, odd: false)
    default: return series(rest, odd: true)
    }
  }

  /// The angle whose cosine and sine are as x to y; from -pi to pi, 0 for (0, 0).
  public static func of(x: Double, y: Double) -> Double {
    let length = (x * x + y * y).squareRoot()
    guard length > 0, length.isFinite else { return 0 }
    var angle = abs(x) >= abs(y) ? (x > 0 ? 0 : (y < 0 ? -Double.pi : .pi)) : (y > 0 ? .pi / 2 : -.pi / 2)
    // For a small missing angle the sine is nearly the angle, so that each step cubes the error.
    for _ in 0..<6 { angle += (y * cosine(angle) - x * sine(angle)) / length }
    return angle
  }

  /// The rest to the nearest quarter turn, and which quarter that is.
  private static func reduced(_ angle: Double) -> (rest: Double, quarter: Int) {
    guard angle.isFinite else { return (0, 0) }
    let turned = angle.remainder(dividingBy: 2 * .pi)
    let quarters = (turned / (.pi / 2)).rounded()
    return (turned - quarters * (.pi / 2), (Int(quarters) + 4) % 4)
  }

  private static func series(_ x: Double, odd: Bool) -> Double {
    var term = odd ? x : 1
    var sum = term
    for index in 1..<terms {
      let place = Double(2 * index + (odd ? 1 : 0))
      term *= -x * x / (place * (place - 1))
      sum += term
    }
    return sum
  }
}
