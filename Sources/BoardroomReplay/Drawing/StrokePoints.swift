import BoardroomModel
import EventLogModel

/// One point of a stroke, in pixels of the scene.
public struct StrokePoint: Hashable, Sendable {
  public var x: Double
  public var y: Double
  /// Milliseconds since the first point's own time.
  public var time: Int64
  /// 0 to 1; nil where the pen told none.
  public var pressure: Double?
}

extension StrokeContent {
  /// The points of all segments, unpacked. Segments are checked before they enter a log; where bytes are
  /// none the less not as described, the points before them are given.
  public func unpackedPoints() -> [StrokePoint] {
    var points: [StrokePoint] = []
    points.reserveCapacity(pointCount)
    segments.withUnsafeBytes { bytes in
      var unpacker = PointUnpacker(bytes: bytes, unit: style.unit)
      while let segment = unpacker.next() { points += segment }
    }
    return points
  }
}

/// Walks the segments of one stroke; each counts on from the last point of the one before.
private struct PointUnpacker {
  private static let noPressure: UInt8 = 4
  private var reader: ByteReader
  private let scale: Double
  private var (x, y, time, pressure): (Int64, Int64, Int64, Int64) = (0, 0, 0, 0)

  init(bytes: UnsafeRawBufferPointer, unit: Int8) {
    reader = ByteReader(bytes)
    scale = Double(sign: .plus, exponent: Int(unit), significand: 1)
  }

  mutating func next() -> [StrokePoint]? {
    guard !reader.isAtEnd else { return nil }
    return try? segment()
  }

  private mutating func segment() throws(WireError) -> [StrokePoint] {
    let flags = try reader.byte()
    let count = try reader.count("points", limit: reader.remaining)
    var points: [StrokePoint] = []
    for _ in 0..<count {
      x &+= try reader.zigzag()
      points.append(StrokePoint(x: Double(x) * scale, y: 0, time: 0, pressure: nil))
    }
    for index in 0..<count {
      y &+= try reader.zigzag()
      points[index].y = Double(y) * scale
    }
    for index in 0..<count {
      time &+= Int64(bitPattern: try reader.varint())
      points[index].time = time
    }
    guard flags & Self.noPressure == 0 else { return points }
    for index in 0..<count {
      pressure &+= try reader.zigzag()
      points[index].pressure = Double(pressure) / 1_023
    }
    return points
  }
}
