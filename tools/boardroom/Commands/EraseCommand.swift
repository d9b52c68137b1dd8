import ArgumentParser
import BoardroomCodec
import BoardroomHTTP
import BoardroomModel
import BoardroomReplay
import BoardroomWebhooks
import EventLog
import EventLogModel
import Foundation

struct EraseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Erase one member's name and content from a data folder, or from a database.",
    discussion: """
      What the member drew, wrote, sent and set is taken out of every room, with its name and what it gave at joining; so are
      its account's messages, what others changed on its elements, its bans, and images that nothing else names. Events
      keep their places, times and numbers, and the hash chains stay what they were. What others made stays. Names of
      pages that the member gave become erased-NUMBER.

      The server must be stopped; with a database, all nodes. Its clients load the rooms anew afterwards. No file of the
      folder holds a byte of it when the command has ended; copies elsewhere do: erase there, too. The certificate says what
      was erased, by revision and by a hash that only its key can compare. Keep it outside of the data folder. An erasure
      that was cut short goes on when it is called with the same certificate again.

      The tables of a database are written anew at the end, so that none holds a byte of it. PostgreSQL's write-ahead log,
      archives and backups do until they are removed.

      A member without a name is erased by its number in one room: --member and --room.

      Examples:
        boardroom erase --uid ana --certificate ana.json --data data
        boardroom erase --room 0d9f… --member 4 --certificate four.json
        boardroom erase --uid ana --dry-run
        boardroom erase --uid ana --certificate ana.json --data postgres://db/boardroom
      """)

  @Option(help: "The name under which the member has joined.") var uid: String?
  @Option(help: "Only in this room.") var room: RoomID?
  @Option(help: ArgumentHelp("The member's number in --room; may be given again.", valueName: "number"))
  var member: [UInt64] = []
  @Option(help: ArgumentHelp("The file of the certificate; outside of the data folder.", valueName: "file"))
  var certificate: String?
  @Flag(help: "Say what would be erased, and change nothing.") var dryRun = false
  @OptionGroup var folder: FolderOption
  @Flag(help: "The certificate on standard output.") var json = false
  @Flag(help: "No progress on standard error.") var quiet = false

  func validate() throws {
    guard uid != nil || !member.isEmpty else {
      throw ValidationError("Name a member: --uid, or --member and --room.")
    }
    guard member.isEmpty || room != nil else {
      throw ValidationError("--member is a number in one room: add --room.")
    }
    guard dryRun || certificate != nil else {
      throw ValidationError("Name a file for the certificate: --certificate FILE. Or say --dry-run.")
    }
  }

  func run() async throws {
    try await answering {
      try folder.requireStore()
      if let certificate { try requirePlace(certificate) }
      try await untilInterrupted {
        let store = try open()
        do {
          try await erase(in: store)
          await store.shutdown()
        } catch {
          await store.shutdown()
          throw error
        }
      }
    }
  }

  /// Nil for a folder.
  private func database() throws -> Database? { try Database(folder.place) }

  private func open() throws -> any ServedStore {
    if let database = try self.database() { return dryRun ? try database.openReading() : try database.open() }
    var options = EmbeddedLogStore.Options()
    options.readOnly = dryRun
    return try EmbeddedLogStore.open(folder: folder.folder, options: options)
  }

  /// The certificate names the member, so it must not be in the data folder.
  private func requirePlace(_ path: String) throws {
    func real(_ path: String) -> String {
      URL(filePath: path).resolvingSymlinksInPath().standardizedFileURL.path
    }
    let parent = (path as NSString).deletingLastPathComponent
    let place = real(parent.isEmpty ? "." : parent)
    let data = real(folder.folder)
    guard place != data, !place.hasPrefix(data + "/") else {
      throw Failure(
        .usage, "\(path) is inside of the data folder.",
        "The certificate names the member: keep it elsewhere.", at: path)
    }
    guard !FileManager.default.fileExists(atPath: path) else {
      throw Failure(
        .cannotCreate, "\(path) exists already.", "Name a new file for the certificate.", at: path)
    }
  }

  // MARK: Erasing

  private func erase(in store: any ServedStore) async throws {
    let file = certificate.map(ErasureCertificate.CertificateFile.init)
    var done = try file?.begun() ?? fresh()
    guard done.uid == uid else {
      throw Failure(.usage, "The certificate that was begun is of another member.", "Name another file.")
    }
    let erasure = LogErasure(key: try Self.bytes(of: done.key))
    var images: Set<ImageCheck.Stored> = []
    for log in try await logs(of: store) {
      try Task.checkCancellation()
      let recording = try await Recording.open(log, in: store)
      let plan = try await plan(recording, erasure, &images)
      guard !plan.isEmpty else { continue }
      done.add(Self.room(plan))
      guard !dryRun else { continue }
      try file?.write(done, isWhole: false)
      try await perform(plan, erasure, in: store, &done)
      try file?.write(done, isWhole: false)
    }
    guard !dryRun else {
      if let account, (try? await store.info(of: account)) != nil { done.removed.append(account.description) }
      return printCertificate(done)
    }
    try await removeAccount(in: store, &done)
    try await removeImages(images, of: store, &done)
    try await clear(store, done)
    done.ended = Self.now
    try file?.write(done, isWhole: true)
    printCertificate(done)
    if try database() == nil { try requireNoCopies() }
  }

  private func fresh() -> ErasureCertificate {
    var generator = SystemRandomNumberGenerator()
    let key = (0..<32).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
    return ErasureCertificate(uid: uid, key: Text.hex(key), begun: Self.now)
  }

  private static func bytes(of key: String) throws -> [UInt8] {
    let digits = Array(key)
    let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(digits[$0...$0 + 1]), radix: 16)
    }
    guard bytes.count == 32 else { throw Failure(.badInput, "The certificate that was begun has no key.") }
    return bytes
  }

  private static var now: String {
    Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)).iso8601
  }

  /// The account's own log is removed as a whole.
  private var account: LogID? { room == nil ? uid.map { SpaceName.account($0).log } : nil }

  private func logs(of store: any ServedStore) async throws -> [LogID] {
    if let room { return [room] }
    var (names, after): ([LogID], LogID?) = ([], nil)
    while case let page = try await store.logs(after: after, limit: 1_000), let last = page.last {
      names += page.map(\.log)
      after = last.log
    }
    return names.filter { $0 != account }
  }

  private func plan(
    _ recording: Recording, _ erasure: LogErasure, _ images: inout Set<ImageCheck.Stored>
  ) async throws -> LogErasure.Plan {
    let progress = Progress("Reading \(recording.room)", quiet: quiet)
    defer { progress.end() }
    var found: Set<ImageCheck.Stored> = []
    let plan = try await erasure.plan(
      uid: uid, members: Set(member.map { MemberID($0) }), in: recording,
      meet: { found.formUnion(ImageCheck.named(in: $0)) }, progress: { progress.show($0, of: $1) })
    images.formUnion(found)
    return plan
  }

  private static func room(_ plan: LogErasure.Plan) -> ErasureCertificate.CertificateRoom {
    ErasureCertificate.CertificateRoom(
      room: plan.info.log.description, members: plan.members.map(\.rawValue),
      epochs: [plan.info.epoch.description], first: plan.info.low.rawValue, last: plan.info.last.rawValue,
      records: plan.changes)
  }

  private func perform(
    _ plan: LogErasure.Plan, _ erasure: LogErasure, in store: any ServedStore,
    _ done: inout ErasureCertificate
  ) async throws {
    let room = plan.info.log
    let progress = Progress("Erasing in \(room)", quiet: quiet)
    defer { progress.end() }
    progress.show(Text.count(plan.changes.count, "event"))
    // Cursors of webhook endpoints name the room's epoch, so they are read before it changes. Those in a database change with it.
    let webhooks = try database() == nil ? WebhookCopy(of: folder.folder) : nil
    let outcome = try await erasure.perform(plan, in: store)
    try webhooks?.write(
      to: folder.folder,
      lives: try await lives(of: store, moved: room, from: plan.info.epoch))
    done.update(room) {
      $0.epochs = [$0.epochs[0], outcome.epoch.description]
      $0.blocks = outcome.blocks.map { block in
        .init(
          first: block.first.rawValue, last: block.last.rawValue, before: Text.hex(block.before),
          after: Text.hex(block.after))
      }
      $0.stateHash = outcome.snapshots.stateHash.map { Text.hex($0) }
      $0.isDone = true
    }
  }

  private func lives(
    of store: any ServedStore, moved: RoomID, from epoch: Epoch
  ) async throws -> [RoomID: WebhookCopy.Life] {
    var (lives, after): ([RoomID: WebhookCopy.Life], LogID?) = ([:], nil)
    while case let page = try await store.logs(after: after, limit: 1_000), let last = page.last {
      for info in page {
        lives[info.log] = .init(
          epoch: info.log == moved ? epoch : info.epoch,
          copied: Cursor(epoch: info.epoch, revision: info.last))
      }
      after = last.log
    }
    return lives
  }

  private func removeAccount(in store: any ServedStore, _ done: inout ErasureCertificate) async throws {
    guard let account else { return }
    do throws(LogError) {
      try await store.delete(account)
      done.removed.append(account.description)
    } catch .noSuchLog, .deleted {
      // The account has never signed in, or an interrupted erasure has already removed its log.
    }
  }

  /// Removes the images that an erased event named and that no remaining event of any room names.
  private func removeImages(
    _ images: Set<ImageCheck.Stored>, of store: any ServedStore, _ done: inout ErasureCertificate
  ) async throws {
    guard !images.isEmpty else { return }
    var named = try await NamedImages(in: store)
    for log in try await logs(of: store) { try await named.add(try await Recording.open(log, in: store)) }
    let place = try folder.images()
    for image in images.subtracting(named.all).sorted(by: { $0.path < $1.path }) {
      do throws(ImageDamage) { try place.remove(image) } catch {
        throw Failure(
          .io, "An image cannot be removed: \(error).", "Call it again with the same certificate.")
      }
      done.images.append(image.path)
    }
  }

  private func clear(_ store: any ServedStore, _ done: ErasureCertificate) async throws {
    let progress = Progress("Writing over what was there", quiet: quiet)
    defer { progress.end() }
    let database = try self.database()
    progress.show(database == nil ? "journal and free pages" : "frames")
    try await store.clearRemains()
    guard let database else { return }
    await store.shutdown()
    let rooms = done.rooms.map(\.room) + done.removed
    let isWhole = try database.rewriteTables(of: rooms.compactMap { RoomID($0) }) { done, all in
      progress.show(done, of: all)
      return !Task.isCancelled
    }
    guard isWhole else { throw CancellationError() }
  }

  /// Copies that a start with --accept-loss made are no part of the store, so they are not erased.
  private func requireNoCopies() throws {
    let damaged = folder.folder + "/damaged"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: damaged)) ?? []
    guard !names.isEmpty else { return }
    Terminal.note(
      "\(damaged) has copies of files as they were before: look whether they are still needed, and remove them."
    )
    throw ExitCode(ExitStatus.answerIsNo.rawValue)
  }

  // MARK: Telling

  private func printCertificate(_ done: ErasureCertificate) {
    if json {
      let bytes = (try? done.bytes) ?? []
      return Terminal.line(String(decoding: bytes.dropLast(), as: UTF8.self), isJSON: true)
    }
    let verb = dryRun ? "would be erased" : "erased"
    for room in done.rooms {
      let numbers = room.members.map(String.init).joined(separator: ", ")
      Terminal.line("\(room.room): \(Text.count(room.records.count, "event")) \(verb), member \(numbers)")
      guard room.first > 1 else { continue }
      Terminal.line(
        "\(room.room): events before revision \(room.first) were removed by retention. What members that had left "
          + "before drew is on the board by number only: name them with --member.")
    }
    for log in done.removed {
      Terminal.line("\(log): the account's own log \(dryRun ? "would be" : "is") removed")
    }
    for image in done.images { Terminal.line("\(image): removed") }
    if done.rooms.isEmpty, done.removed.isEmpty { Terminal.line("Nothing of this member is there.") }
    guard !dryRun, let certificate else { return }
    Terminal.line(
      "\(Text.count(done.events, "event")) in \(Text.count(done.rooms.count, "room")). Certificate: \(certificate)"
    )
  }
}
