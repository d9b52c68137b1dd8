/// The link of one writing connection: its number, and whether one was sent whose answer is not known.
///
/// A new connection counts the link up before it does anything else. The answer says that what the connection before
/// had under way has ended, and is where it must be.
package struct LinkCount: Sendable {
  /// What the answer to a link means.
  package enum Meaning: Sendable, Hashable {
    case linked
    /// Another node has fenced this one.
    case fenced
    /// The database knows nothing of this start of the node: it was set back.
    case startIsMissing
    /// It knows an earlier link than was answered: it was set back.
    case linkIsMissing
  }

  /// The link behind which statements are sent; zero before the first.
  package private(set) var link: Int64 = 0
  /// Whether an earlier link may be under way still. One more would only wait behind it, and leave one more connection.
  package private(set) var isUnanswered = false

  package init() {}

  package mutating func sent() { isUnanswered = true }

  /// The link was refused: nothing was carried out.
  package mutating func refused() { isUnanswered = false }

  /// - Parameters:
  ///   - isKnown: whether the database knows the incarnation.
  ///   - found: the number after the count; nil where the incarnation is fenced.
  package mutating func answered(isKnown: Bool, link found: Int64?) -> Meaning {
    isUnanswered = false
    guard isKnown else { return .startIsMissing }
    guard let found else { return .fenced }
    guard found > link else { return .linkIsMissing }
    link = found
    return .linked
  }
}
