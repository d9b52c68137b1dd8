/// What one look at the nodes that are not recovered has shown.
package struct NodeSight: Sendable {
  /// A node as the database knows it.
  package struct SeenNode: Sendable {
    package var incarnation: Int64
    /// In milliseconds of the database's clock; zero for a node that does not beat.
    package var beat: Int64
    package var isFenced: Bool

    package init(incarnation: Int64, beat: Int64, isFenced: Bool) {
      (self.incarnation, self.beat, self.isFenced) = (incarnation, beat, isFenced)
    }
  }

  /// Those that nobody has fenced, in the order in which they were given.
  package private(set) var open: [Int64] = []
  /// Those that somebody has fenced and nobody recovered: they are due whether they beat or not.
  package private(set) var fenced: [Int64] = []
  /// What the judge is given. Nil if this node is not among the open ones: others have fenced it.
  package private(set) var look: NodeJudge.Look?

  /// - Parameter now: the database's clock, in milliseconds.
  package init(_ nodes: [SeenNode], now: Int64, own: Int64) {
    var found = NodeJudge.Look(now: now, ownBeat: 0, beats: [:])
    var isThere = false
    for node in nodes {
      guard !node.isFenced else {
        fenced.append(node.incarnation)
        continue
      }
      open.append(node.incarnation)
      if node.incarnation == own {
        (isThere, found.ownBeat) = (true, node.beat)
      } else if node.beat > 0 {
        found.beats[node.incarnation] = node.beat
      }
    }
    look = isThere ? found : nil
  }
}

/// Why a log cannot be a node's.
package enum OwnershipObstacle: Sendable, Hashable {
  case deleted
  /// A living node owns it.
  case elsewhere
  /// Its owner is dead, and not recovered yet.
  case changingOwner

  /// The owner of a log, as a look has shown it.
  package struct Owner: Sendable {
    package var isFenced: Bool
    /// Milliseconds since its last beat.
    package var silence: Int64

    package init(isFenced: Bool, silence: Int64) { (self.isFenced, self.silence) = (isFenced, silence) }
  }

  /// Nil if the log is nobody's, or the node's own.
  ///
  /// - Parameters:
  ///   - owner: another node that owns the log; nil where there is none.
  ///   - limit: the silence of a dead node.
  package init?(isLive: Bool, owner: Owner?, limit: Int64) {
    guard isLive else {
      self = .deleted
      return
    }
    guard let owner else { return nil }
    self = !owner.isFenced && owner.silence < limit ? .elsewhere : .changingOwner
  }
}
