import BoardroomCodec
import BoardroomModel
import EventLog
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

/// Measures very many small rooms: at a server's start, while nobody is in them, and in a backup.
struct ManyBench {
  /// Events of each room: it is made, a member joins, draws a little and leaves.
  private static let events = 6

  var folder: String
  var report: Report
  var rooms: Int
  /// The command line program, for the measurements that need it; nil: these are left out.
  var program: String?

  private var data: String { folder + "/many" }

  func run() async throws {
    if !FileManager.default.fileExists(atPath: data + "/log.db") { try await fill() }
    report.head("\(rooms) rooms of \(Self.events) events")
    try await start()
    if let program { try await backup(program) }
  }

  private func fill() async throws {
    let store = try EmbeddedLogStore.open(folder: data)
    let records = Self.records
    for first in stride(from: 0, to: rooms, by: 1_000) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in first..<min(first + 1_000, rooms) {
          group.addTask {
            let room = RoomID(high: 0x3a11, low: UInt64(number + 1))
            _ = try await store.create(room, at: records[0].time)
            try await store.append(records, to: room, expecting: .zero, epoch: nil)
          }
        }
        try await group.waitForAll()
      }
    }
    await store.shutdown()
  }

  private static var records: [Record] {
    var hand: UInt64 = 0
    let joined = MemberJoined(
      session: SessionID(high: 7, low: 1), uid: "user", role: .writer, writable: true, payload: nil,
      client: "bench")
    let style = StrokeStyle(
      scene: 1, unit: -3, tool: .pencil, colour: Colour(red: 30, green: 90, blue: 200), width: 12)
    let steps = PointSteps(x: [900, 4, 7], y: [500, 3, 1], time: [0, 16, 16], pressure: nil)
    func stroke() -> Event {
      hand += 1
      return .drawing(
        .stroke(StrokeSegment(number: hand, begin: style, ends: true, points: EncodedPoints(steps))))
    }
    let events: [(UInt64, Event)] = [
      (0, .room(.created(RoomCreated(name: "bench")))), (1, .members(.joined(joined))), (1, stroke()),
      (1, stroke()),
      (1, stroke()), (1, .members(.left(.left))),
    ]
    return events.enumerated().map { place, event in
      Record(
        kind: event.1.kind, time: Timestamp(milliseconds: 1_700_000_000_000 + Int64(place) * 100),
        actor: event.0,
        body: EventCodec.encodeBody(event.1, counter: place > 1 && place < 5 ? UInt64(place) : 0))
    }
  }

  // MARK: Starting

  /// Runs in a process of its own, so that memory that was used to fill the folder is not counted.
  private func start() async throws {
    let result = try await Subprocess.run(
      .path(FilePath(CommandLine.arguments[0])), arguments: ["many-open", data],
      output: .string(limit: 1 << 10))
    let figures = (result.standardOutput).split(whereSeparator: \.isWhitespace).compactMap {
      Double($0)
    }
    guard figures.count == 4 else { throw CocoaError(.featureUnsupported) }
    report.row(
      Figure(
        "open after a shutdown", figures[0].fixed(2) + " s, \(figures[1].fixed(2)) s CPU",
        limit:
          "read() of log.db \((Double(Self.size(data + "/log.db")) / Machine.read(data + "/log.db")).fixed(3)) s",
        goal: "<= 1 s", met: figures[0] <= 1))
    report.row(
      Figure(
        "memory of a closed room", (figures[2] / Double(rooms)).fixed(0) + " B",
        limit: "\(Int(figures[3])) rooms", goal: "<= 1 KiB",
        met: figures[2] / Double(rooms) <= 1_024 && Int(figures[3]) == rooms))
  }

  /// The process that `start` runs: prints seconds, processor seconds, bytes of memory and the number of
  /// rooms.
  func open() async throws {
    let before = Self.resident
    let watch = Watch()
    let store = try EmbeddedLogStore.open(folder: folder)
    let (wall, cpu) = watch.figures
    let after = Self.resident
    var (count, last) = (0, RoomID?.none)
    while case let page = try await store.logs(after: last, limit: 1_000), let end = page.last {
      count += page.count
      last = end.log
    }
    print(wall, cpu, after - before, count)
    await store.shutdown()
  }

  /// Bytes of this process that are in memory.
  private static var resident: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  // MARK: Backup

  private func backup(_ program: String) async throws {
    let copy = folder + "/copy-\(ProcessInfo.processInfo.processIdentifier)"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    let (before, began) = (Self.childrenSeconds, Clock.now)
    let result = try await Subprocess.run(
      .path(FilePath(program)), arguments: ["backup", copy, "--data", data, "--quiet"], output: .discarded)
    let wall = Clock.now - began
    let cpu = Self.childrenSeconds - before
    report.row(
      Figure(
        "backup", cpu.fixed(1) + " s CPU", limit: wall.fixed(1) + " s", goal: "<= 60 s CPU",
        met: result.terminationStatus.isSuccess && cpu <= 60))
  }

  /// Processor seconds of the programs that were run and have ended.
  private static var childrenSeconds: Double {
    var usage = rusage()
    #if canImport(Glibc)
      getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
    #else
      getrusage(RUSAGE_CHILDREN, &usage)
    #endif
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  private static func size(_ path: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? nil ?? 0
  }
}
