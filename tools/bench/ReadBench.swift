import BoardroomCodec
import BoardroomCore
import BoardroomModel
import BoardroomReplay
import EventLog
import EventLogFormat
import EventLogModel
import Foundation
import Subprocess

#if canImport(System)
  import System
#else
  import SystemPackage
#endif
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Measures reading: goals 6, 9 and 10 of docs/BENCHMARKS.md, fold and seek.
struct ReadBench {
  var folder: String
  var report: Report
  let room = LogID(high: 0xbe7c, low: 1)

  /// Writes one room of `count` events and seals it.
  func fill(_ workload: Workload, count: Int, at path: String) async throws -> EmbeddedLogStore {
    let store = try EmbeddedLogStore.open(folder: path)
    let rooms = try await CommitBench(folder: folder, report: report).openRooms(store, count: 1)
    var total = 0
    while total < count {
      for _ in 0..<min(4_096, count - total) {
        try rooms.append(workload.items[total], room: 0)
        total += 1
      }
      rooms.waiter.rest(until: total)
    }
    try await store.seal()
    return store
  }

  func points(_ workload: Workload) async throws {
    report.head("Bytes a point, x, y, time and pressure, headers included (goal 6)")
    let store = try await fill(workload, count: workload.items.count, at: folder + "/points")
    let info = try await store.info(of: room)
    let points = Double(workload.points)
    let hot = Double(info.storedBytes) / points
    report.row(
      Figure(
        "stored bytes a point", hot.fixed(2), limit: "raw " + (Double(info.rawBytes) / points).fixed(2),
        goal: "<= 3.7 (reach 4.63)", met: hot <= 4.63))
    try await cold(store, points: points)
    await store.shutdown()
  }

  /// Measures the same blocks in columns, as they are kept once the room is idle.
  private func cold(_ store: EmbeddedLogStore, points: Double) async throws {
    var (bytes, events) = (0, 0)
    var (packing, unpacking) = (0.0, 0.0)
    for stored in try await all(store) {
      let run = try store.unpack(stored, of: room)
      let block = Block(sealing: run, of: room, after: Chain.origin, isOpen: false)
      let began = Clock.cpu
      let packed = Block(columnsOf: block, run, shapes: BodyShapes.all) ?? block
      packing += Clock.cpu - began
      let begun = Clock.cpu
      guard try packed.unpacked() == run else { fatalError("what was packed must be what is unpacked") }
      unpacking += Clock.cpu - begun
      bytes += packed.encodedLength
      events += run.count
    }
    let cold = Double(bytes) / points
    report.row(
      Figure(
        "the same in columns", cold.fixed(2), limit: "0.3 of it: who writes and when, by chance",
        goal: "<= 2.0 (reach 2.5)", met: cold <= 2.5))
    report.row(
      Figure(
        "packing and proving it, unpacking",
        (packing / Double(events) * 1e9).fixed(0) + " and " + (unpacking / Double(events) * 1e9).fixed(0)
          + " ns CPU an event"))
  }

  func read(_ workload: Workload, count: Int) async throws {
    let path = folder + "/read"
    let store = try await fill(workload, count: count, at: path)
    report.head("Reading a room of \(count) events (goals 7 and 10)")
    let limit = Machine.read(path + "/log.db")
    var export = 0.0
    for _ in 0..<3 { export = max(export, try await exportRate(store)) }
    report.row(
      Figure(
        "export of stored blocks", (export / 1e9).fixed(2) + " GB/s",
        limit: "read() " + (limit / 1e9).fixed(2) + " GB/s",
        goal: ">= 40 % (reach 32 %)", met: export >= 0.32 * limit))
    let runs = try await all(store)
    var raw = 0, events = 0
    let began = Clock.now
    for run in runs {
      let plain = try store.unpack(run, of: room)
      raw += plain.records.count
      plain.forEach { _, _ in events += 1 }
    }
    let seconds = Clock.now - began
    report.row(
      Figure(
        "unpack, check and iterate",
        (Double(events) / seconds / 1e6).fixed(1) + " M events/s, "
          + (Double(raw) / seconds / 1e9).fixed(2) + " GB/s", goal: ">= 20 M events/s",
        met: Double(events) / seconds >= 20e6 * 0.75))
    try fold(runs, store)
    try await seek(store, count: count, path: path)
    await store.shutdown()
  }

  /// Stored bytes a second, read as an export reads them: a page at a time, none kept.
  private func exportRate(_ store: EmbeddedLogStore) async throws -> Double {
    let began = Clock.now
    var after = Revision.zero
    var bytes = 0
    while true {
      let page = try await store.read(room, after: after, limit: 1 << 20)
      guard let last = page.last else { break }
      bytes += page.reduce(0) { $0 + $1.bytes.count }
      after = last.lastRevision
    }
    return Double(bytes) / (Clock.now - began)
  }

  private func all(_ store: EmbeddedLogStore) async throws -> [StoredRun] {
    var runs: [StoredRun] = []
    while true {
      let page = try await store.read(room, after: runs.last?.lastRevision ?? .zero, limit: 4 << 20)
      if page.isEmpty { return runs }
      runs += page
    }
  }

  private func fold(_ runs: [StoredRun], _ store: EmbeddedLogStore) throws {
    let plain = try runs.map { try store.unpack($0, of: room) }
    var best = 0.0
    for _ in 0..<3 {
      var state = RoomState()
      let began = Clock.cpu
      for run in plain {
        try run.forEach { (view, _) throws in
          state.apply(try EventCodec.decode(view, in: run.records))
        }
      }
      best = max(best, Double(state.revision.rawValue) / (Clock.cpu - began))
    }
    report.row(
      Figure(
        "fold: decode and apply", (best / 1e6).fixed(2) + " M events/s", goal: ">= 1 M events/s a core",
        met: best >= 1e6))
  }

  /// Snapshots as the server makes them, then moments at random revisions.
  private func seek(_ store: EmbeddedLogStore, count: Int, path: String) async throws {
    var state = RoomState()
    var encoder = StateEncoder()
    let before = Self.size(path + "/log.db")
    var next = 32_768
    var snapshots = 0
    var cpu = 0.0
    var after = Revision.zero
    while true {
      let runs = try await store.runs(of: room, after: after, limit: 1 << 20)
      guard let last = runs.last else { break }
      for run in runs {
        for (index, record) in run.unpacked.enumerated() {
          let view = RecordView(
            revision: run.first + index, kind: record.kind, time: record.time, actor: record.actor,
            body: 0..<record.body.count)
          state.apply(try EventCodec.decode(view, in: record.body))
          guard Int(state.revision.rawValue) == next else { continue }
          next += 32_768
          let began = Clock.cpu
          try await store.put(encoder.snapshot(of: state), for: room)
          cpu += Clock.cpu - began
          snapshots += 1
        }
      }
      after = last.lastRevision
    }
    report.row(
      Figure(
        "\(snapshots) snapshots", (cpu / Double(count) * 1e9).fixed(0) + " ns CPU an event"))
    let size = Self.size(path + "/log.db")
    let log = try await store.info(of: room).storedBytes
    report.row(
      Figure(
        "snapshots beside the log", "\((size - before) >> 10) KiB", limit: "log \(log >> 10) KiB stored",
        goal: "<= 10 % of the log in the end"))
    var chance = Chance(seed: 5)
    var times = Sample()
    for _ in 0..<40 {
      let target = Revision(1 + chance.below(UInt64(count)))
      let began = Clock.now
      var replay = try await Replay.open(room, in: store)
      try await replay.seek(to: target)
      times.add(Clock.now - began)
      precondition(replay.revision == target, "a seek must lead to the revision asked for")
    }
    report.row(
      Figure(
        "seek to a random moment",
        "p50 " + times.quantile(0.5).milliseconds + ", p99 " + times.quantile(0.99).milliseconds,
        goal: "<= 50 ms at the median", met: times.quantile(0.5) <= 0.05))
  }

  private static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Opens a folder that a killed process left, with about 64 MiB of unsealed journal in 2,000 rooms.
  func restart(program: String) async throws {
    report.head("Start with a full journal (goal 9)")
    let path = folder + "/restart"
    _ = try await Subprocess.run(
      .path(FilePath(program)), arguments: ["fill-and-die", path], output: .discarded)
    let began = Clock.now
    let store = try EmbeddedLogStore.open(folder: path)
    let seconds = Clock.now - began
    let events = try await store.logs(after: nil, limit: 5_000).reduce(0) { $0 + Int($1.last.rawValue) }
    report.row(
      Figure(
        "open after a kill, \(events) events", seconds.fixed(2) + " s",
        limit: "\(store.statistics.unsealedBytes >> 20) MiB unsealed", goal: "< 1 s (reach 1.25)",
        met: seconds < 1.25 && events > 0))
    await store.shutdown()
  }

  /// The process that `restart` runs: fills the journal and ends as by `kill -9`.
  func fillAndDie(_ workload: Workload) async throws {
    var options = EmbeddedLogStore.Options()
    options.sealIdle = .seconds(3_600)
    let store = try EmbeddedLogStore.open(folder: folder, options: options)
    let rooms = try await CommitBench(folder: folder, report: report).openRooms(store, count: 2_000)
    var raw = 0, total = 0
    while raw < 60 << 20 {
      for _ in 0..<4_096 {
        let item = workload.items[total % workload.items.count]
        raw += item.body.count + 4
        try rooms.append(item, room: total % 2_000)
        total += 1
      }
      rooms.waiter.rest(until: total)
    }
    kill(getpid(), SIGKILL)
  }
}
