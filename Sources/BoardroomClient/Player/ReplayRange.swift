import BoardroomCore
import BoardroomModel
import EventLogModel

/// The part of a log that is played, with what has to be known of it before.
struct ReplayRange: Sendable {
  /// Events in a slice (RP-4): the distance of the server's snapshots.
  static let sliceEvents: UInt64 = 32_768

  var begin: Timestamp
  var end: Timestamp
  /// The last event before the range's first moment is over, and the last one of the range.
  var first: Revision
  var last: Revision
  /// How many events.
  var count: Int
  var map: TimeMap
  var track: MemberTrack?

  var duration: Duration { map.schedule(of: end) }

  static func slice(of revision: Revision) -> String {
    String(max(revision.rawValue, 1).advanced(by: -1) / sliceEvents)
  }
}

extension ReplayLoader {
  /// What is to be played, or why nothing can be.
  func range(_ config: WhitePlayerConfig) async -> Result<ReplayRange, Unplayable> {
    if let problem = config.problem { return .failure(Unplayable(.badOptions(problem))) }
    do throws(ReplaySourceError) { return try await prepared(config) } catch {
      switch error {
      case .failed(let cause): return .failure(Unplayable(.notReadable(cause)))
      case .gap(let gap):
        let cause = BoardroomError(.internalFailure, cause: "The log cannot be read: \(gap).")
        return .failure(Unplayable(.notReadable(cause)))
      }
    }
  }

  struct Unplayable: Error {
    var reason: WhitePlayability
    init(_ reason: WhitePlayability) { self.reason = reason }
  }

  private func prepared(
    _ config: WhitePlayerConfig
  ) async throws(ReplaySourceError) -> Result<ReplayRange, Unplayable> {
    let outline = try await source.outline()
    guard outline.last > .zero else { return .failure(Unplayable(.nothingRecorded)) }
    guard outline.isRecord else { return .failure(Unplayable(.notRecorded)) }
    guard let (begin, end) = try await bounds(config, outline), begin < end else {
      return .failure(Unplayable(.nothingRecorded))
    }
    let first = try await source.revision(at: begin)
    let last = try await source.revision(at: end)
    // The events of the range's first millisecond count: a log may consist of them.
    let before = try await source.revision(at: begin + .milliseconds(-1))
    guard last > before else { return .failure(Unplayable(.nothingRecorded)) }
    var range = ReplayRange(
      begin: begin, end: end, first: first, last: last, count: last - before, map: TimeMap())
    range.map.add(.zero, begin)
    if config.idleLimit != nil || config.viewer != nil { try await survey(&range, config, outline) }
    return .success(range)
  }

  private func bounds(
    _ config: WhitePlayerConfig, _ outline: ReplayOutline
  ) async throws(ReplaySourceError) -> (Timestamp, Timestamp)? {
    if let slice = config.slice.flatMap({ UInt64($0) }) { return try await bounds(ofSlice: slice, outline) }
    let begin = max(config.begin ?? outline.begin, outline.begin)
    let usual = config.begin == nil ? outline.emptied ?? outline.end : outline.emptied.map { max($0, begin) }
    guard let duration = config.duration, let asked = config.begin else {
      return (begin, min(usual ?? outline.end, outline.end))
    }
    return (begin, min(asked + duration, outline.end))
  }

  private func bounds(
    ofSlice slice: UInt64, _ outline: ReplayOutline
  ) async throws(ReplaySourceError) -> (Timestamp, Timestamp)? {
    let (before, overflow) = slice.multipliedReportingOverflow(by: ReplayRange.sliceEvents)
    guard !overflow, before < outline.last.rawValue else { return nil }
    let after = min(before + ReplayRange.sliceEvents, outline.last.rawValue)
    let start = max(Revision(before), outline.low.previous)
    guard let begin = try await source.runs(after: start, limit: 1).first?.begin else { return nil }
    if after == outline.last.rawValue { return (begin, outline.end) }
    guard let end = try await source.runs(after: Revision(after).previous, limit: 1).first?.begin else {
      return nil
    }
    return (begin, end)
  }

  /// One reading of the log for what cannot be known otherwise: where nothing happened, and what became of a
  /// member's connections.
  private func survey(
    _ range: inout ReplayRange, _ config: WhitePlayerConfig, _ outline: ReplayOutline
  ) async throws(ReplaySourceError) {
    var track = config.viewer.map { MemberTrack($0) }
    var pace = IdlePace(range.begin, config.idleLimit)
    var at = track == nil ? range.first : outline.low.previous
    while at < outline.last {
      let page = try await page(after: at, at: range.begin, through: outline.last)
      for item in page.items {
        if case .event(let event, _) = item { track?.add(event) }
        if item.time > range.begin, item.time <= range.end { pace.pass(item.time, &range.map) }
      }
      at = page.through
    }
    // A client may have given up after everybody else had gone: that belongs to what was asked for.
    if config.slice == nil, let last = track?.last(config.viewerOptions.timeout) {
      let asked = config.duration.flatMap { duration in config.begin.map { $0 + duration } }
      range.end = max(range.end, min(last, asked ?? last))
    }
    pace.pass(range.end, &range.map)
    range.track = track
  }
}

/// Finds the stretches that are skipped (RP-63).
private struct IdlePace {
  private let limit: Duration?
  private var last: Timestamp
  private var schedule = Duration.zero

  init(_ begin: Timestamp, _ limit: Duration?) {
    (last, self.limit) = (begin, limit.map { max($0, .zero) })
  }

  mutating func pass(_ time: Timestamp, _ map: inout TimeMap) {
    guard time > last else { return }
    let idle = time - last
    let kept = min(idle, limit ?? idle)
    schedule += kept
    last = time
    if kept < idle { map.add(schedule, time) }
  }
}
