import BoardroomModel
import EventLogModel

// Lines of the mirror as `RecordMirror.text` writes them, read without a tree of values: keys in their order, nothing
// between the tokens, numbers without signs or exponents where none are written. A line of any other form is not
// wrong: the scanner reads it, and it says what is wrong with those that are.

/// Reads one line from its first byte on. Every answer is nil where the line has another form.
struct MirrorLine {
  private let line: UnsafeBufferPointer<UInt8>
  private var at = 0

  private init(_ line: UnsafeBufferPointer<UInt8>) { self.line = line }

  /// The record of a line whose kind stands there by its name; nil where the line has another form, or its body is not
  /// what its kind describes.
  static func record(of line: UnsafeBufferPointer<UInt8>) -> (Revision, Record)? {
    var reader = MirrorLine(line)
    return reader.record()
  }

  private mutating func record() -> (Revision, Record)? {
    guard consume("{\"rev\":"), let revision = unsigned(), consume(",\"t\":"),
      let time = unsigned().flatMap({ Int64(exactly: $0) }), consume(",\"by\":"), let actor = actor(),
      consume(",\"n\":"), let counter = unsigned(), consume(",\"kind\":\""), let kind = kind(),
      consume("\",\"body\":")
    else { return nil }
    var body: [UInt8] = []
    body.reserveCapacity(kind.hasBinaryBody ? (line.count - at) / 2 + 16 : line.count - at + 9)
    body.appendVarint(counter)
    let payload = body.count
    guard read(kind, into: &body), consume("}"), at == line.count else { return nil }
    // What every reader of a log demands of a body; the ranges of numbers are among it.
    guard (try? EventCodec.event(kind: kind.rawValue, payload: body[payload...])) != nil else { return nil }
    return (
      Revision(revision),
      Record(kind: kind.rawValue, time: Timestamp(milliseconds: time), actor: actor, body: body)
    )
  }

  private mutating func actor() -> UInt64? {
    if consume("null") { return 0 }
    guard let by = unsigned(), by < .max else { return nil }
    return by + 1
  }

  private mutating func kind() -> EventKind? {
    let begin = at
    while at < line.count, line[at] != UInt8(ascii: "\"") { at += 1 }
    let name = UnsafeBufferPointer(rebasing: line[begin..<at])
    return Self.frequent.first { $0.name.elementsEqual(name) }?.kind
      ?? EventKind(named: String(decoding: name, as: UTF8.self))
  }

  /// Nearly all of a log; the others are looked up by their names.
  private static let frequent = [EventKind.stroke, .pointer, .camera].map {
    (kind: $0, name: Array($0.name.utf8))
  }

  private mutating func read(_ kind: EventKind, into body: inout [UInt8]) -> Bool {
    switch kind {
    case .stroke: return stroke(into: &body)
    case .pointer: return pointer(into: &body)
    case .camera: return camera(into: &body)
    default:
      guard !kind.hasBinaryBody, line.count - at > 1, !Self.isBlank(line[at]),
        !Self.isBlank(line[line.count - 2])
      else { return false }
      // All but the line's own brace. Whether it is one JSON value is seen by who reads the event.
      body.append(contentsOf: UnsafeBufferPointer(rebasing: line[at..<line.count - 1]))
      at = line.count - 1
      return true
    }
  }

  // MARK: Bodies

  private mutating func stroke(into body: inout [UInt8]) -> Bool {
    guard consume("{\"stroke\":"), let number = unsigned() else { return false }
    body.appendVarint(number)
    let flagsAt = body.count
    body.append(0)
    var flags: UInt8 = 0
    if consume(",\"begin\":") {
      flags |= StrokeFlags.begins
      guard style(into: &body) else { return false }
    }
    guard consume(",\"end\":") else { return false }
    if consume("true") { flags |= StrokeFlags.ends } else { guard consume("false") else { return false } }
    guard consume(",\"dx\":["), let count = count() else { return false }
    body.appendVarint(UInt64(count))
    guard differences(count, into: &body), consume(",\"dy\":["), differences(count, into: &body),
      consume(",\"dt\":["),
      times(count, into: &body)
    else { return false }
    if consume(",\"dp\":[") {
      guard differences(count, into: &body) else { return false }
    } else {
      flags |= StrokeFlags.noPressure
    }
    body[flagsAt] = flags
    return consume("}")
  }

  private mutating func style(into body: inout [UInt8]) -> Bool {
    guard consume("{\"scene\":"), let scene = unsigned(), consume(",\"unit\":"), let unit = octet(),
      consume(",\"tool\":\"")
    else { return false }
    guard let tool = Self.tools.first(where: { consume($0.name) })?.tool, consume("\",\"colour\":["),
      let red = unsigned(upTo: 255), consume(","), let green = unsigned(upTo: 255), consume(","),
      let blue = unsigned(upTo: 255), consume("],\"opacity\":"), let opacity = unsigned(upTo: 255),
      consume(",\"width\":"), let width = unsigned(), consume("}")
    else { return false }
    body.appendVarint(scene)
    body.append(unit)
    body.append(tool.rawValue)
    for part in [red, green, blue, opacity] { body.append(UInt8(truncatingIfNeeded: part)) }
    body.appendVarint(width)
    return true
  }

  private static let tools: [(tool: StrokeTool, name: StaticString)] = [
    (.pencil, "pencil"), (.highlighter, "highlighter"), (.laser, "laser"),
  ]

  private mutating func pointer(into body: inout [UInt8]) -> Bool {
    guard consume("{\"scene\":"), let scene = unsigned(), consume(",\"unit\":"), let unit = octet() else {
      return false
    }
    body.appendVarint(scene)
    body.append(unit)
    return place(into: &body) && consume("}")
  }

  private mutating func camera(into body: inout [UInt8]) -> Bool {
    guard consume("{\"unit\":"), let unit = octet() else { return false }
    body.append(unit)
    guard place(into: &body), consume(",\"scale\":"), let scale = unsigned() else { return false }
    body.appendVarint(scale)
    return consume("}")
  }

  private mutating func place(into body: inout [UInt8]) -> Bool {
    guard consume(",\"x\":"), let x = signed(), consume(",\"y\":"), let y = signed() else { return false }
    body.appendZigzag(x)
    body.appendZigzag(y)
    return true
  }

  // MARK: Points

  /// How many numbers stand from here to the end of their array.
  private func count() -> Int? {
    guard at < line.count, line[at] != UInt8(ascii: "]") else { return at < line.count ? 0 : nil }
    var count = 1
    for byte in line[at...] {
      if byte == UInt8(ascii: ",") { count += 1 } else if byte == UInt8(ascii: "]") { return count }
    }
    return nil
  }

  /// So many numbers, and the bracket after them.
  private mutating func differences(_ count: Int, into body: inout [UInt8]) -> Bool {
    for place in 0..<count {
      guard place == 0 || consume(UInt8(ascii: ",")), let value = signed() else { return false }
      body.appendZigzag(value)
    }
    return consume(UInt8(ascii: "]"))
  }

  private mutating func times(_ count: Int, into body: inout [UInt8]) -> Bool {
    for place in 0..<count {
      guard place == 0 || consume(UInt8(ascii: ",")), let value = unsigned() else { return false }
      body.appendVarint(value)
    }
    return consume(UInt8(ascii: "]"))
  }

  // MARK: Tokens

  private static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }

  private mutating func consume(_ byte: UInt8) -> Bool {
    guard at < line.count, line[at] == byte else { return false }
    at += 1
    return true
  }

  private mutating func consume(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard line.count - at >= count else { return false }
    for place in 0..<count where line[at + place] != text.utf8Start[place] { return false }
    at += count
    return true
  }

  /// Digits without a zero before them, up to the 19 that always fit.
  private mutating func unsigned(upTo limit: UInt64 = .max) -> UInt64? {
    let begin = at
    var value: UInt64 = 0
    while at < line.count, line[at] &- 0x30 < 10 {
      value = value &* 10 &+ UInt64(line[at] &- 0x30)
      at += 1
    }
    let digits = at - begin
    guard digits > 0, digits < 20, digits == 1 || line[begin] != UInt8(ascii: "0"), value <= limit else {
      return nil
    }
    return value
  }

  /// As `unsigned`, with a minus before anything but zero.
  private mutating func signed() -> Int64? {
    let isNegative = consume(UInt8(ascii: "-"))
    guard let value = unsigned().flatMap({ Int64(exactly: $0) }), !isNegative || value > 0 else { return nil }
    return isNegative ? -value : value
  }

  /// A number from -128 to 127 as its byte.
  private mutating func octet() -> UInt8? {
    signed().flatMap { Int8(exactly: $0) }.map { UInt8(bitPattern: $0) }
  }
}
