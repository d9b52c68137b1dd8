import BoardroomModel
import EventLogModel

/// Reads of one log that somebody waits for. All who lack the same at the same time share one read. Belongs to the loop
/// of its host.
final class SharedReads<Waiter> {
  private let room: RoomID
  private let storeQueue: StoreQueue
  /// Bytes that one read brings at most, beside one run that is larger.
  private let limit: Int
  private var waiting: [ReadKey: [Waiter]] = [:]

  init(of room: RoomID, from storeQueue: StoreQueue, limit: Int) {
    self.room = room
    self.storeQueue = storeQueue
    self.limit = limit
  }

  /// Reads from the key's revision on, unless that is being read already.
  /// - Parameter done: called once a read, in a later turn, with all who waited for it. What the first of them
  ///   handed in is called.
  func read(
    _ key: ReadKey, for waiter: Waiter,
    then done: @escaping ([Waiter], Result<[StoredPiece], LogError>) -> Void
  ) {
    guard waiting[key] == nil else {
      waiting[key]?.append(waiter)
      return
    }
    waiting[key] = [waiter]
    let (room, limit) = (room, limit)
    storeQueue.ask { store throws(LogError) in
      try await StoredPiece.read(room, key, from: store, limit: limit)
    } then: { [weak self] result in
      guard let self else { return }
      done(waiting.removeValue(forKey: key) ?? [], result)
    }
  }
}
