import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// Erases one member's name and content from a room's log (LOG-29). `plan` finds what would change, `perform`
/// does it.
///
/// Nobody may write to the log between the two calls.
public struct LogErasure: Sendable {
  /// One record that gets another body.
  public struct RecordChange: Sendable, Hashable, Codable {
    public var revision: UInt64
    /// The number of the record's kind before the change.
    public var kind: UInt8
    /// HMAC-SHA-256 of its body, with the certificate's key.
    public var hash: String
  }

  /// What erasing changes in one log.
  public struct Plan: Sendable {
    public let info: LogInfo
    /// The numbers that the member has had in this room.
    public let members: [MemberID]
    public let changes: [RecordChange]
    /// The snapshot with which the log begins, without the member's content; nil unless the log's beginning
    /// was removed and that state holds something of the member.
    public let base: Snapshot?

    /// Whether the log holds nothing of the member.
    public var isEmpty: Bool { changes.isEmpty && base == nil }
    let erasure: ContentErasure
  }

  /// What was done.
  public struct Outcome: Sendable {
    public let epoch: Epoch
    /// All pieces of the log in which something was ever erased.
    public let blocks: [ErasedBlock]
    public let snapshots: SnapshotRebuild.Report
  }

  private let key: [UInt8]

  /// - Parameter key: 32 random bytes, which are stored in the certificate only.
  public init(key: [UInt8]) { self.key = key }

  /// Reads the whole log twice, and changes nothing.
  ///
  /// - Parameters:
  ///   - uid: the name under which the member has joined.
  ///   - members: more numbers, for a member without a name.
  ///   - recording: the log.
  ///   - meet: gets the body of each record that is to be changed.
  ///   - progress: called after each page with the events read and their total, both times.
  public func plan(
    uid: String?, members: Set<MemberID>, in recording: Recording, meet: ([UInt8]) -> Void = { _ in },
    progress: (Int, Int) -> Void = { _, _ in }
  ) async throws -> Plan {
    var erasure = ContentErasure(uid: uid, members: members)
    var base: Snapshot?
    if recording.info.low > 1, let (revision, before) = try await recording.oldestState() {
      var state = before
      erasure.erase(from: &state)
      var encoder = StateEncoder()
      // A snapshot at the same revision, because it is the only one that stays.
      let left = encoder.snapshot(of: state)
      if state != before, left.revision == revision { base = left }
    }
    let total = 2 * (recording.info.last - recording.info.low.previous)
    var read = 0
    try await recording.forEachRun { run in
      for (view, record) in zip(run.views, run.unpacked) {
        erasure.meet(Self.event(record, at: view.revision))
      }
      read += run.count
      progress(read, total)
    }
    var changes: [RecordChange] = []
    try await recording.forEachRun { run in
      for (view, record) in zip(run.views, run.unpacked)
      where left(of: record, at: view.revision, erasure) != nil {
        meet(record.body)
        changes.append(
          RecordChange(
            revision: view.revision.rawValue, kind: record.kind, hash: keyedHash(record.body, key: key)))
      }
      read += run.count
      progress(read, total)
    }
    return Plan(
      info: recording.info, members: erasure.members.sorted(), changes: changes, base: base,
      erasure: erasure)
  }

  /// Does what the plan says, and makes a snapshot of what is left.
  public func perform(_ plan: Plan, in store: any ErasingStore) async throws -> Outcome {
    let room = plan.info.log
    var kept: Revision?
    if plan.info.low > 1 {
      kept = try await store.snapshots(of: room).first { $0.revision.next >= plan.info.low }?.revision
      if let base = plan.base { try await store.put(base, for: room) }
    }
    let epoch = try await store.erase(in: room, keepingSnapshotAt: kept) { run throws(LogError) in
      left(of: run, plan.erasure)
    }
    let recording = try await Recording.open(room, in: store)
    let snapshots = try await SnapshotRebuild.run(
      recording, from: plan.info.low > 1 ? recording : nil)
    return Outcome(
      epoch: epoch, blocks: try await store.erasedBlocks(of: room), snapshots: snapshots)
  }

  // MARK: Records

  private func left(of run: Run, _ erasure: ContentErasure) -> Run? {
    var builder = RunBuilder(first: run.first, base: run.base)
    var isChanged = false
    for (view, record) in zip(run.views, run.unpacked) {
      let left = left(of: record, at: view.revision, erasure)
      isChanged = isChanged || left != nil
      builder.append(left ?? record)
    }
    return isChanged ? builder.takeRun() : nil
  }

  private func left(of record: Record, at revision: Revision, _ erasure: ContentErasure) -> Record? {
    let event = Self.event(record, at: revision)
    guard let left = erasure.replacement(of: event, hash: { keyedHash(record.body, key: key) }) else {
      return nil
    }
    return Record(
      kind: left.kind, time: record.time, actor: record.actor,
      body: EventCodec.encodeBody(left, counter: event.counter))
  }

  /// A body that does not fit its kind is treated as the body of an unknown kind.
  private static func event(_ record: Record, at revision: Revision) -> RoomEvent {
    do throws(CodecError) { return try EventCodec.decode(record, at: revision) } catch {
      let counter = (try? EventCodec.counter(of: record.body)) ?? 0
      return RoomEvent(
        revision: revision, time: record.time, actor: Actor(code: record.actor), counter: counter,
        event: .unknown(kind: record.kind, payload: record.body))
    }
  }
}

extension Run {
  /// The records' headers.
  fileprivate var views: [RecordView] {
    var views: [RecordView] = []
    views.reserveCapacity(count)
    forEach { view, _ in views.append(view) }
    return views
  }
}

extension Recording {
  /// All runs, from the first kept event on.
  fileprivate func forEachRun(_ body: (Run) -> Void) async throws {
    var at = info.low.previous
    while at < info.last {
      try Task.checkCancellation()
      let runs = try await page(after: at, through: info.last)
      guard let last = runs.last?.lastRevision else { return }
      runs.forEach(body)
      at = last
    }
  }

  /// The state of the oldest snapshot from which all later events are there.
  fileprivate func oldestState() async throws -> (Revision, RoomState)? {
    let known = try await store.snapshots(of: room)
    guard let oldest = known.first(where: { $0.revision.next >= info.low }),
      let state = try await state(notAfter: oldest.revision), state.revision == oldest.revision
    else { return nil }
    return (oldest.revision, state)
  }
}
