import BoardroomModel
import EventLogModel
import Foundation
import Logging
import StorageTestKit
import Synchronization
import Testing

@testable import BoardroomHTTP
@testable import BoardroomServer

/// A store of which a pass reads `steps` steps of `bytes` bytes each, and a clock that moves when somebody waits.
private final class ScrubWorld: Sendable {
  struct State: Sendable {
    var now = Timestamp(milliseconds: 1_700_000_000_000)
    var waits: [Duration] = []
    /// The places at which passes were begun.
    var places: [String?] = []
    var damages: [Int: String] = [:]
    var failure: LogError?
    /// After so many waits the scrubber is told to end.
    var waitsLeft = 1_000
    var lines: [String] = []
    /// Where passes are, for a store that several processes have; and for how many looks another makes them.
    var shared: (record: ScrubRecord, turnsOfOthers: Int)?
    /// What was told besides, for webhooks.
    var told: [String] = []
  }

  static let (steps, bytes) = (4, 1_000)
  static let period = Duration.seconds(4_000)

  let folder = TemporaryFolder()
  let state = Mutex(State())

  func scrubber() -> Scrubber {
    let logger = Logger(label: "test") { label in
      LogLines(label: label, level: .info, format: .text) { [self] bytes in
        let line = String(decoding: bytes, as: UTF8.self).dropLast().drop { $0 != " " }
        state.withLock { $0.lines.append(String(line.dropFirst())) }
      }
    }
    let world = Scrubber.ScrubEnvironment(
      open: { [self] place throws(LogError) in try open(place) }, images: ImageCheck(folder: folder.path),
      records: records, now: { [self] in state.withLock(\.now) },
      found: { [self] damage in state.withLock { $0.told.append(damage) } },
      wait: { [self] pause in
        state.withLock { state in
          state.now = Timestamp(milliseconds: state.now.milliseconds + Int64(pause / .milliseconds(1)))
          state.waits.append(pause)
          state.waitsLeft -= 1
          return state.waitsLeft > 0
        }
      })
    return Scrubber(every: Self.period, world, logger)
  }

  private var records: ScrubRecords {
    guard state.withLock({ $0.shared != nil }) else { return ScrubRecords(inFolder: folder.path) }
    return ScrubRecords { [self] in
      state.withLock { state in
        guard let shared = state.shared else { return (ScrubRecord(), true) }
        state.shared?.turnsOfOthers -= 1
        return (shared.record, shared.turnsOfOthers <= 0)
      }
    } write: { [self] record in
      state.withLock { $0.shared?.record = record }
    }
  }

  private func open(_ place: String?) throws(LogError) -> ScrubPass {
    let failure = state.withLock { state in
      state.places.append(place)
      return state.failure.take()
    }
    if let failure { throw failure }
    var step = place.flatMap { Int($0) } ?? 0
    return ScrubPass(total: Self.steps * Self.bytes, before: step * Self.bytes) {
      [self] () throws(LogError) in
      guard step < Self.steps else { return nil }
      step += 1
      let damage = state.withLock { $0.damages[step] }
      return .init(bytes: Self.bytes, damages: damage.map { [$0] } ?? [], place: "\(step)")
    }
  }

  func value(_ name: String, of scrubber: Scrubber) -> Double? {
    scrubber.samples.first { $0.name == "boardroom_scrub_\(name)" }?.value
  }
}

@Suite struct ScrubberTests {
  @Test(
    "LOG-26: a pass is spread over its period by bytes, what a step took taken off; nothing to read costs no time"
  )
  func pace() {
    let pace = ScrubPace(period: .seconds(600))
    #expect(pace.pause(after: 10, of: 100, took: .zero) == .seconds(60))
    #expect(pace.pause(after: 10, of: 100, took: .seconds(12)) == .seconds(48))
    #expect(pace.pause(after: 10, of: 100, took: .seconds(90)) == .zero)
    #expect(
      pace.pause(after: 500, of: 100, took: .zero) == .seconds(600), "what grew meanwhile takes no longer")
    #expect(pace.pause(after: 0, of: 100, took: .zero) == .zero)
    #expect(pace.pause(after: 1, of: 0, took: .zero) == .zero)
  }

  @Test(
    "LOG-26: damage is told by a line and a measurement; the next pass begins a period after the end of this one"
  )
  func told() throws {
    let world = ScrubWorld()
    world.state.withLock { ($0.damages, $0.waitsLeft) = ([3: "a block in log.db"], 7) }
    let scrubber = world.scrubber()
    scrubber.run()
    let state = world.state.withLock(\.self)
    #expect(state.waits.prefix(5).map { $0 / .seconds(1) } == [0, 1_000, 1_000, 1_000, 1_000])
    #expect(state.waits[5] == ScrubWorld.period)
    #expect(state.places == [nil, nil])
    #expect(
      state.lines == [
        "error damage was found where=a block in log.db", "info the scrub has read everything damages=1",
      ])
    #expect(state.told == ["a block in log.db"])
    #expect(world.value("damages", of: scrubber) == 1)
    #expect(world.value("progress", of: scrubber) == 0.25)
    #expect(world.value("finished_seconds", of: scrubber) == 1_700_004_000)
  }

  @Test("LOG-26: after a restart a pass goes on where it was; a damaged record of that begins it anew")
  func resumed() throws {
    let world = ScrubWorld()
    world.state.withLock { $0.waitsLeft = 3 }
    world.scrubber().run()
    world.state.withLock { $0.waitsLeft = 3 }
    let scrubber = world.scrubber()
    scrubber.run()
    #expect(world.state.withLock(\.places) == [nil, "2"])
    #expect(world.value("progress", of: scrubber) == 1)
    try world.folder.write(Array("boardroom scrub 1\nplace".utf8), to: ScrubRecord.fileName)
    world.state.withLock { $0.waitsLeft = 3 }
    world.scrubber().run()
    #expect(world.state.withLock(\.places) == [nil, "2", nil])
  }

  @Test("LOG-26: what keeps a pass from going on is said and tried again; a damaged database is damage")
  func failures() throws {
    let world = ScrubWorld()
    world.state.withLock { ($0.failure, $0.waitsLeft) = (.io(operation: "open", path: "log.db", code: 5), 4) }
    world.scrubber().run()
    let state = world.state.withLock(\.self)
    try #require(state.lines.count == 1)
    #expect(state.lines[0].hasPrefix("warning the scrub cannot go on what=open failed"))
    #expect(state.waits[1] == .seconds(600))
    #expect(state.places == [nil, nil])
    let damaged = ScrubWorld()
    damaged.state.withLock {
      ($0.failure, $0.waitsLeft) = (.damaged(Damage(what: "no header", place: "log.db")), 2)
    }
    damaged.scrubber().run()
    let lines = damaged.state.withLock(\.lines)
    #expect(lines.first?.hasPrefix("error damage was found where=no header in log.db") == true, "\(lines)")
  }

  @Test(
    "DB-20: of several processes that have one store one makes the passes; another goes on where that one was, and all tell when a pass ended"
  )
  func shared() throws {
    let world = ScrubWorld()
    var record = ScrubRecord()
    (record.finished, record.began, record.place) = (
      Timestamp(milliseconds: 7_000), world.state.withLock(\.now), "2"
    )
    let known = record
    world.state.withLock { ($0.shared, $0.waitsLeft) = ((known, 2), 3) }
    let waiting = world.scrubber()
    waiting.run()
    #expect(world.state.withLock(\.waits) == [.seconds(600), .seconds(600), .zero])
    #expect(world.state.withLock(\.places).isEmpty)
    #expect(world.value("finished_seconds", of: waiting) == 7)
    world.state.withLock { $0.waitsLeft = 4 }
    world.scrubber().run()
    let state = world.state.withLock(\.self)
    #expect(state.places == ["2"])
    #expect(state.lines == ["info the scrub has read everything damages=0"])
    // After it one period was waited for.
    #expect(state.shared?.record.finished.map { $0 + ScrubWorld.period } == state.now)
    #expect(state.shared?.record.began == nil)
  }

  @Test("DB-20: a process that has lost its turn tells of no damage that another finds now")
  func lostTurn() throws {
    let world = ScrubWorld()
    world.state.withLock { ($0.shared, $0.damages, $0.waitsLeft) = ((ScrubRecord(), 0), [3: "a block"], 7) }
    let scrubber = world.scrubber()
    scrubber.run()
    #expect(world.value("damages", of: scrubber) == 1)
    world.state.withLock { state in
      state.shared?.turnsOfOthers = 9
      state.waitsLeft = 2
    }
    scrubber.run()
    #expect(world.value("damages", of: scrubber) == 0)
    #expect(world.value("progress", of: scrubber) == 0)
    #expect(world.value("finished_seconds", of: scrubber) == 1_700_004_000)
  }

  @Test("LOG-26: a record that cannot be written makes no pass begin before its time")
  func fullDisk() throws {
    let world = ScrubWorld()
    // Nothing can be written in its place.
    let path = world.folder.path + "/" + ScrubRecord.fileName
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    world.state.withLock { $0.waitsLeft = 7 }
    world.scrubber().run()
    let state = world.state.withLock(\.self)
    #expect(state.waits[5] == ScrubWorld.period)
    #expect(state.places == [nil, nil])
  }

  @Test("LOG-26: where a pass is, is noted before a long rest, during which what keeps it may go")
  func notedBeforeRest() throws {
    let world = ScrubWorld()
    world.state.withLock { ($0.shared, $0.waitsLeft) = ((ScrubRecord(), 0), 2) }
    world.scrubber().run()
    #expect(world.state.withLock(\.shared)?.record.place == "1")
  }

  @Test("LOG-26: the images of the boards are read, too")
  func images() throws {
    let world = ScrubWorld()
    let room = RoomID.random().description
    let path = world.folder.path + "/images/" + room
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let name = String(repeating: "a", count: 64) + ".png"
    try world.folder.write([1, 2, 3], to: "images/\(room)/\(name)")
    world.state.withLock { $0.waitsLeft = 7 }
    world.scrubber().run()
    let lines = world.state.withLock(\.lines)
    #expect(
      lines.contains { $0.contains("damage was found") && $0.contains("\(name) is damaged") }, "\(lines)")
  }

  @Test("The record of a scrub comes back as it was written")
  func record() {
    var record = ScrubRecord()
    #expect(ScrubRecord(record.text) == record)
    (record.began, record.place, record.finished) = (
      Timestamp(milliseconds: 5), "3:17", Timestamp(milliseconds: 4)
    )
    #expect(ScrubRecord(record.text) == record)
    for text in [
      "", "boardroom scrub 2\n", "boardroom scrub 1\nbegan x\n", "boardroom scrub 1\nnonsense 1\n",
    ] {
      #expect(ScrubRecord(text) == nil, "\(text)")
    }
  }

  @Test("The scrub's thread ends at once while it waits, and ending one that never began returns")
  func thread() async {
    let world = ScrubWorld()
    let thread = ScrubThread()
    await thread.end()
    let running = ScrubThread()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let endless = Scrubber.ScrubEnvironment(
      open: { _ in ScrubPass(total: 1, before: 0) { nil } }, images: ImageCheck(folder: world.folder.path),
      records: ScrubRecords(inFolder: world.folder.path), now: { .zero },
      wait: { _ in running.wait(.seconds(3_600)) })
    running.begin(Scrubber(every: .seconds(1), endless, logger))
    await running.end()
    #expect(!running.wait(.zero))
  }
}
