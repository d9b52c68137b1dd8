import BoardroomCodec
import BoardroomModel
import EventLogModel
import Testing

/// The shapes that a store packs bodies by are those that the codec writes.
@Suite struct BodyShapeTests {
  /// Reads a body as its shape says, in the plainest way.
  private struct Reading {
    var reader: ByteReader
    var flags: UInt8 = 0
    var count: UInt64 = 0
    var leads = 0

    init(_ bytes: UnsafeRawBufferPointer) { reader = ByteReader(bytes) }

    mutating func read(_ fields: [BodyShape.ShapeField]) throws(WireError) {
      for field in fields {
        switch field {
        case .unsigned: _ = try reader.varint()
        case .signed: _ = try reader.zigzag()
        case .byte: _ = try reader.byte()
        case .flags: flags = try reader.byte()
        case .count: count = try reader.varint()
        case .many(_, _, _, let mask):
          if count > 0, flags & mask != 0 { leads += 1 }
          for _ in 0..<count { _ = try reader.varint() }
        case .when(let mask, let bits, let inner): if flags & mask == bits { try read(inner) }
        case .rest: _ = try reader.readBytes(reader.remaining)
        }
      }
    }
  }

  /// How many arrays began with a first point; throws unless the body is exactly of its kind's shape.
  @discardableResult
  private func read(_ event: Event, counter: CommandCounter = 300) throws -> Int {
    let body = EventCodec.encodeBody(event, counter: counter)
    let shape = try #require(BodyShapes.all[event.kind])
    return try body.withUnsafeBytes { bytes in
      var reading = Reading(bytes)
      try reading.read(shape.fields)
      try reading.reader.expectEnd()
      return reading.leads
    }
  }

  private func stroke(count: Int, begins: Bool, ends: Bool, hasPressure: Bool) -> Event {
    var bytes: [UInt8] = [hasPressure ? 0 : 4]
    bytes.appendVarint(UInt64(count))
    for channel in 0..<(hasPressure ? 4 : 3) {
      for place in 0..<count {
        if channel == 2 {
          bytes.appendVarint(UInt64(place * 200))
        } else {
          bytes.appendZigzag(Int64(-70 * place))
        }
      }
    }
    let style = StrokeStyle(
      scene: 400, unit: -3, tool: .pencil, colour: Colour(red: 1, green: 2, blue: 255), width: 900)
    return .drawing(
      .stroke(
        StrokeSegment(
          number: 1_000_000, begin: begins ? style : nil, ends: ends,
          points: EncodedPoints(count: count, bytes: bytes[...]))))
  }

  @Test("LOG-31: strokes of every form, pointers and cameras are of the shapes that the store packs them by")
  func hot() throws {
    for count in [1, 2, 40] {
      for flags in 0..<8 {
        let (begins, hasPressure) = (flags & 1 != 0, flags & 4 == 0)
        let event = stroke(count: count, begins: begins, ends: flags & 2 != 0, hasPressure: hasPressure)
        #expect(try read(event) == (begins ? hasPressure ? 4 : 3 : 0))
      }
    }
    try read(.drawing(.pointer(PointerMove(scene: 700, unit: -3, x: -90_000, y: 5))))
    try read(.drawing(.camera(Camera(unit: 2, x: 1 << 40, y: -1, scale: 65_536))))
  }

  @Test("LOG-31: every kind has a shape, a counter and text if no other, unknown kinds too")
  func others() throws {
    #expect(BodyShapes.all.count == 256)
    try read(.scenes(.switched(7)))
    try read(.unknown(kind: 250, payload: []), counter: 0)
    try read(.unknown(kind: 251, payload: [0, 255, 128]), counter: .max)
  }
}
