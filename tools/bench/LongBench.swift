import BoardroomCodec
import BoardroomModel
import BoardroomReplay
import EventLog
import EventLogFormat
import EventLogModel
import Foundation

/// Measures one very long room: import from JSONL, seeks, a join, verification, export to JSONL.
struct LongBench {
  /// Events that are drawn at once; with `cleared` as many, this is what is on the board when it is cleared.
  private static let piece = 250_000

  var folder: String
  var report: Report
  var events: Int
  /// The board is cleared after so many events; 0: never.
  var cleared: Int
  private let room = RoomID(high: 0x10a6, low: 1)
  private let bare = RoomID(high: 0x10a6, low: 2)

  init(folder: String, report: Report, events: Int, cleared: Int) {
    (self.folder, self.report, self.events, self.cleared) = (folder, report, events, cleared)
  }

  private var file: String { folder + "/long.jsonl" }
  private var data: String { folder + "/long" }

  func run() async throws {
    let board = cleared == 0 ? "all of it on the board" : "the board cleared every \(cleared)"
    report.head("A room of \(events) events, \(board)")
    if !FileManager.default.fileExists(atPath: data + "/log.db") {
      try write()
      try await bring(room, snapshots: true)
      let first = Self.size(data + "/log.db")
      try await bring(bare, snapshots: false)
      try await tellSnapshots(bytes: 2 * first - Self.size(data + "/log.db"))
    }
    try await reading { store in
      try await export(store)
      try await seek(store, room, "seek to a random revision", times: 200, goal: 0.05)
      try await seek(store, bare, "the same without snapshots", times: 1, goal: 1)
      try await join(store)
    }
    for _ in 0..<3 { try verify() }
  }

  /// Writes the file to import, piece by piece, so that memory does not limit the room.
  private func write() throws {
    guard FileManager.default.createFile(atPath: file, contents: nil),
      let out = FileHandle(forWritingAtPath: file)
    else { throw CocoaError(.fileWriteUnknown) }
    defer { try? out.close() }
    var made = 0
    var time = 1_700_000_000_000 as Int64
    while made < events {
      let work = Workload(events: min(Self.piece, events - made), seed: UInt64(made + 1), after: made)
      var builder = RunBuilder(first: Revision(UInt64(made)).next)
      for (index, item) in work.items.prefix(events - made).enumerated() {
        time += item.step
        let isClearing = cleared > 0 && made > 0 && (made + index) % cleared == 0
        let event = Event.scenes(.cleaned(SceneCleaned(scene: 1, retainPPT: false)))
        let body = isClearing ? EventCodec.encodeBody(event, counter: 0) : item.body
        body.withUnsafeBytes {
          builder.append(
            kind: isClearing ? event.kind : item.kind, actor: item.actor,
            time: Timestamp(milliseconds: time), body: $0)
        }
        if builder.count == 4_096, let run = builder.takeRun() { try write(run, to: out) }
      }
      if let run = builder.takeRun() { try write(run, to: out) }
      made += min(work.items.count, events - made)
    }
  }

  private func write(_ run: Run, to out: FileHandle) throws {
    var text: [UInt8] = []
    for line in RecordMirror.lines(of: run) { text += line + [0x0a] }
    try out.write(contentsOf: Data(text))
  }

  // MARK: Bringing in

  /// As `boardroom import` does it: the file is read twice, first to check it.
  private func bring(_ room: RoomID, snapshots: Bool) async throws {
    let store = try EmbeddedLogStore.open(folder: data)
    let watch = Watch()
    let found = try await read { _ in }
    let checked = watch.figures
    var writer =
      snapshots
      ? LogImport(room, into: store, events: found.count)
      : LogImport(room, into: store, events: found.count, snapshotEvents: .max, snapshotBytes: .max)
    _ = try await read { try await writer.add($0) }
    let info = try await writer.finish(created: found.created ?? .zero)
    precondition(info.last == Revision(UInt64(events)), "an import brings every event in")
    await store.shutdown()
    let (wall, cpu) = watch.figures
    report.row(
      Figure(
        snapshots ? "import of JSONL, checked and written" : "the same without snapshots",
        rate(wall) + ", " + (cpu / Double(events) * 1e6).fixed(2) + " µs CPU an event",
        limit: "checking alone " + rate(checked.wall), goal: snapshots ? ">= 250,000 events/s" : "",
        met: snapshots ? Double(events) / wall >= 250_000 : nil))
  }

  private func read(_ each: ([Record]) async throws -> Void) async throws -> ImportReader {
    guard let input = FileHandle(forReadingAtPath: file) else { throw CocoaError(.fileNoSuchFile) }
    defer { try? input.close() }
    var reader = ImportReader(place: file)
    while let piece = try input.read(upToCount: 256 << 10), !piece.isEmpty {
      try await each(try reader.feed([UInt8](piece)))
    }
    try await each(try reader.finish())
    return reader
  }

  // MARK: Reading

  private func reading(_ work: (EmbeddedLogStore) async throws -> Void) async throws {
    var options = EmbeddedLogStore.Options()
    options.readOnly = true
    let store = try EmbeddedLogStore.open(folder: data, options: options)
    try await work(store)
    await store.shutdown()
  }

  private func tellSnapshots(bytes: Int) async throws {
    try await reading { store in
      let log = try await store.info(of: room).storedBytes
      let count = try await store.snapshots(of: room).count
      report.row(
        Figure(
          "\(count) snapshots beside the log", "\(bytes >> 10) KiB, \((bytes * 100 / max(log, 1))) %",
          limit: "log \(log >> 10) KiB stored", goal: "<= 10 %", met: bytes * 10 <= log))
    }
  }

  private func export(_ store: EmbeddedLogStore) async throws {
    let recording = try await Recording.open(room, in: store)
    let watch = Watch()
    var bytes = 0
    let lines = try await LineExport().write(recording) { bytes += $0.count }
    let (wall, cpu) = watch.figures
    precondition(lines == events && bytes == Self.size(file), "an export is the file that was brought in")
    report.row(
      Figure(
        "export as JSONL", rate(wall) + ", " + (cpu / Double(events) * 1e6).fixed(2) + " µs CPU an event",
        limit: (Double(bytes) / wall / 1e6).fixed(0) + " MB/s of text", goal: ">= 1,000,000 events/s",
        met: Double(events) / wall >= 1e6))
  }

  private func seek(
    _ store: EmbeddedLogStore, _ room: RoomID, _ what: String, times: Int, goal: Double
  ) async throws {
    var chance = Chance(seed: 5)
    var sample = Sample()
    let watch = Watch()
    for _ in 0..<times {
      let target = Revision(1 + (times == 1 ? UInt64(events) - 1 : chance.below(UInt64(events))))
      let began = Clock.now
      var replay = try await Replay.open(room, in: store)
      try await replay.go(to: target)
      sample.add(Clock.now - began)
      precondition(replay.revision == target, "a seek must lead to the revision asked for")
    }
    report.row(
      Figure(
        what, "p50 " + sample.quantile(0.5).milliseconds + ", p99 " + sample.quantile(0.99).milliseconds,
        limit: (watch.figures.cpu / Double(times)).milliseconds + " CPU a seek",
        goal: "<= " + (goal * 1e3).fixed(0) + " ms p99", met: sample.quantile(0.99) <= goal))
  }

  /// Reads the state at the end as a first join does: the newest snapshot and the events after it.
  private func join(_ store: EmbeddedLogStore) async throws {
    var sample = Sample()
    for _ in 0..<5 {
      let began = Clock.now
      var replay = try await Replay.open(room, in: store)
      try await replay.go(to: replay.end)
      sample.add(Clock.now - began)
    }
    report.row(
      Figure(
        "the state at the end, as a first join reads it", sample.quantile(0.5).milliseconds,
        goal: "<= 300 ms", met: sample.quantile(0.5) <= 0.3))
  }

  // MARK: Verifying

  private func verify() throws {
    let watch = Watch()
    let found = try Verify.database(folder: data, level: .full)
    let (wall, cpu) = watch.figures
    precondition(found.isSound, "what was just written is sound")
    let raw = Double(found.checked.rawBytes)
    let block = Run(
      first: 1, count: 1, base: .zero, last: .zero, records: [UInt8](repeating: 7, count: 64 << 10))
    var chain = Chain.origin
    let hashing = Watch()
    for _ in 0..<4_096 { chain = Chain.value(after: chain, log: room, run: block) }
    let limit = Double(block.records.count * 4_096) / hashing.figures.cpu
    report.row(
      Figure(
        "verify at full", (raw / cpu / 1e9).fixed(2) + " GB/s raw a core",
        limit: "the chain's SHA-256 alone \((limit / 1e9).fixed(2)) GB/s; \(wall.fixed(2)) s",
        goal: ">= 1 GB/s",
        met: raw / cpu >= 1e9))
  }

  private func rate(_ seconds: Double) -> String { (Double(events) / seconds).fixed(0) + " events/s" }

  private static func size(_ path: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? nil ?? 0
  }
}

/// Wall and processor seconds since it was made.
struct Watch {
  private let began = Clock.now
  private let cpu = Clock.cpu

  var figures: (wall: Double, cpu: Double) { (Clock.now - began, Clock.cpu - cpu) }
}
