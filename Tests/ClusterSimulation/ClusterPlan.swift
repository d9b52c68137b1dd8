/// Everything that happens in one life of a cluster, fixed by its seed before it begins. A step's details are settled
/// only when it is carried out, by its own dice; so any step can be left out, and the rest still makes sense.
public struct ClusterPlan: Sendable {
  public enum Deed: String, Sendable, Hashable, CaseIterable {
    // Nodes
    case kill, stop, strike, mute, doubt, drain, sleepAll, jumpClock
    // Logs
    case move, contend
    // Networks
    case cut, cutOff, loseEmptying
    // The database, and who runs it
    case trap, outage, failOver, standby, terminate, jumpDatabaseClock
    // Readers
    case look
    case wait
  }

  public struct Step: Sendable, Hashable {
    public var deed: Deed
    public var dice: UInt64
  }

  public let seed: UInt64
  public var steps: [Step]
  /// A rule that is left out: what comes of that must be found.
  public var planted: PlantedFault?
  /// Only faults of this rule count; nil: all.
  public let sign: String?

  public init(seed: UInt64) { self.init(seed: seed, planted: nil) }

  public init(seed: UInt64, planted: PlantedFault?, sign: String? = nil) {
    (self.seed, self.planted, self.sign) = (seed, planted, sign ?? planted?.sign)
    let dice = Dice(seed: seed &* 0x2545_F491_4F6C_DD1D &+ 3)
    let weights = planted?.weights ?? Self.weights
    let all = weights.flatMap { Array(repeating: $0.0, count: $0.1) }
    steps = (0..<dice.number(6...18)).map { _ in
      Step(deed: all[dice.number(0...all.count - 1)], dice: UInt64(dice.number(0...Int.max)))
    }
  }

  private static let weights: [(Deed, Int)] = [
    (.kill, 5), (.stop, 6), (.strike, 8), (.mute, 5), (.doubt, 3), (.drain, 3), (.sleepAll, 2),
    (.jumpClock, 2),
    (.move, 5), (.contend, 5), (.cut, 8), (.cutOff, 4), (.loseEmptying, 2),
    (.trap, 8), (.outage, 2), (.failOver, 3), (.standby, 4), (.terminate, 5), (.jumpDatabaseClock, 2),
    (.look, 3), (.wait, 4),
  ]
}
