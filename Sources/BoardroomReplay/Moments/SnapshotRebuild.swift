import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Makes a repaired log's snapshots again from its events, at the revisions where the damaged log had some,
/// and proves them by the state hashes of the old ones. The content of an old snapshot is used only after
/// lost events: there the fold goes on from the first whole snapshot.
public struct SnapshotRebuild: Sendable {
  /// What was made, proved and found.
  public struct Report: Sendable, Hashable {
    public var room: RoomID
    /// Snapshots made from the events.
    public var made = 0
    /// Those of them whose state hash equals that of the old snapshot at the same revision.
    public var proved = 0
    /// Old snapshots that were copied, because events before them are lost.
    public var takenOver = 0
    /// Differences that were found; empty if there are none.
    public var findings: [DeepVerify.Finding] = []
    /// The hash of the state at the end; nil if lost events prevent it.
    public var stateHash: [UInt8]?

    init(room: RoomID) { self.room = room }
  }

  /// A log with fewer events than this is folded faster than a snapshot is read.
  private static let worthOne = 500

  private let recording: Recording
  private let source: Recording?
  private var report: Report
  private var due: ArraySlice<SnapshotInfo> = []
  private var encoder = StateEncoder()

  /// - Parameters:
  ///   - recording: a log of the repaired store, which gets the snapshots.
  ///   - source: the same log in the damaged store; nil if that cannot be opened.
  ///   - progress: called after each page with the events folded and their total.
  public static func run(
    _ recording: Recording, from source: Recording?, progress: (Int, Int) -> Void = { _, _ in }
  ) async throws(ReplayError) -> Report {
    var rebuild = SnapshotRebuild(recording: recording, source: source, report: Report(room: recording.room))
    if let source, let known = try? await source.store.snapshots(of: source.room) {
      rebuild.due = known.filter { $0.revision <= recording.info.last }[...]
    }
    try await rebuild.refold(progress)
    return rebuild.report
  }

  private mutating func refold(_ progress: (Int, Int) -> Void) async throws(ReplayError) {
    let last = recording.info.last
    var fold = Fold()
    if recording.info.low > 1 {
      guard let state = try await takeOver(notBefore: recording.info.low.previous) else { return }
      fold = Fold(from: state)
    }
    var folded = 0
    while fold.state.revision < last {
      do throws(ReplayError) {
        for run in try await recording.page(after: fold.state.revision, through: last) {
          for event in try run.events() {
            fold.apply(event)
            folded += 1
            if event.revision == due.first?.revision { try await keep(fold.state) }
          }
        }
      } catch {
        guard case .log(let cause) = error, let gap = Gap(cause, after: fold.state.revision) else {
          throw error
        }
        guard let state = try await takeOver(notBefore: gap.last) else { return }
        fold = Fold(from: state)
      }
      progress(folded, last - .zero)
    }
    report.stateHash = StateEncoder.hash(of: fold.state)
    if folded >= Self.worthOne { try await keep(fold.state) }
  }

  /// Stores the state, and compares it with the old snapshot's hash if one is due at this revision.
  private mutating func keep(_ state: RoomState) async throws(ReplayError) {
    let fresh = encoder.snapshot(of: state)
    if due.first?.revision == state.revision {
      due.removeFirst()
      if let old = try await source?.snapshot(notAfter: state.revision), old.revision == state.revision {
        if old.stateHash == fresh.stateHash {
          report.proved += 1
        } else {
          let what = "the old snapshot's state hash is not that of the events"
          report.findings.append(.init(revision: state.revision, what: what))
        }
      }
    }
    try await put(fresh)
    report.made += 1
  }

  /// Copies the oldest old snapshot that includes everything up to `revision`, and returns its state; nil if
  /// none is whole.
  private mutating func takeOver(notBefore revision: Revision) async throws(ReplayError) -> RoomState? {
    due = due.drop { $0.revision < revision }
    while let info = due.popFirst() {
      guard let old = try await source?.snapshot(notAfter: info.revision), old.revision == info.revision,
        let state = try? StateDecoder.state(
          root: old.root, parts: old.parts.map(\.bytes), keptByStore: true),
        StateEncoder.hash(of: state) == old.stateHash
      else { continue }
      try await put(encoder.snapshot(of: state))
      report.takenOver += 1
      return state
    }
    let what = "no snapshot is left behind lost events: the state there cannot be known"
    report.findings.append(.init(revision: revision, what: what))
    return nil
  }

  private func put(_ snapshot: Snapshot) async throws(ReplayError) {
    do throws(LogError) { try await recording.store.put(snapshot, for: recording.room) } catch {
      throw .log(error)
    }
  }
}
