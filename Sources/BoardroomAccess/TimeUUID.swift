import EventLogModel
import Synchronization

/// UUIDs made from the time (RFC 9562, version 1), for the field `nonce` of tokens.
enum TimeUUID {
  /// 100 ns steps from 15 October 1582, where version 1 counts from, to 1970.
  private static let gregorianOffset: UInt64 = 0x01B2_1DD2_1381_4000
  /// UUIDs of one millisecond differ by this count, used as steps of 100 ns; the node is random.
  private static let count = Atomic<UInt64>(0)
  private static let node = UInt64.random(in: 0..<1 << 48) | 1 << 40
  private static let sequence = UInt64.random(in: 0..<1 << 14)

  static func make(at time: Timestamp) -> String {
    let step = count.wrappingAdd(1, ordering: .relaxed).newValue % 10_000
    return text(
      ticks: UInt64(max(0, time.milliseconds)) * 10_000 + step + gregorianOffset, sequence: sequence,
      node: node)
  }

  static func text(ticks: UInt64, sequence: UInt64, node: UInt64) -> String {
    let low = ticks & 0xFFFF_FFFF
    let middle = ticks >> 32 & 0xFFFF
    let high = ticks >> 48 & 0x0FFF | 0x1000
    return [
      hex(low, 8), hex(middle, 4), hex(high, 4), hex(sequence & 0x3FFF | 0x8000, 4),
      hex(node & 0xFFFF_FFFF_FFFF, 12),
    ].joined(separator: "-")
  }

  private static func hex(_ value: UInt64, _ digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: digits - text.count) + text
  }
}
