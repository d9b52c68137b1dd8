import ArgumentParser
import BoardroomModel
import BoardroomReplay
import BoardroomWebhooks
import EventLog
import EventLogModel
import Foundation

struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Bring all rooms from a folder into a database, or back, and prove that they are equal.",
    discussion: """
      Stop the server first: both stores are opened for writing, so that nothing comes meanwhile. Rooms, accounts and channels
      keep their epochs, so that members go on as after a restart. Each event is compared with what was read, and the state that
      the events give is folded on both sides; the table has each log's revision and state hash. The source stays as it was:
      do not serve it again once the target has been served.

      Images and how far webhooks were told go along. Keys are files: they go along between two folders; --files is the folder
      of the database's side, and if it is the data folder itself, they stay where they are.

      A migration that was cut short goes on where it stopped. A target that has other logs is refused.

      Examples:
        boardroom migrate data postgres://boardroom@db/boardroom --files data
        boardroom migrate postgres://boardroom@db/boardroom /srv/boardroom --files data --json

      Exit codes: 0 all logs are equal; 1 one is not; 69 the database does not answer; 73 the target has other logs; 75 a server \
      uses one of the two.
      """)

  @Argument(help: "The data folder, or the database, that has the rooms.") var source: String
  @Argument(help: "The database, or the folder, that gets them.") var target: String
  @Option(
    help: ArgumentHelp(
      "With a database: the folder with keys and the secret of webhooks; else $BOARDROOM_FILES, else ./data.",
      valueName: "folder"))
  var files: String?
  @Flag(help: "Machine-readable output: a line for each log, and one for all.") var json = false
  @Flag(help: "No progress on standard error.") var quiet = false

  private var from: FolderOption { FolderOption(data: source, files: files) }
  private var into: FolderOption { FolderOption(data: target, files: files) }

  func run() async throws {
    try await answering {
      guard from.place != into.place else {
        throw Failure(.usage, "The source and the target are the same.", "Name another target.")
      }
      let isEqual = try await untilInterrupted { try await migrate() }
      guard isEqual else { throw ExitCode(ExitStatus.answerIsNo.rawValue) }
    }
  }

  private func migrate() async throws -> Bool {
    try from.requireStore()
    // A database without tables is no source; a start would make them.
    if let database = try Database(from.place) { await (try database.openReading()).shutdown() }
    // Before anything is copied.
    if hasFilesToMove { try PartsBesideLog(of: from).refuseOtherKeys(in: into.folder) }
    let webhooks = try from.webhooks()
    return try await from.writing { old in
      if let begun = try await old.imports().first {
        throw LogError.unfinished(begun.info.log, last: begun.info.last, of: begun.last)
      }
      if !into.place.isDatabase { try NewFolder.make(into.folder) }
      return try await into.writing { new in
        let migration = StoreMigration(from: old, to: new, quiet: quiet)
        try await migration.plan(target: "\(into.place)")
        try await migration.copy()
        try moveFiles(webhooks, of: migration.logs)
        return try await show(migration)
      }
    }
  }

  // MARK: What is beside the logs

  /// Whether the files are to be in another folder than they are.
  private var hasFilesToMove: Bool {
    func real(_ path: String) -> String {
      URL(filePath: path).resolvingSymlinksInPath().standardizedFileURL.path
    }
    return real(from.folder) != real(into.folder)
  }

  private func moveFiles(_ webhooks: WebhookCopy, of logs: [LogInfo]) throws {
    let beside = try PartsBesideLog(of: from)
    if hasFilesToMove {
      try NewFolder.make(into.folder)
      try beside.refuseOtherKeys(in: into.folder)
      try beside.updateKey(in: into.folder)
    }
    let lives = Dictionary(
      uniqueKeysWithValues: logs.map { log in
        (
          log.log,
          WebhookCopy.Life(epoch: log.epoch, copied: Cursor(epoch: log.epoch, revision: log.last))
        )
      })
    if let database = try Database(into.place) {
      if hasFilesToMove { try webhooks.writeFiles(to: into.folder) }
      try database.put(webhooks.cursors(lives: lives))
    } else if hasFilesToMove || from.place.isDatabase {
      try webhooks.write(to: into.folder, lives: lives)
    }
    // Between two folders that are one, and in no other case, images are there already.
    guard hasFilesToMove || from.place.isDatabase || into.place.isDatabase else { return }
    let (_, damages) = try beside.addImages(to: try into.images())
    try DamagedImages.meet(damages, acceptLoss: false)
  }

  // MARK: The table

  private func show(_ migration: StoreMigration) async throws -> Bool {
    var (equal, events) = (0, 0)
    for log in migration.logs {
      let proof = try await migration.prove(log)
      equal += proof.isEqual ? 1 : 0
      events += proof.events
      let hash = proof.stateHash.map { Text.hex($0) } ?? ""
      if json {
        Terminal.line(
          "{\"room\":\"\(log.log)\",\"revision\":\(log.last),\"events\":\(proof.events),\"stateHash\":\"\(hash)\","
            + "\"equal\":\(proof.isEqual)"
            + (proof.isEqual ? "" : ",\"differs\":\(Text.json(proof.what))") + "}",
          isJSON: true)
      } else {
        let line = "\(log.log)  \(Text.padded("\(log.last)", 10))  \(hash)  "
        proof.isEqual ? Terminal.line(line + "equal") : Terminal.wrong(line + "differs: \(proof.what)")
      }
    }
    let all = migration.logs.count
    if json {
      Terminal.line(
        "{\"from\":\(Text.json("\(from.place)")),\"to\":\(Text.json("\(into.place)")),\"rooms\":\(all),"
          + "\"events\":\(events),\"equal\":\(equal)}",
        isJSON: true)
    } else if !quiet {
      Terminal.note("\(equal) of \(all) logs are equal, \(events) events; they are in \(into.place).")
    }
    return equal == all
  }
}
