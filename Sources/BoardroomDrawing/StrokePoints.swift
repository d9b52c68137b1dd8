import BoardroomCodec
import BoardroomModel

/// One point of a stroke, in pixels of the scene.
public struct StrokePoint: Hashable, Sendable {
  public var x: Double
  public var y: Double
  /// Milliseconds, as the stroke's author counted them.
  public var time: UInt64
  /// From 0 to 1; nil if the pen reports none.
  public var pressure: Double?
}

extension StrokeContent {
  /// The points of all segments, in pixels. Segments are checked before they enter a log; a segment that is
  /// still not well formed gives no points.
  public func points() -> [StrokePoint] {
    guard let segments = try? steps() else { return [] }
    let scale = Double(sign: .plus, exponent: Int(style.unit), significand: 1)
    var points: [StrokePoint] = []
    points.reserveCapacity(pointCount)
    var (x, y, time, pressure): (Int64, Int64, UInt64, Int64) = (0, 0, 0, 0)
    for segment in segments {
      for index in 0..<segment.count {
        x &+= segment.x[index]
        y &+= segment.y[index]
        time &+= segment.time[index]
        pressure &+= segment.pressure?[index] ?? 0
        points.append(
          StrokePoint(
            x: Double(x) * scale, y: Double(y) * scale, time: time,
            pressure: segment.pressure == nil ? nil : Double(pressure) / 1_023))
      }
    }
    return points
  }
}
