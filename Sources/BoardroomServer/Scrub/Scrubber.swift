import BoardroomHTTP
import EventLogModel
import Foundation
import Logging
import Synchronization

/// Reads everything that is stored once in each period, slowly, while the server runs: the store and the
/// boards' images. Reports damage by log lines and by metrics.
///
/// It has a thread of its own, since it waits for the disk.
final class Scrubber: Sendable {
  /// The values for the metrics.
  struct ScrubFigures: Sendable {
    /// Bytes read of this pass, and bytes of all of it.
    var read = 0
    var total = 0
    /// Damages of this pass so far, and of the last whole one.
    var damages = 0
    var earlier = 0
    var finished: Timestamp?

    var samples: [MetricSample] {
      [
        MetricSample(
          "boardroom_scrub_progress", .gauge, total > 0 ? min(1, Double(read) / Double(total)) : 0,
          help: "Part of what is stored that the scrub has read in its present pass, from 0 to 1."),
        MetricSample(
          "boardroom_scrub_damages", .gauge, Double(max(damages, earlier)),
          help: "Damaged places that the scrub found in its present pass or in the one before, which is more."
        ),
        MetricSample(
          "boardroom_scrub_finished_seconds", .gauge,
          finished.map { Double($0.milliseconds) / 1_000 } ?? 0,
          help: "When the scrub last ended a whole pass, in seconds since 1970; 0 if it never has."),
      ]
    }
  }

  /// What the scrubber calls: the store, the clock, waits.
  struct ScrubEnvironment: Sendable {
    /// Begins a pass of the store at a place that a step gave; at the beginning without one.
    var open: @Sendable (_ place: String?) throws(LogError) -> ScrubPass
    var images: ImageCheck
    var records: ScrubRecords
    var now: @Sendable () -> Timestamp
    /// Called for each damage that is logged.
    var found: @Sendable (String) -> Void = { _ in }
    /// Waits. Returns whether to go on.
    var wait: @Sendable (Duration) -> Bool
  }

  /// How long to wait after an error that is no damage.
  private static let afterFailure: Duration = .seconds(600)
  /// How often the record is written, in milliseconds: a start repeats at most so much of a pass.
  private static let recordEvery: Int64 = 60_000
  /// The most lines about damage in one pass: a failed disk would fill the log and the operators' log.
  private static let mostLines = 100

  private let world: ScrubEnvironment
  private let pace: ScrubPace
  private let logger: Logger
  private let facts = Mutex(ScrubFigures())

  init(every period: Duration, _ world: ScrubEnvironment, _ logger: Logger) {
    self.world = world
    pace = ScrubPace(period: period)
    self.logger = logger
  }

  var samples: [MetricSample] { facts.withLock(\.samples) }

  /// Makes passes until `wait` returns false.
  func run() {
    var record = ScrubRecord()
    var isOurs = false
    // Damage that keeps passes from being made, which each attempt meets again.
    var known: Damage?
    while true {
      do throws(LogError) {
        (record, isOurs) = try world.records.read()
        facts.withLock { $0.finished = record.finished }
        // Another process that has the same store makes them, until it ends. What this one has found, that one finds.
        guard isOurs else {
          facts.withLock { $0 = ScrubFigures(finished: record.finished) }
          guard world.wait(Self.afterFailure) else { return }
          continue
        }
        guard rest(since: record) else { break }
        if record.began == nil { (record.began, record.place) = (world.now(), "") }
        guard try readStore(&record), try readImages(record) else { break }
        try finish(&record)
      } catch {
        if case .damaged(let found) = error, found != known {
          known = found
          logDamage(["\(found)"])
        }
        logger.warning("the scrub cannot go on", metadata: ["what": "\(error)"])
        try? world.records.write(record)
        guard world.wait(Self.afterFailure) else { return }
      }
    }
    try? world.records.write(record)
  }

  /// Waits between two passes, until one period after the last one's end.
  private func rest(since record: ScrubRecord) -> Bool {
    guard record.began == nil, let finished = record.finished else { return world.wait(.zero) }
    let passed = Duration.milliseconds(max(0, world.now().milliseconds - finished.milliseconds))
    return world.wait(max(.zero, pace.period - passed))
  }

  private func finish(_ record: inout ScrubRecord) throws(LogError) {
    (record.began, record.place, record.finished) = (nil, "", world.now())
    try world.records.write(record)
    let found = facts.withLock { facts in
      defer { (facts.earlier, facts.damages, facts.finished) = (facts.damages, 0, record.finished) }
      return facts.damages
    }
    logger.info("the scrub has read everything", metadata: ["damages": "\(found)"])
  }

  // MARK: The store

  private func readStore(_ record: inout ScrubRecord) throws(LogError) -> Bool {
    let pass: ScrubPass
    do throws(LogError) {
      pass = try world.open(record.place.isEmpty ? nil : record.place)
    } catch {
      guard case .damaged(let found) = error else { throw error }
      logDamage(["\(found)"])
      return true
    }
    // Where they cannot be listed, `readImages` says so.
    let images = (try? world.images.allWithLengths()) ?? []
    let imageBytes = images.reduce(0) { $0 + $1.bytes }
    facts.withLock { ($0.read, $0.total) = (pass.before, pass.total + imageBytes) }
    var written = world.now()
    while true {
      let begun = world.now()
      guard let step = try pass.next() else { return true }
      logDamage(step.damages)
      record.place = step.place
      guard try rest(after: step.bytes, since: begun, record, &written) else { return false }
    }
  }

  /// Waits after a step. Returns whether to go on. Before a long rest it is noted where the pass is.
  private func rest(
    after bytes: Int, since begun: Timestamp, _ record: ScrubRecord, _ written: inout Timestamp
  ) throws(LogError) -> Bool {
    let pause = pause(after: bytes, since: begun)
    if world.now().milliseconds + Int64(pause / .milliseconds(1)) - written.milliseconds >= Self.recordEvery {
      written = world.now()
      try world.records.write(record)
    }
    return world.wait(pause)
  }

  // MARK: Images

  /// Their place in the pass is not noted; but the record is, so that a turn that was lost meanwhile is known soon.
  private func readImages(_ record: ScrubRecord) throws(LogError) -> Bool {
    let all: [(image: ImageCheck.Stored, bytes: Int)]
    do throws(ImageDamage) { all = try world.images.allWithLengths() } catch {
      try tell(error)
      return true
    }
    var written = world.now()
    for (image, bytes) in all {
      let begun = world.now()
      // An image that was removed since is not damaged.
      if let damage = world.images.damage(of: image, deep: true), damage.what != .missing {
        try tell(damage)
      }
      guard try rest(after: bytes, since: begun, record, &written) else { return false }
    }
    return true
  }

  /// Throws if the place of the images does not answer, which is no damage.
  private func tell(_ damage: ImageDamage) throws(LogError) {
    if damage.isPassing { throw .stopped(reason: "\(damage)") }
    logDamage(["\(damage)"])
  }

  private func pause(after bytes: Int, since begun: Timestamp) -> Duration {
    let total = facts.withLock { facts in
      facts.read += bytes
      return facts.total
    }
    let took = Duration.milliseconds(max(0, world.now().milliseconds - begun.milliseconds))
    return pace.pause(after: bytes, of: total, took: took)
  }

  private func logDamage(_ damages: [String]) {
    for damage in damages {
      let count = facts.withLock { facts in
        facts.damages += 1
        return facts.damages
      }
      guard count <= Self.mostLines else { continue }
      logger.error("damage was found", metadata: ["where": "\(damage)"])
      world.found(damage)
    }
  }
}

/// The thread of a scrubber, which ends when it is told to.
final class ScrubThread: Sendable {
  private struct State {
    var isEnding = false
    /// Whether no thread runs: not yet, or no more.
    var isEnded = true
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)

  /// Waits. Returns whether to go on. The shortest pause is a millisecond, because others need the disk, too.
  func wait(_ pause: Duration) -> Bool {
    guard !state.withLock(\.isEnding) else { return false }
    let milliseconds = max(1, Int(min(pause, .seconds(86_400)) / .milliseconds(1)))
    _ = wake.wait(timeout: .now() + .milliseconds(milliseconds))
    return !state.withLock(\.isEnding)
  }

  func begin(_ scrubber: Scrubber) {
    state.withLock { $0.isEnded = false }
    let thread = Thread { [self] in
      scrubber.run()
      let waiter = state.withLock { state in
        state.isEnded = true
        return state.waiter.take()
      }
      waiter?.resume()
    }
    thread.name = "scrub"
    thread.start()
  }

  /// Ends the thread, and returns when it has closed its files. A step takes some hundredths of a second.
  func end() async {
    state.withLock { $0.isEnding = true }
    wake.signal()
    await withCheckedContinuation { waiter in
      let isEnded = state.withLock { state in
        if !state.isEnded { state.waiter = waiter }
        return state.isEnded
      }
      if isEnded { waiter.resume() }
    }
  }
}
