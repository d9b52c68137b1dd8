/// Keys that say in what order elements are drawn: texts of digits and letters, compared byte by byte. Between any
/// two there is room for another, so that moving one element never renumbers others.
public enum OrderKey {
  private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
  /// 64 bytes: more than 300 insertions at the worst spot, each halving the room by one bit of six.
  public static let longest = 64
  /// Digits of a place: 62 to the 7th is 3.5 million million elements.
  private static let width = 7

  /// The key of the element at a place, if it was never given another.
  public static func standard(_ place: Int) -> String {
    var bytes: [UInt8] = []
    var rest = place
    for _ in 0..<width {
      bytes.append(digits[rest % digits.count])
      rest /= digits.count
    }
    return "V" + String(decoding: bytes.reversed(), as: UTF8.self)
  }

  /// Digits and letters of ASCII, 1 to 64, the last of them not `0`, unless it is the key of a place: below a key
  /// that ends in `0` there may be no room.
  public static func isValid(_ key: String) -> Bool {
    let bytes = Array(key.utf8)
    guard (1...longest).contains(bytes.count), bytes.allSatisfy({ value(of: $0) != nil }) else {
      return false
    }
    return bytes.last != digits[0] || isStandard(bytes)
  }

  private static func isStandard(_ bytes: [UInt8]) -> Bool {
    bytes.count == width + 1 && bytes[0] == UInt8(ascii: "V")
  }

  /// A key between two; nil stands for the end on that side. Nil if `lower` is not below `upper`, or the room
  /// between them is used up.
  public static func between(_ lower: String?, _ upper: String?) -> String? {
    let low = Array((lower ?? "").utf8)
    let high = upper.map { Array($0.utf8) }
    if let high, !low.lexicographicallyPrecedes(high) { return nil }
    var key: [UInt8] = []
    var isBelowHigh = high == nil
    while key.count < longest {
      let place = key.count
      let least = place < low.count ? value(of: low[place]) ?? 0 : -1
      let most =
        isBelowHigh ? digits.count : high.flatMap { place < $0.count ? value(of: $0[place]) : nil } ?? 0
      if most - least > 1, let digit = middle(least, most) {
        key.append(digits[digit])
        return String(decoding: key, as: UTF8.self)
      }
      let digit = max(least, 0)
      key.append(digits[digit])
      if digit < most { isBelowHigh = true }
    }
    return nil
  }

  /// A digit between two that is not 0.
  private static func middle(_ least: Int, _ most: Int) -> Int? {
    let digit = (max(least, 0) + most) / 2
    return digit > max(least, 0) && digit < most ? digit : nil
  }

  private static func value(of byte: UInt8) -> Int? { digits.firstIndex(of: byte) }
}
