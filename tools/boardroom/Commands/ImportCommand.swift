import ArgumentParser
import BoardroomCodec
import BoardroomModel
import BoardroomReplay
import EventLogModel
import Foundation

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Bring an exported log, or another program's drawing, into a data folder.",
    discussion: """
      Takes what `boardroom export` wrote, JSONL or blocks, and tells them apart by itself. Revisions, times
      and bytes stay as they were. The file is checked from end to end before anything is written. No server
      may be running on the folder.

      An import is another life of the log: it gets an epoch of its own, so that a client that knew the
      original starts afresh. --keep-epoch (block files only) is for a log whose original is gone for good.

      --format excalidraw makes a room of a drawing of Excalidraw's (.excalidraw, .excalidrawlib, or one element a
      line), and lists what it could not keep; docs/IMPORT.md says what becomes of what.

      Examples:
        boardroom import room.jsonl --data restored
        boardroom import room.blocks --data restored --keep-epoch
        boardroom import room.jsonl --room 0123456789abcdef0123456789abcdef
        boardroom import plan.excalidraw --format excalidraw --name "The plan"
      """)

  @Argument(help: "The file to read.") var file: String
  @OptionGroup var folder: FolderOption
  @Option(help: "The uuid that the room is to have; else that of a block file, else one made up.")
  var room: RoomID?
  @Option(help: "What the file is: \(ExchangeFormat.listed). boardroom is what `boardroom export` wrote.")
  var format = ExchangeFormat.boardroom
  @Option(help: "The room's name, for --format excalidraw; else the file's.")
  var name: String?
  @Flag(help: "Take over the epoch of a block file.")
  var keepEpoch = false
  @Flag(help: "Machine-readable output.")
  var json = false
  @Flag(help: "No progress on standard error.")
  var quiet = false

  func validate() throws {
    guard format != .boardroom || name == nil else {
      throw ValidationError("--name is for --format excalidraw; a log has its room's name already.")
    }
    guard format == .boardroom || !keepEpoch else {
      throw ValidationError("--keep-epoch is for block files; a drawing has no epoch.")
    }
  }

  func run() async throws {
    try await answering {
      switch format {
      case .boardroom: try await importLog()
      case .excalidraw: try await importDrawing()
      }
    }
  }

  private func importDrawing() async throws {
    let drawing = try ExcalidrawFile(reading: try InputFile(file).whole(), place: file)
    let made = try ExcalidrawImport(
      drawing, name: name ?? URL(fileURLWithPath: file).lastPathComponent, session: SessionID.random(),
      ending: Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)))
    let info = try await write { writer in try await writer.add(made.records) }
    tell(info, made.report)
  }

  private func importLog() async throws {
    let found = try await read("Checking") { _ in }
    if keepEpoch && found.epoch == nil {
      throw Failure(
        .badInput, "\(file) is JSONL and holds no epoch. Leave out --keep-epoch, or import a block file.")
    }
    guard found.count > 0 else { throw Failure(.badInput, "\(file) holds no events.") }
    let info = try await write(
      to: found.room, epoch: keepEpoch ? found.epoch : nil, created: found.created ?? .zero
    ) { writer in
      _ = try await read("Importing") { try await writer.add($0) }
    }
    tell(info)
  }

  private func write(
    to own: RoomID? = nil, epoch: Epoch? = nil, created: Timestamp = .zero,
    _ work: (inout LogImport) async throws -> Void
  ) async throws -> LogInfo {
    try NewFolder.make(folder.folder)
    return try await folder.writing { store in
      var writer = LogImport(room ?? own ?? RoomID.random(), into: store, epoch: epoch)
      try await work(&writer)
      return try await writer.finish(created: created)
    }
  }

  /// Reads the file from end to end.
  private func read(
    _ what: String, _ each: ([Record]) async throws -> Void
  ) async throws -> ImportReader {
    guard file != "-" else {
      throw Failure(
        .badInput, "An import is read twice: first to check it. Write it to a file and name that.")
    }
    let input = try InputFile(file)
    let size = input.size ?? 0
    let progress = Progress(what, quiet: quiet)
    defer { progress.end() }
    var reader = ImportReader(place: file)
    var done = 0
    while let piece = try input.next() {
      try await each(try reader.feed(piece))
      done += piece.count
      progress.show(done, of: size)
    }
    try await each(try reader.finish())
    return reader
  }

  private func tell(_ info: LogInfo, _ report: ExchangeReport? = nil) {
    if json {
      let found = report.map { ",\"report\":" + String(decoding: $0.json.compact, as: UTF8.self) } ?? ""
      Terminal.line(
        "{\"room\":\"\(info.log)\",\"epoch\":\"\(info.epoch)\",\"revision\":\(info.last)\(found)}",
        isJSON: true)
    } else {
      Terminal.line("\(info.log)")
      if !quiet { Terminal.note("\(info.last) events imported into \(folder.folder).") }
      report?.show(quiet: quiet)
    }
  }
}
