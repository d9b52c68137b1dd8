import BoardroomModel
import EventLogModel

/// One sample of a pen.
public struct WhitePoint: Sendable, Hashable {
  /// In pixels of the board.
  public var x: Double
  /// The vertical place, in pixels of the board; it grows downwards.
  public var y: Double
  /// Since the pen went down.
  public var time: Duration
  /// 0 to 1; nil where the device does not tell.
  public var pressure: Double?

  /// Makes a point. `time` counts from the beginning of the stroke. `pressure` is 0 to 1; nil: the pen has none.
  public init(x: Double, y: Double, time: Duration = .zero, pressure: Double? = nil) {
    self.x = x
    self.y = y
    self.time = time
    self.pressure = pressure
  }
}

/// What a stroke looks like.
public struct WhitePen: Sendable, Hashable {
  /// The kind of pen.
  public var tool: StrokeTool
  /// The colour of the stroke.
  public var colour: Colour
  /// 0 clear to 1 opaque.
  public var opacity: Double
  /// In pixels.
  public var width: Double
  /// Points are kept in units of 2^unit pixels; -4, sixteenths, suits a zoom of 1.
  public var unit: Int8

  /// Makes a style with the pen's usual values where nothing is given.
  public init(
    tool: StrokeTool = .pencil, colour: Colour = Colour(red: 0, green: 0, blue: 0), opacity: Double = 1,
    width: Double = 4, unit: Int8 = -4
  ) {
    self.tool = tool
    self.colour = colour
    self.opacity = opacity
    self.width = width
    self.unit = unit
  }

  func style(on scene: SceneID) -> StrokeStyle {
    StrokeStyle(
      scene: scene, unit: min(max(unit, -16), 15), tool: tool, colour: colour,
      opacity: UInt8(min(max(opacity * 255, 0), 255).clamped),
      width: UInt16(min(max(width * 4, 0), 65_535).clamped))
  }
}

/// Turns the points of one stroke into segments: each value as its difference to the one before
/// (docs/PROTOCOL.md, section 6).
struct StrokeEncoder {
  /// Points in one segment. 512: at most 28 bytes each, so that any segment is below the limit of 32 KiB.
  static let segmentLimit = 512
  private static let noPressure: UInt8 = 4
  private static let fullPressure = 1_023.0

  let unit: Int8
  private var x: Int64 = 0
  private var y: Int64 = 0
  private var time: Int64 = 0
  private var pressure: Int64 = 0

  init(unit: Int8) { self.unit = unit }

  mutating func encode(_ points: ArraySlice<WhitePoint>) -> EncodedPoints {
    let hasPressure = points.allSatisfy { $0.pressure != nil }
    var bytes: [UInt8] = [hasPressure ? 0 : Self.noPressure]
    bytes.reserveCapacity(4 + points.count * 5)
    bytes.appendVarint(UInt64(points.count))
    for point in points { bytes.appendZigzag(Self.step(&x, to: point.x.units(unit))) }
    for point in points { bytes.appendZigzag(Self.step(&y, to: point.y.units(unit))) }
    for point in points {
      let later = max(time, point.time.wholeMilliseconds)
      bytes.appendVarint(UInt64(Self.step(&time, to: later)))
    }
    if hasPressure {
      for point in points {
        let value = (min(max(point.pressure ?? 0, 0), 1) * Self.fullPressure).clamped
        bytes.appendZigzag(Self.step(&pressure, to: value))
      }
    }
    return EncodedPoints(count: points.count, bytes: bytes[...])
  }

  private static func step(_ value: inout Int64, to next: Int64) -> Int64 {
    defer { value = next }
    return next - value
  }
}
