import ArgumentParser
import BoardroomModel
import BoardroomReplay
import BoardroomServer
import EventLog
import EventLogModel
import Foundation

struct FollowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "follow",
    abstract: "Keep a copy of a server's folder up to date, some seconds behind.",
    discussion: """
      The first pass copies everything, each later one what has come since: events, snapshots, images, the key, and how
      far each webhook endpoint was told. The server may run; the copy may be on another disk, or on another machine's that
      is mounted here. However it ends, what is in the copy is whole, and the next `follow` goes on from there. With
      --once it is an incremental backup.

      The copy is a data folder that `boardroom serve --data` takes as it is. Once it was served it is another
      life of its rooms: make a new one then. A room that retention has removed from the server stays in the copy, unless
      --remove-deleted says that it goes there, too.

      Examples:
        boardroom follow /mnt/other/boardroom --data /srv/boardroom
        boardroom follow /srv/backup/current --once
      """)

  @Argument(help: "The folder of the copy; made if it is missing.") var target: String
  @OptionGroup var folder: FolderOption
  @Option(help: ArgumentHelp("Time between two passes.", valueName: "seconds")) var every = 5.0
  @Flag(help: "One pass, and end; the exit status is 65 if a room could not be copied.") var once = false
  @Flag(help: "Remove what the server has removed for good from the copy, too.") var removeDeleted = false
  @Flag(help: "A line of JSON on standard output for each pass.") var json = false
  @Flag(help: "No progress on standard error.") var quiet = false

  func validate() throws {
    guard every >= 1, every <= 86_400 else { throw ValidationError("--every is 1 to 86400 seconds.") }
  }

  func run() async throws {
    try await answering {
      try folder.requireFolder()
      try prepareTarget()
      try await untilInterrupted {
        let copy = try EmbeddedLogStore.open(folder: target)
        do {
          try await follow(into: copy)
          await copy.shutdown()
        } catch {
          await copy.shutdown()
          throw error
        }
      }
    }
  }

  /// A folder of something else is not written to.
  private func prepareTarget() throws {
    let (here, there) = (URL(filePath: folder.folder), URL(filePath: target))
    guard
      here.resolvingSymlinksInPath().standardizedFileURL
        != there.resolvingSymlinksInPath().standardizedFileURL
    else { throw Failure(.usage, "\(target) is the folder that is followed. Name another one for the copy.") }
    let names = try? FileManager.default.contentsOfDirectory(atPath: target)
    if let names, !names.isEmpty, !names.contains("LOCK") {
      throw Failure(.cannotCreate, "\(target) is no data folder, and is not empty. Name a new folder.")
    }
    try NewFolder.make(target)
  }

  private func follow(into copy: EmbeddedLogStore) async throws {
    var (follower, written): (LogFollower, WebhookCopy?) = (LogFollower(), nil)
    var told: Set<String> = []
    var isFirst = true
    while true {
      do {
        let done = try await pass(&follower, &written, into: copy, isFirst: isFirst)
        tell(done, &told, isFirst: isFirst)
        isFirst = false
        if once, done.hasFailed { throw ExitCode(ExitStatus.badInput.rawValue) }
      } catch let error as LogError where !once {
        // The server's folder may be whole again at the next pass; the copy stays as it is.
        if case .stopped = error { throw error }
        if told.insert("\(error)").inserted { Terminal.note("\(error)") }
      }
      if once { return }
      try await Task.sleep(for: .seconds(every))
    }
  }

  // MARK: One pass

  private struct Done {
    var pass: LogFollower.Pass
    var images = 0
    var damages: [ImageDamage] = []
    /// When the pass began: the copy is not older than that.
    var time: Timestamp

    var hasFailed: Bool { !pass.failures.isEmpty || !damages.isEmpty }
  }

  private func pass(
    _ follower: inout LogFollower, _ written: inout WebhookCopy?, into copy: EmbeddedLogStore, isFirst: Bool
  ) async throws -> Done {
    let progress = Progress("Copying", quiet: quiet || !isFirst)
    defer { progress.end() }
    // Before the rooms: no endpoint counts as told what is not in the copy.
    let webhooks = try WebhookCopy(of: folder.folder)
    var following = follower
    defer { follower = following }
    let time = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    let pass = try await folder.readingWhole { source in
      try await following.pass(from: source, into: copy) {
        progress.show("\($0.logs) rooms, \($0.events) events")
      }
    }
    let beside = PartsBesideLog(of: folder.folder)
    if removeDeleted, !pass.gone.isEmpty {
      for log in pass.gone {
        try await copy.delete(log)
        try beside.removeImages(of: log, in: target)
      }
      try await copy.clearRemains()
    }
    if !pass.erased.isEmpty {
      for log in pass.erased { try beside.removeErasedImages(of: log, in: target) }
      try await copy.clearRemains()
    }
    if written != webhooks || pass.events > 0 {
      let lives = following.lives.mapValues {
        WebhookCopy.Life(epoch: $0.source.epoch, copied: $0.copied)
      }
      try webhooks.write(to: target, lives: lives)
      written = webhooks
    }
    try beside.updateKey(in: target)
    let (images, damages) = try beside.addImages(to: target)
    return Done(pass: pass, images: images, damages: damages, time: time)
  }

  // MARK: What is told

  private func tell(_ done: Done, _ told: inout Set<String>, isFirst: Bool) {
    let pass = done.pass
    for (log, error) in pass.failures.sorted(by: { $0.key < $1.key }) {
      let text = "\(error)"
      let line = text.contains("\(log)") ? text : "\(log): \(text)"
      if told.insert(line).inserted { Terminal.note(line) }
    }
    for log in pass.erased where told.insert("erased \(log)").inserted {
      Terminal.note("\(log): what was erased at the source is erased in the copy.")
    }
    for damage in done.damages where told.insert("\(damage)").inserted { Terminal.note("damage: \(damage)") }
    if !removeDeleted, !pass.gone.isEmpty, told.insert("gone \(pass.gone.count)").inserted {
      Terminal.note(
        "\(pass.gone.count) rooms of the copy are not on the server any more, and stay in the copy.")
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
