/// In a channel: the newest entries by which its members' accounts let them in, by the accounts' names. An entry that is
/// not here is of before this host, and older than any.
struct EntryNumbers {
  private var newest: [String: UInt64] = [:]

  subscript(account: String) -> UInt64? { newest[account] }

  /// Answers to two hellos may come in another order than they were given in.
  mutating func note(_ entry: UInt64, of account: String) {
    newest[account] = max(entry, newest[account] ?? 0)
  }

  /// Its member is gone, unless it has come in again.
  mutating func forget(_ entry: UInt64?, of account: String) {
    if newest[account] == entry { newest[account] = nil }
  }

  /// Whether the account's member is there by an entry up to this one.
  func isOf(_ account: String, upTo entry: UInt64) -> Bool { newest[account] ?? 0 <= entry }
}
