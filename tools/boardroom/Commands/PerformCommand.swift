import ArgumentParser
import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import BoardroomReplay
import EventLogModel
import Foundation

struct PerformCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "perform",
    abstract: "Play a recorded drawing into a live room.",
    discussion: """
      Reads drawings of ours (`boardroom sample --help`) and the lines of wacom_pen, omniglot_strokes,
      excalidraw_freedraw and excalidraw_elements. Members share the drawing: each draws every n-th act. When
      the server goes away they wait for it, come back by themselves and finish. At the end every member tells
      the revision and the state hash of its mirror; they are equal, and equal to what `boardroom replay ROOM
      --at REVISION --json` says.

      The exit status is 0 if everything was drawn and all mirrors agree, 1 if not.

      Examples:
        boardroom perform tools/samples/hello.ndjson --room ROOM
        boardroom perform drawing.ndjson --room ROOM --members 5 --speed 4
        boardroom perform drawing.ndjson --room ROOM --speed 0 --json
      """)

  @Argument(help: "The drawing: a file of JSON lines.") var file: String
  @Option(help: "The room's uuid.") var room: RoomID
  @OptionGroup var live: LiveOptions
  @Option(help: "How many members draw.") var members = 1
  @Option(
    name: [.long, .customLong("rate")],
    help: ArgumentHelp("Drawing time over clock time; 0 as fast as receipts come.", valueName: "factor"))
  var speed = Speed.usual
  @Option(help: .number("Only the first so many acts of the drawing.")) var limit: Int?
  @Option(help: .duration("How long to wait for a server that went away. A number alone is in seconds."))
  var patience = TimeSpan("2m")
  @Option(help: .duration("How long to stay in the room when all is drawn. A number alone is in seconds."))
  var leaveAfter = TimeSpan("0s")
  /// The older name of `leaveAfter`.
  @Option(help: ArgumentHelp("Seconds to stay in the room when all is drawn.", visibility: .hidden))
  var stay: TimeSpan?
  @Flag(help: "Machine-readable output.") var json = false
  @Flag(help: "No progress on standard error.") var quiet = false

  func validate() throws {
    if !(1...1_000).contains(members) { throw ValidationError("--members is a number from 1 to 1000.") }
    if let limit, limit < 1 { throw ValidationError("--limit is at least 1.") }
  }

  func run() async throws {
    try await answering {
      var drawing = try DrawingReader.read(file)
      if let limit { drawing.acts = Array(drawing.acts.prefix(limit)) }
      let performers = try makePerformers()
      try await live.reach(waiting: false, quiet: quiet)
      let parts = drawing.dealt(to: members)
      let acts = drawing.acts.count
      do {
        try await untilInterrupted { try await play(performers, parts, acts) }
      } catch {
        await leave(performers)
        throw error
      }
      await leave(performers)
    }
  }

  private func makePerformers() throws -> [DrawingPerformer] {
    let token = try live.roomToken(for: room, role: .writer)
    // A random part of the members' names, so that two performances in one room have different members.
    let performance = String(UInt32.random(in: 0...UInt32.max), radix: 16)
    return try (0..<members).map { index in
      var config = WhiteRoomConfig(
        uuid: room.description, roomToken: token, uid: "performer \(index + 1) of \(performance)")
      config.disableMagixEventDispatchLimit = true
      let settings = DrawingPerformer.Settings(
        config: config, rate: speed.rate, patience: patience.duration())
      return DrawingPerformer(try live.sdk(), settings)
    }
  }

  private func play(_ performers: [DrawingPerformer], _ parts: [Drawing], _ acts: Int) async throws {
    for performer in performers { try await performer.join() }
    let start = ContinuousClock.now
    let progress = Progress("Performing", quiet: quiet)
    let ticker = Task {
      while !Task.isCancelled {
        progress.show(describe(performers, acts))
        try await Task.sleep(for: .milliseconds(250))
      }
    }
    defer {
      ticker.cancel()
      progress.end()
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (performer, part) in zip(performers, parts) {
        group.addTask { try await performer.play(part, from: start) }
      }
      try await group.waitForAll()
    }
    ticker.cancel()
    progress.end()
    try await compare(performers, seconds: start.duration(to: .now))
  }

  private func describe(_ performers: [DrawingPerformer], _ acts: Int) -> String {
    let done = performers.reduce(0) { $0 + $1.done.acts }
    let away = performers.filter { $0.room?.phase != .connected }.count
    return "\(done) of \(acts) drawn" + (away > 0 ? ", \(away) members are waiting for the server" : "")
  }

  private func leave(_ performers: [DrawingPerformer]) async {
    for performer in performers { await performer.leave() }
  }

  // MARK: The end

  /// How long to wait until all mirrors are at one revision.
  private static let settling = Duration.seconds(10)

  private func compare(_ performers: [DrawingPerformer], seconds: Duration) async throws {
    let mirrors = try await settled(performers)
    let reports = zip(performers, mirrors).map { performer, state in
      PerformReport(
        member: performer.room?.roomMemberId ?? 0, acts: performer.done.acts,
        rejoins: performer.done.rejoins, revision: state.revision, stateHash: Moment(state).stateHash)
    }
    let agree = Set(reports.map(\.stateHash)).count <= 1
    if json {
      let members = reports.map(\.json).joined(separator: ",")
      Terminal.line("{\"room\":\"\(room)\",\"agree\":\(agree),\"members\":[\(members)]}", isJSON: true)
    } else {
      for report in reports { Terminal.line(report.text) }
      Terminal.line(agree ? "All mirrors agree." : "The mirrors differ.")
    }
    let rest = (stay ?? leaveAfter).duration()
    if rest > .zero { try await Task.sleep(for: rest) }
    if !agree { throw ExitCode(ExitStatus.answerIsNo.rawValue) }
  }

  /// Waits until all mirrors are at one revision, and returns their states.
  private func settled(_ performers: [DrawingPerformer]) async throws -> [RoomState] {
    let limit = ContinuousClock.now.advanced(by: Self.settling)
    while true {
      var states: [RoomState] = []
      for performer in performers { if let state = await performer.mirror() { states.append(state) } }
      if Set(states.map(\.revision)).count <= 1 || ContinuousClock.now >= limit { return states }
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}

/// The result of one member of a performance.
private struct PerformReport {
  var member: UInt64
  var acts: Int
  var rejoins: Int
  var revision: Revision
  var stateHash: [UInt8]

  var text: String {
    "member \(member): \(acts) acts\(rejoins > 0 ? ", joined again \(rejoins) times" : ""), "
      + "revision \(revision), state \(Text.hex(stateHash))"
  }

  var json: String {
    "{\"member\":\(member),\"acts\":\(acts),\"rejoins\":\(rejoins),\"revision\":\(revision),"
      + "\"stateHash\":\"\(Text.hex(stateHash))\"}"
  }
}
