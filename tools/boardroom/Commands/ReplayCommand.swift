import ArgumentParser
import BoardroomClient
import BoardroomModel
import BoardroomReplay
import EventLogModel
import Foundation

struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Show a room at any instant of its life, or play it.",
    discussion: """
      Without --play or --step it prints the moment at --at: state and roster, and with --phases or --member who
      came and went until then and how each connection fared. The folder is read only, so a server may be running
      on it. With --server the log of a server on another machine is read over HTTP.

      Examples:
        boardroom replay ROOM --at end --json
        boardroom replay ROOM --at 1200
        boardroom replay ROOM --at end --server https://boards.example.org --token "$TOKEN"
        boardroom replay ROOM --at 2026-11-21T09:30:00Z --svg board.svg
        boardroom replay ROOM --scene /lesson/2 --png page.png --size 640x360
        boardroom replay ROOM --play --speed 4 --kind stroke,magix --member 2
        boardroom replay ROOM --step --at 1200
        boardroom replay --channel signaling/lobby --play --speed 0
        boardroom replay --account alice --at end
        boardroom replay --account alice --heard
      """)

  @OptionGroup var source: LogOptions
  @OptionGroup var folder: FolderOption
  @OptionGroup var remote: RemoteOptions
  @OptionGroup var filter: FilterOptions

  @Option(help: "An instant: end, a revision, a time as in ISO 8601, or @ and milliseconds since 1970.")
  var at: Instant?

  @Flag(
    help: "The track of joins, phases, kicks and leaves up to the instant, too; --member asks for it as well."
  )
  var phases = false
  @Flag(help: "Go through the events one by one: Enter or n on, b back, a number there, e to the end, q out.")
  var step = false
  @Flag(help: "Play from --at (or the beginning) to the end in the rhythm of the log.")
  var play = false
  @Option(help: "Log time over clock time for --play; 0 plays without waiting.")
  var speed = 1.0
  @Option(help: "For --play: shorten longer pauses to this many seconds.")
  var idle: Double?
  @Flag(help: "Machine-readable output.")
  var json = false
  @Flag(help: "With --account: the callbacks that its Signaling clients were told, from the logs.")
  var heard = false
  @OptionGroup var picture: PictureOptions

  func validate() throws {
    _ = try source.log()
    if play && step { throw ValidationError("--play and --step exclude each other.") }
    if heard, source.account == nil { throw ValidationError("--heard is of an --account.") }
    if phases, play || step || heard || picture.isWanted {
      throw ValidationError("--phases is of a moment as text or JSON.")
    }
    if heard, play || step || at != nil || picture.isWanted {
      throw ValidationError("--heard is of a whole life, and no picture.")
    }
    if !(speed >= 0 && speed.isFinite) { throw ValidationError("--speed is 0 or a positive number.") }
    if let idle, !(idle > 0) { throw ValidationError("--idle is a positive number of seconds.") }
  }

  func run() async throws {
    try await answering {
      try await remote.reading(folder) { store in
        if heard, let account = source.account {
          return try await printHeard(HeardReport(of: account, in: store))
        }
        let chosen = try filter.filter()
        let replay = try await Replay.open(source.log(), in: store)
        if play { return try await play(replay, chosen) }
        if step {
          var stepper = Stepper(replay: replay, filter: chosen, json: json)
          return try await stepper.run(from: at)
        }
        try await show(replay, chosen)
      }
    }
  }

  private func printHeard(_ report: HeardReport) {
    for name in report.missing { Terminal.note("The log of signaling/\(name) is not here.") }
    for told in report.told {
      Terminal.line(json ? told.event.jsonLine(at: told.time) : told.event.line, isJSON: json)
    }
  }

  private func show(_ replay: Replay, _ filter: EventFilter) async throws {
    var replay = replay
    try await replay.go(to: (at ?? .end).revision(in: replay.recording))
    if picture.isWanted { return try await picture.draw(replay.moment) }
    // The timeline needs the whole log, and a moment does not, so it is read only if it was asked for.
    var timeline: Timeline?
    if phases || filter.members != nil {
      timeline = try await Timeline.of(replay.recording, through: replay.revision).only(filter)
    }
    let report = MomentReport(
      moment: replay.moment, info: replay.recording.info, timeline: timeline, gaps: replay.gaps)
    if json { Terminal.line(report.json, isJSON: true) } else { Terminal.lines(report.lines) }
  }

  private func play(_ replay: Replay, _ filter: EventFilter) async throws {
    let json = json
    let playback = Playback(
      rate: speed == 0 ? .infinity : speed, idleLimit: idle.map { .seconds($0) }, filter: filter)
    var start = replay
    if let at { try await start.go(to: at.revision(in: replay.recording)) }
    let from = start
    try await untilInterrupted {
      var replay = from
      try await replay.play(playback, clock: .continuous) { event, _ in
        Terminal.line(json ? event.jsonLine : event.line, isJSON: json)
        return true
      }
    }
  }
}

/// Goes through a log event by event, controlled by lines of standard input.
struct Stepper {
  var replay: Replay
  var filter: EventFilter
  var json: Bool

  mutating func run(from instant: Instant?) async throws {
    if let instant { try await replay.go(to: instant.revision(in: replay.recording)) }
    Terminal.note(
      "At revision \(replay.revision) of \(replay.end). Enter: on, b: back, number, e: end, q: out.")
    while let line = readLine() {
      guard try await obey(line.trimmingCharacters(in: .whitespaces)) else { return }
    }
  }

  private mutating func obey(_ word: String) async throws -> Bool {
    switch word {
    case "q": return false
    case "", "n":
      guard let event = try await replay.step(filter) else {
        Terminal.note("The end, revision \(replay.revision).")
        return true
      }
      show(event)
    case "b":
      guard let event = try await replay.stepBack(filter) else {
        Terminal.note("The beginning.")
        return true
      }
      show(event)
    case "e": printChange(try await replay.seek(to: replay.end))
    default:
      guard let revision = UInt64(word), revision <= replay.end.rawValue else {
        Terminal.note("Enter or n: on, b: back, a revision up to \(replay.end), e: end, q: out.")
        return true
      }
      printChange(try await replay.seek(to: Revision(revision)))
    }
    return true
  }

  private func show(_ event: RoomEvent) { Terminal.line(json ? event.jsonLine : event.line, isJSON: json) }

  private func printChange(_ change: MomentChange) {
    Terminal.line(json ? MomentReport.json(of: change) : MomentReport.text(of: change), isJSON: json)
  }
}
