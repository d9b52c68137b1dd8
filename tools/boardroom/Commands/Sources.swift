import ArgumentParser
import BoardroomModel
import BoardroomReplay
import BoardroomServer
import EventLog
import EventLogModel
import Foundation

extension RoomID: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}

/// The folder that a command reads. It is opened for reading only, so that a server may use it at the same
/// time.
struct FolderOption: ParsableArguments {
  @Option(
    help: ArgumentHelp("The server's data folder; else $BOARDROOM_DATA, else ./data.", valueName: "folder"))
  var data: String?

  var folder: String { data ?? ProcessInfo.processInfo.environment["BOARDROOM_DATA"] ?? "data" }

  /// Opens the folder and closes it again after `work`.
  func reading<Value>(_ work: (any LogStore) async throws -> Value) async throws -> Value {
    try requireFolder()
    return try await using(try open(readOnly: true), work)
  }

  /// The same for commands that make a copy, which may replace an older one: a damaged folder is refused,
  /// unless `acceptLoss` is set.
  func copying<Value>(
    acceptLoss: Bool, _ work: (any LogStore, _ lost: Bool) async throws -> Value
  ) async throws -> Value {
    try requireFolder()
    let store = try open(readOnly: true, goesOn: acceptLoss)
    return try await using(store) { store in
      let report = try Verify.database(folder: folder, level: .quick)
      if let damage = report.findings.first, !acceptLoss { throw LogError.damaged(damage) }
      // Harmless damage is reported; the copy is whole.
      let opened = store.damages.filter { !report.findings.contains($0) }
      for damage in report.findings + opened { Terminal.note("damage: \(damage)") }
      // This does not prevent a copy: after a power cut a journal usually ends like this.
      if let remains = store.remains { Terminal.note("uncertain: \(remains)") }
      return try await work(store, !report.findings.isEmpty || opened.contains { !$0.isHarmless })
    }
  }

  /// The same for commands that continue a copy: a damaged folder is refused.
  func readingWhole<Value>(_ work: (any LogStore) async throws -> Value) async throws -> Value {
    try await using(try open(readOnly: true, goesOn: false), work)
  }

  /// For commands that write: no server may have the folder open.
  func writing<Value>(_ work: (EmbeddedLogStore) async throws -> Value) async throws -> Value {
    // New events may name images that the server's search has found named nowhere, so the search begins anew
    // (LOG-32).
    try? FileManager.default.removeItem(atPath: folder + "/" + ImageSearch.fileName)
    return try await using(try open(readOnly: false), work)
  }

  func requireFolder() throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
      throw Failure(.noInput, "There is no folder \(folder). Name the server's with --data.")
    }
    guard isFolder.boolValue else {
      throw Failure(.noInput, "\(folder) is not a folder. Name the server's data folder with --data.")
    }
    guard hasLog else {
      throw Failure(.noInput, "There is no log in \(folder). Name the server's data folder with --data.")
    }
  }

  /// Whether the folder has a log: a journal alone is one, too, although damaged, and so is what a first
  /// start leaves that was cut short.
  private var hasLog: Bool {
    let journal = try? FileManager.default.contentsOfDirectory(atPath: folder + "/journal")
    return ["log.db", "LOCK"].contains { FileManager.default.fileExists(atPath: folder + "/" + $0) }
      || (journal ?? []).contains { $0.hasSuffix(".brj") && !$0.hasPrefix("spare-") }
  }

  private func open(readOnly: Bool, goesOn: Bool = true) throws -> EmbeddedLogStore {
    var options = EmbeddedLogStore.Options()
    options.readOnly = readOnly
    do throws(LogError) {
      return try EmbeddedLogStore.open(folder: folder, options: options)
    } catch {
      // A reader changes nothing, so it may go on with what is left. A writer may do so only if it was asked
      // to.
      guard readOnly, goesOn, case .damaged(let damage) = error else { throw error }
      Terminal.note("Warning: \(damage). What is left is read; `boardroom verify` lists what is not.")
      options.acceptLoss = true
      return try EmbeddedLogStore.open(folder: folder, options: options)
    }
  }

  private func using<Value>(
    _ store: EmbeddedLogStore, _ work: (EmbeddedLogStore) async throws -> Value
  ) async throws -> Value {
    do {
      let value = try await work(store)
      await store.shutdown()
      return value
    } catch {
      await store.shutdown()
      throw error
    }
  }
}

/// An instant of a log as people write it.
enum Instant: ExpressibleByArgument, Sendable {
  case end
  case revision(Revision)
  case time(Timestamp)

  /// `end`, a revision, `@` with milliseconds since 1970, or a time as in ISO 8601.
  init?(argument: String) {
    if argument == "end" {
      self = .end
    } else if let revision = UInt64(argument) {
      self = .revision(Revision(revision))
    } else if argument.hasPrefix("@"), let time = Int64(argument.dropFirst()), time >= 0 {
      self = .time(Timestamp(milliseconds: time))
    } else if let time = Self.date(argument) {
      self = .time(time)
    } else {
      return nil
    }
  }

  private static func date(_ text: String) -> Timestamp? {
    let styles = [
      Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true),
    ]
    guard let date = styles.lazy.compactMap({ try? $0.parse(text) }).first,
      date.timeIntervalSince1970 >= 0
    else { return nil }
    return Timestamp(milliseconds: Int64((date.timeIntervalSince1970 * 1_000).rounded()))
  }

  /// The revision that it means in a log.
  func revision(in recording: Recording) async throws -> Revision {
    switch self {
    case .end: recording.info.last
    case .revision(let revision): revision
    case .time(let time): try await recording.revision(at: time)
    }
  }
}

/// Which events to show.
struct FilterOptions: ParsableArguments {
  @Option(
    name: .customLong("kind"), parsing: .upToNextOption,
    help: ArgumentHelp("Only these kinds, by name or number.", valueName: "kinds"))
  var kinds: [String] = []

  @Option(
    name: .customLong("member"), parsing: .upToNextOption,
    help: ArgumentHelp("Only what these members did, or what was done to them.", valueName: "numbers"))
  var members: [UInt64] = []

  func filter() throws -> EventFilter {
    let names = kinds.flatMap { $0.split(separator: ",").map(String.init) }
    var numbers: Set<UInt8> = []
    for name in names {
      guard let number = EventFilter.kinds(named: [name]) else {
        let all = EventKind.allCases.map(\.name).joined(separator: ", ")
        throw Failure(.usage, "There is no kind \(name). Kinds are \(all), and any number up to 255.")
      }
      numbers.formUnion(number)
    }
    return EventFilter(
      kinds: names.isEmpty ? nil : numbers, members: members.isEmpty ? nil : Set(members.map { MemberID($0) })
    )
  }
}
