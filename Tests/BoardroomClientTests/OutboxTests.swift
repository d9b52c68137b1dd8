import BoardroomLegacy
import BoardroomModel
import EventLogModel
import TestKit
import Testing

@testable import BoardroomClient

@Suite struct OutboxTests {
  /// An outbox with so many commands waiting, and how each ended.
  private func outbox(_ count: Int) -> (Outbox, [Outcome]) {
    var outbox = Outbox()
    let outcomes = (0..<count).map { _ in Outcome() }
    for outcome in outcomes { _ = outbox.add(.members(.setWritable(true))) { outcome.set($0) } }
    return (outbox, outcomes)
  }

  private func finish(_ settled: Outbox.Settled?) {
    if let settled { settled.completion(settled.result) }
  }

  @Test("Counters rise by one from 1")
  func counters() {
    var outbox = Outbox()
    let counters = (0..<3).map { _ in outbox.add(.members(.setWritable(true))) { _ in }.counter }
    #expect(counters == [1, 2, 3])
  }

  @Test("A receipt that comes before its events waits until the mirror has them")
  func earlyReceipt() throws {
    var (outbox, outcomes) = outbox(1)
    let early = outbox.receipt(Receipt(counter: 1, revision: 9), reached: 8)
    #expect(early == nil)
    #expect(outbox.reached(8).isEmpty)
    for settled in outbox.reached(9) { finish(settled) }
    #expect(try outcomes[0].value?.get() == Receipt(counter: 1, revision: 9))
    let again = outbox.receipt(Receipt(counter: 1, revision: 9), reached: 9)
    #expect(again == nil)
  }

  @Test("After a resume: decided commands are settled by what the log said, others go again as they were")
  func resume() throws {
    var (outbox, outcomes) = outbox(4)
    finish(outbox.sawEvent(1, at: 5))
    outbox.sawRefusal(2, .notWritable)
    let rest = outbox.resume(decidedThrough: 3, takenThrough: 3, at: 7, sawEvents: true)
    for settled in rest.settled { finish(settled) }
    #expect(try outcomes[0].value?.get().revision == 5)
    #expect(throws: BoardroomError(.notWritable)) { try outcomes[1].value?.get() }
    #expect(try outcomes[2].value?.get().revision == 7)
    #expect(outcomes[3].value == nil)
    #expect(rest.again.map(\.counter) == [4])
  }

  @Test("IDEM-8: a program that takes up a stay begins after the counters that the server has decided")
  func takenUp() {
    var (outbox, _) = outbox(0)
    let rest = outbox.resume(decidedThrough: 3, takenThrough: 5, at: 7, sawEvents: true)
    #expect(rest.again.isEmpty)
    #expect(outbox.add(.members(.setWritable(true))) { _ in }.counter == 6)
  }

  @Test(
    "IDEM-8: what waits under a counter that is decided and has no event goes again: its answer comes then")
  func decidedWithoutEvent() {
    var (outbox, outcomes) = outbox(5)
    for counter in CommandCounter(1)...3 { finish(outbox.sawEvent(counter, at: 5)) }
    let rest = outbox.resume(decidedThrough: 3, takenThrough: 5, at: 7, sawEvents: true)
    #expect(rest.again.map(\.counter) == [4, 5])
    #expect(rest.settled.isEmpty)
    #expect(outcomes[3].value == nil)
    #expect(outbox.add(.members(.setWritable(true))) { _ in }.counter == 6)
  }

  @Test("After a snapshot nobody knows how a decided command ended, and that is what its author is told")
  func snapshot() {
    var (outbox, outcomes) = outbox(2)
    let rest = outbox.resume(decidedThrough: 1, takenThrough: 1, at: 7, sawEvents: false)
    for settled in rest.settled { finish(settled) }
    #expect(throws: BoardroomError.outcomeUnknown) { try outcomes[0].value?.get() }
    #expect(rest.again.map(\.counter) == [2])
  }

  @Test("A refused gap renumbers what waits once; refusals of the old numbers that follow change nothing")
  func renumber() {
    var (outbox, outcomes) = outbox(6)
    for counter in CommandCounter(1)...3 { finish(outbox.sawEvent(counter, at: Revision(counter))) }
    let again = outbox.renumber(from: 2).again
    #expect(again.map(\.counter) == [2, 3, 4])
    let second = outbox.renumber(from: 2).again
    #expect(second.isEmpty)
    #expect(outbox.add(.members(.setWritable(true))) { _ in }.counter == 5)
    for counter in CommandCounter(2)...4 { finish(outbox.sawEvent(counter, at: 9)) }
    let ended = outcomes.filter { $0.value != nil }
    #expect(ended.count == 6)
  }

  @Test("After another restart the same numbers may be missing once more, and are given anew once more")
  func renumberAgain() {
    var (outbox, _) = outbox(1)
    #expect(outbox.resume(decidedThrough: 0, takenThrough: 0, at: 5, sawEvents: true).again.count == 1)
    finish(outbox.sawEvent(1, at: 6))
    _ = outbox.add(.members(.setWritable(true))) { _ in }
    #expect(outbox.renumber(from: 1).again.map(\.counter) == [1])
    #expect(outbox.renumber(from: 1).again.isEmpty)
    finish(outbox.sawEvent(1, at: 7))
    _ = outbox.add(.members(.setWritable(false))) { _ in }
    _ = outbox.resume(decidedThrough: 0, takenThrough: 0, at: 7, sawEvents: true)
    #expect(outbox.renumber(from: 1).again.map(\.counter) == [1])
  }

  @Test("IDEM-7: what waits under a lower counter than the server expects is decided, and is not sent again")
  func renumberBehindDecided() throws {
    var (outbox, outcomes) = outbox(3)
    // 2 had an answer and no event, so that a server that was restarted does not know it: it takes 1, and refuses 3.
    finish(outbox.receipt(Receipt(counter: 2, revision: 4), reached: 4))
    #expect(
      outbox.resume(decidedThrough: 0, takenThrough: 0, at: 5, sawEvents: true).again.map(\.counter) == [
        1, 3,
      ])
    let (before, again) = outbox.renumber(from: 2)
    #expect(before == [3])
    #expect(again.map(\.counter) == [2])
    #expect(outbox.counters == [1, 2])
    #expect(outbox.add(.members(.setWritable(true))) { _ in }.counter == 3)
    finish(outbox.sawEvent(1, at: 6))
    finish(outbox.sawEvent(2, at: 7))
    #expect(try outcomes[0].value?.get().revision == 6)
    #expect(try outcomes[2].value?.get().revision == 7)
  }

  @Test("FACE-7, IDEM-7: one that is overdue has failed and is not sent again; its counter stays its own")
  func overdue() throws {
    var outbox = Outbox()
    let outcomes = (0..<4).map { _ in Outcome() }
    for (number, outcome) in outcomes.enumerated() {
      let due: Timestamp? = number == 2 ? nil : Timestamp(milliseconds: 10 + Int64(number))
      _ = outbox.add(.members(.setWritable(number == 0)), due: due) { outcome.set($0) }
    }
    #expect(outbox.overdue(at: Timestamp(milliseconds: 9)).isEmpty)
    for settled in outbox.overdue(at: Timestamp(milliseconds: 11)) { finish(settled) }
    #expect(outbox.due == Timestamp(milliseconds: 13))
    for outcome in outcomes.prefix(2) {
      #expect(throws: BoardroomError.noReceipt) { try outcome.value?.get() }
    }
    let resumed = outbox.resume(decidedThrough: 1, takenThrough: 1, at: 7, sawEvents: true)
    #expect(resumed.late.count == 1, "the first one was decided after all")
    #expect(resumed.settled.isEmpty, "the first one was decided after all")
    #expect(resumed.before == [3, 4])
    #expect(resumed.again.map(\.counter) == [3, 4], "the server may have decided 2, without an event")
    #expect(outbox.add(.members(.setWritable(true))) { _ in }.counter == 5)
    // It has not, and says so.
    #expect(outbox.renumber(from: 2).again.map(\.counter) == [2, 3, 4])
    finish(outbox.sawEvent(2, at: 9))
    #expect(try outcomes[2].value?.get().revision == 9)
  }

  @Test("IDEM-7: what was withdrawn before it was sent leaves no gap")
  func withdrawnUnsent() throws {
    var outbox = Outbox()
    let outcomes = (0..<4).map { _ in Outcome() }
    _ = outbox.add(.members(.setWritable(true))) { outcomes[0].set($0) }
    // Refused, and that is not in the log.
    finish(outbox.refused(1, BoardroomError(.badName)))
    _ = outbox.add(.members(.setWritable(true)), awayBytes: 2) { outcomes[1].set($0) }
    let call = CallToken()
    CallToken.$current.withValue(call) {
      _ = outbox.add(.state(.deleteStore("s")), awayBytes: 2) { outcomes[2].set($0) }
    }
    _ = outbox.add(.members(.setWritable(false)), awayBytes: 2) { outcomes[3].set($0) }
    for (_, settled) in outbox.withdraw(call) { finish(settled) }
    let resumed = outbox.resume(decidedThrough: 0, takenThrough: 0, at: 7, sawEvents: true)
    #expect(resumed.before == [2, 4])
    #expect(resumed.again.map(\.counter) == [2, 3])
    #expect(outbox.count == 2)
    #expect(outbox.last == 3)
  }

  @Test("Giving up fails everything that waits, once each")
  func abandon() {
    var (outbox, outcomes) = outbox(3)
    for settled in outbox.abandon(.left) { finish(settled) }
    for outcome in outcomes {
      #expect(throws: BoardroomError.left) { try outcome.value?.get() }
    }
    #expect(outbox.abandon(.left).isEmpty)
    #expect(outbox.last == 0)
  }
}
