extension Timestamp {
  /// The moment as ISO 8601 writes it, in UTC with milliseconds: `2026-11-21T09:28:41.000Z`. Moments before 1970
  /// have their dates, too.
  public var iso8601: String {
    let (days, rest) = milliseconds.flooredDivision(by: 86_400_000)
    let (year, month, day) = Self.date(days)
    func digits(_ value: Int64, _ count: Int = 2) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let date = "\(digits(year, 4))-\(digits(month))-\(digits(day))"
    let time = "\(digits(rest / 3_600_000)):\(digits(rest / 60_000 % 60)):\(digits(rest / 1_000 % 60))"
    return "\(date)T\(time).\(digits(rest % 1_000, 3))Z"
  }

  /// The Gregorian date of a day counted from 1970 (H. Hinnant, "chrono-compatible date algorithms").
  private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    // Days count from 1 March of the year 0, so that a leap day ends its year.
    let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
    let year = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (year + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }
}

extension Int64 {
  fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
