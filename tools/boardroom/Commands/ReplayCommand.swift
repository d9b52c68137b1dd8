import ArgumentParser
import BoardroomClient
import BoardroomLegacy
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
        boardroom replay ROOM --at 2026-11-21 --svg board.svg
        boardroom replay ROOM --play --from 2026-11-21T09:30Z
        boardroom replay ROOM --scene /lesson/2 --png page.png --size 640x360
        boardroom replay ROOM --play --speed 4 --kind stroke,magix --member 2
        boardroom replay ROOM --step --at 1200
        boardroom replay --channel signaling/lobby --play --speed 0
        boardroom replay --account alice --at end
        boardroom replay ROOM --member 2 --heard
        boardroom replay --channel rtc/lesson --member 2 --heard
        boardroom replay --account alice --heard
        boardroom replay --account alice --service rtm --heard
      """)

  @OptionGroup var source: LogOptions
  @OptionGroup var folder: FolderOption
  @OptionGroup var remote: RemoteOptions
  @OptionGroup var filter: FilterOptions

  @Option(
    help: .instant(
      "end, a revision, a date such as 2026-11-21, with or without a time, or @ and ms since 1970."))
  var at: Instant?
  @Option(help: .instant("With --play and --step: the instant to begin at; --at means the same there."))
  var from: Instant?

  @Flag(
    help: "The track of joins, phases, kicks and leaves up to the instant, too; --member asks for it as well."
  )
  var phases = false
  @Flag(help: "Go through the events one by one: Enter or n on, b back, a number there, e to the end, q out.")
  var step = false
  @Flag(help: "Play from --at (or the beginning) to the end in the rhythm of the log.")
  var play = false
  @Option(
    help: ArgumentHelp(
      "Log time over clock time for --play; 0 plays without waiting.", valueName: "factor"))
  var speed = Speed.usual
  @Option(help: .duration("For --play: shorten longer pauses to this. A number alone is in seconds."))
  var idle: TimeSpan?
  @Flag(help: "Machine-readable output.")
  var json = false
  @Flag(
    help:
      "The callbacks that a client was told, from the logs: with --member those of a room or an RTC channel, with --account those of Signaling, or of RTM with --service."
  )
  var heard = false
  @Option(help: "With --account and --heard: the service, signaling if it is left out.")
  var service: AccountService?
  @OptionGroup var picture: PictureOptions

  func validate() throws {
    _ = try source.log()
    if play && step { throw ValidationError("--play and --step exclude each other.") }
    if heard { try validateHeard() }
    if service != nil, !heard || source.account == nil {
      throw ValidationError("--service is of --heard with an --account.")
    }
    if phases, play || step || heard || picture.isWanted {
      throw ValidationError("--phases is of a moment as text or JSON.")
    }
    if heard, play || step || at != nil || picture.isWanted {
      throw ValidationError("--heard is of a whole life, and no picture.")
    }
    if from != nil, !(play || step) || at != nil {
      throw ValidationError("--from is where --play and --step begin; a moment is named with --at.")
    }
    if let idle, idle.duration() <= .zero { throw ValidationError("--idle is longer than no time.") }
  }

  private func validateHeard() throws {
    guard filter.kinds.isEmpty else {
      throw ValidationError("--heard is of all callbacks: leave out --kind.")
    }
    if source.account != nil {
      guard filter.members.isEmpty else {
        throw ValidationError("--member is of a room, not of an --account.")
      }
      return
    }
    if case .channel(let service, _) = source.channel?.space, service != .rtc {
      let account = service == .rtm ? "--account NAME --service rtm" : "--account NAME"
      throw ValidationError(
        "What is told of a channel of \(service.rawValue) is told to accounts: use \(account).")
    }
    guard filter.members.count == 1 else {
      throw ValidationError("--heard is of one --member of a room or an RTC channel, or of an --account.")
    }
  }

  func run() async throws {
    try await answering {
      try await remote.reading(folder) { store in
        if heard, let account = source.account, service == .rtm {
          let report = RtmHeardReport(account: account, store: store)
          return try await report.tell { time, callback in printCallback(callback, at: time) }
        }
        if heard, let account = source.account {
          return try await printHeard(HeardReport(of: account, in: store))
        }
        if heard, let member = filter.members.first {
          let report = MemberHeardReport(
            member: member, log: try source.log(), named: source.channel?.space, store: store)
          return try await report.tell { time, callback in printCallback(callback, at: time) }
        }
        let chosen = try filter.filter()
        let replay = try await Replay.open(source.log(), in: store)
        if play { return try await play(replay, chosen) }
        if step {
          var stepper = Stepper(replay: replay, filter: chosen, json: json)
          return try await stepper.run(from: from ?? at)
        }
        try await show(replay, chosen)
      }
    }
  }

  private func printHeard(_ report: HeardReport) {
    for name in report.missing { Terminal.note("The log of signaling/\(name) is not here.") }
    for told in report.told { printCallback(CallbackText(told.event.callback), at: told.time) }
  }

  private func printCallback(_ callback: CallbackText, at time: Timestamp) {
    Terminal.line(json ? callback.jsonLine(at: time) : callback.line, isJSON: json)
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
    if json { Terminal.line(report.json, isJSON: true) } else { Terminal.facts(report.lines) }
  }

  private func play(_ replay: Replay, _ filter: EventFilter) async throws {
    let json = json
    let playback = Playback(
      rate: speed.rate, idleLimit: idle?.duration(), filter: filter)
    var start = replay
    if let at = from ?? at { try await start.go(to: at.revision(in: replay.recording)) }
    let beginning = start
    try await untilInterrupted {
      var replay = beginning
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
