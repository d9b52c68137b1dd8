import BoardroomClient
import BoardroomCore
import BoardroomModel
import EventLogModel

/// What an account's RTM clients were told, read from the logs of the account and of the channels that it was in: the same
/// callbacks, made by the same face, one client after the other (RP-72).
///
/// An outage has the times that the client told the log of when it was back. Of one that never came back they are reckoned from
/// what the server saw, and are up to a heartbeat off. Not in any log, and so not here: answers and completions, logins and joins
/// that failed, `tokenDidExpire`, `tokenWillExpire`, `channelMessageDelivered`, and what a client was told after the server had
/// heard of it for the last time. The table in <doc:Services> has all of it.
public struct RtmRecall: Sendable {
  /// What was read.
  public struct Outcome: Sendable, Hashable {
    /// How often the account has signed in, as far as its log goes back; 0: it was told nothing.
    public var logins: Int
    /// Channels that it was in and that have no log. What they would have told is left out.
    public var missing: [String]
    /// Events that cannot be read (RP-65). What they would have told is left out.
    public var gaps: [Gap]
  }

  private let account: String
  private let source: @Sendable (SpaceName) -> any ReplaySource

  /// Reads of `account`.
  ///
  /// - Parameters:
  ///   - account: whose callbacks.
  ///   - source: gives the log of the account, and of each of its channels.
  public init(_ account: String, in source: @escaping @Sendable (SpaceName) -> any ReplaySource) {
    (self.account, self.source) = (account, source)
  }

  /// Reads each log twice, page by page: for what became of the account's connections, and for what it was told. Of one instant
  /// the account's log comes first, then the channels' by name.
  ///
  /// - Parameters:
  ///   - hear: gets each callback as a value, in order, with its time by the server's clock, which never goes back. It is called
  ///     where `tell` was called.
  /// - Throws: `ReplaySourceError` if the account has no log or one cannot be read, `CancellationError`.
  @discardableResult
  nonisolated(nonsending) public func tell(
    _ hear: (RtmEvent, Timestamp) -> Void
  ) async throws -> Outcome {
    let home = try await RecalledSpace(Service.rtm.rawValue, in: source(.account(account)))
    var outcome = Outcome(logins: home.reading.stays, missing: [], gaps: [])
    var spaces = [home]
    for name in home.reading.channels.sorted() {
      do {
        spaces.append(try await RecalledSpace(account, in: source(.channel(.rtm, name)), channel: name))
      } catch ReplaySourceError.failed(let error) where error.code == .notFound {
        outcome.missing.append(name)
      }
    }
    let reader = RtmRecallReader(account)
    while let place = RecalledSpace.next(of: spaces), let time = spaces[place].next {
      reader.context.advance(to: time)
      let channel = spaces[place].channel
      spaces[place].reading.step { reader.take($0, having: $1, in: channel) }
      reader.context.settle()
      for (event, time) in reader.takeTold() { hear(event, time) }
      try await spaces[place].look()
    }
    reader.context.finish()
    for (event, time) in reader.takeTold() { hear(event, time) }
    outcome.gaps = spaces.flatMap(\.reading.gaps)
    return outcome
  }
}

/// One of the logs that are read side by side.
private struct RecalledSpace: Sendable {
  /// Nil: the account's.
  let channel: String?
  var reading: MemberReading
  private(set) var next: Timestamp?

  init(_ uid: String, in source: any ReplaySource, channel: String? = nil) async throws {
    self.channel = channel
    reading = try await .space(.user(uid), .rtm, in: source)
    try await look()
  }

  nonisolated(nonsending) mutating func look() async throws { next = try await reading.nextTime() }

  /// The one whose next instant is the earliest.
  static func next(of spaces: [RecalledSpace]) -> Int? {
    var first: (place: Int, time: Timestamp)?
    for (place, space) in spaces.enumerated() {
      guard let time = space.next, first.map({ time < $0.time }) ?? true else { continue }
      first = (place, time)
    }
    return first?.place
  }
}

/// Makes the callbacks of one client after the other from what their links told.
private final class RtmRecallReader {
  let context = RecallContext()
  private let account: String
  private var core: RtmCore?
  private var links: [String?: RecalledLink] = [:]
  private var told: [(RtmEvent, Timestamp)] = []

  init(_ account: String) { self.account = account }

  func takeTold() -> [(RtmEvent, Timestamp)] {
    defer { told = [] }
    return told
  }

  /// `channel` nil: the login's link told it.
  func take(_ updates: [LinkUpdate], having state: RoomState, in channel: String?) {
    for update in updates {
      if case .phase(.connecting) = update { begin(channel) }
      links[channel]?.handleLinkUpdate(update, having: state)
    }
  }

  private func begin(_ channel: String?) {
    if let channel {
      // Without a login there is no client that could be in it.
      core?.session.join(channel)
      return
    }
    links = [:]
    let core = RtmCore(.recalled(on: context)) { [weak self] event in self?.append(event) }
    core.session.makeLink = { [weak self] place, _, policy, onNews in
      let link = RecalledLink(policy, onNews: onNews)
      self?.links[place.channel] = link
      return link
    }
    self.core = core
    core.session.signIn(account, token: "", policy: .rtm)
  }

  private func append(_ event: RtmEvent) { told.append((event, context.now)) }
}
