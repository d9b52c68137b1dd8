import EventLogModel

// Calls (PARITY rows SIG-I, SIGI). An invitation is one aggregate in its caller's log; the callee's log holds what the callee hears.

/// Where an invitation stands.
public enum InviteStep: String, Sendable, Hashable, CaseIterable {
  case created
  /// The callee is not there; it may come.
  case waiting
  /// On its way to the callee's device.
  case sent
  /// The callee's device has it.
  case ringing
  case accepted
  case refused
  case failed
  case ended

  public var isOver: Bool {
    switch self {
    case .created, .waiting, .sent, .ringing, .accepted: false
    case .refused, .failed, .ended: true
    }
  }
}

/// An invitation as its caller made it.
public struct Invitation: Sendable, Hashable {
  /// Of this caller: 1, 2, 3…, never used again.
  public var serial: UInt64
  public var service: Service
  public var channel: String
  /// The account invited.
  public var callee: String
  /// JSON, as it came; empty if there is none.
  public var extra: String
  /// `_require_peer_online` (SIG-I4).
  public var needsPeer: Bool
  /// `_timeout` (SIG-I6): when it fails by itself; nil: only by the waits that all have.
  public var until: Timestamp?
  public var began: Timestamp
  public var step: InviteStep
  /// Since when it stands there.
  public var since: Timestamp

  public init(
    serial: UInt64, service: Service, channel: String, callee: String, extra: String, needsPeer: Bool,
    until: Timestamp?, began: Timestamp, step: InviteStep = .created, since: Timestamp
  ) {
    self.serial = serial
    self.service = service
    self.channel = channel
    self.callee = callee
    self.extra = extra
    self.needsPeer = needsPeer
    self.until = until
    self.began = began
    self.step = step
    self.since = since
  }
}

/// One step of an invitation, in its caller's log.
public struct InviteMoved: Sendable, Hashable {
  public var serial: UInt64
  public var move: Move

  public enum Move: Sendable, Hashable {
    case created(
      service: Service, channel: String, callee: String, extra: String, needsPeer: Bool, until: Timestamp?)
    case waiting
    case sent
    case ringing
    case accepted(extra: String)
    case refused(extra: String)
    /// With Signaling's code, 700 to 704.
    case failed(code: Int)
    case ended(byCaller: Bool, extra: String)
    /// Tones to the other side (SIG-I12); the invitation stays where it is.
    case tones(byCaller: Bool, digits: String)
  }

  public init(serial: UInt64, move: Move) {
    self.serial = serial
    self.move = move
  }
}

/// What the callee hears of an invitation, in its own log. `caller` and `serial` name it.
public struct InviteHeard: Sendable, Hashable, Codable {
  public var caller: String
  public var serial: UInt64
  public var service: Service
  public var channel: String
  public var news: News

  public enum News: Sendable, Hashable, Codable {
    case offered(extra: String)
    /// It failed, or was taken back before an answer.
    case withdrawn
    /// One's own answer counts.
    case accepted
    case refused
    case ended(byCaller: Bool, extra: String)
    case tones(digits: String)
  }

  public init(caller: String, serial: UInt64, service: Service, channel: String, news: News) {
    self.caller = caller
    self.serial = serial
    self.service = service
    self.channel = channel
    self.news = news
  }
}
