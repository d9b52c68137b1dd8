import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel

/// Plays whiteboard timelines live, then replays their logs to a callbacks object, and compares both.
public struct ReplayPerformer: Performer {
  public let face = Face.replay
  private let seed: UInt64
  private let server: ServerPolicy
  private let viewer: WhiteReplayViewer
  private let reading: @Sendable (World) -> any ReplaySource

  /// - Parameters:
  ///   - seed: gives latencies and the spread of retries.
  ///   - server: the server's limits and times.
  public init(seed: UInt64 = 7, server: ServerPolicy = ServerPolicy()) {
    self.init(seed: seed, server: server, viewer: .user(Party.local.account)) { world in
      LogReplaySource(world.room, in: world.store)
    }
  }

  /// - Parameters:
  ///   - viewer: the member whose phases are replayed.
  ///   - reading: how the log is read.
  init(
    seed: UInt64 = 7, server: ServerPolicy = ServerPolicy(), viewer: WhiteReplayViewer,
    reading: @escaping @Sendable (World) -> any ReplaySource
  ) {
    (self.seed, self.server, self.viewer, self.reading) = (seed, server, viewer, reading)
  }

  public func play(_ timeline: GoldenTimeline) async throws -> Transcript { try perform(timeline) }

  /// Plays the timeline on the caller's thread.
  func perform(_ timeline: GoldenTimeline) throws(ConformanceError) -> Transcript {
    var lines: [Transcript.Line] = []
    for step in timeline.steps {
      guard case .replay(of: let id) = step.act, let live = GoldenTimeline.white.first(where: { $0.id == id })
      else { throw .foreignAct(timeline: timeline.id, second: step.second, act: "\(step.act)") }
      let performance = try LivePerformance(live, world: World(seed: seed, policy: server))
      let replayed = performance.replay(from: reading(performance.world), through: viewer)
      lines.append(.init(step.second, .saw(.board, performance.differenceOfBoards(in: replayed))))
      lines.append(.init(step.second, .saw(.phases, performance.differenceOfPhases(in: replayed))))
    }
    return Transcript([.local: lines])
  }
}

/// The board at each second, and the phases that the callbacks object was told.
private struct SeenBoards {
  /// State hashes, which are equal for equal boards with equal members.
  var boards: [(second: Double, board: [UInt8]?)] = []
  var phases: [Transcript.Line] = []
}

/// A timeline that was played live, with the boards that were seen.
private final class LivePerformance {
  let world: World
  private let timeline: GoldenTimeline
  private let stage: WhiteStage
  private var seen = SeenBoards()

  /// The board is read once a second, at another moment than those at which things happen and graces end,
  /// because a client sees these some milliseconds later.
  private static let offset = 0.37

  init(_ timeline: GoldenTimeline, world: World) throws(ConformanceError) {
    (self.timeline, self.world) = (timeline, world)
    stage = WhiteStage(timeline, world: world)
    try stage.begin()
    for step in timeline.steps {
      live(to: step.second)
      try stage.perform(step)
    }
    live(to: timeline.until)
    seen.phases = (stage.transcript.lines[.local] ?? []).filter(\.heard.isPhase)
  }

  /// Plays to a second and reads the board as a party sees it that is there all the time.
  private func live(to second: Double) {
    watch(to: second, zero: 0) { [world, stage] in
      guard let room = stage.room(of: .remote) else { return nil }
      return world.perform { StateEncoder.hash(of: await room.getConfirmedBoard()) }
    } note: {
      seen.boards.append(($0, $1))
    }
    world.run(to: second)
  }

  /// Reads the boards up to a second of the timeline, whose zero is `zero` of the world.
  private func watch(
    to end: Double, zero: Double, _ look: () -> [UInt8]?, note: (Double, [UInt8]?) -> Void
  ) {
    var next = max(0, (world.seconds - zero - Self.offset).rounded(.up)) + Self.offset
    while next <= end {
      world.run(to: zero + next)
      note(next, look())
      next += 1
    }
  }

  func replay(from source: any ReplaySource, through viewer: WhiteReplayViewer) -> SeenBoards {
    var replayed = SeenBoards()
    let (world, zero) = (world, world.seconds)
    let log = CallbackLog(clock: { world.seconds - zero }, isHome: { world.loop.isCurrent })
    let recorder = CallbackRecorder(log)
    var config = WhitePlayerConfig(room: world.room.description)
    config.viewer = viewer
    config.begin = world.start
    config.duration = .milliseconds(Int64(timeline.until * 1_000))
    let player = WhitePlayer(
      config, from: source, context: world.loop, roomCallbacks: recorder, executor: world.tasks)
    player.play()
    watch(to: timeline.until, zero: zero) {
      world.perform { player.state == nil ? nil : StateEncoder.hash(of: await player.getBoard()) }
    } note: {
      replayed.boards.append(($0, $1))
    }
    world.run(to: zero + timeline.until + 1)
    replayed.phases = log.lines.filter(\.heard.isPhase)
    return replayed
  }

  // MARK: Comparing

  /// `as live`, or the first difference.
  func differenceOfBoards(in replayed: SeenBoards) -> String {
    // Before the first member came nobody could see the board.
    let live = seen.boards.filter { $0.board != nil }
    guard !live.isEmpty else { return "nothing live" }
    let shown = Dictionary(uniqueKeysWithValues: replayed.boards.map { ($0.second, $0.board) })
    let wrong = live.first { shown[$0.second] != .some($0.board) }
    return wrong.map { "other at \($0.second.short)" } ?? "as live"
  }

  /// A member that falls silent tells the log nothing, so its phases have the time at which the server
  /// noticed it: within a tick.
  func differenceOfPhases(in replayed: SeenBoards) -> String {
    let (live, shown) = (seen.phases, replayed.phases)
    guard !live.isEmpty else { return "nothing live" }
    for (one, other) in zip(live, shown) {
      guard one.heard == other.heard, abs(one.second - other.second) <= Expectation.tick else {
        return "\(other.heard) at \(other.second.short), live \(one.heard) at \(one.second.short)"
      }
    }
    return live.count == shown.count ? "as live" : "\(shown.count), live \(live.count)"
  }
}

extension Heard {
  fileprivate var isPhase: Bool {
    if case .phase = self { true } else { false }
  }
}
