import BoardroomHTTP
import BoardroomModel
import BoardroomReplay
import EventLogModel

/// The images that the rooms of a folder name, collected while their logs are read.
struct NamedImages {
  private var found: Set<ImageCheck.Stored> = []
  private let rooms: Set<RoomID>
  /// Deleted rooms, whose images are not looked for, because an operator may have removed them.
  private var deleted: Set<RoomID> = []

  /// - Parameter store: the folder's store. Addresses of rooms that are not in it are ignored.
  init(in store: any LogStore) async throws {
    var rooms: Set<RoomID> = []
    var after: LogID?
    while case let page = try await store.logs(after: after, limit: 1_000), let last = page.last {
      rooms.formUnion(page.map(\.log))
      after = last.log
    }
    self.rooms = rooms
  }

  /// Adds the images that a room's whole log names, as far as it can be read; damage of the log is reported
  /// elsewhere.
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

  /// Adds the images on a room's board now: those of the newest snapshot and of the events after it.
  mutating func addNewest(of recording: Recording) async throws {
    let info = recording.info
    guard let snapshot = try await recording.snapshot(notAfter: info.last) else {
      return try await add(recording)
    }
    add(snapshot)
    try await add(recording, after: snapshot.revision)
  }

  /// Adds the images of the state with which a trimmed log begins.
  mutating func add(_ snapshot: Snapshot) {
    found.formUnion(ImageCheck.named(in: snapshot.root))
    for part in snapshot.parts { found.formUnion(ImageCheck.named(in: part.bytes)) }
  }

  /// Adds the images of one run that has been read.
  mutating func add(_ run: Run, of room: RoomID) {
    found.formUnion(ImageCheck.named(in: run.records))
    run.forEach { view, _ in if view.kind == EventKind.roomDeleted.rawValue { deleted.insert(room) } }
  }

  /// All images whose rooms are in this folder.
  var all: Set<ImageCheck.Stored> {
    found.filter { rooms.contains($0.room) && !deleted.contains($0.room) }
  }
}

/// Reports damaged and missing images of a command.
enum DamagedImages {
  /// Fails, or with `acceptLoss` only names them.
  static func meet(_ damages: [ImageDamage], acceptLoss: Bool) throws {
    guard let first = damages.first else { return }
    guard acceptLoss else {
      for damage in damages.dropFirst() { Terminal.note("damage: \(damage)") }
      throw Failure(.badInput, "\(first).", cure)
    }
    for damage in damages { Terminal.note("damage: \(damage)") }
  }

  static let cure =
    "Put the same image again or bring its file back from a backup; --accept-loss goes on without it."
}
