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
    guard durable == room.state.revision, isWorthKeeping else { return }
    store(snapshots.last(of: room.state))
  }

  private var isWorthKeeping: Bool { ledger.bytes(after: snapshots.lastRevision) >= Self.worthKeeping }

  /// The same for the log's next owner, while members go on: the state as it is now, as soon as the log holds it. `done` is called when
  /// it is stored, cannot be, or is not worth it.
  func keepSnapshotForNextOwner(_ done: @escaping () -> Void) {
    guard isWorthKeeping else { return done() }
    let snapshot = snapshots.last(of: room.state)
    let me = Confined((host: self, done: done), to: loop)
    afterCommit(
      .tell { result in
        let (host, done) = me.value
        guard case .success = result else { return done() }
        host.store(snapshot, then: done)
      }, at: snapshot.revision)
    performDue(at: clock())
    dispatch()
  }

  private func store(_ snapshot: Snapshot, then done: @escaping () -> Void = {}) {
    let id = id
    // Snapshots are disposable: if one cannot be kept, the next opening reads more of the log.
    storeQueue.ask { store throws(LogError) in
      try await store.put(snapshot, for: id)
    } then: { _ in
      done()
    }
  }
}
