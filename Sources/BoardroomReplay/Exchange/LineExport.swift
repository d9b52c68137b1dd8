import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Writes a log as JSONL: one record a line, in the exact JSON mirror of docs/PROTOCOL.md, section 6. A whole
/// export has as many lines as the log has events and can be imported again.
public struct LineExport: Sendable {
  /// The first revision to write; 1 or below for the first kept.
  public var from: Revision
  /// The last; nil for the end of the log.
  public var through: Revision?
  public var filter: EventFilter
  /// Whether damaged events are left out and the export goes on; else it throws.
  public var passesGaps = false

  public init(from: Revision = 1, through: Revision? = nil, filter: EventFilter = .everything) {
    self.from = from
    self.through = through
    self.filter = filter
  }

  /// Passes lines, each with its newline, to `sink`, some hundreds at a time. `progress` gets the last
  /// revision that was written, `missing` each gap that is left out. Returns the number of lines.
  @discardableResult
  public func write(
    _ recording: Recording, progress: (Revision) -> Void = { _ in }, missing: (Gap) -> Void = { _ in },
    to sink: ([UInt8]) throws -> Void
  ) async throws -> Int {
    let end = min(through ?? recording.info.last, recording.info.last)
    var at = max(from, recording.info.low).previous
    var lines = 0
    while at < end {
      let runs: [Run]
      do throws(ReplayError) {
        runs = try await recording.page(after: at, through: end)
      } catch {
        guard passesGaps, case .log(let cause) = error, let gap = Gap(cause, after: at) else { throw error }
        missing(gap)
        at = gap.last
        continue
      }
      for run in runs {
        let (text, count) = try page(run)
        if count > 0 { try sink(text) }
        lines += count
        at = run.lastRevision
        progress(at)
      }
      if runs.isEmpty { break }
    }
    return lines
  }

  private func page(_ run: Run) throws(ReplayError) -> (text: [UInt8], lines: Int) {
    guard !filter.isEverything else { return RecordMirror.text(of: run) }
    let chosen = try run.events().map(filter.passes)
    return RecordMirror.text(of: run) { chosen[$0] }
  }
}
