import BoardroomCore
import BoardroomHTTP
import EventLogModel
import StorageTestKit
import Testing

@testable import BoardroomServer

@Suite("LOG-28: what is not to be kept")
struct RetentionRuleTests {
  private static let day: Int64 = 86_400_000

  private static func info(low: Revision = 1, last: Revision) -> LogInfo {
    LogInfo(
      log: LogID(high: 1, low: 1), epoch: Epoch(1), created: .zero, low: low, last: last, lastTime: .zero,
      rawBytes: 0, storedBytes: 0)
  }

  private static func span(_ first: Revision, _ last: Revision, bytes: Int) -> StoredSpan {
    StoredSpan(first: first, last: last, begin: .zero, end: .zero, bytes: bytes)
  }

  @Test("A deleted room is over when its time has gone, at once with a time of zero, and never with none")
  func deletion() {
    let time = Timestamp(milliseconds: 5 * Self.day)
    let rule = RetentionRule(deleted: .seconds(2 * 86_400), policy: RoomPolicy())
    #expect(!rule.isOver(deletedAt: time, now: Timestamp(milliseconds: 7 * Self.day - 1)))
    #expect(rule.isOver(deletedAt: time, now: Timestamp(milliseconds: 7 * Self.day)))
    #expect(RetentionRule(deleted: .zero, policy: RoomPolicy()).isOver(deletedAt: time, now: time))
    let never = RetentionRule(deleted: nil, policy: RoomPolicy())
    #expect(!never.isOver(deletedAt: time, now: Timestamp(milliseconds: .max)))
  }

  @Test(
    "What was deleted before the first server that removes rooms counts from its start, also after the next ones"
  )
  func upgrade() throws {
    let folder = TemporaryFolder()
    let (start, later) = (
      Timestamp(milliseconds: 100 * Self.day), Timestamp(milliseconds: 101 * Self.day)
    )
    let record = RetentionRecord.taken(inFolder: folder.path, at: start)
    #expect(record.since == start)
    #expect(RetentionRecord.taken(inFolder: folder.path, at: later) == record)
    var rule = RetentionRule(deleted: .seconds(2 * 86_400), since: record.since, policy: RoomPolicy())
    let long = Timestamp(milliseconds: 5 * Self.day)
    #expect(!rule.isOver(deletedAt: long, now: later))
    #expect(rule.isOver(deletedAt: long, now: Timestamp(milliseconds: 102 * Self.day)))
    // Damage, a future time and an unwritable place only keep for longer.
    for text in ["boardroom retention 1\nsince x\n", "", "boardroom retention 1\nsince \(200 * Self.day)\n"] {
      try folder.write(Array(text.utf8), to: RetentionRecord.fileName)
      rule.since = RetentionRecord.taken(inFolder: folder.path, at: later).since
      #expect(rule.since == later)
    }
    #expect(RetentionRecord.taken(inFolder: folder.path + "/none", at: later).since == later)
  }

  @Test("A room's own limits go before the server's, and zero is no bound")
  func own() {
    var policy = RoomPolicy()
    policy.keeping = HistoryKeeping(days: 30, events: 100)
    let rule = RetentionRule(deleted: nil, policy: policy)
    #expect(rule.keeping(with: [:]) == HistoryKeeping(days: 30, events: 100))
    #expect(rule.keeping(with: ["keep.days": 7]) == HistoryKeeping(days: 7, events: 100))
    #expect(rule.keeping(with: ["keep.days": 0, "keep.events": 0]).isForEver)
    #expect(HistoryKeeping().ageLimit(at: Timestamp(milliseconds: Self.day)) == nil)
    let limit = HistoryKeeping(days: 3).ageLimit(at: Timestamp(milliseconds: 10 * Self.day))
    #expect(limit == Timestamp(milliseconds: 7 * Self.day))
  }

  @Test("The newest events, and the pieces of so many bytes, are what is kept")
  func amounts() {
    #expect(RetentionRule.firstKept(of: Self.info(last: 100), events: 0) == 1)
    #expect(RetentionRule.firstKept(of: Self.info(last: 100), events: 100) == 1)
    #expect(RetentionRule.firstKept(of: Self.info(last: 100), events: 30) == 71)
    let spans = [Self.span(1, 10, bytes: 40), Self.span(11, 20, bytes: 40), Self.span(21, 30, bytes: 40)]
    for (bytes, first): (Int, Revision) in [(120, 1), (119, 11), (80, 11), (79, 21), (1, 21), (0, 21)] {
      #expect(RetentionRule.firstKept(of: spans, bytes: bytes) == first, "\(bytes)")
    }
    #expect(RetentionRule.firstKept(of: [], bytes: 1) == 1)
  }

  @Test("Nothing is done for a trim that would remove no whole piece")
  func worth() {
    let first = Self.span(1, 10, bytes: 1)
    for (kept, isWorthwhile): (Revision, Bool) in [(5, false), (11, false), (12, true), (31, true)] {
      #expect(RetentionRule.isWorthwhile(kept, first: first, last: 30) == isWorthwhile, "\(kept)")
    }
    #expect(RetentionRule.isWorthwhile(11, first: first, last: 10))
  }
}
