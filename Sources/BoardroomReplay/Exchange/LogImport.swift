import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Writes imported records into a store as a log of their own, with their revisions and times, and with
/// snapshots at the intervals of a server.
///
/// Readers cannot see the log before its last record is there. An import that was cut short goes on where it
/// stopped if the same records are written under the same name again; they are compared with those that are
/// there.
///
/// The imported log gets an epoch of its own, unless the caller gives one, so that a cursor into the original
/// is never taken for one into the copy.
public struct LogImport: Sendable {
  /// Records in one append: few enough to wait for, enough to make commits rare.
  static let batchRecords = 4_096
  static let batchBytes = 1 << 20

  private let store: any ImportStore
  public let room: RoomID
  private let total: Revision
  private var epoch: Epoch?
  private var created = false
  private var batch: [Record] = []
  private var bytes = 0
  /// Nil if the state before the first record is not known.
  private var snapshots: ImportSnapshots?
  private let first: Revision
  private let createdAt: Timestamp?
  /// The records that an earlier attempt has written.
  private var earlier: EarlierImport?
  public private(set) var last: Revision

  /// `first`: the revision of the first one, above 1 for a log whose beginning retention has removed; the
  /// caller then stores its snapshots. `createdAt`: when the log was made; without it at its first record's
  /// time. `events`: how many there will be. `snapshotEvents` and `snapshotBytes`: after how many of either
  /// since the last one there is to be a snapshot; a server's settings have the same defaults.
  public init(
    _ room: RoomID, into store: any ImportStore, from first: Revision = 1, events: Int, epoch: Epoch? = nil,
    createdAt: Timestamp? = nil, snapshotEvents: Int = 32_768, snapshotBytes: Int = 3 << 19
  ) {
    self.room = room
    self.store = store
    self.epoch = epoch
    self.first = first
    self.createdAt = createdAt
    last = first.previous
    total = first.previous + events
    snapshots = first > 1 ? nil : ImportSnapshots(events: snapshotEvents, bytes: snapshotBytes)
  }

  /// The revision that an earlier attempt had reached; zero if there was none. Known after the first batch.
  public var resumedAt: Revision { earlier?.last ?? .zero }

  /// Adds the next records; writes them when there are enough for one append. Throws if the store or a comparison fails.
  public mutating func add(_ records: [Record]) async throws(ReplayError) {
    for record in records {
      batch.append(record)
      bytes += record.body.count
      if batch.count >= Self.batchRecords || bytes >= Self.batchBytes { try await write() }
    }
  }

  /// Writes the remaining records. Returns the finished log. Throws `unfinished` if records are missing.
  public mutating func finish(created time: Timestamp = .zero) async throws(ReplayError) -> LogInfo {
    try await write()
    do throws(LogError) {
      if !created { try await create(at: time) }
      return try await store.info(of: room)
    } catch { throw .log(error) }
  }

  /// Writes what was added so far.
  public mutating func flush() async throws(ReplayError) { try await write() }

  private mutating func write() async throws(ReplayError) {
    guard let first = batch.first else { return }
    do throws(LogError) {
      if !created { try await create(at: createdAt ?? first.time) }
    } catch { throw .log(error) }
    let known = try await earlier?.compare(batch, after: last) ?? 0
    do throws(LogError) {
      if known < batch.count {
        _ = try await store.append(
          Array(batch[known...]), to: room, expecting: last + known, epoch: epoch)
      }
      if let snapshot = snapshots?.fold(batch, after: last) { try await store.put(snapshot, for: room) }
    } catch { throw .log(error) }
    last = last + batch.count
    batch = []
    bytes = 0
  }

  private mutating func create(at time: Timestamp) async throws(LogError) {
    let info: LogInfo
    do throws(LogError) {
      info = try await store.beginImport(room, epoch: epoch, from: first, through: total, at: time)
    } catch {
      guard case .unfinished(_, _, of: total) = error,
        let found = try await store.imports().first(where: { $0.info.log == room }),
        epoch == nil || epoch == found.info.epoch
      else { throw error }
      info = found.info
      earlier = EarlierImport(of: info, in: store)
    }
    epoch = info.epoch
    created = true
  }
}

/// The records of an import that was cut short.
public struct EarlierImport: Sendable {
  private let store: any ImportStore
  private let room: RoomID
  public let last: Revision
  private var stored: [Record] = []
  private var time = Timestamp.zero

  public init(of info: LogInfo, in store: any ImportStore) {
    self.store = store
    (room, last) = (info.log, info.last)
  }

  /// How many of these records, which follow `revision`, are there. Throws `unreadable` if one of them differs.
  public mutating func compare(_ records: [Record], after revision: Revision) async throws(ReplayError) -> Int
  {
    for (index, record) in records.enumerated() {
      let at = revision + index
      guard at < last else { return index }
      if stored.isEmpty { try await read(after: at) }
      // Times of a log never fall: a lower time of a file was raised at the first attempt.
      time = max(time, record.time)
      var expected = record
      expected.time = time
      guard stored.popLast() == expected else {
        throw .unreadable(
          place: "Revision \(at.next)",
          reason: "The unfinished import of \(room) was begun with another file. Import that one again, or "
            + "give it up with `boardroom import --discard \(room)`.")
      }
    }
    return records.count
  }

  /// Reads some of the records that are there, in reverse order.
  private mutating func read(after revision: Revision) async throws(ReplayError) {
    do throws(LogError) {
      for piece in try await store.readImport(room, after: revision, limit: Recording.pageBytes) {
        guard let run = try store.unpack(piece, of: room).suffix(after: revision + stored.count) else {
          continue
        }
        stored += run.unpacked
      }
    } catch { throw .log(error) }
    stored.reverse()
  }
}

/// Folds the imported records and decides when a snapshot is due.
struct ImportSnapshots: Sendable {
  private let events: Int
  private let bytes: Int
  private var fold = Fold()
  private var encoder = StateEncoder()
  private var at = Revision.zero
  private var bytesSince = 0
  private var time = Timestamp.zero
  /// An event could not be decoded. Its bytes are kept, but nothing after it can be folded.
  private var isBroken = false

  init(events: Int, bytes: Int) {
    (self.events, self.bytes) = (events, bytes)
  }

  /// The snapshot after these records, if one is due.
  mutating func fold(_ records: [Record], after revision: Revision) -> Snapshot? {
    guard !isBroken else { return nil }
    var builder = RunBuilder(first: revision.next)
    for record in records {
      // The same as in the store: times of a log never fall.
      time = max(time, record.time)
      record.body.withUnsafeBytes {
        builder.append(kind: record.kind, actor: record.actor, time: time, body: $0)
      }
    }
    guard let run = builder.takeRun() else { return nil }
    do { try fold.apply(run) } catch {
      isBroken = true
      return nil
    }
    bytesSince += run.records.count
    guard run.lastRevision - at >= events || bytesSince >= bytes else { return nil }
    (at, bytesSince) = (run.lastRevision, 0)
    return encoder.snapshot(of: fold.state)
  }
}
