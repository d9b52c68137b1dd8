import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLog
import EventLogModel
import Synchronization

/// What a player's callbacks object heard, with the second at which it came.
public final class PlayerRecorder: WhitePlayerCallbackDelegate, Sendable {
  public enum Heard: Sendable, Hashable {
    case phase(WhitePlayerPhase)
    case firstFrame
    case state(WhitePlayerState)
    case time(Double)
    case slice(String)
    case stopped(BoardroomError)
    case misfit(String)
    case render(String)
    case magix(WhiteEvent)
    case batch([WhiteEvent])
    case playable(Bool)
    case gap(Gap)
    case elements
  }

  public struct Entry: Sendable, Hashable {
    public let second: Double
    public let heard: Heard
  }

  private let entries = Mutex<[Entry]>([])
  private let clock: @Sendable () -> Double

  public init(_ clock: @escaping @Sendable () -> Double) { self.clock = clock }

  public var all: [Entry] { entries.withLock { $0 } }
  public var heard: [Heard] { all.map(\.heard) }
  public func clear() { entries.withLock { $0 = [] } }

  public var phases: [WhitePlayerPhase] {
    heard.compactMap { if case .phase(let phase) = $0 { phase } else { nil } }
  }
  public var states: [WhitePlayerState] {
    heard.compactMap { if case .state(let state) = $0 { state } else { nil } }
  }
  public var times: [Double] {
    heard.compactMap { if case .time(let time) = $0 { time } else { nil } }
  }
  public var magix: [WhiteEvent] {
    heard.compactMap { if case .magix(let event) = $0 { event } else { nil } }
  }

  private func add(_ heard: Heard) {
    let entry = Entry(second: clock(), heard: heard)
    entries.withLock { $0.append(entry) }
  }

  public func phaseChanged(_ phase: WhitePlayerPhase) { add(.phase(phase)) }
  public func loadFirstFrame() { add(.firstFrame) }
  public func playerStateChanged(_ modifyState: WhitePlayerState) { add(.state(modifyState)) }
  public func scheduleTimeChanged(_ time: Double) { add(.time(time)) }
  public func sliceChanged(_ slice: String) { add(.slice(slice)) }
  public func stoppedWithError(_ error: BoardroomError) { add(.stopped(error)) }
  public func errorWhenAppendFrame(_ error: String) { add(.misfit(error)) }
  public func errorWhenRender(_ error: String) { add(.render(error)) }
  public func fireMagixEvent(_ event: WhiteEvent) { add(.magix(event)) }
  public func fireHighFrequencyEvent(_ events: [WhiteEvent]) { add(.batch(events)) }
  public func isPlayableChanged(_ isPlayable: Bool) { add(.playable(isPlayable)) }
  public func gapPassed(_ gap: Gap) { add(.gap(gap)) }
  public func elementsChanged() { add(.elements) }
}

extension World {
  /// The log of the one room, as a player reads it.
  public var recording: LogReplaySource { LogReplaySource(room, in: store) }

  /// A player by this world's clock; its recorder counts from now.
  public func player(
    _ source: (any ReplaySource)? = nil, roomCallbacks: (any WhiteRoomCallbackDelegate)? = nil,
    commonCallbacks: (any WhiteCommonCallbackDelegate)? = nil,
    _ change: (inout WhitePlayerConfig) -> Void = { _ in }
  ) -> (player: WhitePlayer, ears: PlayerRecorder) {
    var config = WhitePlayerConfig(room: room.description)
    change(&config)
    let begin = seconds
    let ears = PlayerRecorder { self.seconds - begin }
    let player = WhitePlayer(
      config, from: source ?? recording, context: loop, callbacks: ears, roomCallbacks: roomCallbacks,
      commonCallbacks: commonCallbacks, executor: tasks)
    return (player, ears)
  }

  /// Puts a snapshot of each of these revisions into the store.
  public func snapshot(at revisions: [UInt64]) {
    let (store, room, log) = (store, room, log)
    for revision in revisions {
      var state = RoomState()
      for event in log where event.revision.rawValue <= revision { state.apply(event) }
      let snapshot = StateEncoder.snapshot(once: state)
      perform { _ = try? await store.put(snapshot, for: room) }
    }
  }
}

extension StateEncoder {
  static func snapshot(once state: RoomState) -> Snapshot {
    var encoder = StateEncoder()
    return encoder.snapshot(of: state)
  }
}

extension World {
  /// A log of one's own making, beside the room's.
  public func recorded(_ records: [Record], in room: RoomID = RoomID(high: 4, low: 2)) -> LogReplaySource {
    perform { [store] in
      _ = try? await store.create(room, at: records.first?.time ?? .zero)
      _ = try? await store.append(records, to: room, expecting: .zero, epoch: nil)
    }
    return LogReplaySource(room, in: store)
  }
}

/// A source that takes its time, gives little at once, and notes what it was asked.
public final class SlowSource: ReplaySource {
  private struct State {
    var delay = Duration.zero
    var damaged: ClosedRange<UInt64>?
    var failures = 0
    var firstRead: Revision?
    var reads = 0
  }
  private let base: any ReplaySource
  private let loop: VirtualLoop
  private let state = Mutex(State())
  private let pages: Int?

  /// - Parameter pages: events in an answer, whatever was asked for.
  public init(_ base: any ReplaySource, on loop: VirtualLoop, pages: Int? = nil) {
    (self.base, self.loop, self.pages) = (base, loop, pages)
  }

  public var delay: Duration {
    get { state.withLock { $0.delay } }
    set { state.withLock { $0.delay = newValue } }
  }
  /// These revisions cannot be read.
  public func damage(_ revisions: ClosedRange<UInt64>?) { state.withLock { $0.damaged = revisions } }
  /// So many next reads find no network.
  public func fail(_ times: Int) { state.withLock { $0.failures = times } }
  /// After which revision the first read since `watch` began; and how many there were.
  public var firstRead: Revision? { state.withLock { $0.firstRead } }
  public var reads: Int { state.withLock { $0.reads } }
  public func watch() { state.withLock { ($0.firstRead, $0.reads) = (nil, 0) } }

  public var room: RoomID { base.room }
  public func outline() async throws(ReplaySourceError) -> ReplayOutline { try await base.outline() }

  private func pass() async {
    let delay = delay
    guard delay > .zero else { return }
    await withCheckedContinuation { done in loop.schedule(at: loop.now + delay) { done.resume() } }
  }

  public func runs(after revision: Revision, limit: Int) async throws(ReplaySourceError) -> [Run] {
    await pass()
    let (damaged, fails) = state.withLock { state in
      state.firstRead = state.firstRead ?? revision
      state.reads += 1
      let fails = state.failures > 0
      if fails { state.failures -= 1 }
      return (state.damaged, fails)
    }
    if fails {
      throw .failed(BoardroomError(Refusal(.networkLost, cause: "The server cannot be reached.")))
    }
    var runs = try await base.runs(after: revision, limit: limit)
    if let pages { runs = runs.prefix(1).compactMap { $0.prefix(through: revision + pages) } }
    guard let damaged else { return runs }
    if damaged.contains(revision.next.rawValue) { throw .gap(gap(damaged, after: revision)) }
    guard revision.rawValue < damaged.lowerBound else { return runs }
    return runs.filter { $0.first.rawValue < damaged.lowerBound }
      .compactMap { $0.prefix(through: Revision(damaged.lowerBound - 1)) }
  }

  private func gap(_ damaged: ClosedRange<UInt64>, after revision: Revision) -> Gap {
    let damage = Damage(what: "a block fails its checksum", place: "test", log: room, lost: damaged)
    return Gap(first: revision.next, last: Revision(damaged.upperBound), cause: .damaged(damage))
  }

  public func state(notAfter revision: Revision) async throws(ReplaySourceError) -> RoomState? {
    await pass()
    return try await base.state(notAfter: revision)
  }
  public func state(notBefore revision: Revision) async throws(ReplaySourceError) -> RoomState? {
    await pass()
    return try await base.state(notBefore: revision)
  }
  public func revision(at time: Timestamp) async throws(ReplaySourceError) -> Revision {
    try await base.revision(at: time)
  }
}
