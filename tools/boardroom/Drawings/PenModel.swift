import BoardroomModel
import Foundation

/// A hand with a pen, from a seed: gives strokes with the speed, the pressure and the small unrest of a real
/// one. It slows down where the line turns (speed goes with the third root of the radius, as hands do), speeds
/// up from rest and comes to rest, presses harder where it is slow, and is sampled about sixty times a second.
struct PenModel {
  /// Pixels per second on a straight line.
  private static let speed = 620.0
  /// The radius in pixels at which a turn slows the hand to its full speed's third root of one.
  private static let calmRadius = 90.0
  /// How far unrest moves the pen, in pixels.
  private static let unrest = 0.55
  /// Points in between two given ones, so that speed can be measured along the curve.
  private static let fineness = 24

  private var chance: Chance
  private(set) var now: Int64 = 0

  init(seed: UInt64) { chance = Chance(seed: seed) }

  mutating func pause(_ milliseconds: Int64) { now += milliseconds }

  /// Draws a smooth line through the places and goes on in time.
  mutating func draw(
    _ places: [(Double, Double)], colour: Colour, width: Double, tool: StrokeTool = .pencil
  ) -> Drawing.DrawingStep {
    var stroke = PenStroke(tool: tool, colour: colour, width: width)
    stroke.points = sample(Self.curve(through: places))
    let act = Drawing.DrawingStep(at: now, what: .stroke(stroke))
    now = act.end + 90 + Int64(chance.below(160))
    return act
  }

  /// A Catmull-Rom curve: it goes through every place and turns smoothly.
  private static func curve(through places: [(Double, Double)]) -> [(Double, Double)] {
    guard places.count > 1 else { return places }
    func place(_ index: Int) -> (Double, Double) { places[min(max(index, 0), places.count - 1)] }
    var curve: [(Double, Double)] = []
    for index in 0..<places.count - 1 {
      let (a, b, c, d) = (place(index - 1), place(index), place(index + 1), place(index + 2))
      for step in 0..<fineness {
        let t = Double(step) / Double(fineness)
        curve.append((spline(a.0, b.0, c.0, d.0, t), spline(a.1, b.1, c.1, d.1, t)))
      }
    }
    return curve + [places[places.count - 1]]
  }

  private static func spline(_ a: Double, _ b: Double, _ c: Double, _ d: Double, _ t: Double) -> Double {
    let bend = (2 * a - 5 * b + 4 * c - d) * t * t
    let twist = (3 * b - a - 3 * c + d) * t * t * t
    return (2 * b + (c - a) * t + bend + twist) / 2
  }

  private mutating func sample(_ curve: [(Double, Double)]) -> [PenStroke.Point] {
    let length = Double(curve.count)
    var points: [PenStroke.Point] = []
    var (time, due) = (0.0, 0.0)
    var drift = (0.0, 0.0)
    for index in curve.indices {
      let before = curve[max(index - 1, 0)]
      let way = hypot(curve[index].0 - before.0, curve[index].1 - before.1)
      let share = Double(index) / length
      let pace = Self.pace(curve, at: index) * (0.35 + 0.65 * sin(.pi * min(max(share, 0.02), 0.98)))
      time += way / (Self.speed * pace) * 1_000
      guard time >= due || index == curve.count - 1 else { continue }
      drift.0 += 0.35 * (Self.unrest * chance.bell() - drift.0)
      drift.1 += 0.35 * (Self.unrest * chance.bell() - drift.1)
      points.append(
        PenStroke.Point(
          x: curve[index].0 + drift.0, y: curve[index].1 + drift.1, time: Int64(time.rounded()),
          pressure: pressure(share, pace)))
      due = time + 15.5 + 3 * chance.unit()
    }
    return points
  }

  /// From 0.3 in a tight turn to 1 on a straight line.
  private static func pace(_ curve: [(Double, Double)], at index: Int) -> Double {
    let reach = 6
    let (a, b) = (curve[max(index - reach, 0)], curve[index])
    let c = curve[min(index + reach, curve.count - 1)]
    let area = abs((b.0 - a.0) * (c.1 - a.1) - (c.0 - a.0) * (b.1 - a.1)) / 2
    guard area > 1e-6 else { return 1 }
    let sides = hypot(b.0 - a.0, b.1 - a.1) * hypot(c.0 - b.0, c.1 - b.1) * hypot(c.0 - a.0, c.1 - a.1)
    return min(max(cbrt(sides / (4 * area) / calmRadius), 0.3), 1)
  }

  private mutating func pressure(_ share: Double, _ pace: Double) -> Double {
    let touch = min(1, share * 9) * min(1, (1 - share) * 7 + 0.12)
    let press = (0.78 - 0.22 * pace) * touch + 0.14 + 0.025 * chance.bell()
    return min(max(press, 0.05), 1)
  }
}

/// Seeded chance (SplitMix64): the same numbers on every machine.
struct Chance {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
  mutating func below(_ bound: UInt64) -> UInt64 { next() % bound }
  mutating func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }
  /// About normal, with deviation 1.
  mutating func bell() -> Double { (0..<12).reduce(-6) { sum, _ in sum + unit() } }
}
