/// Whether this member may commit changes, as the app was told last (CB-13).
struct Committable {
  private var isAble = false

  /// What to tell the app now; nil if it knows. `able` is nil while the log does not know the member: one that the log has
  /// just seen leave hears of it by its farewell instead.
  mutating func update(_ able: Bool?) -> Bool? {
    guard let able, able != isAble else { return nil }
    isAble = able
    return able
  }

  /// The end of the stay says that it is over.
  mutating func end() { isAble = false }
}
