import ArgumentParser
import BoardroomModel
import BoardroomReplay
import EventLogModel
import Foundation

struct InspectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show what lies where in a data folder.",
    discussion: """
      Without a log: the folder's rooms and files. With one: its log, its snapshots and its stored pieces. The
      folder is read only, so a server may be running on it. With --server the logs of a server on another machine are
      read over HTTP; without a log they are listed, for an administrator's SDK token.

      Examples:
        boardroom inspect --data data
        boardroom inspect ROOM
        boardroom inspect ROOM --block 1200
        boardroom inspect --channel rtm/lobby
        boardroom inspect ROOM --snapshot 1200
        boardroom inspect ROOM --server https://boards.example.org --token "$TOKEN"
      """)

  @OptionGroup var source: LogOptions
  @OptionGroup var folder: FolderOption
  @OptionGroup var remote: RemoteOptions
  @Option(help: .instant("Take apart the stored piece that holds this revision, or that of this time."))
  var block: Instant?
  @Option(help: .instant("Show the newest snapshot not after this revision or time."))
  var snapshot: Instant?
  @Flag(help: "Machine-readable output.")
  var json = false

  func validate() throws {
    if source.named == nil, block != nil || snapshot != nil {
      throw ValidationError("--block and --snapshot need a log: a room, --channel or --account.")
    }
  }

  func run() async throws {
    try await answering {
      try await remote.reading(folder) { store in
        guard let log = source.named else { return try await rooms(store) }
        let recording = try await Recording.open(log, in: store)
        if let block {
          return try await takeApart(recording, holding: try await block.revision(in: recording))
        }
        if let snapshot {
          return try await newest(recording, notAfter: try await snapshot.revision(in: recording))
        }
        try await show(recording)
      }
    }
  }

  // MARK: The folder

  private func rooms(_ store: any LogStore) async throws {
    if !json {
      Terminal.facts((remote.server.map { ["server \($0)"] } ?? held) + [""])
    }
    var after: LogID?
    var count = 0
    while true {
      let page = try await store.logs(after: after, limit: 1_000)
      guard let last = page.last else { break }
      for info in page { Terminal.line(json ? Self.json(info) : Self.line(info), isJSON: json) }
      count += page.count
      after = last.log
    }
    if !json { Terminal.line("\(count) rooms") }
  }

  /// What the folder holds, or the folder beside the database.
  private var held: [String] {
    let beside = ["folder \(folder.folder)"] + files()
    return folder.place.isDatabase ? ["database \(folder.place)"] + beside : beside
  }

  private func files() -> [String] {
    let names = FileManager.default.enumerator(atPath: folder.folder)?.allObjects as? [String] ?? []
    return names.sorted().compactMap { name -> String? in
      let attributes = try? FileManager.default.attributesOfItem(atPath: folder.folder + "/" + name)
      guard attributes?[.type] as? FileAttributeType == .typeRegular, let size = attributes?[.size] as? Int
      else { return nil }
      return "  \(Text.padded(Text.size(size), 10)) \(name)"
    }
  }

  private static func line(_ info: LogInfo) -> String {
    "\(info.log)  \(Text.padded("\(info.last) events", 16)) \(Text.padded(Text.size(info.storedBytes), 10)) "
      + "stored of \(Text.padded(Text.size(info.rawBytes), 10)) \(Text.time(info.lastTime))"
  }

  private static func json(_ info: LogInfo) -> String {
    "{\"room\":\"\(info.log)\",\"epoch\":\"\(info.epoch)\",\"created\":\(info.created),\"low\":\(info.low),"
      + "\"last\":\(info.last),\"lastTime\":\(info.lastTime),\"rawBytes\":\(info.rawBytes),"
      + "\"storedBytes\":\(info.storedBytes)}"
  }

  // MARK: One log

  private func show(_ recording: Recording) async throws {
    let info = recording.info
    if json {
      Terminal.line(Self.json(info), isJSON: true)
    } else {
      Terminal.facts([
        "room      \(info.log)", "epoch     \(info.epoch)", "created   \(Text.time(info.created))",
        "events    \(info.low) to \(info.last), the last at \(Text.time(info.lastTime))",
        Self.stored(info),
      ])
    }
    try await snapshots(recording)
    try await pieces(recording)
  }

  /// The index of a room on a server says only how many bytes are stored.
  private static func stored(_ info: LogInfo) -> String {
    info.rawBytes == info.storedBytes && info.rawBytes > 0
      ? "stored    \(Text.size(info.storedBytes))"
      : "sealed    \(Text.size(info.rawBytes)) as \(Text.size(info.storedBytes))"
  }

  private func snapshots(_ recording: Recording) async throws {
    var bound = recording.info.last
    while bound > .zero, let snapshot = try await recording.snapshot(notAfter: bound) {
      Terminal.line(describe(snapshot), isJSON: json)
      bound = snapshot.revision.previous
    }
  }

  private func describe(_ snapshot: Snapshot) -> String {
    let size = snapshot.parts.reduce(snapshot.root.count) { $0 + $1.bytes.count }
    return json
      ? "{\"snapshot\":\(snapshot.revision),\"time\":\(snapshot.time),\"stateHash\":"
        + "\"\(Text.hex(snapshot.stateHash))\",\"parts\":\(snapshot.parts.count),\"bytes\":\(size)}"
      : "snapshot  \(snapshot.revision), \(snapshot.parts.count) parts, \(Text.size(size)), hash "
        + Text.hex(snapshot.stateHash.prefix(8)) + "…"
  }

  private func pieces(_ recording: Recording) async throws {
    var at = recording.info.low.previous
    while at < recording.info.last {
      let page = try await recording.store.read(recording.room, after: at, limit: 1 << 20)
      guard let last = page.last else { return }
      for piece in page { Terminal.line(describe(piece), isJSON: json) }
      at = last.lastRevision
    }
  }

  private func describe(_ piece: StoredRun) -> String {
    let coding = piece.coding == .lz4 ? "lz4" : "plain"
    return json
      ? "{\"piece\":\(piece.first),\"last\":\(piece.lastRevision),\"from\":\(piece.base),\"to\":\(piece.last),"
        + "\"coding\":\"\(coding)\",\"rawBytes\":\(piece.rawLength),\"storedBytes\":\(piece.bytes.count)}"
      : "piece     \(piece.first) to \(piece.lastRevision), \(Text.clock(piece.base)) to "
        + "\(Text.clock(piece.last)), \(coding), \(Text.size(piece.rawLength)) as \(Text.size(piece.bytes.count))"
  }

  // MARK: One piece, one snapshot

  private func takeApart(_ recording: Recording, holding revision: Revision) async throws {
    guard revision >= recording.info.low, revision <= recording.info.last else {
      throw ReplayError.log(.beyondEnd(recording.room, asked: revision, last: recording.info.last))
    }
    guard
      let piece = try await recording.store.read(recording.room, after: revision.previous, limit: 1).first
    else { return }
    Terminal.line(describe(piece), isJSON: json)
    let run = try recording.store.unpack(piece, of: recording.room)
    for event in try run.events() { Terminal.line(json ? event.jsonLine : "  " + event.line, isJSON: json) }
  }

  private func newest(_ recording: Recording, notAfter revision: Revision) async throws {
    guard let snapshot = try await recording.snapshot(notAfter: revision) else {
      throw Failure(.noInput, "There is no snapshot up to revision \(revision).")
    }
    Terminal.line(describe(snapshot), isJSON: json)
    Terminal.line(String(decoding: snapshot.root, as: UTF8.self), isJSON: true)
  }
}
