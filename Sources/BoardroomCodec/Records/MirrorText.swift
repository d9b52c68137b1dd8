import BoardroomModel
import EventLogModel

// Many lines of the mirror at once, for exports. The three kinds that are nearly all of a log are written from their
// bytes without anything between; every other kind goes through `RecordMirror.line`. Same bytes either way.

extension RecordMirror {
  /// JSONL of a whole run: each record's line with its newline, those alone that `isWanted` names by their place in
  /// the run; nil for all of them.
  ///
  /// - Returns: the text, and how many lines it has.
  public static func text(of run: Run, isWanted: ((Int) -> Bool)? = nil) -> (text: [UInt8], lines: Int) {
    var lines = 0
    var place = 0
    let bound = run.records.count * MirrorText.bytesPerByte + run.count * MirrorText.bytesPerRecord
    let text = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
      var text = MirrorText(buffer)
      run.forEach { view, bytes in
        defer { place += 1 }
        guard isWanted?(place) ?? true else { return }
        text.line(of: view, UnsafeRawBufferPointer(rebasing: bytes[view.body]), in: run.records)
        lines += 1
      }
      count = text.count
    }
    return (text, lines)
  }

  /// The names of kinds as the mirror has them, by number.
  static let nameBytes: [[UInt8]] = (0...UInt8.max).map { number in
    EventKind(rawValue: number).map { Array($0.name.utf8) } ?? []
  }
}

/// Appends lines to memory that is large enough for all of them.
private struct MirrorText {
  /// A byte of a record is at most so many of text: `-64,` for a number of one byte, fewer for longer ones and base64.
  static let bytesPerByte = 4
  /// What stands around a body: keys, punctuation, and at most 20 digits for each of five numbers.
  static let bytesPerRecord = 320

  private let buffer: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0

  init(_ buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

  mutating func line(of view: RecordView, _ body: UnsafeRawBufferPointer, in records: [UInt8]) {
    let begin = count
    if !hotLine(of: view, body) {
      count = begin
      append(RecordMirror.line(of: view, in: records))
    }
    append(UInt8(ascii: "\n"))
  }

  /// False where the record is not of a hot kind, or not what its kind describes; what was written is void then.
  private mutating func hotLine(of view: RecordView, _ body: UnsafeRawBufferPointer) -> Bool {
    guard let kind = EventKind(rawValue: view.kind), kind.hasBinaryBody else { return false }
    var reader = ByteReader(body)
    do throws(CodecError) {
      head(of: view, counter: try reader.number("counter"))
      switch kind {
      case .stroke: try stroke(&reader)
      case .pointer: try pointer(&reader)
      case .camera: try camera(&reader)
      default: return false
      }
      try reader.end()
    } catch { return false }
    text("}")
    return true
  }

  private mutating func head(of view: RecordView, counter: CommandCounter) {
    text("{\"rev\":")
    decimal(view.revision.rawValue)
    text(",\"t\":")
    signed(view.time.milliseconds)
    text(",\"by\":")
    if view.actor == 0 { text("null") } else { decimal(view.actor - 1) }
    text(",\"n\":")
    decimal(counter)
    text(",\"kind\":\"")
    append(RecordMirror.nameBytes[Int(view.kind)])
    text("\",\"body\":")
  }

  // MARK: Bodies

  private mutating func stroke(_ reader: inout ByteReader) throws(CodecError) {
    text("{\"stroke\":")
    decimal(try reader.number("stroke number", upTo: FieldRanges.exactInteger))
    let at = reader.position
    let flags = try reader.octet()
    guard flags & ~StrokeFlags.all == 0 else { throw .wire(.badField("stroke flags", at: at)) }
    let begins = flags & StrokeFlags.begins != 0
    if begins { style(try reader.strokeStyle(scene: try reader.scene())) }
    text(flags & StrokeFlags.ends != 0 ? ",\"end\":true" : ",\"end\":false")
    let hasPressure = flags & StrokeFlags.noPressure == 0
    var points = reader
    let count = try PointCheck.run(&reader, hasPressure: hasPressure, begins: begins)
    // Checked just now: what follows are `count` numbers of each.
    _ = try points.number("point count")
    try differences(",\"dx\":[", &points, count)
    try differences(",\"dy\":[", &points, count)
    text(",\"dt\":[")
    for place in 0..<count {
      if place > 0 { append(UInt8(ascii: ",")) }
      decimal(try points.number("time step"))
    }
    append(UInt8(ascii: "]"))
    if hasPressure { try differences(",\"dp\":[", &points, count) }
    append(UInt8(ascii: "}"))
  }

  private mutating func differences(
    _ key: StaticString, _ points: inout ByteReader, _ count: Int
  ) throws(CodecError) {
    text(key)
    for place in 0..<count {
      if place > 0 { append(UInt8(ascii: ",")) }
      signed(unzigzag(try points.number("difference")))
    }
    append(UInt8(ascii: "]"))
  }

  private mutating func style(_ style: StrokeStyle) {
    text(",\"begin\":{\"scene\":")
    decimal(UInt64(style.scene))
    text(",\"unit\":")
    signed(Int64(style.unit))
    text(",\"tool\":\"")
    switch style.tool {
    case .pencil: text("pencil")
    case .highlighter: text("highlighter")
    case .laser: text("laser")
    }
    text("\",\"colour\":[")
    decimal(UInt64(style.colour.red))
    append(UInt8(ascii: ","))
    decimal(UInt64(style.colour.green))
    append(UInt8(ascii: ","))
    decimal(UInt64(style.colour.blue))
    text("],\"opacity\":")
    decimal(UInt64(style.opacity))
    text(",\"width\":")
    decimal(UInt64(style.width))
    append(UInt8(ascii: "}"))
  }

  private mutating func pointer(_ reader: inout ByteReader) throws(CodecError) {
    text("{\"scene\":")
    decimal(UInt64(try reader.scene()))
    text(",\"unit\":")
    signed(Int64(try reader.unit()))
    try place(&reader)
    append(UInt8(ascii: "}"))
  }

  private mutating func camera(_ reader: inout ByteReader) throws(CodecError) {
    text("{\"unit\":")
    signed(Int64(try reader.unit()))
    try place(&reader)
    text(",\"scale\":")
    let at = reader.position
    let scale = try reader.number("scale", upTo: FieldRanges.scale)
    guard scale > 0 else { throw .wire(.badField("scale", at: at)) }
    decimal(scale)
    append(UInt8(ascii: "}"))
  }

  private mutating func place(_ reader: inout ByteReader) throws(CodecError) {
    text(",\"x\":")
    signed(try reader.signed("x", within: FieldRanges.coordinate))
    text(",\"y\":")
    signed(try reader.signed("y", within: FieldRanges.coordinate))
  }

  // MARK: Bytes

  private mutating func append(_ byte: UInt8) {
    buffer[count] = byte
    count += 1
  }

  private mutating func append(_ bytes: [UInt8]) {
    precondition(buffer.count - count > bytes.count, "a line of the mirror is longer than its bound")
    bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rest).copyMemory(from: $0) }
    count += bytes.count
  }

  private mutating func text(_ text: StaticString) {
    let bytes = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    UnsafeMutableRawBufferPointer(rest).copyMemory(from: bytes)
    count += bytes.count
  }

  private var rest: UnsafeMutableBufferPointer<UInt8> {
    UnsafeMutableBufferPointer(rebasing: buffer[count...])
  }

  private mutating func signed(_ value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    decimal(value.magnitude)
  }

  private mutating func decimal(_ value: UInt64) {
    guard value >= 10 else { return append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value)) }
    var digits = 1
    var bound: UInt64 = 10
    while digits < 20, value >= bound {
      digits += 1
      // Past the twentieth digit it is not looked at any more.
      bound = bound &* 10
    }
    count += digits
    var at = count
    var rest = value
    while rest > 0 {
      at -= 1
      let next = rest / 10
      buffer[at] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest - next * 10)
      rest = next
    }
  }
}
