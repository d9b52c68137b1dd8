import ArgumentParser
import Foundation

/// Measures the log, the fold and a member's SDK, against the limits of the machine in one run (docs/BENCHMARKS.md).
@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measures the log, the fold and a member's SDK against the limits of this machine, in one run.",
    discussion: """
      Build for release first:
        swift build -c release --product bench
        .build/release/bench all
        .build/release/bench commit --json
      Room servers are measured with tools/bench/rooms (docs/BENCHMARKS.md).
      """)

  enum Part: String, ExpressibleByArgument, CaseIterable {
    case all, commit, steady, open, points, read, restart, mirror, long, many, database
    case fillAndDie = "fill-and-die"
    case manyOpen = "many-open"
  }

  @Argument(help: "What to measure: \(Part.allCases.dropLast(2).map(\.rawValue).joined(separator: ", ")).")
  var part: Part = .all

  @Argument(help: "A folder to write in; a temporary one if left out.")
  var folder: String?

  @Option(help: "Events in the room that is read, folded and sought in.")
  var events = 1_000_000

  @Option(help: "For many: how many rooms.")
  var rooms = 100_000

  @Option(name: .customLong("boardroom"), help: "For many: the program whose backup is measured.")
  var program: String?

  @Option(help: "For long: the board is cleared after so many events; 0 keeps everything on it.")
  var cleared = 250_000

  @Option(help: "A folder with real drawings (wacom_pen.ndjson); without it a seeded pen model draws.")
  var corpus: String?

  @Option(help: "For database: its address. The program must have been built with PostgreSQL.")
  var database: String?

  @Option(help: "For database: only write, so many events a commit; 0 measures how long commits take.")
  var batch = 0

  @Option(help: "For database: commit at a fixed pace for so many minutes; 0 does not.")
  var minutes = 0

  @Option(help: "With --minutes: commits a second.")
  var rate = 1_000

  @Flag(help: "One JSON object a line.")
  var json = false

  func validate() throws {
    guard rate > 0 else { throw ValidationError("--rate takes a number above 0.") }
  }

  func run() async throws {
    let place =
      folder ?? NSTemporaryDirectory() + "boardroom-bench-\(ProcessInfo.processInfo.processIdentifier)"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    defer { if folder == nil { try? FileManager.default.removeItem(atPath: place) } }
    let report = Report(json: json)
    if part == .fillAndDie {
      try await ReadBench(folder: place, report: report).fillAndDie(Workload(events: 200_000))
      return
    }
    if part == .many || part == .manyOpen {
      let many = ManyBench(folder: place, report: report, rooms: rooms, program: program)
      return try await part == .many ? many.run() : many.open()
    }
    if part == .long {
      return try await LongBench(folder: place, report: report, events: events, cleared: cleared).run()
    }
    if part == .database { return try await measureDatabase(place, report) }
    note("making the workload")
    let strokes = try corpus.map { try Pen.real(in: $0) }
    let workload = Workload(events: part == .read || part == .all ? events : 200_000, strokes: strokes)
    let commits = CommitBench(folder: place, report: report)
    let reads = ReadBench(folder: place, report: report)
    if wants(.commit) { try await commits.latency(workload) }
    if wants(.steady) { try await commits.cpuAndBytes(workload) }
    if wants(.open) { try await commits.openLoop(workload) }
    if wants(.points) {
      try await reads.points(Workload(events: 200_000, seed: 2, strokes: strokes, only: true))
    }
    if wants(.read) { try await reads.read(workload, count: workload.items.count) }
    if wants(.mirror) { try MirrorBench(report: report).run(Workload(events: 60_000, strokes: strokes)) }
    if wants(.restart) { try await reads.restart(program: CommandLine.arguments[0]) }
  }

  private func measureDatabase(_ place: String, _ report: Report) async throws {
    #if BOARDROOM_POSTGRES
      guard let database else { throw ValidationError("--database is missing.") }
      let workload = Workload(events: 200_000)
      if minutes > 0 {
        return try await PaceBench(
          address: database, report: report, commits: CommitBench(folder: place, report: report), rate: rate,
          batch: max(1, batch), minutes: minutes
        ).run(workload)
      }
      let bench = DatabaseBench(
        address: database, folder: place, report: report, commits: CommitBench(folder: place, report: report))
      if batch == 0 { return try await bench.latency(workload) }
      try await bench.steady(workload, batch: batch, count: events)
    #else
      throw ValidationError("This program was built without PostgreSQL: build it with BOARDROOM_POSTGRES=1.")
    #endif
  }

  private func wants(_ wanted: Part) -> Bool {
    guard part == .all || part == wanted else { return false }
    note(wanted.rawValue)
    return true
  }

  private func note(_ text: String) {
    FileHandle.standardError.write(Data("bench: \(text)\n".utf8))
  }
}
