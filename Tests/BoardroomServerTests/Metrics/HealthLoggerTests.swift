import BoardroomModel
import EventLog
import EventLogModel
import Logging
import NIOSSL
import Synchronization
import TestKit
import Testing

@testable import BoardroomAccess
@testable import BoardroomHosting
@testable import BoardroomServer

/// A store whose word a test chooses.
private final class ToldStore: Sendable {
  struct Told: Sendable {
    var refusal: LogError?
    var counts: [Int64] = [0, 0, 0]
    var failedSeals = 0.0
    var commitUnderWay = Duration.zero
  }
  let told = Mutex(Told())

  var watch: StoreWatch {
    StoreWatch {
      self.told.withLock { $0.refusal }
    } samples: {
      [MetricSample(StoreWatch.sealFailures, .counter, self.told.withLock { $0.failedSeals }, help: "")]
    } histograms: {
      [
        MetricHistogram(
          StoreWatch.commitSeconds, bounds: [0.05, 1], counts: self.told.withLock { $0.counts }, sum: 0,
          help: "")
      ]
    } commitUnderWay: {
      self.told.withLock { $0.commitUnderWay }
    }
  }
}

@Suite final class HealthLoggerTests: Sendable {
  private let store = ToldStore()
  private let loop = VirtualLoop(seed: 1)
  private let lines = Mutex<[String]>([])

  /// What is logged while time goes on to so many seconds from the start.
  private func logged(to seconds: Int, _ logger: HealthLogger) -> [String] {
    lines.withLock { $0 = [] }
    while loop.runNext(until: Timestamp(milliseconds: 1_700_000_000_000) + .seconds(seconds)) {}
    return lines.withLock { $0 }
  }

  private func watching(_ engine: RoomServerEngine, _ pipes: PipeDesk? = nil) -> HealthLogger {
    let log = Logger(label: "test") { label in
      LogLines(label: label, level: .info, format: .text) { [self] bytes in
        let line = String(decoding: bytes, as: UTF8.self).dropFirst("2023-11-14T22:13:20.000Z ".count)
          .dropLast()
        lines.withLock { $0.append(String(line)) }
      }
    }
    let limiter = ConnectionLimiter(ConnectionLimiter.Limits(address: 1, all: 1))
    let logger = HealthLogger(store.watch, engine, limiter, pipes, log)
    logger.watch(on: loop)
    return logger
  }

  private func engine(_ policy: ServerPolicy = ServerPolicy()) -> RoomServerEngine {
    RoomServerEngine(
      store: MemoryLogStore(), gatekeeper: OpenGate(), policy: policy, loops: [loop],
      clock: { [loop] in loop.now })
  }

  @Test("A log that takes no events is logged once, with why, and once when it takes them again")
  func refusals() {
    let logger = watching(engine())
    #expect(logged(to: 60, logger) == [])
    store.told.withLock { $0.refusal = .full(place: "journal") }
    #expect(logged(to: 65, logger) == [], "within ten seconds")
    #expect(logged(to: 120, logger) == ["error the log takes no events why=log full"])
    store.told.withLock { $0.refusal = .stopped(reason: "fdatasync failed on /d (error 5).") }
    #expect(
      logged(to: 180, logger) == [
        "error the log takes no events what=fdatasync failed on /d (error 5). why=log stopped"
      ])
    store.told.withLock { $0.refusal = nil }
    #expect(logged(to: 240, logger) == ["notice the log takes events again"])
  }

  @Test(
    "OPS-4: a commit that does not return is logged once as a hanging disk, and once when it has returned")
  func hangingDisks() {
    let logger = watching(engine())
    store.told.withLock { $0.commitUnderWay = .seconds(10) }
    #expect(logged(to: 60, logger) == [], "as long as disk.patience")
    store.told.withLock { $0.commitUnderWay = .milliseconds(10_500) }
    #expect(
      logged(to: 120, logger) == [
        "error the log takes no events what=a group commit has not returned for 10 s why=disk hangs"
      ])
    store.told.withLock { $0.commitUnderWay = .zero }
    #expect(logged(to: 180, logger) == ["notice the log takes events again"])
  }

  @Test("Commits that took a second or more are logged with their number, faster ones are not")
  func slowDisks() {
    let logger = watching(engine())
    store.told.withLock { $0.counts = [1_000, 500, 0] }
    #expect(logged(to: 30, logger) == [])
    store.told.withLock { $0.counts = [1_000, 500, 3] }
    #expect(logged(to: 90, logger) == ["warning commits are slow commits=3 over=1s"])
    store.told.withLock { $0.counts = [2_000, 500, 4] }
    #expect(logged(to: 150, logger) == ["warning commits are slow commits=1 over=1s"])
  }

  @Test(
    "PIPE-5: prefaces that are refused, and pipes that fail, are logged with their number, and no secret with them"
  )
  func pipes() throws {
    let keys = KeyRing(pairs: [KeyPair(id: "key", secret: "secret")])
    let gate = PrefaceGate(node: "a", proof: NodeProof(keys), largestHello: 1, clock: { .zero })
    let desk = PipeDesk(
      gate: gate, limits: PipeLimits(pipes: 1), trust: try NIOSSLContext(configuration: PipeDesk.trust(nil)),
      clock: { .zero })
    let logger = watching(engine(), desk)
    for fault in [PrefaceFault.forged, .late, .forged] { gate.count(fault) }
    desk.leave(failed: true)
    #expect(
      logged(to: 15, logger) == [
        "warning clients cannot be joined to other nodes failures=1",
        "warning prefaces of other nodes are refused why=forged 2, late 1",
      ])
    #expect(logged(to: 60, logger) == [])
    gate.count(.replayed)
    #expect(logged(to: 75, logger) == ["warning prefaces of other nodes are refused why=replayed 1"])
  }

  @Test("Seals that fail are logged with their number, while the log still takes events")
  func fullDatabases() {
    let logger = watching(engine())
    store.told.withLock { $0.failedSeals = 7 }
    #expect(logged(to: 60, logger) == ["error sealing fails failures=7"])
  }

  @Test("Rooms that were refused because too many are open are logged with their number and the limit")
  func fullHouses() async throws {
    var policy = ServerPolicy()
    policy.openRooms = 0
    let engine = engine(policy)
    let logger = watching(engine)
    let refused = Task { try await engine.kick(0, from: RoomID(high: 1, low: 1), reason: .kickByAdmin) }
    while engine.refusedRooms == 0 {
      _ = loop.runNext(until: loop.now)
      await Task.yield()
    }
    await #expect(throws: Refusal.self) { try await refused.value }
    #expect(logged(to: 30, logger) == ["warning rooms are refused limit=0 refused=1"])
    #expect(logged(to: 60, logger) == [])
  }
}
