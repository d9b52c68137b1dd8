// The payload of a block of codec 3: the records of a run in columns (docs/FORMAT.md, "Columns").
//
//   payload   = uv actors | uv actor …      each that occurs, once
//               uv forms | form …
//               u8 columns | (u8 coding | uv length) …  | u8 coding | uv length: of the bytes
//               the columns' bytes, in order | the bytes' bytes
//   form      = u8 kind | uv length | steps  (ShapeSteps.swift); without steps the whole body is bytes
//
// Column 0 has each record's form, 1 its step of time, 2 its actor as an index, 3 the length of what it has in the column of
// bytes, where it has any. Column 4 + n is column n of the shapes. A record's header is not there otherwise: the length of a body is
// that of its parts. Slots (Column.swift) are indices of actors modulo 256; those of the columns 0 to 2 are 0.

import EventLogModel

/// Records in columns.
enum ColumnPayload {
  fileprivate static let shapedColumns = 4
  fileprivate static let columns = shapedColumns + BodyShape.columns

  /// Writes the records of a run as columns. A body that fits its kind's shape is taken apart by it.
  static func encode(_ run: Run, shapes: [UInt8: BodyShape]) -> [UInt8] {
    var writer = ColumnPayloadWriter(shapes: shapes, base: run.base)
    run.forEach { view, bytes in
      writer.append(view, UnsafeRawBufferPointer(rebasing: bytes[view.body]))
    }
    return writer.encoded()
  }

  /// Reads the records back: `count` records of `rawLength` bytes together.
  ///
  /// Never traps, whatever the bytes are. Takes at most sixteen times `rawLength` bytes of memory, most of it for numbers
  /// that are packed, and less than 4 MiB besides. Throws if anything does not fit, is left over or is missing.
  static func decode(
    _ payload: UnsafeRawBufferPointer, count: Int, rawLength: Int
  ) throws(WireError) -> [UInt8] {
    // A record has at least four bytes.
    guard count > 0, rawLength / 4 >= count, rawLength <= Run.maximumBytes else {
      throw .badField("records length", at: 36)
    }
    // A number of a record is at least one byte of it, and at most ten where it is unpacked.
    let memory = UnpackedMemory(room: 10 * rawLength)
    // The readers of the columns point into it.
    defer { withExtendedLifetime(memory) {} }
    var reader = try ColumnPayloadReader(payload, memory, count: count, rawLength: rawLength)
    return try reader.records()
  }
}

private struct ColumnPayloadWriter {
  private let shapes: [UInt8: BodyShape]
  /// The shapes of the kinds met so far.
  private var steps: [UInt8: ShapeSteps] = [:]
  private var columns = [ColumnWriter](repeating: ColumnWriter(), count: ColumnPayload.columns)
  private var text: [UInt8] = []
  private var actors: [UInt64: Int] = [:]
  private var actorList: [UInt64] = []
  /// By kind and whether the body is in its shape.
  private var forms: [UInt16: Int] = [:]
  private var formList: [(kind: UInt8, steps: [UInt8])] = []
  private var parts: [ShapeSteps.ColumnNumber] = []
  private var time: Timestamp

  init(shapes: [UInt8: BodyShape], base: Timestamp) {
    self.shapes = shapes
    time = base
  }

  mutating func append(_ view: RecordView, _ body: UnsafeRawBufferPointer) {
    columns[1].append(UInt64(bitPattern: view.time.milliseconds &- time.milliseconds), slot: 0)
    time = view.time
    let actor = index(of: view.actor)
    let slot = UInt8(truncatingIfNeeded: actor)
    columns[2].append(UInt64(actor), slot: 0)
    if let shape = compiled(view.kind) {
      let found = shape.split(body, into: &parts)
      if found.fits {
        columns[0].append(form(view.kind, shape), slot: 0)
        for part in parts {
          columns[ColumnPayload.shapedColumns + part.column].append(
            part.value, slot: slot, isSigned: part.isSigned)
        }
        if let rest = found.rest { append(UnsafeRawBufferPointer(rebasing: body[rest...]), slot) }
        return
      }
    }
    columns[0].append(form(view.kind, nil), slot: 0)
    append(body, slot)
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer, _ slot: UInt8) {
    columns[3].append(UInt64(bytes.count), slot: slot)
    text.append(contentsOf: bytes)
  }

  private mutating func compiled(_ kind: UInt8) -> ShapeSteps? {
    if let known = steps[kind] { return known }
    // Without a field it would be a form without steps, which is a whole body.
    guard let shape = shapes[kind], !shape.fields.isEmpty else { return nil }
    steps[kind] = ShapeSteps(shape)
    return steps[kind]
  }

  private mutating func index(of actor: UInt64) -> Int {
    if let known = actors[actor] { return known }
    actors[actor] = actorList.count
    actorList.append(actor)
    return actorList.count - 1
  }

  private mutating func form(_ kind: UInt8, _ shape: ShapeSteps?) -> UInt64 {
    let key = UInt16(kind) << 1 | (shape == nil ? 0 : 1)
    if let known = forms[key] { return UInt64(known) }
    forms[key] = formList.count
    formList.append((kind, shape?.encoded ?? []))
    return UInt64(formList.count - 1)
  }

  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendVarint(UInt64(actorList.count))
    for actor in actorList { bytes.appendVarint(actor) }
    bytes.appendVarint(UInt64(formList.count))
    for form in formList {
      bytes.append(form.kind)
      bytes.appendVarint(UInt64(form.steps.count))
      bytes += form.steps
    }
    let used = (columns.lastIndex(where: { !$0.values.isEmpty }) ?? 0) + 1
    let written = columns[..<used].map { $0.encoded() }
    let text = TextColumn.encoded(self.text)
    bytes.append(UInt8(used))
    for column in written {
      bytes.append(column.coding.byte)
      bytes.appendVarint(UInt64(column.bytes.count))
    }
    bytes.append(text.coding.rawValue)
    bytes.appendVarint(UInt64(text.bytes.count))
    for column in written { bytes += column.bytes }
    return bytes + text.bytes
  }
}

private struct ColumnPayloadReader {
  private let count: Int
  private let rawLength: Int
  private var actors: [UInt64] = []
  private var forms: [(kind: UInt8, steps: [ShapeStep])] = []
  private var columns: [ColumnReader] = []
  private var text: [UInt8] = []
  private var textPlace = 0
  private let memory: UnpackedMemory

  init(
    _ payload: UnsafeRawBufferPointer, _ memory: UnpackedMemory, count: Int, rawLength: Int
  ) throws(WireError) {
    (self.count, self.rawLength, self.memory) = (count, rawLength, memory)
    var reader = ByteReader(payload)
    let actorCount = try reader.count("actors", limit: count)
    for _ in 0..<actorCount { actors.append(try reader.varint()) }
    let formCount = try reader.count("forms", limit: min(count, 512))
    for _ in 0..<formCount {
      let kind = try reader.byte()
      let length = try reader.count("length of a shape", limit: 4 * BodyShape.mostFields)
      let shape = try ShapeSteps(reading: try reader.readBytes(length))
      forms.append((kind, shape.steps))
    }
    try readColumns(&reader)
  }

  private mutating func readColumns(_ reader: inout ByteReader) throws(WireError) {
    let at = reader.position
    let used = Int(try reader.byte())
    guard used <= ColumnPayload.columns else { throw .badField("number of columns", at: at) }
    var directory: [(coding: ColumnCoding, length: Int)] = []
    for _ in 0..<used {
      let coding = try ColumnCoding(byte: try reader.byte(), at: reader.position)
      directory.append((coding, try reader.count("length of a column", limit: Run.maximumBytes)))
    }
    let coding = try reader.byte()
    let length = try reader.count("length of the bytes", limit: Run.maximumBytes)
    for entry in directory {
      columns.append(try ColumnReader(entry.coding, try reader.readBytes(entry.length), memory))
    }
    text = try TextColumn.decode(coding, try reader.readBytes(length), limit: rawLength)
    try reader.expectEnd()
    let empty = UnsafeRawBufferPointer(start: nil, count: 0)
    while columns.count < ColumnPayload.columns {
      columns.append(try ColumnReader(ColumnCoding(form: .none), empty, memory))
    }
  }

  mutating func records() throws(WireError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: rawLength)
    try bytes.withUnsafeMutableBufferPointer { buffer throws(WireError) -> Void in
      var writer = RecordWriter(UnsafeMutableRawBufferPointer(buffer))
      for _ in 0..<count { try record(&writer) }
      guard writer.count == rawLength else { throw .badField("records length", at: 36) }
    }
    for column in columns { try column.expectEnd() }
    guard textPlace == text.count else { throw .trailingBytes(at: textPlace) }
    return bytes
  }

  private mutating func record(_ writer: inout RecordWriter) throws(WireError) {
    let form = try columns[0].next(0)
    let step = try columns[1].next(0)
    let actor = try columns[2].next(0)
    guard form < forms.count, actor < actors.count else { throw .badField("record in columns", at: 0) }
    let start = writer.count
    // A place for the length, which is written once it is known.
    try writer.append(0)
    try writer.append(forms[Int(form)].kind)
    try writer.append(varint: step)
    try writer.append(varint: actors[Int(actor)])
    let body = writer.count
    try append(forms[Int(form)].steps, slot: UInt8(truncatingIfNeeded: actor), &writer)
    try writer.set(length: writer.count - body, at: start)
  }

  private mutating func append(
    _ steps: [ShapeStep], slot: UInt8, _ writer: inout RecordWriter
  ) throws(WireError) {
    guard !steps.isEmpty else { return try appendText(slot, &writer) }
    let shaped = ColumnPayload.shapedColumns
    var (flags, count, index) = (UInt8(0), UInt64(0), 0)
    while index < steps.count {
      switch steps[index] {
      case .unsigned(let column), .signed(let column):
        try writer.append(varint: try columns[shaped + column].next(slot))
      case .byte(let column): try writer.append(try Self.byte(try columns[shaped + column].next(slot)))
      case .flags(let column):
        flags = try Self.byte(try columns[shaped + column].next(slot))
        try writer.append(flags)
      case .count(let column):
        count = try columns[shaped + column].next(slot)
        try writer.append(varint: count)
      case .many(let column, _, let lead, let mask):
        // Each of them takes room, so that a hostile count comes to an end soon.
        var left = count
        if left > 0, flags & mask != 0 {
          try writer.append(varint: try columns[shaped + lead].next(slot))
          left -= 1
        }
        while left > 0 {
          try writer.append(varint: try columns[shaped + column].next(slot))
          left -= 1
        }
      case .when(let mask, let bits, let steps): if flags & mask != bits { index += steps }
      case .rest: try appendText(slot, &writer)
      }
      index += 1
    }
  }

  private static func byte(_ value: UInt64) throws(WireError) -> UInt8 {
    guard value < 256 else { throw .badField("byte in a column", at: 0) }
    return UInt8(truncatingIfNeeded: value)
  }

  private mutating func appendText(_ slot: UInt8, _ writer: inout RecordWriter) throws(WireError) {
    let length = try columns[3].next(slot)
    guard length <= UInt64(text.count - textPlace) else { throw .truncated(at: textPlace) }
    try writer.append(text[textPlace..<textPlace + Int(length)])
    textPlace += Int(length)
  }
}

/// Writes records into a place of a given size, and never beyond it.
private struct RecordWriter {
  private let bytes: UnsafeMutableRawBufferPointer
  private(set) var count = 0

  init(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

  private var tooLong: WireError { .badField("records length", at: 36) }

  @inline(__always) mutating func append(_ byte: UInt8) throws(WireError) {
    guard count < bytes.count else { throw tooLong }
    bytes[count] = byte
    count += 1
  }

  @inline(__always) mutating func append(varint value: UInt64) throws(WireError) {
    var rest = value
    while rest >= 0x80 {
      try append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    try append(UInt8(truncatingIfNeeded: rest))
  }

  mutating func append(_ text: ArraySlice<UInt8>) throws(WireError) {
    guard text.count <= bytes.count - count else { throw tooLong }
    UnsafeMutableRawBufferPointer(rebasing: bytes[count...]).copyBytes(from: text)
    count += text.count
  }

  /// Writes the length of a body over the one byte that was kept for it at `start`, and moves what follows where it needs more.
  mutating func set(length: Int, at start: Int) throws(WireError) {
    guard length >= 0x80 else {
      bytes[start] = UInt8(length)
      return
    }
    let more = varintLength(UInt64(length)) - 1
    guard more <= bytes.count - count else { throw tooLong }
    let moved = count - start - 1
    let body = UnsafeMutableRawBufferPointer(rebasing: bytes[(start + 1)...])
    // The two places overlap, which this allows.
    if let from = body.baseAddress { (from + more).copyMemory(from: from, byteCount: moved) }
    let end = count + more
    count = start
    try append(varint: UInt64(length))
    count = end
  }
}
