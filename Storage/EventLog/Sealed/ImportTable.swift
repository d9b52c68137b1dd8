import EventLogModel

/// The imports that are not finished: rows of `meta` under `import.` and the log's number, a u64 with the last
/// revision that the log will have. While there is one, the feature bit `unfinishedImports` is set, so that a
/// build that knows nothing of them does not show part of a log as the whole.
struct ImportTable {
  /// In the set `incompatible` of docs/FORMAT.md.
  static let feature: UInt64 = 1
  private static let prefix = "import."

  let database: SQLiteConnection

  func all() throws(LogError) -> [UInt64: Revision] {
    // From "import." up to, and without, "import/".
    let rows = try database.statement("SELECT k, v FROM meta WHERE k >= 'import.' AND k < 'import/'").all {
      (key: $0.text(0), stored: $0.bytes(1))
    }
    var found: [UInt64: Revision] = [:]
    for row in rows {
      guard let number = UInt64(row.key.dropFirst(Self.prefix.count)) else { continue }
      let value = try Meta(database: database).value(of: row.stored, row.key)
      found[number] = Revision(Meta.number(value))
    }
    return found
  }

  func begin(_ number: UInt64, through last: Revision) throws(LogError) {
    var value: [UInt8] = []
    value.appendLittleEndian(last.rawValue)
    try Meta(database: database).write(Self.prefix + String(number), value)
    try database.execute("UPDATE meta SET v = v | \(Self.feature) WHERE k = 'incompatible'")
  }

  func end(_ number: UInt64) throws(LogError) {
    try database.statement("DELETE FROM meta WHERE k = ?").run(.text(Self.prefix + String(number)))
    guard try all().isEmpty else { return }
    try database.execute("UPDATE meta SET v = v & ~\(Self.feature) WHERE k = 'incompatible'")
  }
}
