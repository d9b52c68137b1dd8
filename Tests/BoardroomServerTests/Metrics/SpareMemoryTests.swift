import Synchronization
import Testing

@testable import BoardroomServer

@Suite struct SpareMemoryTests {
  private final class Counts: Sendable {
    let ended = Mutex(0)
    let given = Mutex(0)
  }

  @Test("BOUND-5: memory is given back once 16 replays have ended since the last time, and not for fewer")
  func memory() {
    let box = Counts()
    let spare = SpareMemory(
      ended: { box.ended.withLock { $0 } }, giveBack: { box.given.withLock { $0 += 1 } })
    for (count, times) in [(0, 0), (15, 0), (16, 1), (16, 1), (31, 1), (40, 2), (900, 3), (900, 3)] {
      box.ended.withLock { $0 = count }
      spare.look()
      #expect(box.given.withLock { $0 } == times, "\(count) ended")
    }
  }
}
