import ArgumentParser
import BoardroomModel
import BoardroomReplay
import BoardroomWebhooks
import EventLog
import EventLogModel
import Foundation

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy all rooms into a new folder while the server runs.",
    discussion: """
      Every event is read, checked and written anew, each room as it is when its turn comes; its snapshots, the key, the
      boards' images and how far each webhook endpoint was told go along. The copy is a data folder that `boardroom serve --data` takes as it is.

      A backup is another life of its rooms: they get epochs of their own, so that clients which had seen more
      than the backup holds start afresh instead of going on from a revision that now means something else.
      --keep-epochs is for moving a folder whose server has been stopped for good.

      A damaged folder, or a damaged or missing image, is named, and no copy is made: it would take the place of a
      good one. --accept-loss copies what is left, names what is not, and ends with 1.

      --at makes the copy as everything was at that time: each room up to its last event by then, without the rooms
      that came later. From a backup it restores an earlier moment.

      Examples:
        boardroom backup /srv/backup/today
        boardroom backup restored --data /srv/backup/today --at 2026-11-21T09:30:00Z
        boardroom backup moved --data old --keep-epochs
      """)

  @Argument(help: "The folder to make.") var target: String
  @OptionGroup var folder: FolderOption
  @Option(help: .instant("Everything as it was then: a date, a date and a time, or @ and ms since 1970."))
  var at: Instant?
  @Flag(help: "Keep each room's epoch.") var keepEpochs = false
  @Flag(help: "Copy what is left of a damaged folder; the exit status is 1 then.") var acceptLoss = false
  @Flag(help: "Machine-readable output.") var json = false
  @Flag(help: "No progress on standard error.") var quiet = false

  func validate() throws {
    guard let at else { return }
    guard case .time = at else {
      throw ValidationError(
        "--at is a time: rooms have revisions of their own. See export --to for one room.")
    }
    if keepEpochs { throw ValidationError("--at is another life of the rooms: leave out --keep-epochs.") }
  }

  func run() async throws {
    try await answering {
      try folder.requireStore()
      guard !FileManager.default.fileExists(atPath: target) else {
        throw Failure(.cannotCreate, "\(target) exists already.", "Name a new folder.", at: target)
      }
      let part = target + ".part"
      try? FileManager.default.removeItem(atPath: part)
      let written = try await untilInterrupted(leaving: part) { try await copy(to: part) }
      guard rename(part, target) == 0 else {
        throw Failure(
          .cannotCreate, "\(target) cannot be made.", "The copy is whole, and is called \(part).", at: target)
      }
      if json {
        Terminal.line(
          "{\"folder\":\(Text.json(target)),\"rooms\":\(written.rooms),\"events\":\(written.events),"
            + "\"lost\":\(written.lost)}",
          isJSON: true)
      } else if !quiet {
        Terminal.note("\(written.rooms) rooms, \(written.events) events written to \(target).")
      }
      if written.lost { throw ExitCode(ExitStatus.answerIsNo.rawValue) }
    }
  }

  /// What was copied, and whether something could not be copied.
  private struct Written {
    var rooms = 0
    var events = 0
    var lost = false
    var lives: [RoomID: WebhookCopy.Life] = [:]
  }

  /// If it fails, it removes what it has written.
  private func copy(to part: String) async throws -> Written {
    try await folder.copying(acceptLoss: acceptLoss) { source, lost in
      do {
        try NewFolder.make(part)
        let copy = try EmbeddedLogStore.open(folder: part)
        do {
          let webhooks = try folder.webhooks()
          var named = try await NamedImages(in: source)
          var written = try await copyRooms(from: source, to: copy, in: part, &named)
          let beside = try PartsBesideLog(of: folder)
          try beside.copyKey(to: part)
          try webhooks.write(to: part, lives: written.lives)
          if webhooks.badLines > 0 {
            Terminal.note(
              "\(webhooks.badLines) lines of webhooks are damaged: of their rooms endpoints are told again.")
          }
          let damages = try beside.copyImages(named.all, to: part)
          try DamagedImages.meet(damages, acceptLoss: acceptLoss)
          written.lost = !damages.isEmpty || lost || written.lost
          try await copy.seal()
          await copy.shutdown()
          return written
        } catch {
          await copy.shutdown()
          throw error
        }
      } catch {
        NewFolder.abandon(part)
        throw error
      }
    }
  }

  private func copyRooms(
    from source: any LogStore, to copy: EmbeddedLogStore, in part: String, _ named: inout NamedImages
  ) async throws -> Written {
    let progress = Progress("Copying", quiet: quiet)
    defer { progress.end() }
    var written = Written()
    var after: LogID?
    while true {
      let page = try await source.logs(after: after, limit: 1_000)
      guard let last = page.last else { return written }
      for info in page {
        try Task.checkCancellation()
        guard let copied = try await copyUnlessRemoved(info.log, from: source, to: copy, in: part, &named)
        else { continue }
        written.events += copied.events
        written.lost = written.lost || copied.hasGap
        written.lives[info.log] = copied.life
        written.rooms += 1
        progress.show("\(written.rooms) rooms, \(written.events) events")
      }
      after = last.log
    }
  }

  /// The result of copying one room.
  private struct Copied {
    var events: Int
    var hasGap = false
    var life: WebhookCopy.Life?
  }

  /// Nil for a room that did not exist at the moment asked for, or that the server removes for good during
  /// the copy.
  private func copyUnlessRemoved(
    _ room: RoomID, from source: any LogStore, to copy: EmbeddedLogStore, in part: String,
    _ named: inout NamedImages
  ) async throws -> Copied? {
    do {
      return try await copyRoom(room, from: source, to: copy, in: part, &named)
    } catch ReplayError.log(.deleted) {
      Terminal.note("\(room) was removed for good meanwhile, and is not in the copy.")
      return nil
    }
  }

  private func copyRoom(
    _ room: RoomID, from source: any LogStore, to copy: EmbeddedLogStore, in part: String,
    _ named: inout NamedImages
  ) async throws -> Copied? {
    let recording = try await Recording.open(room, in: source)
    var (info, ahead): (LogInfo, [Run]?) = (recording.info, nil)
    do throws(ReplayError) {
      ahead = try await recording.page(after: info.low.previous, through: info.last)
    } catch {
      // Retention has removed events since the folder was opened. Any other error comes again below.
      if case .log(.trimmed(_, let low)) = error { info.low = low }
    }
    let before = info.low.previous
    if info.low > 1, let snapshot = try await recording.snapshot(notAfter: info.last) { named.add(snapshot) }
    guard let last = try await end(of: recording, before: before) else { return nil }
    let gap = acceptLoss ? try await firstGap(of: recording, after: before) : nil
    let end = min(gap?.first.previous ?? last, last)
    if let gap, gap.first <= last, end == before {
      return Copied(events: try await keepBehind(gap, of: recording, in: part), hasGap: true)
    }
    var writer = LogImport(
      room, into: copy, from: info.low, events: end - before, epoch: keepEpochs ? info.epoch : nil,
      createdAt: info.created)
    var at = before
    while at < end {
      try Task.checkCancellation()
      var runs = ahead?.filter { $0.first <= end }.compactMap { $0.prefix(through: end) } ?? []
      if ahead == nil { runs = try await recording.page(after: at, through: end) }
      ahead = nil
      for run in runs {
        try await writer.add(run.unpacked)
        named.add(run, of: room)
        at = run.lastRevision
      }
      if runs.isEmpty { break }
    }
    let life = WebhookCopy.Life(
      epoch: info.epoch,
      copied: Cursor(epoch: try await writer.finish(created: info.created).epoch, revision: at))
    try await copySnapshots(of: recording, through: at, to: copy)
    guard let gap, gap.first <= last else { return Copied(events: at - before, life: life) }
    let behind = try await keepBehind(gap, of: recording, in: part)
    return Copied(events: at - before + behind, hasGap: true, life: life)
  }

  /// The last revision to copy; nil for a room that did not exist yet, or whose history of that time has been
  /// removed.
  private func end(of recording: Recording, before: Revision) async throws -> Revision? {
    guard case .time(let time) = at else { return recording.info.last }
    let last = try await recording.revision(at: time)
    if last > before || last == recording.info.last { return last }
    if before > .zero, recording.info.created <= time {
      Terminal.note(
        "\(recording.room) has nothing of that time: its history begins at revision \(before.next).")
    }
    return nil
  }

  /// Copies all whole snapshots, so that seeks in the copy are as fast as in the source. The newest first,
  /// because a store thins snapshots out when they are stored, by their distance from the newest.
  private func copySnapshots(
    of recording: Recording, through end: Revision, to copy: EmbeddedLogStore
  ) async throws {
    var bound = end
    while let snapshot = try await recording.snapshot(notAfter: bound) {
      try Task.checkCancellation()
      try await copy.put(snapshot, for: recording.room)
      guard snapshot.revision > .zero else { return }
      bound = snapshot.revision.previous
    }
  }

  /// The first gap in the events; nil if none is missing.
  private func firstGap(of recording: Recording, after before: Revision) async throws -> Gap? {
    var at = before
    while at < recording.info.last {
      try Task.checkCancellation()
      do throws(ReplayError) {
        guard let last = try await recording.page(after: at, through: recording.info.last).last else {
          return nil
        }
        at = last.lastRevision
      } catch {
        guard case .log(let cause) = error, let gap = Gap(cause, after: at) else { throw error }
        return gap
      }
    }
    return nil
  }

  /// A log cannot be made with a gap, so the events after it are written to a file beside it.
  private func keepBehind(_ gap: Gap, of recording: Recording, in part: String) async throws -> Int {
    let file = "\(recording.room)-from-\(gap.last.next).jsonl"
    var export = LineExport(from: gap.last.next)
    export.passesGaps = true
    var gaps = [gap]
    let written = try await OutputFile(part + "/" + file, as: .json).writing { sink in
      try await export.write(recording, missing: { gaps.append($0) }, to: sink)
    }
    for gap in gaps { Terminal.note("\(recording.room): \(gap)") }
    Terminal.note("\(recording.room): the copy ends before that; what lies behind is in \(file).")
    return written
  }
}
