import BoardroomModel
import EventLogModel

// The payloads of the family `drawing`, both ways: binary. Layouts in docs/PROTOCOL.md, section 6:
//
//   stroke  = uv number | u8 flags | style if it begins | uv n | zz x[n] | zz y[n] | uv t[n] | zz p[n]
//   style   = uv scene | i8 unit | u8 tool | u8 red, green, blue | u8 opacity | uv width
//   pointer = uv scene | i8 unit | zz x | zz y
//   camera  = i8 unit | zz x | zz y | uv scale

extension DrawingAct {
  init(kind: EventKind, payload: ArraySlice<UInt8>) throws(CodecError) {
    switch kind {
    case .stroke: self = .stroke(try StrokeSegment(payload: payload))
    case .pointer: self = .pointer(try PointerMove(payload: payload))
    case .camera: self = .camera(try Camera(payload: payload))
    default: throw .unknownKind(kind.rawValue)
    }
  }
}

enum StrokeFlags {
  static let begins: UInt8 = 1
  static let ends: UInt8 = 2
  static let noPressure: UInt8 = 4
  static let all: UInt8 = 7

  /// The flags that stand before a segment's points wherever they are kept: 4 or 0.
  static func hasPressure(ofPoints reader: inout ByteReader) throws(CodecError) -> Bool {
    let at = reader.position
    let flags = try reader.octet()
    guard flags & ~noPressure == 0 else { throw .wire(.badField("point flags", at: at)) }
    return flags == 0
  }
}

extension ByteReader {
  mutating func unit() throws(CodecError) -> Int8 {
    let at = position
    let unit = Int8(bitPattern: try octet())
    guard FieldRanges.unit.contains(Int64(unit)) else { throw .wire(.badField("unit", at: at)) }
    return unit
  }

  mutating func scene() throws(CodecError) -> SceneID {
    SceneID(try number("scene", upTo: UInt64(SceneID.max)))
  }

  /// What follows the scene in a stroke's style.
  mutating func strokeStyle(scene: SceneID) throws(CodecError) -> StrokeStyle {
    let unit = try unit()
    let at = position
    guard let tool = StrokeTool(rawValue: try octet()) else { throw .wire(.badField("tool", at: at)) }
    let colour = Colour(red: try octet(), green: try octet(), blue: try octet())
    let opacity = try octet()
    return StrokeStyle(
      scene: scene, unit: unit, tool: tool, colour: colour, opacity: opacity,
      width: UInt16(try number("width", upTo: FieldRanges.width)))
  }
}

extension [UInt8] {
  mutating func appendDrawing(_ act: DrawingAct) {
    switch act {
    case .stroke(let segment): appendStroke(segment)
    case .pointer(let move): appendPointer(move)
    case .camera(let camera): appendCamera(camera)
    }
  }

  /// What follows the scene in a stroke's style.
  mutating func appendStrokeStyle(_ style: StrokeStyle) {
    append(UInt8(bitPattern: style.unit))
    append(style.tool.rawValue)
    append(style.colour.red)
    append(style.colour.green)
    append(style.colour.blue)
    append(style.opacity)
    appendVarint(UInt64(style.width))
  }

  private mutating func appendStroke(_ segment: StrokeSegment) {
    appendVarint(segment.number)
    var flags = segment.points.bytes.first ?? StrokeFlags.noPressure
    if segment.begin != nil { flags |= StrokeFlags.begins }
    if segment.ends { flags |= StrokeFlags.ends }
    append(flags)
    if let style = segment.begin {
      appendVarint(UInt64(style.scene))
      appendStrokeStyle(style)
    }
    append(contentsOf: segment.points.bytes.dropFirst())
  }

  private mutating func appendPointer(_ move: PointerMove) {
    appendVarint(UInt64(move.scene))
    append(UInt8(bitPattern: move.unit))
    appendZigzag(move.x)
    appendZigzag(move.y)
  }

  private mutating func appendCamera(_ camera: Camera) {
    append(UInt8(bitPattern: camera.unit))
    appendZigzag(camera.x)
    appendZigzag(camera.y)
    appendVarint(camera.scale)
  }
}

extension StrokeSegment {
  /// A stroke's payload. The points stay where they are, unless the segment begins or ends its stroke: then
  /// their flags are not what stands before them, and they are copied once.
  init(payload: ArraySlice<UInt8>) throws(CodecError) {
    let base = payload.startIndex
    self = try payload.reading { (reader) throws(CodecError) in
      let number = try reader.number("stroke number", upTo: FieldRanges.exactInteger)
      let flagsAt = reader.position
      let flags = try reader.octet()
      guard flags & ~StrokeFlags.all == 0 else { throw .wire(.badField("stroke flags", at: flagsAt)) }
      let begins = flags & StrokeFlags.begins != 0
      let style = begins ? try reader.strokeStyle(scene: try reader.scene()) : nil
      let pointsAt = reader.position
      let count = try PointCheck.run(
        &reader, hasPressure: flags & StrokeFlags.noPressure == 0, begins: begins)
      try reader.end()
      let bytes =
        flags & ~StrokeFlags.noPressure == 0
        ? payload[(base + flagsAt)...]
        : Self.points(payload[(base + pointsAt)...], flags: flags & StrokeFlags.noPressure)
      return StrokeSegment(
        number: number, begin: style, ends: flags & StrokeFlags.ends != 0,
        points: EncodedPoints(count: count, bytes: bytes))
    }
  }

  private static func points(_ arrays: ArraySlice<UInt8>, flags: UInt8) -> ArraySlice<UInt8> {
    ([UInt8](unsafeUninitializedCapacity: arrays.count + 1) { buffer, count in
      buffer[0] = flags
      _ = UnsafeMutableBufferPointer(rebasing: buffer[1...]).initialize(from: arrays)
      count = arrays.count + 1
    })[...]
  }
}

extension PointerMove {
  init(payload: ArraySlice<UInt8>) throws(CodecError) {
    self = try payload.reading { (reader) throws(CodecError) in
      let move = PointerMove(
        scene: try reader.scene(), unit: try reader.unit(),
        x: try reader.signed("x", within: FieldRanges.coordinate),
        y: try reader.signed("y", within: FieldRanges.coordinate))
      try reader.end()
      return move
    }
  }
}

extension Camera {
  init(payload: ArraySlice<UInt8>) throws(CodecError) {
    self = try payload.reading { (reader) throws(CodecError) in
      let unit = try reader.unit()
      let x = try reader.signed("x", within: FieldRanges.coordinate)
      let y = try reader.signed("y", within: FieldRanges.coordinate)
      let at = reader.position
      let scale = try reader.number("scale", upTo: FieldRanges.scale)
      guard scale > 0 else { throw .wire(.badField("scale", at: at)) }
      try reader.end()
      return Camera(unit: unit, x: x, y: y, scale: scale)
    }
  }
}
