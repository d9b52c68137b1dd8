/// Events that could not be read and were skipped (RP-65).
public struct Gap: Sendable, Hashable, CustomStringConvertible {
  /// The first and the last revision that are missing.
  public var first: Revision
  public var last: Revision
  public var cause: LogError

  public init(first: Revision, last: Revision, cause: LogError) {
    self.first = first
    self.last = last
    self.cause = cause
  }

  /// From what the store says of damage met after `revision`; nil if it does not say what is lost.
  public init?(_ error: LogError, after revision: Revision) {
    guard case .damaged(let damage) = error, let lost = damage.lost, lost.upperBound > revision.rawValue
    else { return nil }
    self.init(
      first: Revision(max(lost.lowerBound, revision.next.rawValue)), last: Revision(lost.upperBound),
      cause: error)
  }

  public var description: String {
    first == last ? "revision \(first) is damaged" : "revisions \(first) to \(last) are damaged"
  }
}
