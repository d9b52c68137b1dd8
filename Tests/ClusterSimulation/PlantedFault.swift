/// A rule that a life goes without, on purpose: what comes of that must be found. None is a switch of the product.
public enum PlantedFault: String, Sendable, Hashable, CaseIterable {
  // Commits
  /// The statement of a commit does not ask whether its node is fenced.
  case noFence
  /// It asks, and takes no share of the row: a fence does not wait for it.
  case noShare
  /// It does not compare the link: a statement that comes late is carried out.
  case noLinkCompared
  /// A new connection counts no link up before it looks.
  case noNewLink
  /// A frame whose outcome is not known is sent again without a look.
  case noLook
  /// A warning with the answer is ignored.
  case warningIgnored
  /// A statement that was cancelled, or whose connection the server ended, counts as refused.
  case endIsRefusal
  /// A node does not ask whether its last frame is there still; and a standby was promoted that lacks it.
  case lastNotAsked
  /// The rows of a statement count as the answer of its commit.
  case rowsAreTheAnswer
  /// Commits wait for no standby.
  case noDurability
  /// A node believes a server that does not know it, without a standby having confirmed that; and it asks for no timeline.
  case lossUnconfirmed
  /// Members are told before the commit is answered.
  case toldEarly
  // Sealing
  /// A frame table is emptied before the blocks of its frames are written.
  case truncatedBeforeBlocks
  /// A fence leaves the connections of the sealer and of claims alone.
  case onlyCommitsFenced
  /// A frame table counts as full until the answer to its emptying is there.
  case emptyingUnseen
  // Ownership
  /// The log's row is read before the claim is answered.
  case readBeforeClaim
  /// A claim takes a log that somebody owns.
  case claimOfOwned
  /// A log is released before its newest events are sealed.
  case releasedUnsealed
  /// A log that is being released takes events until the end.
  case releasedWhileOpen
  /// A log that is being released is released once more: the second release ends when the node owns it anew.
  case releasedTwice
  // Recovery
  /// A node is recovered without having been fenced.
  case recoveredUnfenced
  /// A recovery is several transactions: first the logs are nobody's, then they are sealed.
  case recoveredInPieces
  /// The connections of a node are not ended before it is fenced.
  case connectionsLeft
  /// A start takes the lowest slot that no living node has, recovered or not.
  case slotTakenEarly
  /// A start fences all nodes that are there.
  case startFencesAll
  // Judging
  /// The statement that fences does not ask for the beats once more.
  case noSecondLook
  case ownBeatNotAsked
  case changeNotSeen
  case silenceNotWatched
  case ageNotAsked
  case reachableJudged
  // Old primaries
  /// Of several servers that take writes the first is taken, whatever its timeline.
  case firstServerTaken
  /// A node stays with an old primary that it has reached: its connections are used on when a higher timeline was seen, the
  /// first statement of a writing one is waited for without a bound, and beats stay where no standby follows.
  case oldPrimaryKept
  /// Only the second of these.
  case linkWaitsForEver
  // Others
  /// Who reads does not wait until all before it is replicated.
  case readerDoesNotWait
  /// A standby is promoted without asking which one has more.
  case promotedUnasked
  /// A new owner does not know which commands its log has.
  case countersForgotten
}

extension PlantedFault {
  /// The rule by which it is found, where others do not hold either because of what befalls the database.
  var sign: String? {
    switch self {
    case .lastNotAsked: "over"
    case .lossUnconfirmed: "steady"
    default: nil
    }
  }

  /// How often what befalls a cluster by which the fault is found, where that is rare among all; nil: as usual.
  var weights: [(ClusterPlan.Deed, Int)]? {
    switch self {
    case .releasedTwice: [(.contend, 1), (.cutOff, 1)]
    default: nil
    }
  }
}
