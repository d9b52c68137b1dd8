import BoardroomClient
import BoardroomCore
import BoardroomModel
import EventLogModel

/// Whose callbacks an `RtcRecall` tells.
public enum RtcReplayViewer: Sendable, Hashable {
  /// Of one stay, by the member's number in the channel's log.
  case member(UInt64)
  /// Of all stays of one user: one client after the other.
  case user(UInt)

  var viewer: WhiteReplayViewer {
    switch self {
    case .member(let number): .member(number)
    case .user(let uid): .user("\(uid)")
    }
  }
}

/// What the clients of an RTC channel were told, read from the channel's log: the same callbacks, made by the same face (RP-72).
///
/// An outage has the times that the client told the log of when it was back. Of one that never came back they are reckoned from
/// what the server saw, and are up to a heartbeat off. Not in the log, and so not here: joins that failed, how long a join took
/// (`elapsed` of `joinedChannel`, and of the users that follow, counts from the join's event), `tokenWillExpire`, and what a
/// client gave up or left while the server did not hear it. The table in <doc:Services> has all of it.
public struct RtcRecall: Sendable {
  /// What was read.
  public struct Outcome: Sendable, Hashable {
    /// How often the viewer has joined, as far as the log goes back; 0: it was told nothing.
    public var stays: Int
    /// Events that cannot be read (RP-65). What they would have told is left out.
    public var gaps: [Gap]
  }

  private let viewer: RtcReplayViewer
  private let channel: String
  private let source: any ReplaySource
  private let options: RtcOptions
  private let until: Timestamp?

  /// Reads of `viewer` in the log of `channel`.
  ///
  /// - Parameters:
  ///   - viewer: whose callbacks.
  ///   - channel: the channel's name, which the callbacks say.
  ///   - source: gives the channel's log.
  ///   - options: what the client was made with; the log does not say.
  ///   - until: where the log goes on, the present: no client is said to have given up after it. Nil: the log is all there is.
  public init(
    _ viewer: RtcReplayViewer, of channel: String, in source: any ReplaySource,
    options: RtcOptions = RtcOptions(), until: Timestamp? = nil
  ) {
    (self.viewer, self.channel, self.source) = (viewer, channel, source)
    (self.options, self.until) = (options, until)
  }

  /// Reads the log twice, page by page: for what became of the member's connections, and for what it was told.
  ///
  /// - Parameters:
  ///   - hear: gets each callback as a value, in order, with its time by the server's clock, which never goes back. It is called
  ///     where `tell` was called.
  /// - Throws: `ReplaySourceError` if the log cannot be read, `CancellationError`.
  @discardableResult
  nonisolated(nonsending) public func tell(
    _ hear: (RtcEvent, Timestamp) -> Void
  ) async throws -> Outcome {
    var reading = try await MemberReading.space(viewer.viewer, options.policy, in: source, until: until)
    let reader = RtcRecallReader(channel, options)
    while let next = try await reading.nextTime() {
      reader.context.advance(to: next)
      reading.step { reader.take($0, having: $1) }
      reader.context.settle()
      for (event, time) in reader.takeTold() { hear(event, time) }
    }
    reader.context.finish()
    for (event, time) in reader.takeTold() { hear(event, time) }
    return Outcome(stays: reading.stays, gaps: reading.gaps)
  }
}

/// Makes the callbacks of one client after the other from what their links told.
private final class RtcRecallReader {
  let context = RecallContext()
  private let channel: String
  private let options: RtcOptions
  private var core: RtcCore?
  private var link: RecalledLink?
  private var told: [(RtcEvent, Timestamp)] = []

  init(_ channel: String, _ options: RtcOptions) { (self.channel, self.options) = (channel, options) }

  func takeTold() -> [(RtcEvent, Timestamp)] {
    defer { told = [] }
    return told
  }

  func take(_ updates: [LinkUpdate], having state: RoomState) {
    for update in updates {
      if case .phase(.connecting) = update { begin(updates, state) }
      link?.handleLinkUpdate(update, having: state)
    }
  }

  /// A client that was not there before has joined.
  private func begin(_ updates: [LinkUpdate], _ state: RoomState) {
    let members = updates.compactMap { if case .admitted(let member, _) = $0 { member } else { nil } }
    // Users are numbers; a client of another kind may have called itself otherwise.
    let uid = members.first.flatMap { state.members[$0]?.uid }.flatMap { UInt($0) } ?? 0
    let core = RtcCore(.recalled(on: context), options) { [weak self] event in self?.append(event) }
    core.makeLink = { [weak self] _, _, policy, onNews in
      let link = RecalledLink(policy, onNews: onNews)
      self?.link = link
      return link
    }
    self.core = core
    core.enter(channel, as: uid, "")
  }

  private func append(_ event: RtcEvent) { told.append((event, context.now)) }
}
