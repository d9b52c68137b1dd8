import BoardroomModel
import EventLogModel

/// One invitation (PARITY rows SIG-I, SIGI): what comes of what happens to it. Pure; the caller's log holds the moves, the callee's
/// the news. Its own clocks come before whatever comes at the same instant.
public struct InvitationMachine: Sendable, Hashable {
  public private(set) var invitation: Invitation

  /// How long a callee that is not there is waited for, and its device for an answer. 20 s (SIG-I5).
  public static let wait = Duration.seconds(20)
  /// How long a device rings at most, so that no call stays open that nobody ends. DECIDE: 10 minutes; the source systems
  /// name no end, and nobody waits longer for a call to be taken.
  public static let ringing = Duration.seconds(600)
  /// The longest `_timeout` (SIG-I6).
  public static let longest = Duration.seconds(30)

  public enum Code {
    public static let network = 702
    public static let peerOffline = 703
    public static let timeout = 704
  }

  public enum Input: Sendable, Hashable, Codable {
    /// The callee's log holds the offer: it was there when the offer was made, or came within the wait.
    case calleeThere
    case calleeNotThere
    /// The callee's device has it.
    case rang
    case accepted(extra: String)
    case refused(extra: String)
    case ended(byCaller: Bool, extra: String)
    case tones(byCaller: Bool, digits: String)
    /// The login that made it, or got it, is over.
    case callerGone
    case calleeGone
    case tick
  }

  public struct Outcome: Sendable, Hashable {
    public var moves: [InviteMoved.Move]
    /// For the callee, in its own log.
    public var news: InviteHeard.News?
    /// And right after it.
    public var then: InviteHeard.News?
    /// What came does not fit; the moves, if any, are those of the clocks.
    public var refusal: Refusal?

    public init(
      _ moves: [InviteMoved.Move] = [], news: InviteHeard.News? = nil, then: InviteHeard.News? = nil,
      refusal: Refusal? = nil
    ) {
      self.moves = moves
      self.news = news
      self.then = then
      self.refusal = refusal
    }
  }

  public init(_ invitation: Invitation) { self.invitation = invitation }

  /// `_timeout`, made to fit; nil: only the waits that all invitations have. Negative: `badParameter`.
  public static func limit(_ timeout: Duration?) throws(Refusal) -> Duration? {
    guard let timeout, timeout != .zero else { return nil }
    guard timeout > .zero else {
      throw Refusal(
        .badParameter, cause: "An invitation's timeout is below zero.", cure: "Send 0 to 30 s.")
    }
    return min(timeout, longest)
  }

  /// When `tick` has something to do.
  public var deadline: Timestamp? {
    let wait: Timestamp?
    switch invitation.step {
    case .created, .waiting: wait = invitation.began + Self.wait
    case .sent: wait = invitation.since + Self.wait
    case .ringing: wait = invitation.since + Self.ringing
    case .accepted, .refused, .failed, .ended: return nil
    }
    return [wait, invitation.until].compactMap(\.self).min()
  }

  public mutating func take(_ input: Input, at now: Timestamp) -> Outcome {
    let outcome = overdue(input, at: now) ?? reaction(to: input)
    for step in outcome.moves.compactMap(\.step) {
      invitation.step = step
      invitation.since = now
    }
    return outcome
  }

  // MARK: Clocks

  private func overdue(_ input: Input, at now: Timestamp) -> Outcome? {
    guard let deadline, deadline <= now else { return nil }
    let isLimit = invitation.step == .ringing || invitation.until.map { $0 <= now } ?? false
    let wasOffered = hasCallee || input == .calleeThere
    return Outcome(
      [.failed(code: isLimit ? Code.timeout : Code.peerOffline)], news: wasOffered ? .withdrawn : nil,
      refusal: input == .tick || input == .calleeThere ? nil : Refusal(.noSuchInvite))
  }

  /// Whether the callee has heard of it.
  private var hasCallee: Bool {
    switch invitation.step {
    case .sent, .ringing, .accepted: true
    case .created, .waiting, .refused, .failed, .ended: false
    }
  }

  // MARK: The table

  private func reaction(to input: Input) -> Outcome {
    switch invitation.step {
    case .created, .waiting: beforeTheOffer(input)
    case .sent, .ringing: afterTheOffer(input)
    case .accepted: afterTheAnswer(input)
    case .refused, .failed, .ended: Outcome(refusal: Refusal(.noSuchInvite))
    }
  }

  private func beforeTheOffer(_ input: Input) -> Outcome {
    switch input {
    case .calleeThere: Outcome([.sent])
    case .calleeNotThere where invitation.needsPeer: Outcome([.failed(code: Code.peerOffline)])
    case .calleeNotThere: Outcome(invitation.step == .created ? [.waiting] : [])
    case .ended(byCaller: true, let extra): Outcome([.ended(byCaller: true, extra: extra)])
    case .callerGone: Outcome([.failed(code: Code.network)])
    case .calleeGone, .tick: Outcome()
    case .rang, .accepted, .refused, .ended, .tones: tooEarly
    }
  }

  private func afterTheOffer(_ input: Input) -> Outcome {
    switch input {
    case .rang: Outcome(invitation.step == .sent ? [.ringing] : [])
    case .accepted(let extra): accept(extra)
    case .refused(let extra): Outcome([.refused(extra: extra)], news: .refused)
    case .ended(byCaller: false, _) where invitation.step == .sent: tooEarly
    case .ended(let byCaller, let extra): end(byCaller: byCaller, extra)
    case .callerGone: Outcome([.failed(code: Code.network)], news: .withdrawn)
    case .calleeGone: Outcome([.failed(code: Code.peerOffline)], news: .withdrawn)
    case .calleeThere, .calleeNotThere, .tick: Outcome()
    case .tones: tooEarly
    }
  }

  /// RTM's invitations end with their answer (PARITY rows SIG-I, SIGI), those of Signaling when somebody ends the call.
  private func accept(_ extra: String) -> Outcome {
    switch invitation.service {
    case .signaling, .rtc, .white: Outcome([.accepted(extra: extra)], news: .accepted)
    case .rtm:
      Outcome(
        [.accepted(extra: extra), .ended(byCaller: false, extra: "")], news: .accepted,
        then: .ended(byCaller: false, extra: ""))
    }
  }

  private func afterTheAnswer(_ input: Input) -> Outcome {
    switch input {
    case .ended(let byCaller, let extra): end(byCaller: byCaller, extra)
    case .callerGone: end(byCaller: true, "")
    case .calleeGone: end(byCaller: false, "")
    case .tones(let byCaller, let digits):
      Outcome(
        [.tones(byCaller: byCaller, digits: digits)], news: byCaller ? .tones(digits: digits) : nil)
    case .calleeThere, .calleeNotThere, .tick: Outcome()
    case .rang, .accepted, .refused:
      Outcome(
        refusal: Refusal(
          .noSuchInvite, cause: "The invitation has been answered.", cure: "End it to have done with it."))
    }
  }

  private func end(byCaller: Bool, _ extra: String) -> Outcome {
    Outcome(
      [.ended(byCaller: byCaller, extra: extra)], news: .ended(byCaller: byCaller, extra: extra))
  }

  private var tooEarly: Outcome {
    Outcome(
      refusal: Refusal(
        .noSuchInvite, cause: "The invitation does not stand where this could be done.",
        cure: "Wait for its next step."))
  }
}
