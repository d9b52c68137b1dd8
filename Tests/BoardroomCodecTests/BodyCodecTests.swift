import BoardroomCodec
import BoardroomModel
import EventLogModel
import Testing

private func decode(_ kind: UInt8, _ body: [UInt8]) throws -> RoomEvent {
  try EventCodec.decode(Record(kind: kind, time: .zero, actor: 3, body: body), at: 9)
}

@Suite struct BodyCodecTests {
  @Test("Every event comes back from its record body", arguments: EventKind.allCases)
  func events(_ kind: EventKind) throws {
    var chance = Chance(UInt64(kind.rawValue))
    for _ in 0..<200 {
      let event = chance.event(kind)
      let counter = chance.number(upTo: .max)
      let body = EventCodec.encodeBody(event, counter: counter)
      let back = try decode(kind.rawValue, body)
      #expect(back.event == event)
      #expect(back.counter == counter)
      #expect(back.actor == .member(2))
      #expect(try EventCodec.counter(of: body) == counter)
      #expect(EventCodec.encodeBody(back.event, counter: counter) == body)
    }
  }

  @Test("A kind of a later version is kept as it is")
  func unknownKinds() throws {
    let body: [UInt8] = [0x80, 0x01, 0xff, 0x00]
    let event = try decode(200, body)
    #expect(event.event == .unknown(kind: 200, payload: [0xff, 0x00]))
    #expect(EventCodec.encodeBody(event.event, counter: event.counter) == body)
  }

  @Test("Phases that a client saw: with the last revision that it had, and without, as clients told before")
  func clientPhases() throws {
    let kind = EventKind.clientPhases.rawValue
    let old = Array(#"{"phases":[{"phase":"reconnecting","ago":5000}]}"#.utf8)
    let new = Array(#"{"phases":[{"phase":"reconnecting","ago":5000,"revision":17}]}"#.utf8)
    for (text, revision) in [(old, nil), (new, Revision(17))] {
      let event = try decode(kind, [1] + text).event
      #expect(
        event
          == .diagnostics(.clientPhases([ClientPhase(phase: "reconnecting", ago: 5_000, revision: revision)]))
      )
      #expect(EventCodec.encodeBody(event, counter: 1) == [1] + text)
    }
    let bad = Array(#"{"phases":[{"phase":"reconnecting","ago":5000,"revision":-1}]}"#.utf8)
    #expect(throws: CodecError.self) { try decode(kind, [1] + bad) }
  }

  @Test("Decoding inside a run is the same as decoding the record alone")
  func insideRuns() throws {
    var chance = Chance(5)
    let run = chance.run(records: 300)
    var alone: [RoomEvent] = []
    for (place, record) in run.unpacked.enumerated() {
      alone.append(try EventCodec.decode(record, at: run.first + place))
    }
    var inside: [RoomEvent] = []
    try run.forEach { (view, _) throws(CodecError) in
      inside.append(try EventCodec.decode(view, in: run.records))
    }
    #expect(inside == alone)
  }

  @Test("Points of a segment in the middle of a stroke are a slice of the run's bytes")
  func pointsAreNotCopied() throws {
    let segment = StrokeSegment(
      number: 4, begin: nil, ends: false,
      points: EncodedPoints(PointSteps(x: [1, -2], y: [3, 4], time: [8, 9], pressure: nil)))
    let body = EventCodec.encodeBody(.drawing(.stroke(segment)), counter: 1)
    let event = try EventCodec.event(kind: 1, payload: body[1...])
    guard case .drawing(.stroke(let back)) = event else { return #expect(Bool(false)) }
    #expect(back == segment)
    #expect(back.points.bytes.startIndex == 2)
    #expect(back.points.bytes.endIndex == body.count)
  }

  @Test("Every command comes back from its body", arguments: EventKind.allCases)
  func commands(_ kind: EventKind) throws {
    var chance = Chance(UInt64(kind.rawValue) + 100)
    for _ in 0..<200 {
      guard let command = chance.command(kind) else {
        #expect(throws: CodecError.unknownKind(kind.rawValue)) {
          try CommandCodec.decode(
            kind: kind.rawValue, body: EventCodec.encodeBody(chance.event(kind), counter: 1)[...],
            limits: WireLimits())
        }
        return
      }
      let numbered = NumberedCommand(
        counter: 1 + chance.number(upTo: FieldRanges.exactInteger - 1), command: command)
      let (code, body) = CommandCodec.encode(numbered)
      #expect(code == kind.rawValue)
      #expect(try CommandCodec.decode(kind: code, body: body[...], limits: WireLimits()) == numbered)
    }
  }

  @Test("A client's JSON is kept byte for byte, with its spaces, escapes and unknown fields")
  func verbatim() throws {
    let text = Array("{ \"payload\" : [1.0, \"\\u0041\"],\"event\":\"e\", \"x\":{} }".utf8)
    let numbered = try CommandCodec.decode(kind: 30, body: ([1] + text)[...], limits: WireLimits())
    guard case .custom(.magix(let magix)) = numbered.command else { return #expect(Bool(false)) }
    #expect(magix.raw.bytes == text)
    #expect(magix.payload.text == "[1.0, \"\\u0041\"]")
    #expect(EventCodec.encodeBody(.magix(magix), counter: 1) == [1] + text)
  }

  @Test("A patch tells keys to set from keys to remove")
  func patches() throws {
    let patch = try JSONPatch(parsing: Array("{\"a\":null,\"b\":[null],\"\\u0063\":1}".utf8))
    #expect(patch.fields.map(\.key) == ["a", "b", "c"])
    #expect(patch.fields.map { $0.value?.text } == [nil, "[null]", "1"])
  }

  @Test("Points and their differences are inverse, and appear as PROTOCOL.md shows them")
  func points() throws {
    var chance = Chance(8)
    for _ in 0..<200 {
      let steps = chance.steps(begins: true, most: 40)
      let points = EncodedPoints(steps)
      #expect(points.count == steps.count)
      #expect(try points.steps() == steps)
    }
    let points = EncodedPoints(PointSteps(x: [1, -1], y: [64, 0], time: [8, 300], pressure: [512, -12]))
    #expect(Array(points.bytes) == [0, 2, 2, 1, 0x80, 1, 0, 8, 0xac, 2, 0x80, 8, 23])
  }

  @Test("Mutated bodies give an event or an error, and an accepted binary body is canonical")
  func fuzz() {
    var chance = Chance(31)
    var accepted = 0
    for _ in 0..<20_000 {
      let (kind, body) = chance.body(damaged: true)
      guard let event = try? EventCodec.decode(Record(kind: kind, time: .zero, actor: 0, body: body), at: 1)
      else { continue }
      accepted += 1
      if EventKind(rawValue: kind)?.hasBinaryBody ?? true {
        #expect(EventCodec.encodeBody(event.event, counter: event.counter) == body)
      }
      _ = try? CommandCodec.decode(kind: kind, body: body[...], limits: WireLimits())
    }
    #expect(accepted > 1_000)
  }
}
