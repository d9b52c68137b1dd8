import BoardroomCodec
import BoardroomCore
import BoardroomModel
import BoardroomReplay
import EventLogModel
import Synchronization
import Testing

/// A clock on which sleeping costs no time: it jumps to the end of every sleep and notes it.
private final class JumpingClock: Clock {
  struct Instant: InstantProtocol {
    typealias Duration = Swift.Duration
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  typealias Duration = Swift.Duration
  private let time = Mutex(Swift.Duration.zero)
  let minimumResolution = Swift.Duration.zero
  var now: Instant { Instant(offset: time.withLock { $0 }) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    time.withLock { $0 = max($0, deadline.offset) }
  }
}

@Suite("Playback")
struct PlaybackTests {
  /// Events at 0, 100, 100, 5 100 and 5 300 ms.
  private func session() -> RecordedSession {
    var session = RecordedSession(seed: 1, events: 4)
    for pause in [0, 100, 0, 5_000, 200] {
      session.wait(.milliseconds(pause))
      session.command(.magix(MagixEvent(name: "tick", payload: .null)), by: 0)
    }
    return session
  }

  private func play(_ playback: Playback) async throws -> (shown: [Duration], map: TimeMap, end: Revision) {
    var replay = try await Replay(session().stored())
    try await replay.seek(to: 4)
    let clock = JumpingClock()
    var shown: [Duration] = []
    let map = try await replay.play(playback, clock: clock) { event, moment in
      #expect(moment.revision == event.revision)
      shown.append(clock.now.offset)
      return true
    }
    return (shown, map, replay.revision)
  }

  @Test("RP-32: events are shown in the log's rhythm divided by the rate", arguments: [1.0, 0.5, 4])
  func rhythm(rate: Double) async throws {
    let shown = try await play(Playback(rate: rate)).shown
    #expect(shown == [0, 100, 100, 5_100, 5_300].map { .milliseconds($0) / rate })
  }

  @Test("Rate infinity waits for nothing")
  func withoutWaiting() async throws {
    #expect(try await play(Playback(rate: .infinity)).shown == Array(repeating: .zero, count: 5))
  }

  @Test("RP-63: idle stretches are shortened on request, and the map from schedule to UTC says where")
  func idleStretches() async throws {
    let played = try await play(Playback(idleLimit: .seconds(1)))
    #expect(played.shown == [0, 100, 100, 1_100, 1_300].map { .milliseconds($0) })
    let start = RecordedSession.start
    let utc = session().records.map(\.time)
    #expect(utc[4] >= start)
    #expect(played.map.entries.map(\.schedule) == [.zero, .milliseconds(1_100)])
    #expect(played.map.entries.map(\.utc) == [utc[4], utc[7]])
  }

  @Test("Playback ends at the revision that was asked for, or when the watcher has enough")
  func ends() async throws {
    #expect(try await play(Playback(rate: .infinity, through: 7)).end == 7)
    var replay = try await Replay(session().stored())
    var seen = 0
    try await replay.play(Playback(rate: .infinity), clock: JumpingClock()) { _, _ in
      seen += 1
      return seen < 3
    }
    #expect(seen == 3)
    #expect(replay.revision == 3)
  }

  @Test("A playback that is cancelled ends with the moment it had reached")
  func cancelled() async throws {
    let recording = try await session().stored()
    let task = Task {
      var replay = try await Replay(recording)
      try await replay.play(Playback(), clock: JumpingClock()) { event, _ in
        withUnsafeCurrentTask { $0?.cancel() }
        return event.revision < 9
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
