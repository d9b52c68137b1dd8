import ArgumentParser
import BoardroomClient
import BoardroomCodec
import BoardroomModel
import EventLogModel

struct TrimCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trim",
    abstract: "Remove a room's oldest events for good; what is left begins with a state.",
    discussion: """
      The board stays as it is: only the way it came about is shortened, by whole blocks, so that up to 64 KiB more may
      stay. The answer says with which state, by its hash, what is left begins, and the values of the hash chain: keep it.

      Examples:
        boardroom room trim 6b0c… --before 5120
        boardroom room trim 6b0c… --before 2026-09-01 --json
      """)
  @OptionGroup var named: RoomArgument
  @Option(help: .instant("Events from this revision, date or time on are kept.")) var before: Instant?
  /// The older name, for times.
  @Option(help: ArgumentHelp("Events from this time on are kept.", visibility: .hidden)) var beforeTime:
    Instant?
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var server: RestOptions

  private var room: RoomID { named.id }

  func validate() throws {
    guard (before == nil) != (beforeTime == nil) else {
      throw ValidationError("Name what to keep with --before.")
    }
    if case .end? = before { throw ValidationError("--before is a revision, a date or a time.") }
    if let beforeTime {
      guard case .time = beforeTime else { throw ValidationError("--before-time is a time, no revision.") }
    }
  }

  func run() async throws {
    try await answering {
      var body: [(String, JSONValue)] = []
      if case .revision(let revision)? = before { body.append(("before", .number("\(revision)"))) }
      if case .time(let time)? = before ?? beforeTime {
        body.append(("beforeTime", .number("\(time.milliseconds)")))
      }
      let answer = try await server.call(.post(JSONValue.object(body).compact), "/v5/rooms/\(room)/trim")
      if json { return Terminal.line(answer.text.text, isJSON: true) }
      let (removed, first) = (answer["removed"]?.int ?? 0, answer["first"]?.int ?? 0)
      Terminal.line("removed: \(removed) events; the room begins at revision \(first) now")
      if let state = answer["state"] {
        Terminal.line("state at revision \(state["revision"]?.int ?? 0): \(state["hash"]?.string ?? "")")
      }
      if let chain = answer["chain"] {
        Terminal.line("chain before revision \(chain["first"]?.int ?? 0): \(chain["before"]?.string ?? "")")
        Terminal.line("chain after revision \(chain["last"]?.int ?? 0): \(chain["value"]?.string ?? "")")
      }
    }
  }
}
