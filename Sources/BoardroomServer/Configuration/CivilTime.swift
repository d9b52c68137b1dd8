import EventLogModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A moment as ISO 8601 writes it, in UTC with milliseconds: `2026-11-21T09:28:41.000Z`.
struct CivilTime {
  let text: String

  init(_ time: Timestamp) { self.init(millisecondsSince1970: time.milliseconds) }

  init(millisecondsSince1970 milliseconds: Int64) {
    let (days, rest) = milliseconds.flooredDivision(by: 86_400_000)
    let (year, month, day) = Self.date(days)
    func digits(_ value: Int64, _ count: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    text =
      digits(year, 4) + "-" + digits(month, 2) + "-" + digits(day, 2) + "T" + digits(rest / 3_600_000, 2)
      + ":"
      + digits(rest / 60_000 % 60, 2) + ":" + digits(rest / 1_000 % 60, 2) + "." + digits(rest % 1_000, 3)
      + "Z"
  }

  /// The Gregorian date of a day counted from 1970 (H. Hinnant, "chrono-compatible date algorithms").
  private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
    let year = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (year + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  /// The wall clock, in milliseconds since 1970.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}

extension Timestamp {
  /// The wall clock's now.
  public static var wallClock: Timestamp { Timestamp(milliseconds: CivilTime.now) }
}

extension Int64 {
  fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
