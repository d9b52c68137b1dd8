import EventLog
import EventLogModel

/// What is wrong with a store.
package struct StoreFault: Error, Sendable {
  package var what: String
  /// A record, a snapshot or a log is there that was never written like that.
  package var isFalse = false
  /// What the store itself says.
  package var error: LogError?
}

/// Holds a store against the truth.
struct StoreCheck {
  let store: EmbeddedLogStore
  /// Bits have flipped: a snapshot may be gone where the events alone, or another snapshot, are enough.
  var isRotten = false

  /// Everything that was acknowledged is there and as it was, and nothing that was not asked for. Afterwards the truth is
  /// what was found: of what may have happened it is known now.
  func run(_ truth: inout StoreTruth) async throws(StoreFault) {
    let found = try await calling("logs") { () throws(LogError) in
      try await store.logs(after: nil, limit: 1_000)
    }
    for info in found {
      guard info.log.high == 9, let log = truth.logs[info.log.low], log.isCreated != .no else {
        throw StoreFault(what: "log \(info.log) was never made", isFalse: true)
      }
      guard log.isDeleted != .yes else { throw StoreFault(what: "log \(info.log.low) is there again") }
    }
    let infos = Dictionary(uniqueKeysWithValues: found.map { ($0.log.low, $0) })
    for number in truth.logs.keys.sorted() {
      var log = truth.logs[number]!
      guard let info = infos[number] else {
        guard log.isCreated != .yes || log.isDeleted != .no else {
          throw StoreFault(what: "log \(number) is gone")
        }
        if log.isCreated == .yes { log.isDeleted = .yes } else { log.isCreated = .no }
        truth.logs[number] = log
        continue
      }
      log.isCreated = .yes
      log.isDeleted = .no
      try await check(number, info, &log)
      truth.logs[number] = log
    }
  }

  private func check(_ number: UInt64, _ info: LogInfo, _ log: inout StoreTruth.Log) async throws(StoreFault)
  {
    guard info.epoch == StoreTruth.epoch(number) else {
      throw StoreFault(what: "log \(number) has epoch \(info.epoch)", isFalse: true)
    }
    let (low, last) = (info.low.rawValue, info.last.rawValue)
    guard last >= log.acknowledged else {
      throw StoreFault(what: "log \(number) ends at \(last), acknowledged was \(log.acknowledged)")
    }
    guard last <= log.offered else {
      throw StoreFault(what: "log \(number) ends at \(last), offered was \(log.offered)", isFalse: true)
    }
    guard low <= log.lowOffered else {
      throw StoreFault(what: "log \(number) begins at \(low), asked for was \(log.lowOffered)")
    }
    guard low >= log.low else {
      throw StoreFault(what: "log \(number) begins at \(low), acknowledged was \(log.low)")
    }
    try await readAll(number, from: low, through: last)
    try await checkSnapshots(number, &log, low: low, last: last)
    (log.acknowledged, log.offered) = (last, last)
    (log.low, log.lowOffered) = (low, low)
  }

  /// Reads a log from `low` on, which must be there up to `last`.
  func readAll(_ number: UInt64, from low: UInt64, through last: UInt64) async throws(StoreFault) {
    var next = low
    while next <= last {
      let after = Revision(next - 1)
      let runs = try await calling("log \(number) from \(next) on") { () throws(LogError) in
        try await store.runs(of: StoreTruth.name(number), after: after, limit: 20_000)
      }
      guard !runs.isEmpty else {
        throw StoreFault(what: "log \(number) has nothing after \(next - 1), its last is \(last)")
      }
      for run in runs {
        guard run.first.rawValue == next else {
          throw StoreFault(what: "log \(number) goes on with \(run.first) in place of \(next)")
        }
        for record in run.unpacked {
          guard record == StoreTruth.record(number, next) else {
            throw StoreFault(what: "log \(number) differs at \(next)", isFalse: true)
          }
          next += 1
        }
      }
    }
  }

  private func checkSnapshots(
    _ number: UInt64, _ log: inout StoreTruth.Log, low: UInt64, last: UInt64
  ) async throws(StoreFault) {
    let name = StoreTruth.name(number)
    let there = try await calling("snapshots of log \(number)") { () throws(LogError) in
      try await store.snapshots(of: name)
    }
    let revisions = Set(there.map(\.revision.rawValue))
    for revision in revisions where log.snapshots[revision] ?? .no == .no {
      throw StoreFault(what: "log \(number) has a snapshot at \(revision) that nobody made", isFalse: true)
    }
    // Those below a trim go with it.
    for (revision, fact) in log.snapshots.sorted(by: { $0.key < $1.key }) where !revisions.contains(revision)
    {
      let isEnough = isRotten && (low == 1 || revisions.contains { $0 + 1 >= low })
      guard fact != .yes || revision + 1 < log.lowOffered || isEnough else {
        throw StoreFault(what: "the snapshot of log \(number) at \(revision) is gone")
      }
    }
    for revision in revisions.sorted() where revision + 1 >= low {
      let found = try await calling("the snapshot of log \(number) at \(revision)") { () throws(LogError) in
        try await store.latestSnapshot(of: name, notAfter: Revision(revision))
      }
      if found == StoreTruth.snapshot(number, revision) { continue }
      let at = found?.revision.rawValue ?? 0
      // A damaged one is passed over for an older one, or for the events.
      let isOlder = found.map { $0 == StoreTruth.snapshot(number, at) && at < revision } ?? (low == 1)
      guard isRotten, isOlder, at + 1 >= low else {
        throw StoreFault(
          what: "the snapshot of log \(number) at \(revision) is another: \(at)", isFalse: at == revision)
      }
    }
    log.snapshots = Dictionary(uniqueKeysWithValues: revisions.map { ($0, .yes) })
  }

  private func calling<Value: Sendable>(
    _ what: String, _ body: () async throws(LogError) -> Value
  ) async throws(StoreFault) -> Value {
    do throws(LogError) { return try await body() } catch {
      throw StoreFault(what: "\(what): \(error)", error: error)
    }
  }
}
