/// What a party must hear, and when.
public struct Expectation: Sendable, Hashable {
  /// How often something must be heard.
  public enum Need: Sendable, Hashable {
    /// Once, in the order of the list.
    case once
    /// As often as it likes, or never.
    case allowed
    /// This often or more.
    case atLeast(Int)
  }

  public var heard: Heard
  public var seconds: ClosedRange<Double>
  public var need: Need

  /// The tolerance of one tick in seconds: a server's tick is a quarter of a second, and a message takes up
  /// to 25 ms each way.
  public static let tick = 0.3

  /// Expects it once, at a second, with a tolerance in seconds.
  public static func at(_ second: Double, within tolerance: Double = tick, _ heard: Heard) -> Expectation {
    Expectation(heard: heard, seconds: second - tolerance...second + tolerance, need: .once)
  }

  /// Expects it once, within a range of seconds.
  public static func between(_ seconds: ClosedRange<Double>, _ heard: Heard) -> Expectation {
    Expectation(heard: heard, seconds: seconds, need: .once)
  }

  /// Allows it any number of times within a range of seconds.
  public static func allowed(_ heard: Heard, _ seconds: ClosedRange<Double>) -> Expectation {
    Expectation(heard: heard, seconds: seconds, need: .allowed)
  }

  /// Expects it a least number of times within a range of seconds.
  public static func often(
    _ heard: Heard, atLeast count: Int, _ seconds: ClosedRange<Double>
  ) -> Expectation {
    Expectation(heard: heard, seconds: seconds, need: .atLeast(count))
  }
}

/// Which servers have what, in the timelines of RTC, RTM and Signaling.
public enum ServerPlaces: String, Sendable, Hashable, CaseIterable {
  /// One server has everything.
  case together
  /// Of two nodes one has the accounts, and the other one the channel.
  case channelApart
  /// Of two nodes one has the local party's account, and the other one the remote party's and the channel.
  case remoteApart
}

/// Who is there at the beginning: in one room, with RTC in one channel, with RTM and Signaling signed in and
/// in the channel `GoldenTimeline.channel`.
public struct Given: Sendable, Hashable {
  /// The parties in the order in which they join. Parties that are not named join by a step.
  public var parties: [Party]
  /// White's `timeout`, in seconds.
  public var timeout = 45.0
  /// The opposite of White's `onlyCallbackRemoteStateModify`.
  public var echoesOwn = false
  public var places = ServerPlaces.together

  public init(_ parties: [Party] = [.local, .remote], timeout: Double = 45, echoesOwn: Bool = false) {
    self.parties = parties
    self.timeout = timeout
    self.echoesOwn = echoesOwn
  }
}

/// A timeline (PARITY rows TL) or a contract (PARITY rows CB) as values: who is there, what happens at which second,
/// and what each party hears of it. What is heard and not expected is as wrong as what is expected and not heard.
public struct GoldenTimeline: Sendable, Hashable, Identifiable {
  /// The channel in which RTM's and Signaling's parties are.
  public static let channel = "class"

  /// How long a message takes, in milliseconds: short, so that a party that returns at 129.9 is heard before
  /// 130.
  public static let latency = 2...8

  /// The id, as in docs/parity/rows.tsv.
  public var id: String
  public var title: String
  public var face: Face
  public var given: Given
  /// In the order of their seconds.
  public var steps: [Step]
  /// What is heard before this second is not judged.
  public var from: Double
  /// The second at which it ends.
  public var until: Double
  /// Expectations by party. A party that is not in it may hear anything.
  public var expected: [Party: [Expectation]]

  public init(
    _ id: String, _ title: String, _ face: Face, given: Given = Given(), steps: [Step], from: Double = 100,
    until: Double, expected: [Party: [Expectation]]
  ) {
    self.id = id
    self.title = title
    self.face = face
    self.given = given
    self.steps = steps
    self.from = from
    self.until = until
    self.expected = expected
  }
}

extension GoldenTimeline: CustomStringConvertible {
  public var description: String { "\(id): \(title)" }
}
