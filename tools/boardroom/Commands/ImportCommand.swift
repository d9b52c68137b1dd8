import ArgumentParser
import BoardroomCodec
import BoardroomHTTP
import BoardroomModel
import BoardroomReplay
import EventLog
import EventLogModel
import Foundation

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Bring an exported log, or another program's drawing, into a data folder.",
    discussion: """
      Takes what `boardroom export` and `boardroom archive` wrote, and tells them apart by itself. Revisions, times
      and bytes stay as they were. The file is checked from end to end before anything is written. No server
      may be running on the folder.

      The room is there when all of it is there, and not before. An import that was cut short goes on where it
      stopped when the same file is imported again; `boardroom verify` lists such imports, and --discard gives
      one up.

      An import is another life of the log: it gets an epoch of its own, so that a client that knew the
      original starts afresh. --keep-epoch (block files only) is for a log whose original is gone for good.

      Of an archive the signature is checked first, then that what was imported folds to the state that was signed. Say
      with --signer whose archive it has to be: `boardroom archive --public-key` tells.

      --format excalidraw makes a room of a drawing of Excalidraw's (.excalidraw, .excalidrawlib, or one element a
      line), and lists what it could not keep; docs/IMPORT.md says what becomes of what.

      Examples:
        boardroom import room.jsonl --data restored
        boardroom import room.blocks --data restored --keep-epoch
        boardroom import room.jsonl --room 0123456789abcdef0123456789abcdef
        boardroom import plan.excalidraw --format excalidraw --name "The plan"
        boardroom import --discard 0123456789abcdef0123456789abcdef
      """)

  @Argument(help: "The file to read.") var file: String?
  @OptionGroup var folder: FolderOption
  @Option(help: "The uuid that the room is to have; else that of a block file, else one made up.")
  var room: RoomID?
  @Option(help: "What the file is: \(ExchangeFormat.listed). boardroom is what `boardroom export` wrote.")
  var format = ExchangeFormat.boardroom
  @Option(help: "The room's name, for --format excalidraw; else the file's.")
  var name: String?
  @Option(help: ArgumentHelp("The public key that must have signed an archive.", valueName: "key"))
  var signer: String?
  @Flag(help: "Take over the epoch of a block file.")
  var keepEpoch = false
  @Option(
    help: ArgumentHelp(
      "Give up an import that is not finished; its uuid is not used again.", valueName: "room"))
  var discard: RoomID?
  @Flag(help: "Machine-readable output.")
  var json = false
  @Flag(help: "No progress on standard error.")
  var quiet = false

  func validate() throws {
    guard (file == nil) == (discard != nil) else {
      throw ValidationError("Name a file to import, or a room with --discard.")
    }
    guard format != .boardroom || name == nil else {
      throw ValidationError("--name is for --format excalidraw; a log has its room's name already.")
    }
    guard format == .boardroom || !keepEpoch else {
      throw ValidationError("--keep-epoch is for block files; a drawing has no epoch.")
    }
  }

  func run() async throws {
    try await answering {
      try await untilInterrupted {
        if let discard { return try await giveUp(discard) }
        switch format {
        case .boardroom: try await importLog()
        case .excalidraw: try await importDrawing()
        }
      }
    }
  }

  private var path: String { file ?? "-" }

  private func giveUp(_ room: RoomID) async throws {
    try folder.requireStore()
    try await folder.writing { store in
      do throws(LogError) { try await store.discardImport(room) } catch {
        guard case .logExists = error else { throw error }
        throw Failure(.cannotCreate, "\(room) is whole: there is no import to give up.")
      }
    }
    if json { return Terminal.line("{\"discarded\":\"\(room)\"}", isJSON: true) }
    if !quiet { Terminal.note("What was there of \(room) is gone.") }
  }

  // MARK: Drawings

  private func importDrawing() async throws {
    let drawing = try ExcalidrawFile(reading: try InputFile(path).whole(), place: path)
    let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    try NewFolder.make(folder.folder)
    let (info, report) = try await folder.writing { store in
      // The same drawing, session and end give the same log, so that an earlier attempt can be continued.
      var target = (room: room ?? RoomID.random(), epoch: Epoch.random())
      var made = try records(of: drawing, target, ending: now)
      for earlier in try await store.imports() where room == nil || room == earlier.info.log {
        guard earlier.last == Revision(UInt64(made.records.count)), let first = made.records.first else {
          continue
        }
        let known = (room: earlier.info.log, epoch: earlier.info.epoch)
        let again = try records(of: drawing, known, ending: now + (earlier.info.created - first.time))
        guard try await isBegun(earlier, again.records, in: store) else { continue }
        (target, made) = (known, again)
        break
      }
      var writer = LogImport(target.room, into: store, events: made.records.count, epoch: target.epoch)
      try await begin(target.room, in: store)
      let info = try await sayingWhatHelps(target.room) {
        try Task.checkCancellation()
        try await writer.add(made.records)
        return try await writer.finish()
      }
      return (info, made.report)
    }
    printImported(info, report)
  }

  private func records(
    of drawing: ExcalidrawFile, _ target: (room: RoomID, epoch: Epoch), ending: Timestamp
  ) throws(Refusal) -> ExcalidrawImport {
    try ExcalidrawImport(
      drawing, name: name ?? URL(fileURLWithPath: path).lastPathComponent,
      session: SessionID(high: target.epoch.rawValue, low: target.room.low), ending: ending)
  }

  private func isBegun(
    _ earlier: UnfinishedImport, _ records: [Record], in store: any ImportStore
  ) async throws -> Bool {
    var there = EarlierImport(of: earlier.info, in: store)
    do {
      _ = try await there.compare(records, after: .zero)
      return true
    } catch .unreadable { return false }
  }

  // MARK: Logs

  private func importLog() async throws {
    let archive = try TarFile.isTar(path) ? RoomArchive.check(path, signer: signer) : nil
    guard archive != nil || signer == nil else {
      throw Failure(
        .badInput, "\(path) is no archive, and signed by nobody.", "Leave out --signer.", at: path)
    }
    let part = archive?.blocks
    let found = try await read("Checking", part) { _ in true }
    if keepEpoch && found.epoch == nil {
      throw Failure(
        .badInput, "\(path) is JSONL and holds no epoch.", "Leave out --keep-epoch, or import a block file.",
        at: path)
    }
    guard found.count > 0 else { throw Failure(.badInput, "\(path) holds no events.", at: path) }
    try NewFolder.make(folder.folder)
    let info = try await folder.writing { store in
      var target = room ?? found.room
      if target == nil { target = try await begun(found, in: store) }
      var writer = LogImport(
        target ?? RoomID.random(), into: store, events: found.count, epoch: keepEpoch ? found.epoch : nil)
      try await begin(writer.room, in: store)
      return try await sayingWhatHelps(writer.room) {
        _ = try await read("Importing", part) { records in
          try await writer.add(records)
          return true
        }
        let info = try await writer.finish(created: found.created ?? .zero)
        if let archive { try await prove(archive, info, in: store) }
        return info
      }
    }
    printImported(info, signer: archive?.proof.signer)
  }

  /// Stores the images of an archive, and checks that the imported room has the signed state.
  private func prove(
    _ archive: RoomArchive.CheckedArchive, _ info: LogInfo, in store: any ImportStore
  ) async throws {
    let stored = try folder.images()
    for image in archive.images {
      let name = String(image.name.dropFirst(RoomArchive.images.count))
      let bytes = try RoomArchive.content(of: image, in: path, upTo: image.size)
      guard let place = ImageCheck.Stored(room: "\(archive.room)", fileName: name) else { continue }
      try stored.put(bytes, as: place)
    }
    let progress = Progress("Proving", quiet: quiet)
    defer { progress.end() }
    let found = try await DeepVerify.run(try await Recording.open(info.log, in: store)) {
      progress.show($0, of: $1)
    }
    let hash = found.stateHash.map { Text.hex($0) }
    guard hash == archive.proof.stateHash, info.last == Revision(archive.proof.events) else {
      throw Failure(
        .badInput,
        "\(info.log) was imported, and is not what was signed: its state is \(hash ?? "unknown"), and was "
          + "\(archive.proof.stateHash).", "Import it with the version that made it.")
    }
  }

  /// The room of an earlier attempt with the same file, whose uuid was chosen then.
  private func begun(_ found: ImportReader, in store: any ImportStore) async throws -> RoomID? {
    for earlier in try await store.imports() where earlier.last == Revision(UInt64(found.count)) {
      var there = EarlierImport(of: earlier.info, in: store)
      var at = Revision.zero
      do {
        _ = try await read("Comparing") { records in
          _ = try await there.compare(records, after: at)
          at = at + records.count
          return at < there.last
        }
        return earlier.info.log
      } catch ReplayError.unreadable { continue }
    }
    return nil
  }

  /// An import can be interrupted at any time, also while it waits for its file; then this tells how to
  /// continue it.
  private func sayingWhatHelps<Value>(
    _ room: RoomID, _ work: () async throws -> Value
  ) async throws -> Value {
    do { return try await work() } catch is CancellationError {
      Terminal.note(
        "Stopped. Import \(path) once more and it goes on; or give it up with "
          + "`boardroom import --discard \(room)`.")
      throw CancellationError()
    }
  }

  /// Reads the file from end to end, or until `each` answers false.
  private func read(
    _ what: String, _ part: TarFile.TarEntry? = nil, _ each: ([Record]) async throws -> Bool
  ) async throws -> ImportReader {
    guard path != "-" else {
      throw Failure(
        .badInput, "An import is read twice: first to check it.", "Write it to a file and name that.")
    }
    let input =
      if let part { try InputFile(path, from: part.offset, bytes: part.size) } else { try InputFile(path) }
    let size = part?.size ?? input.size ?? 0
    let progress = Progress(what, quiet: quiet)
    defer { progress.end() }
    var reader = ImportReader(place: path)
    var done = 0
    while let piece = try input.next() {
      try Task.checkCancellation()
      guard try await each(try reader.feed(piece)) else { return reader }
      done += piece.count
      progress.show(done, of: size)
    }
    _ = try await each(try reader.finish())
    return reader
  }

  // MARK: Words

  /// Prints the uuid before the first event is written, so that it is known if the program is killed. A
  /// complete room of that uuid is not overwritten; that error comes first.
  private func begin(_ room: RoomID, in store: any ImportStore) async throws {
    do throws(LogError) {
      _ = try await store.info(of: room)
      throw .logExists(room)
    } catch {
      switch error {
      case .noSuchLog, .unfinished: break
      default: throw error
      }
    }
    if json {
      if !quiet { Terminal.note("Importing into \(room).") }
    } else {
      Terminal.line("\(room)")
    }
  }

  private func printImported(_ info: LogInfo, _ report: ExchangeReport? = nil, signer: String? = nil) {
    if json {
      let found = report.map { ",\"report\":" + String(decoding: $0.json.compact, as: UTF8.self) } ?? ""
      Terminal.line(
        "{\"room\":\"\(info.log)\",\"epoch\":\"\(info.epoch)\",\"revision\":\(info.last)\(found)"
          + (signer.map { ",\"signer\":\"\($0)\"" } ?? "") + "}",
        isJSON: true)
    } else {
      if !quiet { Terminal.note("\(info.last) events imported into \(folder.place).") }
      if let signer, !quiet { Terminal.note("It is what was signed by \(signer).") }
      report?.show(quiet: quiet)
    }
  }
}
