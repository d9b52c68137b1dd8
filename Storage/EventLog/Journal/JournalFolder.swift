import EventLogModel

/// Names in the journal's folder: `<segment number, 16 hexadecimal digits>.brj`, and `spare-<digits>.brj` for
/// files that wait to be used.
struct JournalFolder: Sendable {
  let path: String

  init(of folder: String) { path = folder + "/journal" }

  func segment(_ number: UInt64) -> String { "\(path)/\(Epoch(number)).brj" }
  func spare(_ number: UInt64) -> String { "\(path)/spare-\(Epoch(number)).brj" }

  /// A spare that is being made: a name that no spare has before its content is durable.
  func draft(_ number: UInt64) -> String { spare(number) + Self.draftEnding }

  static func isDraft(_ name: String) -> Bool {
    name.hasSuffix(draftEnding) && spareNumber(String(name.dropLast(draftEnding.count))) != nil
  }

  private static let draftEnding = ".new"

  /// The segment number in a name, or `nil` for any other file.
  static func segmentNumber(_ name: String) -> UInt64? {
    guard name.hasSuffix(".brj"), name.utf8.count == 20 else { return nil }
    return Epoch(String(name.dropLast(4)))?.rawValue
  }

  static func spareNumber(_ name: String) -> UInt64? {
    guard name.hasPrefix("spare-") else { return nil }
    return segmentNumber(String(name.dropFirst(6)))
  }
}
