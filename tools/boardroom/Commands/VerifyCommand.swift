import ArgumentParser
import BoardroomHTTP
import BoardroomModel
import BoardroomReplay
import EventLog
import EventLogModel
import Foundation

struct VerifyCommand: AsyncParsableCommand {
  enum CheckLevel: String, ExpressibleByArgument, CaseIterable {
    case quick, full, deep
  }

  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check a data folder and name what is damaged and what is still readable.",
    discussion: """
      quick looks at counts and gaps; full reads everything and checks every checksum and the hash chain; deep
      also folds every room from nothing and proves the state hash of every stored snapshot. The boards' images
      are looked for at quick, and compared with their names at full and deep. Nothing is changed, and a server may
      be running on the folder. The exit status is 0 if all is well and 1 if not, also if an import or the folder's
      first start was cut short, or if nobody can say whether the journal's last frame was acknowledged. Lines that
      begin with "earlier" are damage that was met and accepted before.

      With --server the logs of a server on another machine are read over HTTP and checked as with deep: every event is
      folded, and every snapshot proved. Files, checksums of blocks and images are what `boardroom verify` on that
      machine checks.

      --salvage gathers what is readable from the bare file, even where SQLite refuses it, into a new folder: of
      each room the events from the first to the first that is lost, and what lies beyond as JSONL beside them.

      Examples:
        boardroom verify
        boardroom verify --level deep ROOM
        boardroom verify --level deep --account alice
        boardroom verify --salvage rescued
        boardroom verify ROOM --server https://boards.example.org --token "$TOKEN"
      """)

  @OptionGroup var source: LogOptions
  @OptionGroup var folder: FolderOption
  @OptionGroup var remote: RemoteOptions
  @Option(name: .customLong("level"), help: "quick, full or deep; without it full, and deep with --server.")
  var givenLevel: CheckLevel?
  @Option(help: "Gather what is readable into this new folder.") var salvage: String?
  @Flag(help: "Machine-readable output.") var json = false
  @Flag(help: "No progress on standard error.") var quiet = false

  private var level: CheckLevel { givenLevel ?? (remote.server == nil ? .full : .deep) }

  func validate() throws {
    if remote.server != nil {
      guard level == .deep else {
        throw ValidationError("--level quick and full read files; with --server events are folded (deep).")
      }
      guard salvage == nil else { throw ValidationError("--salvage reads a file; leave out --server.") }
    }
    guard source.named == nil || level == .deep else {
      throw ValidationError("A log can be named with --level deep only.")
    }
  }

  func run() async throws {
    try await answering {
      if remote.server != nil { return try await checkServer() }
      try folder.requireStore()
      if let salvage {
        try folder.requireFolder(for: "--salvage")
        return try await Rescue(from: folder.folder, to: salvage, quiet: quiet, json: json).run()
      }
      do { try await check() } catch LogError.unstarted(let path) {
        Terminal.line(
          json ? "{\"unstarted\":true}" : LogError.unstarted(path: path).description, isJSON: json)
        throw ExitCode(ExitStatus.answerIsNo.rawValue)
      }
    }
  }

  private func check() async throws {
    var opened = try await open()
    opened.hasLost = folder.earlierDamage.contains { $0.lost != nil }
    var sound = try checkStored(opened)
    sound = try await checkImages() && sound
    if level == .deep { sound = try await refold() && sound }
    if !json { sound ? Terminal.line(opened.verdict) : Terminal.wrong("Damage was found.") }
    guard sound, opened.isWell else { throw ExitCode(ExitStatus.answerIsNo.rawValue) }
  }

  /// What was found when the folder was opened for reading.
  private struct Opened {
    var damages: [Damage] = []
    /// A last frame of the journal that is not whole, where it is unknown whether it was acknowledged.
    var remains: Damage?
    /// Unfinished imports, also those that only the journal knows.
    var begun: [UnfinishedImport] = []
    /// The logs as they were then, those of unfinished imports, too; empty if the folder could not be opened.
    var logs: [LogInfo] = []
    /// Events that only the journal had then.
    var unsealed = 0

    /// Events that only the journal had when the database was read: a server may have sealed some in between.
    func unsealed(beyond sealed: [VerifyReport.Readable]) -> Int {
      let ends = Dictionary(
        sealed.map { ($0.log, Revision($0.revisions.last?.upperBound ?? 0)) }, uniquingKeysWith: max)
      let behind = logs.map { max(0, $0.last - max(ends[$0.log] ?? .zero, $0.low.previous)) }
      return min(unsealed, behind.reduce(0, +))
    }

    /// Whether events were lost earlier and the loss was accepted.
    var hasLost = false

    var isWell: Bool { begun.isEmpty && remains == nil }
    var verdict: String {
      if remains != nil { return "Nothing is known to be damaged; of the last journal frame nobody can say." }
      if !begun.isEmpty { return "Nothing is damaged; an import is not finished." }
      return hasLost
        ? "What is left is well. Events were lost to damage before, as said above." : "All is well."
    }
  }

  private func open() async throws -> Opened {
    do {
      let store = try openStore()
      let begun = try await store.imports()
      let logs = begun.map(\.info) + (try await Self.logs(in: store))
      let unsealed = store.statistics.unsealedEvents
      await store.shutdown()
      return Opened(
        damages: store.damages, remains: store.remains, begun: begun, logs: logs, unsealed: unsealed)
    } catch LogError.damaged(let damage) {
      return Opened(damages: [damage])
    }
  }

  private func openStore() throws -> any ServedStore {
    if let database = try Database(folder.place) { return try database.openReading() }
    var options = EmbeddedLogStore.Options()
    options.readOnly = true
    options.acceptLoss = true
    return try EmbeddedLogStore.open(folder: folder.folder, options: options)
  }

  private static func logs(in store: any LogStore) async throws -> [LogInfo] {
    var logs: [LogInfo] = []
    while true {
      let page = try await store.logs(after: logs.last?.log, limit: 1_000)
      guard !page.isEmpty else { return logs }
      logs += page
    }
  }

  private func checkStored(_ opened: Opened) throws -> Bool {
    let progress = Progress("Checking blocks", quiet: quiet)
    defer { progress.end() }
    let report = try folder.verified(level == .quick ? .quick : .full) { step in
      progress.show(step.done, of: step.total)
      return true
    }
    progress.end()
    let damages = report.findings + opened.damages.filter { !report.findings.contains($0) }
    // If the database cannot be opened, that has been reported already, and its notes cannot be read.
    let earlier = folder.earlierDamage
    printReport(report, damages, opened, earlier.filter { !damages.contains($0) })
    return damages.isEmpty
  }

  private func printReport(_ report: VerifyReport, _ damages: [Damage], _ opened: Opened, _ earlier: [Damage])
  {
    let (checked, begun) = (report.checked, opened.begun)
    // A room that is in the journal alone is a room, too.
    let (logs, unsealed) = (max(checked.logs, opened.logs.count), opened.unsealed(beyond: report.logs))
    if json {
      func list(_ damages: [Damage]) -> String {
        damages.map { Text.json($0.description) }.joined(separator: ",")
      }
      Terminal.line(
        "{\"logs\":\(logs),\"blocks\":\(checked.blocks),\"records\":\(checked.records),"
          + "\"journal\":\(unsealed),\"events\":\(checked.records + unsealed),"
          + "\"snapshots\":\(checked.snapshots),\"damages\":[\(list(damages))],"
          + "\"uncertain\":[\(list([opened.remains].compactMap(\.self)))],\"earlier\":[\(list(earlier))],"
          + "\"unfinished\":[\(Self.json(begun))]}",
        isJSON: true)
      return
    }
    Terminal.line(
      "\(logs) rooms, \(checked.blocks) blocks, \(checked.records + unsealed) events (\(unsealed) of them in the "
        + "journal), \(checked.snapshots) snapshots")
    for damage in damages { Terminal.wrong("damage: \(damage)") }
    if let remains = opened.remains { Terminal.line("uncertain: \(remains)") }
    for damage in earlier { Terminal.line("earlier: \(damage)") }
    for begun in begun {
      Terminal.line(
        "unfinished: \(LogError.unfinished(begun.info.log, last: begun.info.last, of: begun.last))")
    }
    guard !damages.isEmpty else { return }
    for log in report.logs {
      let ranges = log.revisions.map { "\($0.lowerBound)–\($0.upperBound)" }.joined(separator: ", ")
      Terminal.line("readable: \(log.log) \(ranges.isEmpty ? "nothing that is sealed" : ranges)")
    }
  }

  private static func json(_ begun: [UnfinishedImport]) -> String {
    begun.map { "{\"room\":\"\($0.info.log)\",\"revision\":\($0.info.last),\"of\":\($0.last)}" }
      .joined(separator: ",")
  }

  // MARK: Images

  /// Those that are there, and those that rooms name (IMG-2). Quick: whether they are there and not empty, and what is on
  /// the boards now; else every byte, and all that was ever named.
  private func checkImages() async throws -> Bool {
    let (check, deep) = (try folder.images(), level != .quick)
    let progress = Progress("Checking images", quiet: quiet)
    defer { progress.end() }
    let named: Set<ImageCheck.Stored>
    do {
      named = try await folder.reading { store in
        var named = try await NamedImages(in: store)
        for room in try await rooms(store) {
          guard let recording = try? await Recording.open(room, in: store) else { continue }
          if deep { try await named.add(recording) } else { try await named.addNewest(of: recording) }
        }
        return named.all
      }
    } catch LogError.damaged {
      // Reported already. Without it the images that rooms name are not known.
      named = []
    }
    let all: [ImageCheck.Stored]
    do throws(ImageDamage) { all = try check.all() } catch {
      printImages(0, [error])
      return false
    }
    var damages = check.missing(of: named)
    for (done, image) in all.enumerated() {
      progress.show(done, of: all.count)
      if let damage = check.damage(of: image, deep: deep) { damages.append(damage) }
    }
    progress.end()
    printImages(all.count, damages)
    return damages.isEmpty
  }

  private func printImages(_ images: Int, _ damages: [ImageDamage]) {
    guard images > 0 || !damages.isEmpty else { return }
    if json {
      let found = damages.map { Text.json($0.description) }.joined(separator: ",")
      Terminal.line("{\"images\":\(images),\"damages\":[\(found)]}", isJSON: true)
      return
    }
    Terminal.line("\(images) images")
    for damage in damages { Terminal.wrong("damage: \(damage)") }
  }

  // MARK: Deep

  private func checkServer() async throws {
    let sound = try await refold()
    if !json { sound ? Terminal.line("All is well.") : Terminal.wrong("Damage was found.") }
    guard sound else { throw ExitCode(ExitStatus.answerIsNo.rawValue) }
  }

  private func refold() async throws -> Bool {
    try await remote.reading(folder) { store in
      var sound = true
      for room in try await rooms(store) {
        let progress = Progress("Folding \(room)", quiet: quiet)
        let report = try await DeepVerify.run(try await Recording.open(room, in: store)) { done, total in
          progress.show(done, of: total)
        }
        progress.end()
        printDeepReport(report)
        sound = sound && report.findings.isEmpty
      }
      return sound
    }
  }

  private func rooms(_ store: any LogStore) async throws -> [RoomID] {
    if let log = source.named { return [log] }
    return try await Self.logs(in: store).map(\.log)
  }

  private func printDeepReport(_ report: DeepVerify.Report) {
    let hash = report.stateHash.map { Text.hex($0) } ?? ""
    if json {
      let found = report.findings.map { Text.json($0.description) }.joined(separator: ",")
      Terminal.line(
        "{\"room\":\"\(report.room)\",\"events\":\(report.events),\"snapshots\":\(report.snapshots),"
          + "\"anomalies\":\(report.anomalies),\"stateHash\":\"\(hash)\",\"findings\":[\(found)]}",
        isJSON: true)
      return
    }
    Terminal.line(
      "\(report.room): \(report.events) events folded, \(report.snapshots) snapshots proved, state \(hash)")
    for lost in report.lost {
      Terminal.line("  revisions \(lost.lowerBound) to \(lost.upperBound) were lost before")
    }
    for finding in report.findings { Terminal.line("  \(finding)") }
  }
}
