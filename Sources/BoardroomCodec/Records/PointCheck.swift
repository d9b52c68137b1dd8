import BoardroomModel
import EventLogModel

// The points of one segment: `uv n | zz x[n] | zz y[n] | uv t[n] | zz p[n]` (p not with flag 4). They are
// checked once, here, and never taken apart again until somebody draws them.

/// Walks points without building anything.
enum PointCheck {
  /// Reads from `reader` on; afterwards `reader` stands behind the points.
  static func run(
    _ reader: inout ByteReader, hasPressure: Bool, begins: Bool
  ) throws(CodecError) -> Int {
    let count = Int(try reader.number("point count", upTo: FieldRanges.points))
    guard count > 0 else { return 0 }
    for _ in 0..<count * 2 { _ = try reader.signed("coordinate", within: FieldRanges.coordinate) }
    for _ in 0..<count { _ = try reader.number("time step", upTo: FieldRanges.timeStep) }
    if hasPressure { try pressures(&reader, count: count, begins: begins) }
    return count
  }

  /// Pressures lie within 0 to 1,023. Where the stroke began before, the pressure that the differences start
  /// from is not known here, so that only their spread can be checked.
  private static func pressures(
    _ reader: inout ByteReader, count: Int, begins: Bool
  ) throws(CodecError) {
    var pressure: Int64 = 0
    var low: Int64 = 0
    var high: Int64 = 0
    for _ in 0..<count {
      let at = reader.position
      pressure += try reader.signed("pressure", within: FieldRanges.pressure)
      low = min(low, pressure)
      high = max(high, pressure)
      guard high - low <= FieldRanges.pressure, !begins || low == 0 else {
        throw .wire(.badField("pressure", at: at))
      }
    }
  }
}

/// The differences of one segment's points, as numbers; the form of the mirror.
public struct PointSteps: Sendable, Hashable {
  public var x: [Int64]
  public var y: [Int64]
  public var time: [UInt64]
  /// Nil where the device has no pressure.
  public var pressure: [Int64]?

  public init(x: [Int64], y: [Int64], time: [UInt64], pressure: [Int64]?) {
    self.x = x
    self.y = y
    self.time = time
    self.pressure = pressure
  }

  public var count: Int { x.count }
}

extension EncodedPoints {
  /// Encodes differences. All arrays must have the same length, up to `FieldRanges.points`.
  public init(_ steps: PointSteps) {
    precondition(
      steps.y.count == steps.count && steps.time.count == steps.count
        && (steps.pressure?.count ?? steps.count) == steps.count, "point arrays differ in length")
    var bytes: [UInt8] = [steps.pressure == nil ? StrokeFlags.noPressure : 0]
    bytes.reserveCapacity(2 + steps.count * 5)
    bytes.appendVarint(UInt64(steps.count))
    for step in steps.x { bytes.appendZigzag(step) }
    for step in steps.y { bytes.appendZigzag(step) }
    for step in steps.time { bytes.appendVarint(step) }
    for step in steps.pressure ?? [] { bytes.appendZigzag(step) }
    self.init(count: steps.count, bytes: bytes[...])
  }

  /// The differences of all points. Throws where `bytes` are not what this type holds.
  public func steps() throws(CodecError) -> PointSteps {
    try bytes.reading { (reader) throws(CodecError) in
      let steps = try Self.steps(&reader)
      try reader.end()
      return steps
    }
  }

  /// One segment's `u8 flags` and points, from `reader` on.
  static func steps(_ reader: inout ByteReader) throws(CodecError) -> PointSteps {
    let hasPressure = try StrokeFlags.hasPressure(ofPoints: &reader)
    let count = Int(try reader.number("point count", upTo: FieldRanges.points))
    var steps = PointSteps(x: [], y: [], time: [], pressure: hasPressure ? [] : nil)
    for _ in 0..<count { steps.x.append(try reader.signed("coordinate", within: FieldRanges.coordinate)) }
    for _ in 0..<count { steps.y.append(try reader.signed("coordinate", within: FieldRanges.coordinate)) }
    for _ in 0..<count { steps.time.append(try reader.number("time step", upTo: FieldRanges.timeStep)) }
    guard hasPressure else { return steps }
    for _ in 0..<count {
      steps.pressure?.append(try reader.signed("pressure", within: FieldRanges.pressure))
    }
    return steps
  }
}

extension StrokeContent {
  /// The segments' points, one after the other, as differences to the point before in the stroke.
  public func steps() throws(CodecError) -> [PointSteps] {
    try segments[...].reading { (reader) throws(CodecError) in
      var all: [PointSteps] = []
      while !reader.isAtEnd { all.append(try EncodedPoints.steps(&reader)) }
      return all
    }
  }
}
