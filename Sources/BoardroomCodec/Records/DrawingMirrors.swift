import BoardroomModel
import EventLogModel

// The JSON form of the payloads of the family `drawing`, both ways.

extension StrokeTool {
  /// The name in the mirror: the case's own.
  var name: String {
    switch self {
    case .pencil: "pencil"
    case .highlighter: "highlighter"
    case .laser: "laser"
    }
  }

  init?(name: String) {
    guard let tool = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = tool
  }
}

extension JSONWriter {
  /// Writes nothing if it throws.
  mutating func drawing(_ act: DrawingAct) throws(CodecError) {
    switch act {
    case .stroke(let segment): try stroke(segment)
    case .pointer(let move): pointer(move)
    case .camera(let camera): self.camera(camera)
    }
  }

  mutating func stroke(_ segment: StrokeSegment) throws(CodecError) {
    let steps = try segment.points.steps()
    object { writer in
      writer.field("stroke", segment.number)
      if let style = segment.begin { writer.style("begin", style) }
      writer.field("end", segment.ends)
      writer.steps(steps)
    }
  }

  mutating func style(_ name: String, _ style: StrokeStyle) {
    field(name) { writer in
      writer.field("scene", style.scene)
      writer.field("unit", style.unit)
      writer.field("tool", style.tool.name)
      writer.list("colour", [style.colour.red, style.colour.green, style.colour.blue]) {
        $0.value(UInt64($1))
      }
      writer.field("opacity", style.opacity)
      writer.field("width", style.width)
    }
  }

  mutating func steps(_ steps: PointSteps) {
    list("dx", steps.x) { $0.value($1) }
    list("dy", steps.y) { $0.value($1) }
    list("dt", steps.time) { $0.value($1) }
    if let pressure = steps.pressure { list("dp", pressure) { $0.value($1) } }
  }

  mutating func pointer(_ move: PointerMove) {
    object { writer in
      writer.field("scene", move.scene)
      writer.field("unit", move.unit)
      writer.field("x", move.x)
      writer.field("y", move.y)
    }
  }

  mutating func camera(_ camera: Camera) {
    object { writer in
      writer.field("unit", camera.unit)
      writer.field("x", camera.x)
      writer.field("y", camera.y)
      writer.field("scale", camera.scale)
    }
  }
}

extension JSONFields {
  func drawing(_ kind: EventKind) throws(CodecError) -> DrawingAct {
    switch kind {
    case .stroke: .stroke(try stroke())
    case .pointer: .pointer(try pointer())
    case .camera: .camera(try camera())
    default: throw .unknownKind(kind.rawValue)
    }
  }

  private var coordinates: ClosedRange<Int64> { -FieldRanges.coordinate...FieldRanges.coordinate }

  func stroke() throws(CodecError) -> StrokeSegment {
    let style = has("begin") ? try fields("begin").strokeStyle() : nil
    return StrokeSegment(
      number: try number("stroke", upTo: FieldRanges.exactInteger), begin: style, ends: try bool("end"),
      points: EncodedPoints(try steps()))
  }

  func strokeStyle() throws(CodecError) -> StrokeStyle {
    guard let tool = StrokeTool(name: try string("tool")) else {
      throw error("tool", "must be pencil, highlighter or laser")
    }
    return StrokeStyle(
      scene: try scene("scene"), unit: try unit(), tool: tool, colour: try colour(),
      opacity: UInt8(try number("opacity", upTo: 255)),
      width: UInt16(try number("width", upTo: FieldRanges.width)))
  }

  private func unit() throws(CodecError) -> Int8 { Int8(try signed("unit", in: FieldRanges.unit)) }

  private func colour() throws(CodecError) -> Colour {
    var parts: [UInt8] = []
    for item in try array("colour") {
      guard let part = item.unsigned, part <= 255 else { throw badColour }
      parts.append(UInt8(part))
    }
    guard parts.count == 3 else { throw badColour }
    return Colour(red: parts[0], green: parts[1], blue: parts[2])
  }

  private var badColour: CodecError { error("colour", "must be three numbers from 0 to 255") }

  /// The arrays of points; their ranges but not yet the pressures' sums are checked.
  func steps() throws(CodecError) -> PointSteps {
    let steps = PointSteps(
      x: try differences("dx", in: coordinates), y: try differences("dy", in: coordinates),
      time: try times(), pressure: try pressures())
    guard steps.count <= Int(FieldRanges.points) else {
      throw .tooLarge(what: "point count", actual: steps.count, allowed: Int(FieldRanges.points))
    }
    guard steps.y.count == steps.count, steps.time.count == steps.count,
      steps.pressure.map({ $0.count == steps.count }) ?? true
    else { throw error("dx", "must have as many numbers as dy, dt and dp") }
    return steps
  }

  private func differences(
    _ key: String, in range: ClosedRange<Int64>
  ) throws(CodecError) -> [Int64] {
    var values: [Int64] = []
    for item in try array(key) {
      guard let value = item.signed, range.contains(value) else {
        throw error(key, "must hold whole numbers from \(range.lowerBound) to \(range.upperBound)")
      }
      values.append(value)
    }
    return values
  }

  private func times() throws(CodecError) -> [UInt64] {
    try differences("dt", in: 0...Int64(FieldRanges.timeStep)).map { UInt64($0) }
  }

  private func pressures() throws(CodecError) -> [Int64]? {
    try has("dp") ? differences("dp", in: -FieldRanges.pressure...FieldRanges.pressure) : nil
  }

  func pointer() throws(CodecError) -> PointerMove {
    PointerMove(
      scene: try scene("scene"), unit: try unit(), x: try signed("x", in: coordinates),
      y: try signed("y", in: coordinates))
  }

  func camera() throws(CodecError) -> Camera {
    let scale = try number("scale", upTo: FieldRanges.scale)
    guard scale > 0 else { throw error("scale", "must not be zero") }
    return Camera(
      unit: try unit(), x: try signed("x", in: coordinates), y: try signed("y", in: coordinates),
      scale: scale)
  }
}
