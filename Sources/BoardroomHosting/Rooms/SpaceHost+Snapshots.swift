import BoardroomCore
import BoardroomModel
import EventLogModel

/// When snapshots are made and stored.
extension SpaceHost {
  /// 16 KiB: some hundred events, which fold in less time than a snapshot is read.
  private static let worthKeeping = 16 << 10

  /// Makes a snapshot when enough has happened since the last.
  func snapshotIfDue() {
    guard !snapshots.isComing else { return }
    let last = snapshots.lastRevision
    guard
      room.state.revision - last >= policy.snapshotEvents
        || ledger.bytes(after: last) >= policy.snapshotBytes
    else { return }
    if isEncoded() { makeSnapshot() }
  }

  /// Whether little is left to encode for a snapshot. If more is, a piece of it is done now, and the rest in later
  /// turns of the loop; then a snapshot is made if one is due.
  func isEncoded() -> Bool {
    switch snapshots.encode(room.state) {
    case .done: return true
    case .underWay: return false
    case .begun:
      turns.later { [weak self] in self?.goOnEncoding() }
      return false
    }
  }

  private func goOnEncoding() {
    guard !isClosed else { return }
    turns.spend(RoomSnapshots.encodedAtOnce)
    guard !snapshots.goOn(room.state) else { return snapshotIfDue() }
    turns.later { [weak self] in self?.goOnEncoding() }
  }

  func makeSnapshot() {
    snapshots.make(of: room.state)
    promoteSnapshot()
  }

  func promoteSnapshot() {
    if let snapshot = snapshots.promote(upTo: durable) { store(snapshot) }
  }

  /// Keeps the present state for the next opening, if reading the log instead would take noticeably longer.
  func keepSnapshot() {
    guard durable == room.state.revision,
      ledger.bytes(after: snapshots.lastRevision) >= Self.worthKeeping
    else { return }
    store(snapshots.last(of: room.state))
  }

  private func store(_ snapshot: Snapshot) {
    let id = id
    // Snapshots are disposable: if one cannot be kept, the next opening reads more of the log.
    storeQueue.ask { store throws(LogError) in
      try await store.put(snapshot, for: id)
    } then: { _ in
    }
  }
}
