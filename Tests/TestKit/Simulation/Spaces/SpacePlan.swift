import BoardroomHosting
import BoardroomModel
import StorageTestKit

/// A simulated life of accounts and their channels, fixed by its seed before it begins: see `SimulationPlan`.
public struct SpacePlan: Sendable {
  public enum Deed: String, Sendable, Hashable, CaseIterable {
    // Accounts
    case signIn, takeOver, signOut, ask, invite, answer, acknowledge
    // Channels
    case enter, talk, leave
    // Networks
    case cutLogin, cutChannel, deafen, clear
    // The server, and who runs it
    case wait, hold, commit, kill, drain, kick
  }

  public struct Step: Sendable, Hashable {
    public var deed: Deed
    public var who: Int
    public var dice: UInt64
  }

  public struct Part: Sendable, Hashable {
    public var account: String
    public var service: Service
  }

  public static let channels = ["blue", "green", "red"]

  public let seed: UInt64
  public let cast: [Part]
  public let policy: ServerPolicy
  public var steps: [Step]
  /// What happens to what spaces ask each other.
  public var faults: FaultyCourier.Faults

  /// - Parameter isReliable: nothing is lost between spaces, whatever the seed says.
  public init(seed: UInt64, isReliable: Bool) {
    var luck = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 3)
    self.seed = seed
    let count = luck.number(3...5)
    cast = (0..<count).map { number in
      // Now and then two devices are one account, and somebody is there in another service.
      Part(
        account: ["ana", "bo", "cy", "di", "ed"][luck.isLucky(1, in: 6) ? max(0, number - 1) : number],
        service: luck.pick([(.signaling, 6), (.rtm, 2), (.rtc, 1)]))
    }
    policy = ServerPolicy(
      snapshotEvents: luck.pick([(1_000, 1), (15, 1)]),
      idleClose: luck.pick([(.seconds(5), 1), (.seconds(60), 1)]))
    steps = (0..<luck.number(25...90)).map { _ in
      Step(deed: luck.pick(Self.weights), who: luck.number(0...count - 1), dice: luck.next())
    }
    let drawn = luck.pick([
      (FaultyCourier.Faults.none, 2), (.init(lost: 5, late: 10, twice: 5), 2),
      (.init(lost: 25, late: 0, twice: 0), 1), (.init(lost: 0, late: 30, twice: 0), 1),
      (.init(lost: 0, late: 0, twice: 40), 1), (.init(lost: 20, late: 20, twice: 20), 2),
    ])
    faults = isReliable ? .none : drawn
  }

  private static let weights: [(Deed, Int)] = [
    (.signIn, 14), (.takeOver, 3), (.signOut, 3), (.ask, 20), (.invite, 9), (.answer, 14), (.acknowledge, 4),
    (.enter, 16), (.talk, 12), (.leave, 4), (.cutLogin, 4), (.cutChannel, 4), (.deafen, 2), (.clear, 4),
    (.wait, 16), (.hold, 4), (.commit, 6), (.kill, 3), (.drain, 2), (.kick, 3),
  ]
}
