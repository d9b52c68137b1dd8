import BoardroomAccess
import BoardroomHTTP
import BoardroomHosting
import BoardroomModel
import BoardroomServer
import EventLog
import EventLogModel
import Foundation

#if BOARDROOM_POSTGRES
  import BoardroomWebhooks
  import NIOPosix
  import PostgresLog

  extension PostgresLogStore: ServedStore {
    // Frames are rows: there is no half of one, and a damaged one is refused.
    var damages: [Damage] { [] }
    var remains: Damage? { nil }
    var commitOutcomes: CommitOutcomes? {
      CommitOutcomes(unknown: outcomes.unknown, resent: outcomes.resent)
    }
    var isReplicated: Bool { waitsForStandby ?? true }
    var node: NodeMeasurements? {
      nodeFigures.map { now in
        NodeMeasurements(
          incarnation: Int(now.incarnation), nodes: now.nodes, recovered: now.recovered,
          silence: now.silence / .seconds(1),
          clockAhead: now.clockAhead / .seconds(1))
      }
    }
    var owners: (any SpaceOwners)? { incarnation == nil ? nil : DatabaseOwners(store: self) }
    var seenNodes: SeenNodes? {
      guard let now = nodeFigures, let deadlySilence else { return nil }
      let nodes = nodes
      return SeenNodes(
        own: now.incarnation, living: Set(nodes.map(\.incarnation)),
        others: nodes.filter { $0.incarnation != now.incarnation }
          .compactMap { NodePlace(name: $0.name, address: $0.address).nodeAddress },
        age: now.silence, limit: deadlySilence)
    }
  }

  extension ScrubRecord {
    init(_ progress: TablesScrub.Progress) {
      self.init()
      (began, finished) = (progress.began, progress.finished)
      if progress.place != .beginning { place = progress.place.text }
    }
  }

  extension TablesScrub.Progress {
    init(_ record: ScrubRecord) {
      self.init()
      (began, finished, place) = (record.began, record.finished, Scrub.ScrubPosition(record.place))
    }
  }

  extension NodeNews {
    init(_ event: PostgresLogStore.NodeEvent) {
      self =
        switch event {
        case .recovered(let node, let logs): .recovered(node: node.name, logs: logs)
        case .recoveryFailed(_, let error): .recoveryFailed(reason: "\(error)")
        case .gone(let node): .gone(NodePlace(name: node.name, address: node.address))
        case .fenced: .fenced
        case .clockDiffers(let ahead): .clockDiffers(seconds: ahead / .seconds(1))
        }
    }
  }
#endif

/// A database of PostgreSQL as the place of a store. A program that was built without PostgreSQL has it as well, and says
/// at each use what helps.
struct Database: Sendable {
  private let address: String
  /// The address without user, password and options.
  let place: String

  /// Nil for a folder. Fails for an address in which it is not certain what is a password.
  init?(_ place: StorePlace) throws {
    guard case .database(let address) = place else { return nil }
    #if BOARDROOM_POSTGRES
      let isTaken = PostgresLogStore.takes(address: address)
    #else
      let isTaken = place.isReadable
    #endif
    guard isTaken else {
      throw Failure(
        .usage, "The database's address cannot be read.",
        "Write postgresql://user@host/name, with options that libpq knows; in a password write @ as %40 and / as %2F, "
          + "or give it in PGPASSWORD.",
        code: "databaseAddress")
    }
    self.address = address
    self.place = "\(place)"
  }

  /// What a start of a server may set.
  struct StartOptions: Sendable {
    /// Takes over although another node's connections are there.
    var takesOver = false
    var commitInterval: Duration = .microseconds(500)
    var segmentBytes = 16 << 20
    /// Serves the database together with other nodes; nil: alone.
    var node: NodePlace?
    /// Is told what happens to nodes, on threads of the store.
    var onNews: @Sendable (NodeNews) -> Void = { _ in }
    /// Is told if the start has to wait for another one.
    var onWaiting: @Sendable () -> Void = {}
  }

  /// What `make` found and made.
  struct MadeTables: Sendable {
    /// The version that was there; nil if there were no tables.
    var found: Int?
    var version: Int
  }

  typealias DatabaseScrub = (
    records: ScrubRecords, begin: @Sendable (_ place: String?) throws(LogError) -> ScrubPass
  )

  #if BOARDROOM_POSTGRES
    /// Opens for writing, as the one node or as one of several.
    func open(_ start: StartOptions = StartOptions()) throws -> any ServedStore {
      var options = PostgresLogStore.Options()
      options.node = ProcessInfo.processInfo.hostName
      options.takesOver = start.takesOver
      options.minimumCommitInterval = start.commitInterval
      options.segmentBytes = start.segmentBytes
      options.onWaiting = start.onWaiting
      if let node = start.node {
        options.node = node.name
        var sharing = PostgresLogStore.Sharing(address: node.address)
        sharing.onEvent = { [onNews = start.onNews] in onNews(NodeNews($0)) }
        options.sharing = sharing
      }
      return try asked { () throws(LogError) in
        try PostgresLogStore.open(address: address, options: options)
      }
    }

    func openReading() throws -> any ServedStore {
      try asked { () throws(LogError) in try PostgresLogStore.openReading(address: address) }
    }

    /// Whether a node has said which keys it has.
    func hasKeys() throws -> Bool {
      try asked { () throws(LogError) in try NodeKeys.known(at: address) != nil }
    }

    /// Notes the keys of a node that starts. False: the others would not accept what it signs, or it not what they do.
    func note(_ keys: KeyRing) throws -> Bool {
      try asked { () throws(LogError) in try NodeKeys(marks: keys.marks).note(at: address) }
    }

    func make() throws -> MadeTables {
      let made = try asked { () throws(LogError) in try PostgresLogStore.makeTables(address: address) }
      return MadeTables(found: made.found, version: made.version)
    }

    func verify(
      _ level: VerifyLevel, progress: (InspectProgress) -> Bool = { _ in true }
    ) throws -> VerifyReport {
      try asked { () throws(LogError) in
        try PostgresLogStore.verify(address: address, level: level, progress: progress)
      }
    }

    /// Writes what is sound into a new folder, while no node is there.
    func repair(into target: String, progress: @escaping (InspectProgress) -> Bool) throws -> RepairReport {
      try asked { () throws(LogError) in
        try TablesRepair(address: address, progress: progress).write(to: target)
      }
    }

    /// Damage that was found and noted earlier, the oldest first.
    func earlier() throws -> [Damage] {
      try asked { () throws(LogError) in try PostgresLogStore.earlierDamage(address: address) }
    }

    /// Returns the number of logs.
    func giveNewLives() async throws -> Int {
      var options = PostgresLogStore.Options()
      options.node = ProcessInfo.processInfo.hostName
      do throws(LogError) {
        return try await PostgresLogStore.giveNewLives(address: address, options: options)
      } catch { throw failure(error) }
    }

    /// Writes the tables anew that have held records or images of some rooms (DB-19), until `progress` answers false. Returns whether
    /// all were written.
    func rewriteTables(of rooms: [RoomID], progress: (Int, Int) -> Bool) throws -> Bool {
      try asked { () throws(LogError) in
        try PostgresLogStore.rewriteTables(address: address, of: rooms, progress: progress)
      }
    }

    /// What reads everything that is stored, while a server runs.
    func scrub() throws -> DatabaseScrub {
      let scrub = try asked { () throws(LogError) in try TablesScrub(address: address) }
      return (
        ScrubRecords { () throws(LogError) in
          let (progress, isOurs) = try scrub.turn()
          return (ScrubRecord(progress), isOurs)
        } write: { record throws(LogError) in
          try scrub.note(TablesScrub.Progress(record))
        },
        { place throws(LogError) in
          let (total, before) = try scrub.begin(from: Scrub.ScrubPosition(place))
          return ScrubPass(total: total, before: before) { () throws(LogError) in
            try scrub.next().map(ScrubPass.Step.init)
          }
        }
      )
    }

    /// Images of boards, for all nodes.
    func images() throws -> any ImagePlace {
      DatabaseImages(
        images: try PostgresImages(address: address), sweep: try TablesImageSweep(address: address),
        place: place)
    }

    /// What is beside the logs, for a server.
    ///
    /// - Parameter store: what `open` gave.
    func beside(_ store: any ServedStore) throws -> BesideLogs {
      let threads = NIOThreadPool(numberOfThreads: 2)
      threads.start()
      // A thread of its own: while images wait for the database, endpoints are told.
      let cursorThread = NIOThreadPool(numberOfThreads: 1)
      cursorThread.start()
      let node = (store as? PostgresLogStore)?.incarnation
      return BesideLogs(
        images: try images(),
        cursors: CursorsForNodes(isOfMany: node != nil) { endpoint in
          DatabaseCursors(
            cursors: try PostgresCursors(address: address, endpoint: endpoint), node: node,
            threads: cursorThread)
        } all: {
          try await cursorThread.runIfActive { try PostgresCursors.all(address: address) }
        }, threads: threads)
    }

    /// How far each endpoint of webhooks was told.
    func cursors() throws -> [String: [RoomID: Cursor]] {
      try asked { () throws(LogError) in try PostgresCursors.all(address: address) }
    }

    /// Notes how far endpoints were told, in a database that is not served.
    func put(_ cursors: [String: [RoomID: Cursor]]) throws {
      try asked { () throws(LogError) in
        for (endpoint, moves) in cursors.sorted(by: { $0.key < $1.key }) {
          let table = try PostgresCursors(address: address, endpoint: endpoint)
          if try table.begin(with: moves) { continue }
          try table.move(moves.map { PostgresCursors.MovedCursor(log: $0.key, cursor: $0.value) })
        }
      }
    }

    private func asked<Value>(_ work: () throws(LogError) -> Value) throws -> Value {
      do throws(LogError) { return try work() } catch { throw failure(error) }
    }

    /// What a database needs that a folder does not.
    private func failure(_ error: LogError) -> any Error {
      switch error {
      case .stopped(let reason):
        Failure(
          .unavailable, "The database cannot be used: \(reason).",
          "Check --data, and that the server runs and takes this user.", at: place,
          code: "databaseUnavailable")
      case .locked:
        Failure(
          .busy, "Another node is connected to \(place).",
          "Stop it; or, if it does not answer any more, take its place with `boardroom serve --take-over`.",
          at: place, code: "locked")
      case .incompatible(_, let found, let supported):
        Failure(
          .badInput, "\(place) has \(found); this program knows \(supported).",
          "Make them with `boardroom database make`, or use a newer program.", at: place, code: "incompatible"
        )
      default: error
      }
    }
  #else
    func open(_ start: StartOptions = StartOptions()) throws -> any ServedStore { throw isMissing }
    func openReading() throws -> any ServedStore { throw isMissing }
    func hasKeys() throws -> Bool { throw isMissing }
    func note(_ keys: KeyRing) throws -> Bool { throw isMissing }
    func make() throws -> MadeTables { throw isMissing }
    func verify(
      _ level: VerifyLevel, progress: (InspectProgress) -> Bool = { _ in true }
    ) throws -> VerifyReport { throw isMissing }
    func repair(into target: String, progress: @escaping (InspectProgress) -> Bool) throws -> RepairReport {
      throw isMissing
    }
    func earlier() throws -> [Damage] { throw isMissing }
    func giveNewLives() async throws -> Int { throw isMissing }
    func rewriteTables(of rooms: [RoomID], progress: (Int, Int) -> Bool) throws -> Bool { throw isMissing }
    func scrub() throws -> DatabaseScrub { throw isMissing }
    func images() throws -> any ImagePlace { throw isMissing }
    func beside(_ store: any ServedStore) throws -> BesideLogs { throw isMissing }
    func cursors() throws -> [String: [RoomID: Cursor]] { throw isMissing }
    func put(_ cursors: [String: [RoomID: Cursor]]) throws { throw isMissing }

    private var isMissing: Failure {
      Failure(
        .usage, "This program was built without PostgreSQL, and cannot open \(place).",
        "Build it with BOARDROOM_POSTGRES=1 (docs/OPERATIONS.md), or name a folder.", at: place,
        code: "withoutPostgreSQL")
    }
  #endif
}
