import EventLogFormat
import EventLogModel

/// What a scrub knows of the log that it reads, from one step to the next. Between two steps a writer may add
/// blocks, put the open one together with others, and remove the first ones.
package struct LogScrub {
  /// The last block that was read begins here; zero before the first.
  package private(set) var last: Revision
  /// The revision that has to come next and the chain value before it, where known.
  private var expected: Revision?
  private var chain: [UInt8]?
  /// Whether the last block that was read may have grown since.
  private var wasOpen = false

  /// - Parameter last: where the last block begins that an earlier pass read.
  package init(after last: Revision = .zero) { self.last = last }

  /// Begins a step, with the log's row as it is now.
  package mutating func meet(_ entry: CatalogEntry) {
    if wasOpen { (expected, chain, wasOpen) = (nil, nil, false) }
    // At the beginning of the log, or where retention has removed what was to come next.
    guard last == .zero || expected.map({ $0 < entry.firstKept }) ?? false else { return }
    expected = entry.firstKept
    chain = entry.chainBefore.isEmpty ? nil : entry.chainBefore
  }

  /// Reads a block. Damage is in the step.
  package mutating func block(
    at first: Revision, _ blocks: borrowing some CheckedBlocks, of entry: CatalogEntry, in path: String,
    _ step: inout Scrub.Step
  ) throws(LogError) {
    if let expected, first > expected { try lose(from: expected, to: first, blocks, entry, path, &step) }
    do throws(LogError) {
      guard let (block, columns) = try blocks.block(at: first) else { return }
      let place = BlockPlace(number: entry.row.number, log: entry.row.log, path: path)
      let (run, isChained) = try place.unpack(block, after: first == expected ? chain : nil)
      step.bytes += block.encodedLength
      func note(_ what: String) { step.damages.append(Damage(what: what, place: path, log: entry.row.log)) }
      if columns != [Int64(run.count), Int64(run.records.count), run.base.milliseconds] {
        note("the row of the block at \(first) differs from the block")
      }
      if isChained == false { note("the chain breaks at revision \(first)") }
      if let expected, first < expected { note("blocks overlap at revision \(first)") }
      // After a block that ends before another one did, that other one's end is what the next one follows.
      let end = run.lastRevision.next
      if expected.map({ end > $0 }) ?? true { (chain, expected) = (block.chain, end) }
      (wasOpen, last) = (block.isOpen, first)
    } catch {
      guard case .damaged(let found) = error else { throw error }
      step.damages.append(found)
      let end = found.lost.map { Revision($0.upperBound) } ?? first
      (chain, expected, last) = (nil, max(expected ?? .zero, end.next), first)
    }
  }

  /// After the last block, seen at the same moment as the log's row.
  package mutating func finish(
    _ blocks: borrowing some CheckedBlocks, of entry: CatalogEntry, in path: String, _ step: inout Scrub.Step
  ) throws(LogError) {
    guard let expected, expected < entry.row.next else { return }
    try lose(from: expected, to: entry.row.next, blocks, entry, path, &step)
  }

  private mutating func lose(
    from first: Revision, to end: Revision, _ blocks: borrowing some CheckedBlocks, _ entry: CatalogEntry,
    _ path: String, _ step: inout Scrub.Step
  ) throws(LogError) {
    let lost = first.rawValue...end.previous.rawValue
    guard try !blocks.isAccepted(lost) else { return }
    step.damages.append(Damage(what: "a block is missing", place: path, log: entry.row.log, lost: lost))
    chain = nil
  }
}
