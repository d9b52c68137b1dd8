import BoardroomModel
import BoardroomReplay
import EventLog
import EventLogModel

/// Copies all logs of one store into another, under their names and epochs, and proves that they are equal.
final class StoreMigration {
  /// What was found on both sides of one log.
  struct LogComparison {
    var events = 0
    /// Of the state that the copied events give; nil if damage prevents it.
    var stateHash: [UInt8]?
    /// What differs; empty if nothing does.
    var what = ""
    var isEqual: Bool { what.isEmpty }
  }

  private let source: any ServedStore
  private let target: any ServedStore
  private let quiet: Bool
  /// The logs of the source, by name.
  private(set) var logs: [LogInfo] = []
  /// Those that the target has whole.
  private var there: Set<LogID> = []

  init(from source: any ServedStore, to target: any ServedStore, quiet: Bool) {
    (self.source, self.target, self.quiet) = (source, target, quiet)
  }

  private static func logs(of store: any LogStore) async throws -> [LogInfo] {
    var logs: [LogInfo] = []
    while true {
      let page = try await store.logs(after: logs.last?.log, limit: 1_000)
      guard !page.isEmpty else { return logs }
      logs += page
    }
  }

  /// Fails if the target has anything that an earlier attempt has not brought.
  func plan(target place: String) async throws {
    logs = try await Self.logs(of: source)
    let wanted = Dictionary(uniqueKeysWithValues: logs.map { ($0.log, $0) })
    let begun = try await target.imports()
    for found in try await Self.logs(of: target) + begun.map(\.info) {
      let old = wanted[found.log]
      let isWhole = !begun.contains { $0.info.log == found.log }
      guard let old, old.epoch == found.epoch, old.low == found.low || !isWhole,
        isWhole ? old.last == found.last : true
      else {
        throw Failure(
          .cannotCreate,
          "\(place) has the log \(found.log), which is \(old == nil ? "not in the source" : "another one there").",
          "Name an empty target.", at: place, code: "notEmpty")
      }
      if isWhole { there.insert(found.log) }
    }
  }

  /// Copies what is not there yet, and seals it.
  func copy() async throws {
    let progress = Progress("Copying", quiet: quiet)
    defer { progress.end() }
    var events = 0
    for (index, log) in logs.enumerated() {
      let recording = try await Recording.open(log.log, in: source)
      if !there.contains(log.log) {
        try await copy(recording) { copied in
          progress.show("\(index) of \(self.logs.count) logs, \(events + copied) events")
        }
      }
      try await copySnapshots(of: recording)
      events += log.last - log.low.previous
    }
    try await target.seal()
  }

  private func copy(_ recording: Recording, _ show: (Int) -> Void) async throws {
    let info = recording.info
    let before = info.low.previous
    var writer = LogImport(
      info.log, into: target, from: info.low, events: info.last - before, epoch: info.epoch,
      createdAt: info.created)
    var at = before
    while at < info.last {
      try Task.checkCancellation()
      for run in try await recording.page(after: at, through: info.last) {
        try await writer.add(run.unpacked)
        at = run.lastRevision
      }
      show(at - before)
    }
    _ = try await writer.finish(created: info.created)
  }

  /// The newest first, because a store thins snapshots out when they are stored, by their distance from the newest.
  private func copySnapshots(of recording: Recording) async throws {
    var bound = recording.info.last
    while let snapshot = try await recording.snapshot(notAfter: bound) {
      try Task.checkCancellation()
      try await target.put(snapshot, for: recording.room)
      guard snapshot.revision > .zero else { return }
      bound = snapshot.revision.previous
    }
  }

  // MARK: Proof

  /// Reads one log on both sides: each event is compared, and the states are folded.
  func prove(_ log: LogInfo) async throws -> LogComparison {
    let progress = Progress("Comparing \(log.log)", quiet: quiet)
    defer { progress.end() }
    let old = try await Recording.open(log.log, in: source)
    let new = try await Recording.open(log.log, in: target)
    var proof = LogComparison()
    guard old.info.isSameLife(as: new.info) else {
      proof.what = "it ends at another revision, or has another epoch"
      return proof
    }
    if let revision = try await firstDifference(old, new) { proof.what = "revision \(revision)" }
    let total = log.last - log.low.previous
    let expected = try await DeepVerify.run(old) { done, _ in progress.show(done / 2, of: total) }
    let found = try await DeepVerify.run(new) { done, _ in progress.show((total + done) / 2, of: total) }
    (proof.events, proof.stateHash) = (total, found.stateHash)
    if proof.isEqual, expected.stateHash != found.stateHash { proof.what = "the state" }
    if proof.isEqual, let finding = found.findings.first { proof.what = "\(finding)" }
    return proof
  }

  /// The first revision with another event; nil if all are equal.
  private func firstDifference(_ old: Recording, _ new: Recording) async throws -> Revision? {
    var at = old.info.low.previous
    while at < old.info.last {
      try Task.checkCancellation()
      let expected = try await old.page(after: at, through: old.info.last).flatMap(\.unpacked)
      let found = try await new.page(after: at, through: new.info.last).flatMap(\.unpacked)
      for (one, other) in zip(expected, found) {
        guard one == other else { return at.next }
        at = at.next
      }
      if expected.isEmpty || found.isEmpty { return at.next }
    }
    return nil
  }
}

extension LogInfo {
  fileprivate func isSameLife(as other: LogInfo) -> Bool {
    epoch == other.epoch && low == other.low && last == other.last
  }
}
