/// Sizes and times as people write them.
public enum Quantity {
  /// Bytes: a whole number, or one with B, KiB, MiB or GiB.
  public static func bytes(_ text: String) -> Int? {
    guard let (number, unit) = split(text) else { return nil }
    let factor: Int? =
      switch unit {
      case "", "B": 1
      case "KiB": 1 << 10
      case "MiB": 1 << 20
      case "GiB": 1 << 30
      default: nil
      }
    return factor.flatMap { times(number, $0) }
  }

  /// A number with us, ms, s, m (or min), h or d, such as 500us, 1.5h or 1d; up to six digits after the point.
  ///
  /// - Parameters:
  ///   - text: what a person has written.
  ///   - unit: what a number without a unit counts: milliseconds, or what is given here.
  public static func duration(_ text: String, alone unit: Duration = .milliseconds(1)) -> Duration? {
    guard let (whole, rest) = split(text), let (part, name) = fraction(rest) else { return nil }
    let factor: Int? =
      switch name {
      case "": Int(unit / .microseconds(1))
      case "us": 1
      case "ms": 1_000
      case "s": 1_000_000
      case "m", "min": 60_000_000
      case "h": 3_600_000_000
      case "d": 86_400_000_000
      default: nil
      }
    guard let factor, let product = times(whole, factor) else { return nil }
    let (sum, overflow) = product.addingReportingOverflow(part * factor / 1_000_000)
    return overflow ? nil : .microseconds(sum)
  }

  /// The millionths after a point, and what follows them; nil if the point is followed by no digit or too many.
  private static func fraction(_ text: Substring) -> (Int, Substring)? {
    guard text.hasPrefix(".") else { return (0, text) }
    let digits = text.dropFirst().prefix { $0.isASCII && $0.isNumber }
    guard (1...6).contains(digits.count),
      let number = Int(digits + String(repeating: "0", count: 6 - digits.count))
    else { return nil }
    return (number, text[digits.endIndex...])
  }

  private static func times(_ number: Int, _ factor: Int) -> Int? {
    let (product, overflow) = number.multipliedReportingOverflow(by: factor)
    return overflow ? nil : product
  }

  private static func split(_ text: String) -> (Int, Substring)? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int(digits) else { return nil }
    return (number, text[digits.endIndex...])
  }

  /// A number of bytes in the largest unit that fits exactly.
  public static func text(bytes: Int) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")]
    guard let (size, unit) = units.first(where: { bytes >= $0.0 && bytes % $0.0 == 0 }) else {
      return String(bytes)
    }
    return "\(bytes / size)\(unit)"
  }

  /// A duration in the largest unit that fits exactly.
  public static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    let units: [(Int64, String)] = [(60_000_000, "min"), (1_000_000, "s"), (1_000, "ms")]
    guard let (size, unit) = units.first(where: { microseconds >= $0.0 && microseconds % $0.0 == 0 })
    else { return "\(microseconds)us" }
    return "\(microseconds / size)\(unit)"
  }
}
