import ArgumentParser
import BoardroomCodec
import BoardroomHTTP
import BoardroomModel
import BoardroomReplay
import EventLogModel

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a room's log, or a scene as another program's drawing, to a file or standard output.",
    discussion: """
      One JSON object a line, one line an event, the exact mirror of docs/PROTOCOL.md: a whole export has as
      many lines as the log has revisions, and `boardroom import` brings it back. With --blocks the stored
      blocks are written as they are: smaller, faster, with the log's epoch.

      --format excalidraw writes one scene at --to as a drawing of Excalidraw's, and lists on standard error what it
      could not keep; docs/IMPORT.md says what becomes of what.

      With --server the log of a server on another machine is read over HTTP; images are not looked at then.

      A damaged folder, or an image of the room that is damaged or missing, is named, and nothing is written;
      --accept-loss writes what is left and ends with 1.

      Examples:
        boardroom export ROOM > room.jsonl
        boardroom export ROOM --from 100 --to 200 --kind magix --output part.jsonl
        boardroom export ROOM --blocks --output room.blocks
        boardroom export ROOM --server https://boards.example.org --token "$TOKEN" > room.jsonl
        boardroom export --channel signaling/lobby > lobby.jsonl
        boardroom export ROOM --format excalidraw --scene /init --output board.excalidraw
      """)

  @OptionGroup var source: LogOptions
  @OptionGroup var folder: FolderOption
  @OptionGroup var remote: RemoteOptions
  @OptionGroup var filter: FilterOptions

  @Option(help: .instant("The first instant to write: a revision, a date or a time."))
  var from: Instant?
  @Option(help: .instant("The last instant to write: end, a revision, a date or a time."))
  var to: Instant?
  @Flag(help: "The stored blocks as they are, not JSONL. Always the whole log.")
  var blocks = false
  @Option(help: "What to write: \(ExchangeFormat.listed).")
  var format = ExchangeFormat.boardroom
  @Option(help: "The scene's path, for --format excalidraw; without it the current one.")
  var scene: String?
  @Flag(help: "What was written and left out in machine-readable form: on standard error if --output is -.")
  var json = false
  @Option(name: .shortAndLong, help: "The file to write; - for standard output.")
  var output = "-"
  @Flag(help: "Write what is left of a damaged folder; the exit status is 1 then.")
  var acceptLoss = false
  @Flag(help: "No progress on standard error.")
  var quiet = false

  func validate() throws {
    _ = try source.log()
    let isPart = from != nil || to != nil || !filter.kinds.isEmpty || !filter.members.isEmpty
    guard format == .boardroom else { return try validateDrawing() }
    if scene != nil { throw ValidationError("--scene is for --format excalidraw.") }
    if blocks && isPart {
      throw ValidationError("--blocks writes the whole log; leave out --from, --to, --kind and --member.")
    }
  }

  private func validateDrawing() throws {
    if blocks || from != nil || !filter.kinds.isEmpty || !filter.members.isEmpty {
      throw ValidationError(
        "A drawing is one moment: leave out --blocks, --from, --kind and --member, and name it with --to.")
    }
  }

  func run() async throws {
    try await answering {
      let lost =
        output == "-"
        ? try await write() : try await untilInterrupted(leaving: output + ".part") { try await write() }
      if lost { throw ExitCode(ExitStatus.answerIsNo.rawValue) }
    }
  }

  /// Writes the export. Returns whether something was left out.
  private func write() async throws -> Bool {
    guard remote.server == nil else {
      return try await remote.reading(folder) { store in try await write(from: store) }
    }
    return try await folder.copying(acceptLoss: acceptLoss) { store, lost in
      let isHurt = try await meetImages(in: store)
      let hasGaps = try await write(from: store)
      return lost || isHurt || hasGaps
    }
  }

  /// Checks the images that the log names, because damage must be known before a copy is made (IMG-3).
  private func meetImages(in store: any LogStore) async throws -> Bool {
    let (check, recording) = (
      try folder.images(), try await Recording.open(source.log(), in: store)
    )
    var named = try await NamedImages(in: store)
    try await named.add(recording)
    let missing = check.missing(of: named.all)
    let damages = missing + named.all.filter(check.isThere).compactMap { check.damage(of: $0, deep: true) }
    try DamagedImages.meet(damages, acceptLoss: acceptLoss)
    return !damages.isEmpty
  }

  /// Whether events were left out.
  private func write(from store: any LogStore) async throws -> Bool {
    if format == .excalidraw {
      try await writeDrawing(from: store)
      return false
    }
    let recording = try await Recording.open(source.log(), in: store)
    try tellWhatIsMissing(in: recording.info)
    let progress = Progress("Exporting", quiet: quiet)
    defer { progress.end() }
    let told = { (revision: Revision) in progress.show(revision - .zero, of: recording.info.last - .zero)
    }
    var gaps: [Gap] = []
    let written = try await OutputFile(output, as: blocks ? .binary : .json).writing { sink in
      blocks
        ? try await BlockExport.write(recording, progress: told, to: sink)
        : try await lines(of: recording).write(
          recording, progress: told, missing: { gaps.append($0) }, to: sink)
    }
    progress.end()
    for gap in gaps { Terminal.note("left out: \(gap). \(gap.cause)") }
    if json {
      let ranges = gaps.map { "[\($0.first),\($0.last)]" }.joined(separator: ",")
      report("{\"file\":\(Text.json(output)),\"events\":\(written),\"gaps\":[\(ranges)]}")
    } else if output != "-", !quiet {
      Terminal.note("\(written) events written to \(output).")
    }
    return !gaps.isEmpty
  }

  private func writeDrawing(from store: any LogStore) async throws {
    var replay = try await Replay.open(source.log(), in: store)
    try await replay.go(to: (to ?? .end).revision(in: replay.recording))
    let chosen = try PictureOptions.scene(scene, of: replay.moment)
    let drawing = ExcalidrawExport(of: replay.moment.state, scene: chosen)
    try OutputFile(output, as: .json).write(drawing.bytes)
    if json {
      report(String(decoding: drawing.report.json.compact, as: UTF8.self))
    } else {
      drawing.report.show(quiet: quiet)
    }
  }

  /// One object, where what was exported does not go.
  private func report(_ json: String) {
    if output == "-" { Terminal.noteJSON(json) } else { Terminal.line(json, isJSON: true) }
  }

  /// Reports that retention has removed the beginning of the log.
  private func tellWhatIsMissing(in info: LogInfo) throws {
    guard info.low > 1 else { return }
    let missing = "\(info.log) begins at revision \(info.low): retention has removed what came before."
    guard !blocks else {
      throw Failure(.noInput, "\(missing) Block files hold whole logs; leave out --blocks for what is there.")
    }
    if from == nil, !quiet { Terminal.note(missing) }
  }

  private func lines(of recording: Recording) async throws -> LineExport {
    var export = LineExport(
      from: try await first(of: recording), through: try await to?.revision(in: recording),
      filter: try filter.filter())
    export.passesGaps = acceptLoss
    return export
  }

  /// A time means the first event at that time or after it.
  private func first(of recording: Recording) async throws -> Revision {
    switch from {
    case nil: recording.info.low
    case .end: recording.info.last
    case .revision(let revision): revision
    case .time(let time):
      try await recording.revision(at: Timestamp(milliseconds: time.milliseconds - 1)).next
    }
  }
}
