import EventLogModel

/// The most recent durable events of an open room, in memory: what most catch-ups need. Neighbouring runs are
/// joined, so that a catch-up sends few large messages.
struct RecentRuns {
  /// Runs are joined up to this size. 32 KiB: eight of them in a piece.
  private static let joinedBytes = 32 << 10

  private var runs: [Run] = []
  /// Runs before this index are dropped already; compacted now and then.
  private var dropped = 0
  private var growing: RunBuilder
  private let limit: Int
  private(set) var byteCount = 0
  /// The tail holds everything after this revision.
  private(set) var low: Revision

  init(after revision: Revision, limit: Int) {
    low = revision
    growing = RunBuilder(first: revision.next)
    self.limit = limit
  }

  /// The last revision that it holds.
  var last: Revision { growing.next.previous }

  mutating func append(_ run: Run) {
    precondition(run.first == last.next, "commits of one log come in order and without gaps")
    growing.appendRun(run)
    byteCount += run.records.count
    if growing.byteCount >= Self.joinedBytes, let full = growing.takeRun() { runs.append(full) }
    while byteCount > limit, dropped < runs.count { dropOldest() }
  }

  private mutating func dropOldest() {
    byteCount -= runs[dropped].records.count
    low = runs[dropped].lastRevision
    dropped += 1
    if dropped > 64 {
      runs.removeFirst(dropped)
      dropped = 0
    }
  }

  /// Events after `revision` up to `through`, about `limit` bytes of them; nil if there are none, or they are
  /// older than the tail.
  func piece(after revision: Revision, through: Revision, limit: Int) -> Run? {
    guard revision >= low, revision < min(last, through) else { return nil }
    var builder = RunBuilder(first: revision.next)
    for run in held {
      guard run.lastRevision > revision, builder.byteCount < limit else { continue }
      guard run.first <= through else { break }
      guard let part = run.suffix(after: revision)?.prefix(through: through) else { continue }
      builder.appendRun(part.shortened(toAbout: limit))
      if part.records.count > limit { break }
    }
    return builder.takeRun()
  }

  /// Bytes of the events after `revision`, roughly; nil if they reach behind the tail.
  func bytes(after revision: Revision) -> Int? {
    guard revision >= low else { return nil }
    return held.reduce(0) { sum, run in
      guard run.lastRevision > revision else { return sum }
      guard run.first <= revision else { return sum + run.records.count }
      return sum + run.records.count * (run.lastRevision - revision) / run.count
    }
  }

  private var held: [Run] {
    var copy = growing
    let rest = copy.takeRun()
    return Array(runs[dropped...]) + (rest.map { [$0] } ?? [])
  }

  /// The newest record for which `matches` says yes.
  func newest(where matches: (RecordView, [UInt8]) -> Bool) -> (RecordView, Run)? {
    for run in held.reversed() {
      var found: RecordView?
      run.forEach { view, _ in
        if matches(view, run.records) { found = view }
      }
      if let found { return (found, run) }
    }
    return nil
  }
}

extension Run {
  /// The first records of the run, about `limit` bytes of them; one at least.
  func shortened(toAbout limit: Int) -> Run {
    guard records.count > limit else { return self }
    let kept = max(1, count * limit / records.count)
    return prefix(through: first + (kept - 1)) ?? self
  }
}
