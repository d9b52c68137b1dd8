import ArgumentParser
import BoardroomModel
import BoardroomReplay
import EventLogModel
import Foundation

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Bring an exported log into a data folder.",
    discussion: """
      Takes what `boardroom export` wrote, JSONL or blocks, and tells them apart by itself. Revisions, times
      and bytes stay as they were. The file is checked from end to end before anything is written. No server
      may be running on the folder.

      An import is another life of the log: it gets an epoch of its own, so that a client that knew the
      original starts afresh. --keep-epoch (block files only) is for a log whose original is gone for good.

      Examples:
        boardroom import room.jsonl --data restored
        boardroom import room.blocks --data restored --keep-epoch
        boardroom import room.jsonl --room 0123456789abcdef0123456789abcdef
      """)

  @Argument(help: "The file to read.") var file: String
  @OptionGroup var folder: FolderOption
  @Option(help: "The uuid that the room is to have; else that of a block file, else one made up.")
  var room: RoomID?
  @Flag(help: "Take over the epoch of a block file.")
  var keepEpoch = false
  @Flag(help: "Machine-readable output.")
  var json = false
  @Flag(help: "No progress on standard error.")
  var quiet = false

  func run() async throws {
    try await answering {
      let found = try await read("Checking") { _ in }
      if keepEpoch && found.epoch == nil {
        throw Failure(
          .badInput, "\(file) is JSONL and holds no epoch. Leave out --keep-epoch, or import a block file.")
      }
      guard found.count > 0 else { throw Failure(.badInput, "\(file) holds no events.") }
      try NewFolder.make(folder.folder)
      try await folder.writing { store in
        let target = room ?? found.room ?? RoomID.random()
        var writer = LogImport(target, into: store, epoch: keepEpoch ? found.epoch : nil)
        _ = try await read("Importing") { try await writer.add($0) }
        tell(try await writer.finish(created: found.created ?? .zero))
      }
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

  private func tell(_ info: LogInfo) {
    if json {
      Terminal.line("{\"room\":\"\(info.log)\",\"epoch\":\"\(info.epoch)\",\"revision\":\(info.last)}")
    } else {
      Terminal.line("\(info.log)")
      if !quiet { Terminal.note("\(info.last) events imported into \(folder.folder).") }
    }
  }
}
