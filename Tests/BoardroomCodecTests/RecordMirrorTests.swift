import BoardroomCodec
import BoardroomModel
import EventLogModel
import Testing

@Suite struct RecordMirrorTests {
  private func line(_ kind: UInt8, _ body: [UInt8]) -> String {
    var builder = RunBuilder(first: 7, base: Timestamp(milliseconds: 1_000))
    builder.append(Record(kind: kind, time: Timestamp(milliseconds: 1_005), actor: 3, body: body))
    return String(decoding: RecordMirror.lines(of: builder.takeRun()!)[0], as: UTF8.self)
  }

  @Test("WIRE-9: record to line to record is the identity for every record, whole or damaged")
  func lines() throws {
    var chance = Chance(400)
    for round in 0..<60 {
      let run = chance.run(records: 40, damaged: round % 2 == 1)
      let records = run.unpacked
      for (place, line) in RecordMirror.lines(of: run).enumerated() {
        let (revision, record) = try RecordMirror.record(fromLine: line[...])
        #expect(revision == run.first + place)
        #expect(record == records[place])
        #expect(!line.contains(0x0a))
      }
    }
  }

  @Test(
    "WIRE-9: the text of a run is its lines, each with its newline; of those that are wanted, where some are")
  func text() {
    var chance = Chance(403)
    for round in 0..<60 {
      let run = chance.run(records: 40, damaged: round % 2 == 1)
      let lines = RecordMirror.lines(of: run)
      let whole = RecordMirror.text(of: run)
      #expect(whole.text == lines.flatMap { $0 + [0x0a] })
      #expect(whole.lines == lines.count)
      let some = RecordMirror.text(of: run) { $0 % 3 == 1 }
      let wanted = lines.enumerated().filter { $0.offset % 3 == 1 }.map(\.element)
      #expect(some.text == wanted.flatMap { $0 + [0x0a] })
      #expect(some.lines == wanted.count)
    }
    #expect(RecordMirror.text(of: chance.run(records: 5)) { _ in false }.text.isEmpty)
  }

  @Test("WIRE-9: what is read at a glance is what the scanner reads: a space before the line changes nothing")
  func glance() {
    var chance = Chance(404)
    for round in 0..<6_000 {
      var line = RecordMirror.lines(of: chance.run(records: 1, damaged: round % 5 == 0))[0]
      if round % 3 > 0 { line = chance.mutate(line) }
      let (glance, scanned) = (
        try? RecordMirror.record(fromLine: line[...]),
        try? RecordMirror.record(fromLine: ([0x20] + line)[...])
      )
      #expect(glance?.0 == scanned?.0, "\(String(decoding: line, as: UTF8.self))")
      #expect(glance?.1 == scanned?.1, "\(String(decoding: line, as: UTF8.self))")
    }
  }

  @Test(
    "WIRE-9: a line with spaces between its tokens is the record of the line without them",
    arguments: [
      "{\"rev\":1,\"t\":5,\"by\":null,\"n\":2,\"kind\":\"magix\",\"body\": {\"event\":\"e\",\"payload\":1}}",
      "{\"rev\":1,\"t\":5,\"by\":null,\"n\":2,\"kind\":\"magix\",\"body\":{\"event\":\"e\",\"payload\":1} }",
      "{\"rev\":1,\"t\":5,\"by\":null,\"n\":2,\"kind\":\"magix\",\"body\":{\"event\":\"e\",\"payload\":1}} ",
      "{\"body\":{\"event\":\"e\",\"payload\":1},\"rev\":1,\"t\":5,\"by\":null,\"n\":2,\"kind\":\"magix\"}",
    ])
  func spaces(_ text: String) throws {
    let record = try RecordMirror.record(fromLine: Array(text.utf8)[...]).1
    #expect(record.body == [2] + Array("{\"event\":\"e\",\"payload\":1}".utf8))
  }

  @Test(
    "WIRE-9: what stands behind a body in its line is no part of the body",
    arguments: [
      "{\"rev\":1,\"t\":5,\"by\":null,\"n\":2,\"kind\":\"magix\",\"body\":{\"event\":\"e\",\"payload\":1},\"more\":{}}",
      "{\"rev\":1,\"t\":5,\"by\":null,\"n\":2,\"kind\":\"pointer\",\"body\":{\"scene\":1,\"unit\":0,\"x\":1,\"y\":2},\"more\":1}",
    ])
  func more(_ text: String) {
    let (glance, scanned) = (
      try? RecordMirror.record(fromLine: Array(text.utf8)[...]),
      try? RecordMirror.record(fromLine: Array((" " + text).utf8)[...])
    )
    #expect(glance?.1 == scanned?.1)
  }

  @Test("Run to JSON to run is the identity, whole or damaged")
  func runs() throws {
    var chance = Chance(401)
    let codec = WireCodec(.json)
    for round in 0..<60 {
      let run = chance.run(records: 1 + chance.upTo(30), damaged: round % 2 == 1)
      #expect(try codec.decodeServer(RecordMirror.json(of: run)) == .run(run))
    }
  }

  @Test("A line has its five fields in the order that PROTOCOL.md gives")
  func form() {
    #expect(
      line(30, [5] + "{\"event\":\"e\",\"payload\":1}".utf8)
        == "{\"rev\":7,\"t\":1005,\"by\":2,\"n\":5,\"kind\":\"magix\",\"body\":{\"event\":\"e\",\"payload\":1}}"
    )
    #expect(
      line(1, [5, 9, 6, 1, 2, 4, 8])
        == "{\"rev\":7,\"t\":1005,\"by\":2,\"n\":5,\"kind\":\"stroke\",\"body\":{\"stroke\":9,\"end\":true,"
        + "\"dx\":[1],\"dy\":[2],\"dt\":[8]}}")
    #expect(line(200, [5, 1, 2]) == "{\"rev\":7,\"t\":1005,\"by\":2,\"n\":5,\"kind\":200,\"raw\":\"AQI=\"}")
  }

  @Test("A body that is not what its kind describes goes as raw, with its kind's number")
  func damaged() {
    #expect(
      line(30, [5] + "{}".utf8) == "{\"rev\":7,\"t\":1005,\"by\":2,\"n\":5,\"kind\":30,\"raw\":\"e30=\"}")
    #expect(line(2, [5, 1]) == "{\"rev\":7,\"t\":1005,\"by\":2,\"n\":5,\"kind\":2,\"raw\":\"AQ==\"}")
    #expect(line(2, []) == "{\"rev\":7,\"t\":1005,\"by\":2,\"n\":null,\"kind\":2,\"raw\":\"\"}")
    #expect(line(2, [0x80, 0]) == "{\"rev\":7,\"t\":1005,\"by\":2,\"n\":null,\"kind\":2,\"raw\":\"gAA=\"}")
  }

  @Test("A line is one line even where a payload has line breaks between its tokens")
  func lineBreaks() throws {
    let body = [1] + Array("{\"event\":\"e\",\n\"payload\":\"\\n\"}".utf8)
    let text = line(30, body)
    #expect(text.contains("\"kind\":30,\"raw\":"))
    #expect(try RecordMirror.record(fromLine: Array(text.utf8)[...]).1.body == body)
    let escaped = [1] + Array("{\"event\":\"e\",\"payload\":\"\\n\"}".utf8)
    #expect(line(30, escaped).contains("\"body\":{\"event\":\"e\",\"payload\":\"\\n\"}"))
  }

  @Test(
    "A line that no record has is refused",
    arguments: [
      "{}", "[]", "", "{\"rev\":1,\"t\":1,\"by\":null,\"n\":0,\"kind\":\"nothing\",\"body\":{}}",
      "{\"rev\":1,\"t\":1,\"by\":null,\"n\":0,\"kind\":\"magix\",\"body\":{}}",
      "{\"rev\":1,\"t\":1,\"by\":null,\"n\":0,\"kind\":\"magix\",\"raw\":\"e30=\"}",
      "{\"rev\":1,\"t\":1,\"by\":null,\"n\":0,\"kind\":30,\"raw\":\"e30\"}",
      "{\"rev\":1,\"t\":1,\"by\":null,\"n\":0,\"kind\":256,\"raw\":\"\"}",
      "{\"rev\":1,\"t\":-1,\"by\":null,\"n\":0,\"kind\":200,\"raw\":\"\"}",
      "{\"rev\":1,\"t\":1,\"by\":18446744073709551615,\"n\":0,\"kind\":200,\"raw\":\"\"}",
      "{\"rev\":1,\"t\":1,\"by\":null,\"n\":0,\"kind\":200,\"raw\":\"AB==\"}",
      "{\"rev\":1,\"t\":1,\"n\":0,\"kind\":200,\"raw\":\"\"}",
      "{\"rev\":1,\"rev\":1,\"t\":1,\"by\":null,\"n\":0,\"kind\":200,\"raw\":\"\"}",
    ])
  func refused(_ text: String) {
    #expect(throws: CodecError.self) { try RecordMirror.record(fromLine: Array(text.utf8)[...]) }
  }

  @Test("Mutated lines give a record or an error, and no other record comes back the same")
  func fuzz() {
    var chance = Chance(402)
    for _ in 0..<3_000 {
      let run = chance.run(records: 1)
      let line = chance.mutate(RecordMirror.lines(of: run)[0])
      guard let (revision, record) = try? RecordMirror.record(fromLine: line[...]), revision > 0 else {
        continue
      }
      var builder = RunBuilder(first: revision, base: record.time)
      builder.append(record)
      let again = RecordMirror.lines(of: builder.takeRun()!)[0]
      #expect((try? RecordMirror.record(fromLine: again[...]))?.1 == record)
    }
  }
}
