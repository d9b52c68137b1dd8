import BoardroomCodec
import BoardroomModel
import BoardroomReplay
import EventLog
import EventLogModel
import StorageTestKit
import Testing

@Suite("Export and import")
struct ExchangeTests {
  enum Form: CaseIterable { case lines, blocks }

  private func export(_ form: Form, _ recording: Recording) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    switch form {
    case .lines: try await LineExport().write(recording) { bytes += $0 }
    case .blocks: try await BlockExport.write(recording) { bytes += $0 }
    }
    return bytes
  }

  /// Reads in pieces of a size and imports into a store of its own.
  private func imported(_ bytes: [UInt8], pieces: Int, keepEpoch: Bool = false) async throws -> Recording {
    let store = MemoryLogStore()
    var reader = ImportReader(place: "test")
    var records: [Record] = []
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      records += try reader.feed(bytes[start..<min(start + pieces, bytes.count)])
    }
    records += try reader.finish()
    #expect(reader.count == records.count)
    var writer = LogImport(
      RecordedSession.room, into: store, events: records.count, epoch: keepEpoch ? reader.epoch : nil)
    try await writer.add(records)
    _ = try await writer.finish(created: reader.created ?? .zero)
    return try await Recording.open(RecordedSession.room, in: store)
  }

  private func records(of recording: Recording) async throws -> [Record] {
    var records: [Record] = []
    while records.count < recording.info.last - .zero {
      let after = Revision(UInt64(records.count))
      for run in try await recording.page(after: after, through: recording.info.last) {
        records += run.unpacked
      }
    }
    return records
  }

  @Test(
    "RP-67: what is exported and imported again has the same records, times, revisions and state hash",
    arguments: Form.allCases, [1, 7, 4_096, .max >> 1])
  func roundTrip(form: Form, pieces: Int) async throws {
    let session = RecordedSession(seed: 1, events: pieces < 10 ? 60 : 5_000)
    let original = try await session.stored()
    let copy = try await imported(try await export(form, original), pieces: pieces)
    #expect(copy.info.last == original.info.last)
    #expect(try await records(of: copy) == session.records)
    var (one, other) = (try await Replay(original), try await Replay(copy))
    try await one.seek(to: one.end)
    try await other.seek(to: other.end)
    #expect(one.moment.stateHash == other.moment.stateHash)
  }

  @Test("RP-67: an export has one line an event, and from, to and kinds choose among them")
  func lineCounts() async throws {
    let session = RecordedSession(seed: 2, events: 500)
    let recording = try await session.stored()
    #expect(try await lines(LineExport(), recording).count == 500)
    #expect(try await lines(LineExport(from: 10, through: 20), recording).count == 11)
    #expect(try await lines(LineExport(from: 499, through: 9_999), recording).count == 2)
    #expect(try await lines(LineExport(from: 501), recording).count == 0)
    let magix = try session.events.filter { $0.event.kind == EventKind.magix.rawValue }
    let chosen = LineExport(filter: EventFilter(kinds: [EventKind.magix.rawValue]))
    #expect(try await lines(chosen, recording).count == magix.count)
  }

  private func lines(_ export: LineExport, _ recording: Recording) async throws -> [String] {
    var bytes: [UInt8] = []
    let count = try await export.write(recording) { bytes += $0 }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    #expect(lines.count == count)
    return lines
  }

  @Test("An import is another life of the log, unless a block file's epoch is kept")
  func epochs() async throws {
    let original = try await RecordedSession(seed: 3, events: 50).stored()
    let bytes = try await export(.blocks, original)
    #expect(try await imported(bytes, pieces: 100).info.epoch != original.info.epoch)
    #expect(try await imported(bytes, pieces: 100, keepEpoch: true).info.epoch == original.info.epoch)
    let lines = try await export(.lines, original)
    #expect(try await imported(lines, pieces: 100).info.epoch != original.info.epoch)
  }

  @Test("A part of a log is not taken for the whole")
  func parts() async throws {
    let recording = try await RecordedSession(seed: 4, events: 50).stored()
    for export in [LineExport(from: 2), LineExport(filter: EventFilter(members: [1]))] {
      var bytes: [UInt8] = []
      try await export.write(recording) { bytes += $0 }
      var reader = ImportReader(place: "part.jsonl")
      #expect(throws: ReplayError.self) {
        _ = try reader.feed(bytes)
        _ = try reader.finish()
      }
    }
  }

  @Test("A flipped bit anywhere in a block file is found", arguments: 0..<64)
  func flippedBits(seed: UInt64) async throws {
    let bytes = try await export(.blocks, RecordedSession(seed: 5, events: 40).stored())
    var generator = SeededGenerator(seed: seed)
    var broken = bytes
    broken[Int(generator.next() % UInt64(bytes.count))] ^= 1 << UInt8(generator.next() % 8)
    var reader = ImportReader(place: "broken.blocks")
    #expect(throws: ReplayError.self) {
      _ = try reader.feed(broken)
      _ = try reader.finish()
    }
  }

  @Test("A block file that was cut short anywhere is refused")
  func cutShort() async throws {
    let bytes = try await export(.blocks, RecordedSession(seed: 6, events: 12).stored())
    for length in 0..<bytes.count where length != 0 {
      var reader = ImportReader(place: "cut.blocks")
      #expect(throws: ReplayError.self, "\(length) of \(bytes.count)") {
        _ = try reader.feed(bytes[..<length])
        _ = try reader.finish()
      }
    }
  }

  @Test(
    "Lines that are no records of an export are refused, with the line",
    arguments: [
      "", "[]", "{", "{}", "null", #"{"rev":1}"#, "\u{0}",
      "{\"rev\":1,\"t\":1,\"by\":null,\"n\":0,\"kind\":\"nothing\",\"body\":{}}",
      #"{"rev":2,"t":1,"by":null,"n":0,"kind":"magix","body":{"event":"a","payload":1}}"#,
      #"{"rev":1,"t":-1,"by":null,"n":0,"kind":"magix","body":{"event":"a","payload":1}}"#,
      #"{"rev":1,"rev":1,"t":1,"by":null,"n":0,"kind":"magix","body":{"event":"a","payload":1}}"#,
    ])
  func badLines(line: String) throws {
    var reader = ImportReader(place: "bad.jsonl")
    let bytes = Array((line + "\n").utf8)
    guard line.contains(where: { !$0.isWhitespace }) else {
      #expect(try reader.feed(bytes).isEmpty)
      #expect(try reader.finish().isEmpty)
      return
    }
    let error = #expect(throws: ReplayError.self) {
      _ = try reader.feed(bytes)
      _ = try reader.finish()
    }
    #expect(error?.description.contains("bad.jsonl") == true)
  }

  @Test("Importing onto a room that is there is refused and changes nothing")
  func ontoExisting() async throws {
    let session = RecordedSession(seed: 7, events: 30)
    let store = MemoryLogStore()
    let recording = try await session.stored(in: store)
    var writer = LogImport(RecordedSession.room, into: store, events: session.records.count)
    try await writer.add(session.records)
    await #expect(throws: ReplayError.self) { _ = try await writer.finish() }
    #expect(try await store.info(of: RecordedSession.room) == recording.info)
  }
}
