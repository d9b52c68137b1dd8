import EventLogModel
import Foundation

/// Dates and times of the calendar, as people write them.
enum CivilInstant {
  /// `2026-11-21`, which is its midnight; or with `T` or a space and a time of day, `09:30`, `09:30:00` or `09:30:00.125`; and
  /// then `Z` or an offset such as `+08:00`. UTC without one. Nil for a day or a time that no calendar has, and before 1970.
  static func timestamp(_ text: String) -> Timestamp? {
    let form =
      /(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?/
    guard text.allSatisfy(\.isASCII), let match = text.wholeMatch(of: form)?.output else { return nil }
    func number(_ digits: Substring?) -> Int { digits.flatMap { Int($0) } ?? 0 }
    var components = DateComponents(
      calendar: Calendar(identifier: .gregorian), timeZone: TimeZone(secondsFromGMT: 0),
      year: number(match.1),
      month: number(match.2), day: number(match.3))
    (components.hour, components.minute) = (number(match.4), number(match.5))
    components.second = number(match.6)
    guard components.isValidDate, let date = components.date, let offset = offset(match.8) else { return nil }
    let milliseconds = number(((match.7 ?? "") + "000").prefix(3))
    let seconds = Int64(date.timeIntervalSince1970) - Int64(offset)
    return seconds < 0 ? nil : Timestamp(milliseconds: seconds * 1_000 + Int64(milliseconds))
  }

  /// Seconds east of UTC; nil for an offset of a day or more.
  private static func offset(_ zone: Substring?) -> Int? {
    guard let zone, zone != "Z" else { return 0 }
    let digits = zone.filter(\.isNumber)
    guard let hours = Int(digits.prefix(2)), let minutes = Int(digits.suffix(2)), hours < 24, minutes < 60
    else { return nil }
    return (hours * 60 + minutes) * (zone.hasPrefix("-") ? -60 : 60)
  }
}
