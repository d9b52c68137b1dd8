import ArgumentParser
import BoardroomHTTP
import BoardroomServer
import BoardroomWebhooks
import EventLog
import EventLogModel
import Foundation

/// The store that a command uses: a folder, or a database and the folder of what is beside its logs. A reader opens it for
/// reading only, so that a server may use it at the same time.
struct FolderOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The server's data folder, or its database (postgres://…); else $BOARDROOM_DATA, else ./data.",
      valueName: "folder"))
  var data: String?
  @Option(
    help: ArgumentHelp(
      "With a database: the folder with keys and the secret of webhooks; else $BOARDROOM_FILES, else ./data.",
      valueName: "folder"))
  var files: String?

  init() {}
  init(data: String, files: String?) { (self.data, self.files) = (data, files) }

  var place: StorePlace {
    StorePlace(data ?? ProcessInfo.processInfo.environment["BOARDROOM_DATA"] ?? "data")
  }

  /// The folder with keys: the data folder, or the one beside the database.
  var folder: String {
    guard case .folder(let path) = place else {
      return files ?? ProcessInfo.processInfo.environment["BOARDROOM_FILES"] ?? "data"
    }
    return path
  }

  /// The images of its boards: files of the folder, or rows of the database.
  func images() throws -> ImageCheck {
    guard let database = try Database(place) else { return ImageCheck(folder: folder) }
    return ImageCheck(of: try database.images())
  }

  /// How far endpoints of webhooks were told, and what else the server keeps of them.
  func webhooks() throws -> WebhookCopy {
    guard let database = try Database(place) else { return try WebhookCopy(of: folder) }
    return try WebhookCopy(of: folder, cursors: database.cursors())
  }

  /// Opens the store and closes it again after `work`.
  func reading<Value>(_ work: (any LogStore) async throws -> Value) async throws -> Value {
    try requireStore()
    return try await using(try open(readOnly: true), work)
  }

  /// The same for commands that make a copy, which may replace an older one: a damaged store is refused,
  /// unless `acceptLoss` is set.
  func copying<Value>(
    acceptLoss: Bool, _ work: (any LogStore, _ lost: Bool) async throws -> Value
  ) async throws -> Value {
    try requireStore()
    let store = try open(readOnly: true, goesOn: acceptLoss)
    return try await using(store) { store in
      let report = try verified(.quick)
      if let damage = report.findings.first, !acceptLoss { throw LogError.damaged(damage) }
      // Harmless damage is reported; the copy is whole.
      let opened = store.damages.filter { !report.findings.contains($0) }
      for damage in report.findings + opened { Terminal.note("damage: \(damage)") }
      // This does not prevent a copy: after a power cut a journal usually ends like this.
      if let remains = store.remains { Terminal.note("uncertain: \(remains)") }
      return try await work(store, !report.findings.isEmpty || opened.contains { !$0.isHarmless })
    }
  }

  /// The same for commands that continue a copy: a damaged store is refused.
  func readingWhole<Value>(_ work: (any ServedStore) async throws -> Value) async throws -> Value {
    try await using(try open(readOnly: true, goesOn: false), work)
  }

  /// For commands that write: no server may have the store open.
  func writing<Value>(_ work: (any ServedStore) async throws -> Value) async throws -> Value {
    // New events may name images that the server's search has found named nowhere, so the search begins anew
    // (LOG-32).
    try? FileManager.default.removeItem(atPath: folder + "/" + ImageSearch.fileName)
    return try await using(try open(readOnly: false), work)
  }

  /// Fails if there is no log in the folder. A database is asked when it is opened.
  func requireStore() throws {
    if try Database(place) == nil { try requireFolder(for: "") }
  }

  /// Fails for a database, and if there is no log in the folder.
  ///
  /// - Parameter purpose: what needs the files of a folder, as the beginning of a sentence.
  func requireFolder(for purpose: String) throws {
    if let database = try Database(place) {
      throw Failure(
        .usage, "\(purpose) works on the files of a folder, and \(database.place) is a database.",
        "Bring it into a folder with `boardroom migrate`, and back again afterwards.", at: database.place,
        code: "needsFolder")
    }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
      throw Failure(.noInput, "There is no folder \(folder).", "Name the server's with --data.", at: folder)
    }
    guard isFolder.boolValue else {
      throw Failure(
        .noInput, "\(folder) is not a folder.", "Name the server's data folder with --data.", at: folder)
    }
    guard hasLog else {
      throw Failure(
        .noInput, "There is no log in \(folder).", "Name the server's data folder with --data.", at: folder)
    }
  }

  /// Whether the folder has a log: a journal alone is one, too, although damaged, and so is what a first
  /// start leaves that was cut short.
  private var hasLog: Bool {
    let journal = try? FileManager.default.contentsOfDirectory(atPath: folder + "/journal")
    return ["log.db", "LOCK"].contains { FileManager.default.fileExists(atPath: folder + "/" + $0) }
      || (journal ?? []).contains { $0.hasSuffix(".brj") && !$0.hasPrefix("spare-") }
  }

  private func open(readOnly: Bool, goesOn: Bool = true) throws -> any ServedStore {
    if let database = try Database(place) {
      return readOnly ? try database.openReading() : try database.open()
    }
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

  // MARK: Checks

  /// A check of what is sealed.
  func verified(
    _ level: VerifyLevel, progress: (InspectProgress) -> Bool = { _ in true }
  ) throws -> VerifyReport {
    if let database = try Database(place) { return try database.verify(level, progress: progress) }
    return try Verify.database(folder: folder, level: level, progress: progress)
  }

  /// Damage that was found and noted earlier, the oldest first; none if the notes cannot be read.
  var earlierDamage: [Damage] {
    if let database = try? Database(place) { return (try? database.earlier()) ?? [] }
    return (try? Verify.earlier(folder: folder)) ?? []
  }

  private func using<Value>(
    _ store: any ServedStore, _ work: (any ServedStore) async throws -> Value
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
