import BoardroomModel
import EventLogModel

// The JSON mirror of records (docs/PROTOCOL.md, section 6), exact both ways:
//
//   {"rev":R,"t":time,"by":member or null,"n":counter,"kind":"name","body":…}
//   {"rev":R,"t":time,"by":member or null,"n":counter,"kind":number,"raw":"base64 of the payload"}
//   {"rev":R,"t":time,"by":member or null,"n":null,"kind":number,"raw":"base64 of the body"}
//
// The first form where the payload is what its kind describes; the second for kinds not known and payloads
// that are not; the third where not even the counter can be read. In JSONL the second form also serves
// payloads with line breaks between their tokens, since a record is one line there.

public enum RecordMirror {
  /// Depth for reading our own mirrors: that of a record's body, and what the mirror puts around it.
  static let limits = JSONLimits(depth: 1_032)

  /// The `run` message of `boardroom.json.v1`.
  public static func json(of run: Run) -> [UInt8] {
    var writer = JSONWriter(capacity: run.records.count * 3 + 128)
    writer.object { writer in
      writer.field("m", "run")
      writer.field("first", run.first)
      writer.field("base", run.base)
      writer.key("records")
      writer.array { writer in
        run.forEach { view, _ in
          writer.record(view, body: run.records[view.body], onOneLine: false)
        }
      }
    }
    return writer.bytes
  }

  /// JSONL: one object for each record, without the line's end.
  public static func lines(of run: Run) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    lines.reserveCapacity(run.count)
    run.forEach { view, _ in lines.append(line(of: view, in: run.records)) }
    return lines
  }

  /// One record's line, without the line's end.
  public static func line(of view: RecordView, in records: [UInt8]) -> [UInt8] {
    var writer = JSONWriter(capacity: view.body.count * 3 + 96)
    writer.record(view, body: records[view.body], onOneLine: true)
    return writer.bytes
  }

  /// The record of a line. A line that no record has is an error.
  public static func record(fromLine line: ArraySlice<UInt8>) throws(CodecError) -> (Revision, Record) {
    try line.withUnsafeBufferPointer { (line) throws(CodecError) in try record(fromLine: line) }
  }

  /// The same, of bytes that lie elsewhere.
  public static func record(
    fromLine line: UnsafeBufferPointer<UInt8>
  ) throws(CodecError) -> (Revision, Record) {
    if let found = MirrorLine.record(of: line) { return found }
    return try JSONFields(text: Array(line)[...], limits: limits, of: "record").record()
  }

  /// The payload's own form in the mirror; nil if it is not what its kind describes.
  static func body(kind: UInt8, payload: ArraySlice<UInt8>) -> [UInt8]? {
    guard EventKind(rawValue: kind) != nil else { return nil }
    do throws(CodecError) {
      let event = try EventCodec.event(kind: kind, payload: payload)
      guard case .drawing(let act) = event else { return Array(payload) }
      var writer = JSONWriter(capacity: payload.count * 3)
      try writer.drawing(act)
      return writer.bytes
    } catch { return nil }
  }

  /// The payload of a body in the mirror, not yet checked beyond its form.
  static func payload(kind: EventKind, body: JSONItem) throws(CodecError) -> [UInt8] {
    let fields = try JSONFields(body, of: kind.name)
    guard kind.hasBinaryBody else { return Array(body.bytes) }
    var payload: [UInt8] = []
    payload.appendDrawing(try fields.drawing(kind))
    return payload
  }
}

extension JSONWriter {
  mutating func record(_ view: RecordView, body: ArraySlice<UInt8>, onOneLine: Bool) {
    object { writer in
      writer.field("rev", view.revision)
      writer.field("t", view.time)
      writer.key("by")
      if view.actor == 0 { writer.null() } else { writer.value(view.actor - 1) }
      writer.key("n")
      writer.recordBody(kind: view.kind, body, onOneLine: onOneLine)
    }
  }

  private mutating func recordBody(kind: UInt8, _ body: ArraySlice<UInt8>, onOneLine: Bool) {
    guard let (counter, payload) = try? EventCodec.split(body) else {
      null()
      return rawBody(kind: kind, body)
    }
    value(counter)
    guard let text = RecordMirror.body(kind: kind, payload: payload),
      let name = EventKind(rawValue: kind)?.name, !onOneLine || !text.contains(where: Self.breaksLine)
    else { return rawBody(kind: kind, payload) }
    field("kind", name)
    key("body")
    raw(text)
  }

  private mutating func rawBody(kind: UInt8, _ bytes: ArraySlice<UInt8>) {
    field("kind", kind)
    field("raw", Base64.encode(bytes))
  }

  private static func breaksLine(_ byte: UInt8) -> Bool { byte == 0x0a || byte == 0x0d }
}

extension JSONFields {
  func record() throws(CodecError) -> (Revision, Record) {
    let kind = try item("kind")
    let by = try item("by")
    let record = Record(
      kind: try kindNumber(kind), time: try time("t"),
      actor: by.isNull ? 0 : try number("by", upTo: .max - 1) + 1,
      body: kind.kind == .string ? try namedBody() : try rawBody())
    return (try revision("rev"), record)
  }

  private func kindNumber(_ item: JSONItem) throws(CodecError) -> UInt8 {
    guard item.kind == .string else { return UInt8(try number("kind", upTo: 255)) }
    guard let kind = EventKind(named: item.string ?? "") else {
      throw error("kind", "is not a name that docs/PROTOCOL.md lists")
    }
    return kind.rawValue
  }

  private func namedBody() throws(CodecError) -> [UInt8] {
    guard let kind = EventKind(named: try string("kind")) else {
      throw error("kind", "is not a name that docs/PROTOCOL.md lists")
    }
    let payload = try RecordMirror.payload(kind: kind, body: try item("body"))
    _ = try EventCodec.event(kind: kind.rawValue, payload: payload[...])
    var body: [UInt8] = []
    body.appendVarint(try number("n"))
    return body + payload
  }

  private func rawBody() throws(CodecError) -> [UInt8] {
    guard let payload = Base64.decode(try string("raw")) else { throw error("raw", "must be base64") }
    if try item("n").isNull { return payload }
    var body: [UInt8] = []
    body.appendVarint(try number("n"))
    return body + payload
  }

  /// The run of a `run` message.
  func run() throws(CodecError) -> Run {
    let first = try revision("first")
    var last = try time("base")
    var builder = RunBuilder(first: first, base: last)
    guard first > .zero else { throw error("first", "must not be zero") }
    for item in try array("records") {
      let (revision, record) = try JSONFields(item, of: "record").record()
      guard revision == builder.next, record.time >= last else {
        throw error("records", "must have rising revisions without gaps, and times that never fall")
      }
      builder.append(record)
      last = record.time
    }
    guard let run = builder.takeRun() else { throw error("records", "must not be empty") }
    return run
  }
}
