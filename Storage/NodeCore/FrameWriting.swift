/// What a node does to get one frame after the other into the database, each once: a value that is told what came of
/// one step and says which is next. It knows no connection, no clock and no bytes.
package struct FrameWriting: Sendable {
  /// What it goes by. Tests leave out one, to see what it prevents.
  package struct FrameRules: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// A frame whose outcome is not known is looked for before it is sent again.
    package static let looksFirst = FrameRules(rawValue: 1)
    /// Behind each new link it is asked whether the database still has what it had acknowledged.
    package static let asksForLast = FrameRules(rawValue: 2)
    package static let all: FrameRules = [.looksFirst, .asksForLast]
  }

  /// Steps of a frame, each on a connection that has its link.
  package enum Step: Sendable, Hashable {
    /// Ask whether the last frame that was acknowledged is there still.
    case askForLast
    /// Look whether this frame is there.
    case look
    /// Send it.
    case insert
    /// It is there: acknowledge it.
    case done
    /// Nothing of this node is taken any more.
    case fenced
    /// The database was set back: write nothing over what it has lost.
    case setBack
  }

  /// Why a step has no result.
  package enum Failure: Sendable, Hashable {
    /// Nothing was carried out, and it passes by itself: try again on the same connection, after a while.
    case refused
    /// It may have been carried out: give the connection up, and try again behind a new link.
    case unknown
  }

  private let rules: FrameRules
  /// The link behind which the last frame was asked for.
  private var checkedLink: Int64 = 0
  private var hasLast = false
  private var end: Step?
  /// Whether this frame was sent, and it is not known what came of it.
  private var isUnknown = false
  private var isSent = false

  /// Writes whose outcome was not known at first.
  package private(set) var unknown = 0
  /// Those of them that were not carried out, and were sent again.
  package private(set) var resent = 0

  package init(rules: FrameRules = .all) { self.rules = rules }

  /// A new frame; the one before it is acknowledged.
  package mutating func begin() { (end, isUnknown, isSent) = (nil, false, false) }

  /// What is next on a connection with this link.
  package mutating func next(link: Int64) -> Step {
    if let end { return end }
    isSent = isUnknown
    if link != checkedLink {
      if hasLast, rules.contains(.asksForLast) { return .askForLast }
      checkedLink = link
    }
    if isUnknown {
      if rules.contains(.looksFirst) { return .look }
      isUnknown = false
    }
    isSent = true
    return .insert
  }

  /// - Parameter isOpen: whether the node's fence was open after that was asked: who recovers a fenced node empties its tables.
  package mutating func askedForLast(isThere: Bool, isOpen: Bool, link: Int64) {
    if isThere { checkedLink = link } else { end = isOpen ? .setBack : .fenced }
  }

  package mutating func looked(isThere: Bool) {
    isUnknown = false
    if isThere { acknowledge() } else { resent += 1 }
  }

  /// - Parameter hasRow: whether the statement has returned its row; without one its condition does not hold.
  package mutating func inserted(hasRow: Bool) {
    if hasRow { acknowledge() } else { end = .fenced }
  }

  /// The present step has no result.
  package mutating func failed(_ failure: Failure) {
    guard failure == .unknown else { return }
    if isSent, !isUnknown { unknown += 1 }
    isUnknown = isSent
  }

  private mutating func acknowledge() { (end, hasLast) = (.done, true) }
}
