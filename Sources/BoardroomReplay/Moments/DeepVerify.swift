import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Folds a log from its beginning and compares every stored snapshot with the state that the events give.
public struct DeepVerify: Sendable {
  /// Something that is wrong, and at which revision.
  public struct Finding: Sendable, Hashable, CustomStringConvertible {
    public var revision: Revision
    public var what: String
    public var description: String { "revision \(revision): \(what)" }
  }

  /// What was compared and found.
  public struct Report: Sendable {
    public var room: RoomID
    public var events = 0
    /// How many snapshots were compared. They are equal unless a finding says otherwise.
    public var snapshots = 0
    /// Events that could not be applied; they are facts of the log, not damage (CB-16).
    public var anomalies = 0
    /// Revisions whose loss was accepted earlier (LOG-23); they are no new damage.
    public var lost: [ClosedRange<Revision>] = []
    /// What is wrong; empty if all is well.
    public var findings: [Finding] = []
    /// The hash of the state at the end; nil if damage prevents it.
    public var stateHash: [UInt8]?
  }

  private struct VerifiedPoint {
    var revision: Revision
    var time: Timestamp
    var stateHash: [UInt8]
  }

  private let recording: Recording
  private var report: Report
  private var marks: [VerifiedPoint] = []

  private init(_ recording: Recording) {
    self.recording = recording
    report = Report(room: recording.room)
  }

  /// `progress` is called after each page with the events folded and their total. Throws if the store stops
  /// meanwhile; damage is no error but a finding.
  public static func run(
    _ recording: Recording, progress: (Int, Int) -> Void = { _, _ in }
  ) async throws(ReplayError) -> Report {
    var verify = DeepVerify(recording)
    try await verify.gatherSnapshots()
    try await verify.refold(progress)
    return verify.report
  }

  /// Reads the snapshots from the newest to the oldest, and checks each against its own hash.
  private mutating func gatherSnapshots() async throws(ReplayError) {
    var bound = recording.info.last
    while bound > .zero {
      let found: Snapshot?
      do throws(LogError) {
        found = try await recording.store.latestSnapshot(of: recording.room, notAfter: bound)
      } catch {
        if case .stopped = error { throw .log(error) }
        report.findings.append(Finding(revision: bound, what: "a snapshot cannot be read: \(error)"))
        break
      }
      guard let snapshot = found else { break }
      check(snapshot)
      marks.append(
        VerifiedPoint(revision: snapshot.revision, time: snapshot.time, stateHash: snapshot.stateHash))
      bound = snapshot.revision.previous
    }
    marks.reverse()
  }

  private mutating func check(_ snapshot: Snapshot) {
    do throws(CodecError) {
      let state = try StateDecoder.state(root: snapshot.root, parts: snapshot.parts.map(\.bytes))
      guard StateEncoder.hash(of: state) != snapshot.stateHash else { return }
      report.findings.append(
        Finding(revision: snapshot.revision, what: "the snapshot is not of the state that its hash names"))
    } catch {
      report.findings.append(
        Finding(revision: snapshot.revision, what: "the snapshot cannot be decoded: \(error)"))
    }
  }

  private mutating func refold(_ progress: (Int, Int) -> Void) async throws(ReplayError) {
    guard var fold = try await beginning() else { return }
    let total = recording.info.last - fold.state.revision
    var due = marks[...]
    compare(fold.state, &due)
    // The end of an accepted loss, which the state does not include.
    var passed: Revision = .zero
    while max(fold.state.revision, passed) < recording.info.last {
      let at = max(fold.state.revision, passed)
      do {
        for run in try await recording.page(after: at, through: recording.info.last) {
          for event in try run.events() {
            fold.apply(event)
            report.events += 1
            if event.revision == due.first?.revision { compare(fold.state, &due) }
          }
        }
      } catch {
        // A store that cannot be reached any more is not damaged.
        if case .log(.stopped) = error { throw error }
        let at = max(fold.state.revision, passed)
        let lost = Self.knownLoss(error, after: at)
        if let lost {
          report.lost.append(lost.first...lost.last)
        } else {
          report.findings.append(Finding(revision: at.next, what: "\(error)"))
        }
        if let state = try await past(error, after: at) {
          report.anomalies += fold.anomalyCount
          fold = Fold(from: state)
        } else if let lost {
          // As the room itself does when it has no snapshot after the gap.
          passed = lost.last
        } else {
          report.anomalies += fold.anomalyCount
          return
        }
      }
      progress(report.events, total)
    }
    report.anomalies += fold.anomalyCount
    report.stateHash = StateEncoder.hash(of: fold.state)
  }

  /// The gap if its loss was accepted by a start; every start and check names it since (LOG-22).
  private static func knownLoss(_ error: ReplayError, after revision: Revision) -> Gap? {
    guard case .log(.damaged(let damage)) = error, damage.isAcceptedLoss else { return nil }
    return Gap(.damaged(damage), after: revision)
  }

  /// Where to go on after damage (RP-65): at the next snapshot.
  private func past(_ error: ReplayError, after revision: Revision) async throws(ReplayError) -> RoomState? {
    guard case .log(let cause) = error, let gap = Gap(cause, after: revision) else { return nil }
    return try await recording.state(notBefore: gap.last)
  }

  /// The empty state, or the oldest snapshot if retention has removed the events before it.
  private mutating func beginning() async throws(ReplayError) -> Fold? {
    guard recording.info.low > 1 else { return Fold() }
    if let state = try await recording.state(notBefore: recording.info.low.previous) {
      return Fold(from: state)
    }
    report.findings.append(
      Finding(revision: recording.info.low, what: "the log was trimmed and no snapshot is left to begin at"))
    return nil
  }

  private mutating func compare(_ state: RoomState, _ due: inout ArraySlice<VerifiedPoint>) {
    while let mark = due.first, mark.revision <= state.revision {
      due.removeFirst()
      guard mark.revision == state.revision else { continue }
      report.snapshots += 1
      guard StateEncoder.hash(of: state) != mark.stateHash else { continue }
      report.findings.append(
        Finding(revision: mark.revision, what: "the stored state hash is not that of the events"))
    }
  }
}
