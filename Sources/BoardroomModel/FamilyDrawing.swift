// The family `drawing`: strokes, pointers and cameras.

/// What members draw, where they point and what they look at: nearly all of a log. As a command and as an event it is
/// the same.
public enum DrawingAct: Sendable, Hashable {
  case stroke(StrokeSegment)
  case pointer(PointerMove)
  case camera(Camera)

  public var kind: EventKind {
    switch self {
    case .stroke: .stroke
    case .pointer: .pointer
    case .camera: .camera
    }
  }
}

/// What draws a stroke.
public enum StrokeTool: UInt8, Sendable, Hashable, CaseIterable {
  case pencil = 0
  case highlighter = 1
  case laser = 2
}

/// A colour, red, green and blue from 0 to 255.
public struct Colour: Hashable, Sendable {
  public var red: UInt8
  public var green: UInt8
  public var blue: UInt8
  public init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }
}

/// How a stroke looks and in what unit its points count; fixed when the pen goes down.
public struct StrokeStyle: Hashable, Sendable {
  public var scene: SceneID
  /// One unit of a point's coordinates is 2^unit pixels, -16 to 15. The client picks it from zoom and device.
  public var unit: Int8
  public var tool: StrokeTool
  public var colour: Colour
  /// 0 clear to 255 opaque.
  public var opacity: UInt8
  /// In quarters of a pixel, at most 65,535.
  public var width: UInt16

  public init(
    scene: SceneID, unit: Int8, tool: StrokeTool, colour: Colour, opacity: UInt8 = 255, width: UInt16
  ) {
    self.scene = scene
    self.unit = unit
    self.tool = tool
    self.colour = colour
    self.opacity = opacity
    self.width = width
  }
}

/// The points of one segment in their encoding: `u8 flags (4: no pressure) | uv n | zz x[n] | zz y[n] | uv t[n] |
/// zz p[n]`, each relative to the last point of the stroke before it (the first of a stroke: to zero).
/// Time in ms, pressure 0 to 1023. Checked by BoardroomCodec; above it nobody looks inside.
public struct EncodedPoints: Hashable, Sendable {
  public let count: Int
  public let bytes: ArraySlice<UInt8>

  @inlinable public init(count: Int, bytes: ArraySlice<UInt8>) {
    self.count = count
    self.bytes = bytes
  }
}

/// Part of a stroke: from pen down to pen up it is one element, drawn in one or many segments.
public struct StrokeSegment: Hashable, Sendable {
  /// The stroke's number among its member's elements.
  public var number: UInt64
  /// Present when the pen goes down with this segment.
  public var begin: StrokeStyle?
  /// The pen goes up after this segment.
  public var ends: Bool
  public var points: EncodedPoints

  @inlinable public init(number: UInt64, begin: StrokeStyle?, ends: Bool, points: EncodedPoints) {
    self.number = number
    self.begin = begin
    self.ends = ends
    self.points = points
  }
}

/// Where a member's pointer is. Coordinates in units of 2^unit pixels.
public struct PointerMove: Hashable, Sendable {
  public var scene: SceneID
  public var unit: Int8
  public var x: Int64
  public var y: Int64
  public init(scene: SceneID, unit: Int8, x: Int64, y: Int64) {
    self.scene = scene
    self.unit = unit
    self.x = x
    self.y = y
  }
}

/// What a member looks at: the centre in units of 2^unit pixels, and the scale in 65,536ths.
public struct Camera: Hashable, Sendable {
  public var unit: Int8
  public var x: Int64
  public var y: Int64
  /// 65,536 is scale 1. Never zero.
  public var scale: UInt64
  public init(unit: Int8, x: Int64, y: Int64, scale: UInt64) {
    self.unit = unit
    self.x = x
    self.y = y
    self.scale = scale
  }
}
