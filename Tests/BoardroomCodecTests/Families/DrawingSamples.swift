import BoardroomCodec
import BoardroomModel
import EventLogModel

// The family `drawing`: random valid values, and bodies that it does not have.

extension Chance {
  mutating func drawingEvent(_ kind: EventKind) -> Event? {
    switch kind {
    case .stroke: .drawing(.stroke(segment()))
    case .pointer: .drawing(.pointer(pointer()))
    case .camera: .drawing(.camera(camera()))
    default: nil
    }
  }

  mutating func drawingCommand(_ kind: EventKind) -> Command? {
    switch kind {
    case .stroke: .drawing(.stroke(segment()))
    case .pointer: .drawing(.pointer(pointer()))
    case .camera: .drawing(.camera(camera()))
    default: nil
    }
  }

  mutating func style(scene: SceneID? = nil) -> StrokeStyle {
    let next = self.scene()
    return StrokeStyle(
      scene: scene ?? next, unit: Int8(upTo(31) - 16), tool: pick(StrokeTool.allCases),
      colour: Colour(red: UInt8(upTo(255)), green: UInt8(upTo(255)), blue: UInt8(upTo(255))),
      opacity: UInt8(upTo(255)), width: UInt16(number(upTo: FieldRanges.width)))
  }

  mutating func steps(begins: Bool, most: Int = 9, hasPressure: Bool? = nil) -> PointSteps {
    let count = upTo(most)
    let withPressure = hasPressure ?? coin()
    var pressures: [Int64] = []
    // A segment that does not begin its stroke counts from a pressure that it does not show.
    var last: Int64 = begins ? 0 : Int64(upTo(1_023))
    for _ in 0..<count {
      let pressure = Int64(upTo(1_023))
      pressures.append(pressure - last)
      last = pressure
    }
    return PointSteps(
      x: (0..<count).map { _ in signed(within: FieldRanges.coordinate) },
      y: (0..<count).map { _ in signed(within: FieldRanges.coordinate) },
      time: (0..<count).map { _ in number(upTo: FieldRanges.timeStep) },
      pressure: withPressure ? pressures : nil)
  }

  mutating func segment() -> StrokeSegment {
    let begin = coin() ? style() : nil
    return StrokeSegment(
      number: number(upTo: FieldRanges.exactInteger), begin: begin, ends: coin(),
      points: EncodedPoints(steps(begins: begin != nil)))
  }

  mutating func pointer() -> PointerMove {
    PointerMove(
      scene: scene(), unit: Int8(upTo(31) - 16), x: signed(within: FieldRanges.coordinate),
      y: signed(within: FieldRanges.coordinate))
  }

  mutating func camera() -> Camera {
    Camera(
      unit: Int8(upTo(31) - 16), x: signed(within: FieldRanges.coordinate),
      y: signed(within: FieldRanges.coordinate), scale: 1 + number(upTo: FieldRanges.scale - 1))
  }
}

extension BadInput {
  static let drawing: [BadInput] = [
    .command("a stroke that ends in its number", 1, [0x80], .wire(.truncated(at: 1))),
    .command("a stroke flag that does not exist", 1, [0, 8, 0], .wire(.badField("stroke flags", at: 1))),
    .command("a unit beyond 15", 1, [0, 5, 1, 16, 0, 0, 0, 0, 255, 4, 0], .wire(.badField("unit", at: 3))),
    .command(
      "a tool that does not exist", 1, [0, 5, 1, 0, 3, 0, 0, 0, 255, 4, 0], .wire(.badField("tool", at: 4))),
    .command(
      "a width over 65,535", 1, [0, 5, 1, 0, 0, 0, 0, 0, 255, 0x80, 0x80, 4, 0],
      .wire(.badField("width", at: 9))),
    .command("4,097 points", 1, [0, 4, 0x81, 0x20], .wire(.badField("point count", at: 2))),
    .command("fewer points than counted", 1, [0, 4, 2, 1, 1, 1, 1, 8], .wire(.truncated(at: 8))),
    .command("more points than counted", 1, [0, 4, 1, 1, 1, 8, 8], .wire(.trailingBytes(at: 6))),
    .command("an overlong coordinate", 1, [0, 4, 1, 0x81, 0, 1, 8], .wire(.overlongInteger(at: 4))),
    .command(
      "a pressure over 1,023", 1, [0, 0, 1, 0, 0, 8, 0x80, 0x10], .wire(.badField("pressure", at: 6))),
    .command(
      "a pressure below 0 where the stroke begins", 1, [0, 1, 1, 0, 0, 0, 0, 0, 255, 4, 1, 0, 0, 8, 1],
      .wire(.badField("pressure", at: 14))),
    .command(
      "pressures that no start can keep within 1,023", 1, [0, 0, 2, 0, 0, 0, 0, 8, 8, 0xfe, 0x0f, 2],
      .wire(.badField("pressure", at: 11))),
    .command(
      "a coordinate over 2^40", 2, [1, 0, 0x82, 0x80, 0x80, 0x80, 0x80, 0x40, 0], .wire(.badField("x", at: 2))
    ),
    .command("a pointer cut off", 2, [1, 0, 2], .wire(.truncated(at: 3))),
    .command("a camera of scale 0", 3, [0, 0, 0, 0], .wire(.badField("scale", at: 3))),
    .command(
      "a stroke over its limit", 1, Array(repeating: 0, count: 65),
      .tooLarge(what: "stroke", actual: 65, allowed: 64), .tooLarge),
    .body(
      "a stroke whose arrays differ in length", "stroke",
      "{\"stroke\":1,\"end\":true,\"dx\":[1,2],\"dy\":[1],\"dt\":[1]}",
      bad("stroke.dx", "must have as many numbers as dy, dt and dp")),
    .body(
      "a coordinate with a fraction", "pointer", "{\"scene\":1,\"unit\":0,\"x\":1.5,\"y\":0}",
      bad("pointer.x", "must be a whole number from -1099511627776 to 1099511627776")),
  ]
}
