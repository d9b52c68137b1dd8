import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel
import StorageTestKit

/// Everything that happens in one simulated life of a room, fixed by its seed before it begins. A step's details are
/// settled only when it is carried out, by its own dice and by what its member then knows; so any step can be left
/// out, and the rest still makes sense. That is what shrinking needs.
public struct SimulationPlan: Sendable {
  public enum Deed: String, Sendable, Hashable, CaseIterable {
    // Members
    case say, sayAgain, sayNonsense, come, leave, takeOver, ghost
    // Networks
    case cut, deafen, mute, sip, clear
    // The server, and who runs it
    case wait, hold, commit, kill, drain, kick, ban, unban, banUser, unbanUser, limit, command, empty
  }

  public struct Step: Sendable, Hashable {
    public var deed: Deed
    /// Whose turn it is, where it is somebody's.
    public var who: Int
    public var dice: UInt64
  }

  /// One person of the cast.
  public struct Part: Sendable, Hashable {
    public var uid: String?
    public var role: Role
    public var subprotocol: Subprotocol
    public var acceptsBlocks: Bool
    public var loop: Int
    /// Bytes that may wait for it before it is left behind.
    public var outbox: Int
  }

  public let seed: UInt64
  public let cast: [Part]
  public let policy: ServerPolicy
  public let limit: Int
  /// Only the first person touches elements, so that everything it did can be taken back.
  public let isQuiet: Bool
  public var steps: [Step]

  public init(seed: UInt64) {
    var luck = SeededGenerator(seed: seed &* 0x2545_F491_4F6C_DD1D &+ 1)
    self.seed = seed
    let count = Int.random(in: 3...6, using: &luck)
    isQuiet = luck.isLucky(1, in: 6)
    limit = luck.isLucky(1, in: 4) ? Int.random(in: 2...4, using: &luck) : 0
    cast = (0..<count).map { Self.part($0, isQuiet: false, &luck) }
    policy = Self.policy(presenceWait: Self.presenceWaits[Int(seed % 3)], &luck)
    let length = Int.random(in: 20...80, using: &luck)
    steps = (0..<length).map { _ in
      Step(
        deed: luck.pick(Self.weights), who: Int.random(in: 0..<count, using: &luck),
        dice: luck.next())
    }
  }

  private static func part(_ number: Int, isQuiet: Bool, _ luck: inout SeededGenerator) -> Part {
    let role: Role = number == 0 ? .writer : luck.pick([(.writer, 6), (.reader, 2), (.admin, 2)])
    // Now and then two are the same user, and somebody is nobody's.
    let uid: String? = luck.pick([("user \(number)", 8), ("user \(max(1, number - 1))", 1), (nil, 1)])
    return Part(
      uid: uid, role: role, subprotocol: luck.isLucky(1, in: 8) ? .json : .binary,
      acceptsBlocks: luck.isLucky(1, in: 2), loop: Int.random(in: 0...1, using: &luck),
      outbox: luck.pick([(64 << 10, 4), (2_000, 1), (600, 1)]))
  }

  /// Nothing waits, a server's usual value, or more. By the seed and not by luck: what else happens to a seed stays as it was.
  private static let presenceWaits: [Duration] = [.milliseconds(100), .zero, .milliseconds(250)]

  private static func policy(presenceWait: Duration, _ luck: inout SeededGenerator) -> ServerPolicy {
    var room = RoomPolicy(
      pointers: luck.pick([(.all, 2), (.every(.milliseconds(50)), 2), (.off, 1)]),
      cameras: luck.pick([(.all, 2), (.every(.milliseconds(50)), 2), (.off, 1)]),
      rate: luck.isLucky(1, in: 6) ? RoomPolicy.Rate(sustained: 5, burst: 8) : nil)
    room.limits.scenes = 12
    var policy = ServerPolicy(
      timings: Timings(heartbeat: .seconds(2), suspectAfter: .seconds(3), offlineAfter: .seconds(6)),
      room: room, outbox: 4_000, piece: luck.pick([(64 << 10, 1), (1_500, 1), (400, 1)]),
      tail: luck.pick([(64 << 10, 1), (1_000, 1)]),
      snapshotEvents: luck.pick([(1_000, 1), (40, 1), (10, 1)]), idleClose: .seconds(5),
      membersPerMillisecond: luck.pick([(200, 3), (1, 1)]))
    policy.presenceWait = presenceWait
    return policy
  }

  private static let weights: [(Deed, Int)] = [
    (.say, 110), (.sayAgain, 3), (.sayNonsense, 2), (.come, 12), (.leave, 3), (.takeOver, 3), (.ghost, 2),
    (.cut, 5), (.deafen, 4), (.mute, 3), (.sip, 3), (.clear, 6),
    (.wait, 14), (.hold, 4), (.commit, 5), (.kill, 3), (.drain, 2), (.kick, 3), (.ban, 1), (.unban, 2),
    (.banUser, 2), (.unbanUser, 1), (.limit, 2), (.command, 4), (.empty, 1),
  ]
}

extension SeededGenerator {
  /// Whether one of `count` equally likely things happens.
  mutating func isLucky(_ part: Int, in count: Int) -> Bool {
    Int.random(in: 0..<count, using: &self) < part
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// One of several, each as likely as its weight.
  mutating func pick<Choice>(_ choices: [(Choice, Int)]) -> Choice {
    var left = Int.random(in: 0..<choices.reduce(0) { $0 + $1.1 }, using: &self)
    for (choice, weight) in choices {
      left -= weight
      if left < 0 { return choice }
    }
    preconditionFailure("weights add up to more than there is")
  }
}
