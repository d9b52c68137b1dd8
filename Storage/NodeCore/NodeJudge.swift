/// Decides which nodes are dead, from their beats as they are seen in the database. A value without a clock:
/// it is given the database's time, which is that of all beats, and a clock of its own node that only rises.
///
/// A node that does not see well must not judge: one that stood still itself, or has just connected, sees old
/// beats of nodes that are alive.
package struct NodeJudge {
  /// What one look has found. Times in milliseconds of the database's clock.
  package struct Look {
    package var now: Int64
    /// The judge's own last beat, before that of this look.
    package var ownBeat: Int64
    /// The beats of all other nodes that are not recovered, by incarnation.
    package var beats: [Int64: Int64]

    package init(now: Int64, ownBeat: Int64, beats: [Int64: Int64]) {
      (self.now, self.ownBeat, self.beats) = (now, ownBeat, beats)
    }
  }

  /// What must hold for a node to be dead. Tests leave out one, to see what it prevents.
  package enum Rule: CaseIterable, Sendable {
    /// The judge's own beat and its last look are fresh: it has not stood still.
    case ownBeatIsFresh
    /// The node's beat has changed since the judge's last connection, or the grace is over.
    case hasChangedSinceConnection
    /// The judge has watched the whole silence, by its own clock: the database's clock may jump.
    case isWatched
    /// The beat is old by the database's clock: the judge's own may have jumped, as after a sleep.
    case isOld
    /// It is not reachable directly.
    case isUnreachable
  }

  private struct Watched {
    var beat: Int64
    /// When the beat changed last or was first seen, on the judge's clock.
    var since: Int64
    var hasChanged: Bool
  }

  private let silence: Int64
  private let grace: Int64
  private let rules: Set<Rule>
  private var watched: [Int64: Watched] = [:]
  /// When the present connection gave its first look; nil before that.
  private var connected: Int64?
  /// When the last look was made, by the database's clock.
  private var lastLook: Int64?

  /// Milliseconds.
  package init(silence: Int64, grace: Int64, rules: Set<Rule> = Set(Rule.allCases)) {
    (self.silence, self.grace, self.rules) = (silence, grace, rules)
  }

  /// The connection to the database was lost: what was seen until now says nothing of what follows.
  package mutating func lostConnection() { connected = nil }

  /// The incarnations that are dead, in rising order.
  ///
  /// - Parameters:
  ///   - time: of the judge's own clock, in milliseconds.
  ///   - reachable: nodes that answer without the database.
  package mutating func dead(_ look: Look, at time: Int64, reachable: Set<Int64> = []) -> [Int64] {
    let isFirst = connected == nil
    // Its own beat alone does not say it: one of an earlier connection may have arrived late, while the judge stood still.
    let isFresh = look.now - look.ownBeat < silence && look.now - (lastLook ?? look.now) < silence
    lastLook = look.now
    let connectedAt = connected ?? time
    connected = connectedAt
    watched = watched.filter { look.beats[$0.key] != nil }
    for (node, beat) in look.beats {
      var known = watched[node] ?? Watched(beat: beat, since: time, hasChanged: !isFirst)
      let stoodStill = !isFresh && rules.contains(.ownBeatIsFresh)
      if isFirst || stoodStill { (known.since, known.hasChanged) = (time, known.hasChanged && !isFirst) }
      if beat != known.beat { known = Watched(beat: beat, since: time, hasChanged: !isFirst) }
      watched[node] = known
    }
    guard isFresh || !rules.contains(.ownBeatIsFresh) else { return [] }
    return watched.filter { node, known in
      let verdicts: [Rule: Bool] = [
        .hasChangedSinceConnection: known.hasChanged || time - connectedAt >= grace,
        .isWatched: time - known.since >= silence,
        .isOld: look.now - known.beat >= silence,
        .isUnreachable: !reachable.contains(node),
      ]
      return verdicts.allSatisfy { $0.value || !rules.contains($0.key) }
    }.keys.sorted()
  }
}
