import ArgumentParser
import BoardroomAccess
import BoardroomClient
import BoardroomHTTP
import BoardroomModel
import BoardroomReplay
import BoardroomWebhooks
import EventLog
import EventLogModel
import Foundation

struct FollowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "follow",
    abstract: "Keep a copy of a server's store up to date, some seconds behind.",
    discussion: """
      The first pass copies everything, each later one what has come since: events, snapshots, images, the key, and how
      far each webhook endpoint was told. The server may run; the copy may be on another disk, or on another machine's that
      is mounted here. However it ends, what is in the copy is whole, and the next `follow` goes on from there. With
      --once it is an incremental backup.

      With --server the store of a server on another machine is followed over HTTP, with an administrator's SDK token.
      Keys and the secret of webhooks do not come over for a token: with --with-keys they do for who has the key pair,
      in $BOARDROOM_ACCESS_KEY and $BOARDROOM_SECRET_ACCESS_KEY or as the key file in the folder of --data.

      The copy is a data folder that `boardroom serve --data` takes as it is. Once it was served it is another
      life of its rooms: make a new one then. A room that retention has removed from the server stays in the copy, unless
      --remove-deleted says that it goes there, too.

      Examples:
        boardroom follow /mnt/other/boardroom --data /srv/boardroom
        boardroom follow /srv/backup/current --once
        boardroom follow /srv/copy --server https://board.example.org --token NETLESSSDK_…
      """)

  @Argument(help: "The folder of the copy; made if it is missing.") var target: String
  @OptionGroup var rest: RestOptions
  @Flag(help: "With --server: take the keys, too, which wants the key pair.") var withKeys = false
  @Flag(
    help: "Go on although the store is another one than the copy follows: a restored or repaired one of it.")
  var adopt = false
  @Option(help: .duration("Time between two passes, from 1s to 1d. A number alone is in seconds."))
  var every = TimeSpan("5s")
  @Flag(help: "One pass, and end; the exit status is 65 if a room could not be copied.") var once = false
  @Flag(help: "Remove what the server has removed for good from the copy, too.") var removeDeleted = false
  @Flag(help: "A line of JSON on standard output for each pass.") var json = false
  @Flag(help: "No progress on standard error.") var quiet = false

  func validate() throws {
    guard (.seconds(1)...Duration.seconds(86_400)).contains(every.duration()) else {
      throw ValidationError("--every is from 1s to 1d.")
    }
    guard rest.server != nil || !withKeys && rest.trust.trust == nil && rest.token == nil else {
      throw ValidationError("--with-keys, --trust and --token go with --server: a folder needs none of them.")
    }
  }

  func run() async throws {
    try await answering {
      do {
        let source = try source()
        try prepareTarget()
        try await untilInterrupted {
          // The identity is read before anything is written to a new folder, because it may be the wrong
          // server, or the wrong token.
          let identity = try await source.identity()
          let copy = try EmbeddedLogStore.open(folder: target)
          do {
            try FollowRecord.check(target, follows: identity, adopting: adopt)
            try await follow(source, into: copy)
            await copy.shutdown()
          } catch {
            await copy.shutdown()
            throw error
          }
        }
      } catch let failure as SourceFailure {
        throw failure.cause
      }
    }
  }

  // MARK: What is followed

  private func source() throws -> any FollowSource {
    guard let address = rest.server else {
      try rest.folder.requireStore()
      return FollowedFolder(folder: rest.folder)
    }
    let server = NamedServer(try LiveOptions.endpoint(address), trust: try rest.trust.roots())
    let rest = rest
    _ = try rest.sdkToken()
    return FollowedMachine(
      FollowedServer(server, patience: Self.patience, place: address) { try rest.sdkToken() },
      pair: withKeys ? try pair() : nil)
  }

  /// The time for one answer. 5 min: the largest image, 64 MiB, over 2 Mbit/s.
  private static let patience = Duration.seconds(300)

  private func pair() throws -> KeyPair {
    let variables = ProcessInfo.processInfo.environment
    if let id = variables["BOARDROOM_ACCESS_KEY"], let secret = variables["BOARDROOM_SECRET_ACCESS_KEY"] {
      return KeyPair(id: id, secret: secret)
    }
    return try rest.folder.keyRing().signer
  }

  /// Refuses a folder that has other content.
  private func prepareTarget() throws {
    if rest.server == nil {
      let (here, there) = (URL(filePath: rest.folder.folder), URL(filePath: target))
      guard
        here.resolvingSymlinksInPath().standardizedFileURL
          != there.resolvingSymlinksInPath().standardizedFileURL
      else {
        throw Failure(
          .usage, "\(target) is the folder that is followed.", "Name another one for the copy.", at: target)
      }
    }
    let names = try? FileManager.default.contentsOfDirectory(atPath: target)
    if let names, !names.isEmpty, !names.contains("LOCK") {
      throw Failure(
        .cannotCreate, "\(target) is no data folder, and is not empty.", "Name a new folder.", at: target)
    }
    try NewFolder.make(target)
  }

  private func follow(_ source: any FollowSource, into copy: EmbeddedLogStore) async throws {
    var (follower, written): (LogFollower, WebhookCopy?) = (LogFollower(), nil)
    var told: Set<String> = []
    var (isFirst, lacksImages) = (true, true)
    while true {
      do {
        let done = try await pass(
          source, &follower, &written, into: copy, isFirst: isFirst, lacksImages: lacksImages)
        printProgress(done, &told, isFirst: isFirst)
        (isFirst, lacksImages) = (false, !done.damages.isEmpty)
        if once, done.hasFailed { throw ExitCode(ExitStatus.badInput.rawValue) }
      } catch let error as LogError where !once {
        // The server's folder may be readable again at the next pass; the copy stays as it is.
        if case .stopped = error { throw error }
        if told.insert("\(error)").inserted { Terminal.note("\(error)") }
      } catch let failure as Failure where !once && !isFirst && Self.mayPass(failure) {
        // A database that is away, or that a node is starting on.
        if told.insert("\(failure)").inserted { Terminal.note("\(failure)") }
      } catch let failure as SourceFailure where !once && Self.mayPass(failure) {
        if told.insert("\(failure.cause)").inserted { Terminal.note("\(failure.cause)") }
      }
      if once { return }
      try await Task.sleep(for: every.duration())
    }
  }

  /// Whether a later try can succeed: a server may come back, but a wrong token stays wrong.
  private static func mayPass(_ failure: SourceFailure) -> Bool {
    guard let refusal = failure.cause as? Refusal else { return true }
    return ExitStatus(refusal.code) != .forbidden
  }

  private static func mayPass(_ failure: Failure) -> Bool {
    failure.status == .unavailable || failure.status == .busy
  }

  // MARK: One pass

  private struct Done {
    var pass: LogFollower.Pass
    var images = 0
    var damages: [String] = []
    /// When the pass began: the copy is not older than that.
    var time: Timestamp
    var hasKeys: Bool

    var hasFailed: Bool { !pass.failures.isEmpty || !damages.isEmpty }
  }

  private func pass(
    _ source: any FollowSource, _ follower: inout LogFollower, _ written: inout WebhookCopy?,
    into copy: EmbeddedLogStore, isFirst: Bool, lacksImages: Bool
  ) async throws -> Done {
    let progress = Progress("Copying", quiet: quiet || !isFirst)
    defer { progress.end() }
    // Cursors are read before the rooms, so that no cursor goes beyond the copy.
    let webhooks = try await source.webhooks()
    var following = follower
    defer { follower = following }
    let time = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    let pass = try await source.reading { logs in
      try await following.pass(from: logs, into: copy) {
        progress.show("\($0.logs) rooms, \($0.events) events")
      }
    }
    if removeDeleted, !pass.gone.isEmpty {
      for log in pass.gone {
        try await copy.delete(log)
        try PartsBesideLog.removeImages(of: log, in: target)
      }
      try await copy.clearRemains()
    }
    if !pass.erased.isEmpty {
      for log in pass.erased { try await source.removeErasedImages(of: log, in: target) }
      try await copy.clearRemains()
    }
    if written != webhooks || pass.events > 0 {
      let lives = following.lives.mapValues {
        WebhookCopy.Life(epoch: $0.source.epoch, copied: $0.copied)
      }
      try webhooks.write(to: target, lives: lives)
      written = webhooks
    }
    try await source.updateKeys(in: target)
    // An image is put before the event that names it.
    let (images, damages) =
      lacksImages || pass.events > 0 ? try await source.addImages(to: target) : (added: 0, damages: [])
    let hasKeys = FileManager.default.fileExists(atPath: target + "/" + KeyFile.name)
    return Done(pass: pass, images: images, damages: damages, time: time, hasKeys: hasKeys)
  }

  // MARK: What is told

  private func printProgress(_ done: Done, _ told: inout Set<String>, isFirst: Bool) {
    let pass = done.pass
    for (log, error) in pass.failures.sorted(by: { $0.key < $1.key }) {
      let text = "\(error)"
      let line = text.contains("\(log)") ? text : "\(log): \(text)"
      if told.insert(line).inserted { Terminal.note(line) }
    }
    for log in pass.erased where told.insert("erased \(log)").inserted {
      Terminal.note("\(log): what was erased at the source is erased in the copy.")
    }
    for damage in done.damages where told.insert(damage).inserted { Terminal.note("damage: \(damage)") }
    if !removeDeleted, !pass.gone.isEmpty, told.insert("gone \(pass.gone.count)").inserted {
      Terminal.note(
        "\(pass.gone.count) rooms of the copy are not on the server any more, and stay in the copy.")
    }
    if rest.server != nil, !done.hasKeys, told.insert("keys").inserted {
      Terminal.note(
        "The copy has no keys: tokens that the server has given out do not open it. --with-keys takes them along."
      )
    }
    if json {
      let fields = [
        "\"at\":\(done.time.milliseconds)", "\"rooms\":\(pass.logs)", "\"events\":\(pass.events)",
        "\"erased\":\(pass.erased.count)",
        "\"images\":\(done.images)", "\"gone\":\(pass.gone.count)",
        "\"failed\":\(pass.failures.count + done.damages.count)",
      ]
      Terminal.line("{\(fields.joined(separator: ","))}", isJSON: true)
    } else if !quiet, isFirst || pass.events > 0 || done.images > 0 {
      Terminal.note("\(done.time.iso8601): \(pass.logs) rooms, \(pass.events) events, \(done.images) images.")
    }
  }
}
