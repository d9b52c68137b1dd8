import MemoryLog

/// All chance of one life.
final class Dice {
  private var luck: SeededGenerator
  private var record = 0

  init(seed: UInt64) { luck = SeededGenerator(seed: seed) }

  func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &luck) }
  func isLucky(_ part: Int, in count: Int) -> Bool { number(0...count - 1) < part }
  func pick<Element>(_ list: [Element]) -> Element? { list.isEmpty ? nil : list[number(0...list.count - 1)] }
  func nextRecord() -> Int {
    record += 1
    return record
  }
}
