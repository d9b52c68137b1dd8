import ArgumentParser
import BoardroomHTTP
import BoardroomModel
import BoardroomReplay
import BoardroomWebhooks
import EventLog
import EventLogModel
import Foundation

struct RepairCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Make a sound folder of what is left of a damaged one, or of a database.",
    discussion: """
      Database, write-ahead log, journal, journal files that nothing needs any more and the copies of damaged ones are
      read together, and what one has lost is looked for in the others. What was found elsewhere is proved by the rooms'
      hash chains where they reach over it. Snapshots are made anew from the events, and compared with the state hashes
      that the old ones had. The key, whole images and how far each webhook endpoint was told go along.

      The damaged folder is not changed. With --in-place it is put aside under another name once the repaired one is
      whole, and the repaired one takes its place. The server must be stopped. What was found, where, and what is lost
      stands in the new folder's repair.json, and lost events stay named by `boardroom verify`.

      Of a database the sound blocks are taken, and the frames that no node has sealed; what is damaged at this server may be
      sound at a standby (docs/CLUSTER.md). No node may be connected.

      A room whose last events are lost gets another epoch, so that clients which had seen more start afresh instead of
      going on from a revision that now means something else. The exit status is 1 if something is lost, or if
      nothing is left to say that it is all.

      Examples:
        boardroom repair mended --data data
        boardroom repair --in-place --data data
        boardroom repair mended --data postgres://boardroom@db/boardroom --files data
      """)

  @Argument(help: "The folder to make.") var target: String?
  @OptionGroup var folder: FolderOption
  @Flag(help: "Put the damaged folder aside and the repaired one in its place.") var inPlace = false
  @Flag(help: "Machine-readable output: what repair.json has.") var json = false
  @Flag(help: "No progress on standard error.") var quiet = false

  func validate() throws {
    guard (target == nil) == inPlace else {
      throw ValidationError("Name the folder to make, or say --in-place.")
    }
  }

  func run() async throws {
    try await answering {
      try folder.requireStore()
      if inPlace, let database = try Database(folder.place) {
        throw Failure(
          .usage, "A database is not repaired in place.", "Name the folder to make.", at: database.place,
          code: "needsFolder")
      }
      let source = folder.folder
      let made = target ?? source + ".repaired"
      guard !FileManager.default.fileExists(atPath: made) else {
        throw Failure(
          .cannotCreate, "\(made) exists already.", "Name a new folder, or put this one away.", at: made)
      }
      let part = made + ".part"
      try? FileManager.default.removeItem(atPath: part)
      let result = try await untilInterrupted(leaving: part) { try await repair(into: part) }
      try move(part, to: made)
      if inPlace {
        let aside = "\(source).damaged-\(Self.stamp)"
        try move(source, to: aside)
        try move(made, to: source)
        if !quiet { Terminal.note("The damaged folder is now \(aside).") }
      }
      printRepair(result, inPlace ? source : made)
      guard result.isWhole else { throw ExitCode(ExitStatus.answerIsNo.rawValue) }
    }
  }

  /// The time, in a form for the name of a folder.
  private static var stamp: String {
    Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)).iso8601.filter { $0 != ":" }
  }

  private func move(_ from: String, to: String) throws {
    guard rename(from, to) == 0 else {
      throw Failure(
        .cannotCreate, "\(to) cannot be made: \(String(cString: strerror(errno))).", "The folder is \(from).",
        at: to)
    }
  }

  // MARK: Repairing

  private struct Result {
    var log: RepairReport
    var snapshots: [SnapshotRebuild.Report] = []
    var images: [ImageDamage] = []

    var isWhole: Bool { log.isWhole && images.isEmpty && snapshots.allSatisfy(\.findings.isEmpty) }
  }

  /// If it fails, it removes what it has written.
  private func repair(into part: String) async throws -> Result {
    do {
      try NewFolder.make(part)
      let progress = Progress("Looking for events", quiet: quiet)
      defer { progress.end() }
      let goOn = { (step: InspectProgress) in
        progress.show(step.done, of: step.total)
        return !Task.isCancelled
      }
      let webhooks: WebhookCopy?
      var result: Result
      var locked: Repair?
      if let database = try Database(folder.place) {
        webhooks = try? folder.webhooks()
        result = Result(log: try database.repair(into: part, progress: goOn))
      } else {
        let repair = try Repair(folder: folder.folder, progress: goOn)
        try Task.checkCancellation()
        webhooks = try? folder.webhooks()
        result = Result(log: try repair.write(to: part))
        locked = repair
      }
      try Task.checkCancellation()
      progress.end()
      try await addRest(to: &result, into: part, webhooks)
      try OutputFile(part + "/repair.json", as: .json).write(Array((Self.json(result) + "\n").utf8))
      // It holds the damaged folder's lock, so that no server can be started on it.
      withExtendedLifetime(locked) {}
      return result
    } catch {
      NewFolder.abandon(part)
      throw error
    }
  }

  /// The damaged store, as far as it can be opened: it has the snapshots of before.
  private func openDamaged() -> (any LogStore)? {
    if let database = try? Database(folder.place) { return try? database.openReading() }
    var reading = EmbeddedLogStore.Options()
    (reading.readOnly, reading.acceptLoss) = (true, true)
    return try? EmbeddedLogStore.open(folder: folder.folder, options: reading)
  }

  /// Adds snapshots, images, keys and webhooks.
  private func addRest(to result: inout Result, into part: String, _ webhooks: WebhookCopy?) async throws {
    let damaged = openDamaged()
    let repaired = try EmbeddedLogStore.open(folder: part)
    do {
      var named = try await NamedImages(in: repaired)
      var lives: [RoomID: WebhookCopy.Life] = [:]
      for log in result.log.logs {
        guard let recording = try? await Recording.open(log.log, in: repaired) else { continue }
        let progress = Progress("Folding \(log.log)", quiet: quiet)
        defer { progress.end() }
        var old: Recording?
        if let damaged { old = try? await Recording.open(log.log, in: damaged) }
        result.snapshots.append(
          try await SnapshotRebuild.run(recording, from: old) { progress.show($0, of: $1) })
        try await named.add(recording)
        let info = recording.info
        guard !log.hasNewEpoch else { continue }
        lives[log.log] = .init(epoch: info.epoch, copied: Cursor(epoch: info.epoch, revision: info.last))
      }
      let beside = try PartsBesideLog(of: folder)
      try beside.copyKey(to: part)
      result.images = try beside.copyImages(named.all, to: part)
      try webhooks?.write(to: part, lives: lives)
      try await repaired.seal()
      await repaired.shutdown()
      await damaged?.shutdown()
    } catch {
      await repaired.shutdown()
      await damaged?.shutdown()
      throw error
    }
  }

  // MARK: Telling

  private func printRepair(_ result: Result, _ made: String) {
    if json { return Terminal.line(Self.json(result), isJSON: true) }
    for damage in result.log.damages { Terminal.line("damage: \(damage)") }
    for damage in result.images { Terminal.line("damage: \(damage)") }
    let proofs = Dictionary(uniqueKeysWithValues: result.snapshots.map { ($0.room, $0) })
    for log in result.log.logs {
      for line in Self.lines(log, proofs[log.log]) { Terminal.line("\(log.log): \(line)") }
    }
    if result.log.isFromPages {
      Terminal.line("The database could not be opened: rooms that were deleted before may have come back.")
    }
    let events = result.log.logs.reduce(0) { $0 + $1.events }
    Terminal.line("\(result.log.logs.count) rooms, \(events) events in \(made).")
    Terminal.line(Self.verdict(result))
  }

  private static func verdict(_ result: Result) -> String {
    if result.isWhole { return "Nothing is lost." }
    let isLost =
      result.log.hasUnknownLoss || !result.images.isEmpty || result.log.logs.contains { !$0.lost.isEmpty }
    return isLost
      ? "Something is lost, as said above."
      : "Nothing is known to be lost; that it is all, nothing is left to say."
  }

  private static func lines(_ log: RepairReport.Log, _ proof: SnapshotRebuild.Report?) -> [String] {
    var lines: [String] = []
    for found in log.found {
      let proved =
        found.isProved
        ? "proved by the hash chain" : "their checksums are right, and nothing else speaks for them"
      lines.append("revisions \(text(found.revisions)) were found in \(text(found.place)), \(proved)")
    }
    for lost in log.lost { lines.append("revisions \(text(lost)) are lost") }
    if !log.isEndKnown { lines.append("nothing is left that says which event was the last") }
    if log.hasNewEpoch { lines.append("has another epoch: clients start afresh") }
    for finding in proof?.findings ?? [] { lines.append("\(finding)") }
    let state = proof?.stateHash.map { Text.hex($0) } ?? "unknown"
    lines.append(
      "\(log.events) events, \(proof?.made ?? 0) snapshots made, \(proof?.proved ?? 0) proved, state \(state)"
    )
    return lines
  }

  private static func text(_ revisions: ClosedRange<UInt64>) -> String {
    revisions.count == 1 ? "\(revisions.lowerBound)" : "\(revisions.lowerBound)–\(revisions.upperBound)"
  }

  private static func text(_ place: RepairReport.EventSource) -> String {
    switch place {
    case .page: "pages that the database does not lead to"
    case .journal: "journal files or frames"
    case .both: "pages that the database does not lead to and journal files"
    }
  }

  private static func json(_ result: Result) -> String {
    let proofs = Dictionary(uniqueKeysWithValues: result.snapshots.map { ($0.room, $0) })
    let fields = [
      "\"isWhole\":\(result.isWhole)", "\"isFromPages\":\(result.log.isFromPages)",
      "\"hasUnknownLoss\":\(result.log.hasUnknownLoss)",
      "\"damages\":\(list(result.log.damages.map { Text.json($0.description) }))",
      "\"images\":\(list(result.images.map { Text.json($0.description) }))",
      "\"rooms\":\(list(result.log.logs.map { json($0, proofs[$0.log]) }))",
    ]
    return "{\(fields.joined(separator: ","))}"
  }

  private static func json(_ log: RepairReport.Log, _ proof: SnapshotRebuild.Report?) -> String {
    let found = log.found.map { found in
      let revisions = range(found.revisions)
      return
        "{\"revisions\":\(revisions),\"place\":\"\(found.place.rawValue)\",\"isProved\":\(found.isProved)}"
    }
    let fields = [
      "\"room\":\"\(log.log)\"", "\"revision\":\(log.last)", "\"events\":\(log.events)",
      "\"found\":\(list(found))", "\"lost\":\(list(log.lost.map { range($0) }))",
      "\"isEndKnown\":\(log.isEndKnown)", "\"newEpoch\":\(log.hasNewEpoch)",
      "\"chain\":\"\(log.chain.map { Text.hex($0) } ?? "")\"",
      "\"snapshots\":\(proof?.made ?? 0)", "\"proved\":\(proof?.proved ?? 0)",
      "\"stateHash\":\"\(proof?.stateHash.map { Text.hex($0) } ?? "")\"",
      "\"findings\":\(list((proof?.findings ?? []).map { Text.json($0.description) }))",
    ]
    return "{\(fields.joined(separator: ","))}"
  }

  private static func list(_ items: [String]) -> String { "[\(items.joined(separator: ","))]" }

  private static func range(_ revisions: ClosedRange<UInt64>) -> String {
    "[\(revisions.lowerBound),\(revisions.upperBound)]"
  }
}
