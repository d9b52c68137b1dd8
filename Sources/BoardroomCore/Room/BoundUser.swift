import BoardroomModel

/// The name of a user that a token is bound to (RIGHT-6).
public enum BoundUser {
  /// In bytes of UTF-8: SES-4, whatever the server's `limits.uid` says, so that a token stays a header's size.
  public static let longest = 1_024

  /// Throws `badName` or `tooLarge`.
  public static func check(_ uid: String) throws(Refusal) {
    guard !uid.isEmpty, uid.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 }) else {
      throw Refusal(
        .badName, cause: "The user's name is empty or has control characters.",
        cure: "Give it a name of printable characters.")
    }
    guard uid.utf8.count <= longest else {
      throw Refusal(
        .tooLarge, cause: "The user's name is longer than the limit.", actual: uid.utf8.count,
        allowed: longest,
        limit: LimitName.uid)
    }
  }
}
