import BoardroomHTTP
import BoardroomModel
import BoardroomReplay
import EventLogModel

/// The images that the rooms of a folder name, gathered while their logs are read.
struct NamedImages {
  private var found: Set<ImageCheck.Stored> = []
  private let rooms: Set<RoomID>
  /// Of a room that was deleted nothing is asked: its operator may have removed its images.
  private var deleted: Set<RoomID> = []

  /// - Parameter store: an address that names a room of another server means nothing here.
  init(in store: any LogStore) async throws {
    var rooms: Set<RoomID> = []
    var after: LogID?
    while case let page = try await store.logs(after: after, limit: 1_000), let last = page.last {
      rooms.formUnion(page.map(\.log))
      after = last.log
    }
    self.rooms = rooms
  }

  /// What the whole log of a room names. As far as it can be read: what cannot is told elsewhere.
  mutating func add(_ recording: Recording) async throws {
    if recording.info.low > 1, let snapshot = try await recording.snapshot(notAfter: recording.info.last) {
      add(snapshot)
    }
    try await add(recording, after: recording.info.low.previous)
  }

  private mutating func add(_ recording: Recording, after revision: Revision) async throws {
    var at = revision
    while at < recording.info.last {
      try Task.checkCancellation()
      do throws(ReplayError) {
        let runs = try await recording.page(after: at, through: recording.info.last)
        guard !runs.isEmpty else { return }
        for run in runs {
          add(run, of: recording.room)
          at = run.lastRevision
        }
      } catch {
        guard case .log(let cause) = error, let gap = Gap(cause, after: at) else { return }
        at = gap.last
      }
    }
  }

  /// What is on a room's board now: what the newest snapshot names, and the events since.
  mutating func addNewest(of recording: Recording) async throws {
    let info = recording.info
    guard let snapshot = try await recording.snapshot(notAfter: info.last) else {
      return try await add(recording)
    }
    add(snapshot)
    try await add(recording, after: snapshot.revision)
  }

  /// Those of the state with which a log begins whose older events retention has removed.
  mutating func add(_ snapshot: Snapshot) {
    found.formUnion(ImageCheck.named(in: snapshot.root))
    for part in snapshot.parts { found.formUnion(ImageCheck.named(in: part.bytes)) }
  }

  /// Those of one run that is read anyway.
  mutating func add(_ run: Run, of room: RoomID) {
    found.formUnion(ImageCheck.named(in: run.records))
    run.forEach { view, _ in if view.kind == EventKind.roomDeleted.rawValue { deleted.insert(room) } }
  }

  /// Those whose rooms are of this folder.
  var all: Set<ImageCheck.Stored> {
    found.filter { rooms.contains($0.room) && !deleted.contains($0.room) }
  }
}

/// What a command says of images that are damaged or missing, and how it goes on.
enum DamagedImages {
  /// Fails, or names them and goes on if that was asked for.
  static func meet(_ damages: [ImageDamage], acceptLoss: Bool) throws {
    guard let first = damages.first else { return }
    guard acceptLoss else {
      for damage in damages.dropFirst() { Terminal.note("damage: \(damage)") }
      throw Failure(.badInput, "\(first). \(cure)")
    }
    for damage in damages { Terminal.note("damage: \(damage)") }
  }

  static let cure =
    "Put the same image again or bring its file back from a backup; --accept-loss goes on without it."
}
