import BoardroomModel
import EventLogModel

/// Writes imported records into a store as a log of their own, with their revisions and times.
///
/// An import is another life of the log: unless told otherwise it gets an epoch of its own, so that a cursor
/// into the original is never taken for one into the copy.
public struct LogImport: Sendable {
  /// Records in one append: few enough to wait for, enough to make commits rare.
  static let batchRecords = 4_096
  static let batchBytes = 1 << 20

  private let store: any LogStore
  public let room: RoomID
  private var epoch: Epoch?
  private var created = false
  private var batch: [Record] = []
  private var bytes = 0
  public private(set) var last = Revision.zero

  public init(_ room: RoomID, into store: any LogStore, epoch: Epoch? = nil) {
    self.room = room
    self.store = store
    self.epoch = epoch
  }

  public mutating func add(_ records: [Record]) async throws(ReplayError) {
    for record in records {
      batch.append(record)
      bytes += record.body.count
      if batch.count >= Self.batchRecords || bytes >= Self.batchBytes { try await write() }
    }
  }

  /// Writes what is left and tells what there is now.
  public mutating func finish(created time: Timestamp = .zero) async throws(ReplayError) -> LogInfo {
    try await write()
    do throws(LogError) {
      if !created { try await create(at: time) }
      return try await store.info(of: room)
    } catch { throw .log(error) }
  }

  private mutating func write() async throws(ReplayError) {
    guard let first = batch.first else { return }
    do throws(LogError) {
      if !created { try await create(at: first.time) }
      last = try await store.append(batch, to: room, expecting: last, epoch: epoch)
    } catch { throw .log(error) }
    batch = []
    bytes = 0
  }

  private mutating func create(at time: Timestamp) async throws(LogError) {
    let info =
      if let epoch {
        try await store.create(room, epoch: epoch, at: time)
      } else {
        try await store.create(room, at: time)
      }
    epoch = info.epoch
    created = true
  }
}
