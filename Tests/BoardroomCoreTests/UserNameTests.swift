import BoardroomModel
import Testing

@Suite struct UserNameTests {
  static let same: [(String, String)] = [
    ("ada", "ADA"), ("Zo\u{eb}", "ZOE\u{308}"), ("Straße", "STRASSE"), ("Σίσυφος", "ΣΊΣΥΦΟΣ"), ("ﬁn", "FIN"),
    ("a\u{200b}b", "ab"), ("\u{202e}ab", "ab"), ("K", "\u{212a}"), ("e\u{323}\u{301}", "e\u{301}\u{323}"),
    ("\u{feff}白板", "白板"),
  ]

  @Test("MOD-8: case and spelling in Unicode make no other user", arguments: same.indices)
  func one(row: Int) {
    let (left, right) = Self.same[row]
    #expect(UserName.key(left) == UserName.key(right))
    #expect(UserName.key(UserName.key(left)) == UserName.key(left))
  }

  static let different = [("ada", "adá"), ("a b", "ab"), ("1", "１"), ("", "a"), ("o", "0"), ("a", "а")]

  @Test("MOD-8: what people tell apart are two users", arguments: different.indices)
  func two(row: Int) {
    let (left, right) = Self.different[row]
    #expect(UserName.key(left) != UserName.key(right))
  }
}
