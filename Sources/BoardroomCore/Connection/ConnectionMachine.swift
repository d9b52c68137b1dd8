import BoardroomModel
import EventLogModel

/// Counts the sockets that one machine has asked for: 1, 2, 3… What comes from an older one is ignored.
public typealias LinkNumber = UInt32

/// Counts the outages of one connection: 1, 2, 3…; zero is the first entry.
public typealias EpisodeNumber = UInt32

/// Decides when a client's connection opens, is suspected, is retried and is given up. Pure: whoever drives
/// it hands in the time and chance, carries out the answers, and calls `tick` at `deadline` at the latest.
public struct ConnectionMachine: Sendable {
  /// One stretch of trying: the first entry, or an outage.
  struct Episode: Sendable, Hashable {
    let number: EpisodeNumber
    let began: Timestamp
    /// The last byte before it began; the beginning for the first entry.
    let lastByte: Timestamp
    var tries = 0
    var lostNoticeGiven = false
    /// Attempts in a row that failed so that the same server will not do (ADDR-5).
    var unfit = 0
    /// Whether a server has named another one in this episode: that is followed once (ADDR-8).
    var wasSentOn = false
    /// Whether the server has sent the client off: the first attempt came before the first wait of the pace (PIPE-13).
    var wasSentOff = false
    var attempt: Attempt
  }

  enum Attempt: Sendable, Hashable {
    case waiting(until: Timestamp)
    case opening(LinkNumber, lastByte: Timestamp)
  }

  enum State: Sendable, Hashable {
    case idle
    case connecting(Episode)
    case connected(LinkNumber, lastByte: Timestamp)
    /// The socket is gone and others are tried, but the silence is too short to tell of (`toldAfterSilence`).
    case mending(Episode)
    case reconnecting(Episode)
    case closing(LinkNumber, until: Timestamp)
    case over(ConnectionPhase)
  }

  /// May be changed while it runs: what it says counts from the next decision on.
  public var policy: ConnectionPolicy
  /// For which of the client's addresses the present or next attempt is.
  public var servers = ServerTurn.single
  var state = State.idle
  var lastLink: LinkNumber = 0
  /// The latest outage; zero if there was none.
  public internal(set) var episode: EpisodeNumber = 0
  /// Whether the server has confirmed the leave of the present or last connection: it has said `notMember` after it.
  public internal(set) var leaveIsConfirmed = false
  /// Until when the server said that it says nothing, because the room is quiet; in the past: it did not.
  var quietUntil = Timestamp.zero

  public init(policy: ConnectionPolicy) { self.policy = policy }

  public var phase: ConnectionPhase {
    switch state {
    case .idle: .idle
    case .connecting: .connecting
    case .connected, .mending: .connected
    case .reconnecting: .reconnecting
    case .closing: .closing
    case .over(let phase): phase
    }
  }

  /// Attempts made in the present episode (Signaling's nretry); zero outside of one.
  public var tries: Int {
    switch state {
    case .connecting(let episode), .mending(let episode), .reconnecting(let episode): episode.tries
    case .idle, .connected, .closing, .over: 0
    }
  }

  /// The socket whose bytes count, if there is one.
  public var link: LinkNumber? {
    switch state {
    case .connecting(let episode), .mending(let episode), .reconnecting(let episode):
      switch episode.attempt {
      case .waiting: nil
      case .opening(let link, _): link
      }
    case .connected(let link, _), .closing(let link, _): link
    case .idle, .over: nil
    }
  }

  /// Whether a server may name the address where the client is to go (ADDR-8).
  public var followsAddress: Bool {
    guard servers.count > 1 else { return false }
    return switch state {
    case .connecting(let episode), .mending(let episode), .reconnecting(let episode): !episode.wasSentOn
    case .idle, .connected, .closing, .over: true
    }
  }

  /// When `tick` has something to do next; nil if never.
  public var deadline: Timestamp? {
    switch state {
    case .idle, .over: nil
    case .connecting(let episode):
      min(attemptDeadline(episode), episode.began + policy.joinLimit)
    case .connected(_, let lastByte): suspectTime(connected: lastByte)
    case .mending(let episode): min(attemptDeadline(episode), suspectTime(episode))
    case .reconnecting(let episode):
      [attemptDeadline(episode), giveUpTime(episode), lostNoticeTime(episode)].compactMap(\.self).min()
    case .closing(_, let until): until
    }
  }
}

// MARK: What comes in

extension ConnectionMachine {
  public enum JoinAnswer: Sendable, Hashable {
    case open(LinkNumber)
    /// A join or a connection is under way already (P-11).
    case alreadyUnderWay
    /// It has failed; leave first (TL-6).
    case leaveFirst
  }

  /// The app wants in.
  public mutating func join(at now: Timestamp) -> JoinAnswer {
    switch state {
    case .connecting, .connected, .mending, .reconnecting, .closing: return .alreadyUnderWay
    case .over(.failed), .over(.aborted): return .leaveFirst
    case .idle, .over: break
    }
    leaveIsConfirmed = false
    var entry = Episode(number: 0, began: now, lastByte: now, attempt: .waiting(until: now))
    let link = open(&entry, at: now)
    state = .connecting(entry)
    return .open(link)
  }

  public enum OpenedAnswer: Sendable, Hashable {
    case greet
    /// Of an older socket: close it.
    case stale
  }

  /// A socket is open: time to say hello.
  public mutating func opened(_ link: LinkNumber, at now: Timestamp) -> OpenedAnswer {
    noteSignOfLife(link, at: now) == .current ? .greet : .stale
  }

  public enum HeardAnswer: Sendable, Hashable { case current, stale }

  /// Bytes came.
  public mutating func noteSignOfLife(_ link: LinkNumber, at now: Timestamp) -> HeardAnswer {
    guard link == self.link else { return .stale }
    switch state {
    case .connecting(var episode):
      episode.attempt = .opening(link, lastByte: now)
      state = .connecting(episode)
    case .mending(var episode):
      episode.attempt = .opening(link, lastByte: now)
      state = .mending(episode)
    case .reconnecting(var episode):
      episode.attempt = .opening(link, lastByte: now)
      state = .reconnecting(episode)
    case .connected: state = .connected(link, lastByte: now)
    case .idle, .closing, .over: break
    }
    return .current
  }

  /// The server says over the present socket that its next message may take this long, because the room is quiet. Comes after
  /// its sign of life.
  public mutating func noteQuiet(for interval: Duration, at now: Timestamp) { quietUntil = now + interval }

  /// The server has said something else, or is told something that it answers: from here on it speaks as often as usual.
  public mutating func endQuiet(at now: Timestamp) { quietUntil = min(quietUntil, now) }

  public enum LiveAnswer: Sendable, Hashable {
    /// In, for the first time (zero) or again after this outage.
    case connected(EpisodeNumber)
    case ignore
  }

  /// The server let us in and everything missed has been applied.
  public mutating func live(_ link: LinkNumber, at now: Timestamp) -> LiveAnswer {
    guard link == self.link else { return .ignore }
    switch state {
    case .connecting(let episode), .mending(let episode), .reconnecting(let episode):
      state = .connected(link, lastByte: now)
      return .connected(episode.number)
    case .idle, .connected, .closing, .over: return .ignore
    }
  }

  /// Whether the socket is gone although the phase is still connected.
  public var isMending: Bool {
    switch state {
    case .mending: true
    case .idle, .connecting, .connected, .reconnecting, .closing, .over: false
    }
  }

  public enum LossAnswer: Sendable, Hashable {
    /// The socket was not ours any more.
    case ignore
    /// A new outage begins.
    case reconnecting(EpisodeNumber)
    /// The socket is gone and nothing is told of it; the next attempt comes at the deadline.
    case retryLater
    case over(ConnectionEnd)
  }

  /// A socket closed, or did not open. Without a goodbye that is silence, not a leave (10.3, rule 2).
  public mutating func lost(_ link: LinkNumber, chance: Double, at now: Timestamp) -> LossAnswer {
    guard link == self.link else { return .ignore }
    switch state {
    case .connected(_, let lastByte):
      guard policy.toldAfterSilence, now < lastByte + policy.suspectAfter else {
        return .reconnecting(beginOutage(lastByte: lastByte, chance: chance, at: now))
      }
      beginMending(lastByte: lastByte, chance: chance, at: now)
      return .retryLater
    case .connecting(var episode):
      episode.unfit = 0
      return retry(episode, chance: chance, at: now)
    case .mending(let episode), .reconnecting(let episode): return retry(episode, chance: chance, at: now)
    case .closing: return .over(finish(.left))
    case .idle, .over: return .ignore
    }
  }

  /// The server's last word. One that does not ask us back is final: there is no retry (complaint 12, TL-26).
  /// `place`: of the address that it names, if the client has that one.
  public mutating func refused(
    _ farewell: Farewell, on link: LinkNumber, naming place: Int? = nil, chance: Double, at now: Timestamp
  ) -> LossAnswer {
    guard link == self.link else { return .ignore }
    switch state {
    case .closing:
      leaveIsConfirmed = farewell.refusal.code == .notMember
      return .over(finish(.left))
    case .connected:
      guard farewell.comeBack || outlives(farewell) else { break }
      let answer = lost(link, chance: chance, at: now)
      // All that were in go there: they wait as ever, so that they do not come all at once.
      if let place { servers.go(to: place) }
      if farewell.sendsOff { comeSoon(chance: chance, at: now) }
      return answer
    case .connecting, .mending, .reconnecting:
      guard farewell.comeBack || outlives(farewell) else { break }
      guard farewell.comeBack, farewell.address != nil, followsAddress else {
        return lost(link, chance: chance, at: now)
      }
      // Who is sent on has failed at nothing: it goes there also where it has no attempt left. Whoever has not that address goes
      // on here, and says that it follows none.
      followAddress(to: place ?? servers.current, at: now)
      return .retryLater
    case .idle, .over: return .ignore
    }
    return .over(finish(.refused(farewell)))
  }

  /// The present attempt failed so that the same server will not do, however often it is asked: it does not prove who it is. A
  /// join is over when that was so of each address, one after the other. Who was inside already meets a stranger on its
  /// way only for a while: another network mends it.
  public mutating func unfit(
    _ refusal: Refusal, on link: LinkNumber, chance: Double, at now: Timestamp
  ) -> LossAnswer {
    guard link == self.link, case .connecting(var episode) = state else {
      return refused(Farewell(refusal, comeBack: true), on: link, chance: chance, at: now)
    }
    episode.unfit += 1
    guard episode.unfit < servers.count else {
      return .over(finish(.refused(Farewell(refusal, comeBack: false))))
    }
    return retry(episode, chance: chance, at: now)
  }

  /// Whether an outage goes on although its token has ended.
  private func outlives(_ farewell: Farewell) -> Bool {
    guard policy.outlivesToken, farewell.refusal.code == .tokenExpired else { return false }
    switch state {
    case .connected, .mending, .reconnecting: return true
    case .idle, .connecting, .closing, .over: return false
    }
  }

  public enum LeaveAnswer: Sendable, Hashable {
    /// Say goodbye on this socket and wait for the farewell.
    case sayGoodbye(LinkNumber)
    /// There was nobody to say it to.
    case over
    /// It was over before, or is under way.
    case ignore
  }

  /// The app wants out. Immediate (10.3, rule 3).
  public mutating func leave(at now: Timestamp) -> LeaveAnswer {
    switch state {
    case .connected(let link, _):
      state = .closing(link, until: now + policy.leaveLimit)
      return .sayGoodbye(link)
    case .connecting, .mending, .reconnecting, .idle, .over(.failed), .over(.aborted):
      _ = finish(.left)
      return .over
    case .closing, .over: return .ignore
    }
  }

  public enum BackAnswer: Sendable, Hashable {
    case nothing
    /// Try now; an attempt on an older socket is given up.
    case open(LinkNumber)
  }

  /// The system reports that there is a network again.
  public mutating func networkBack(at now: Timestamp) -> BackAnswer {
    switch state {
    case .connecting(var episode):
      let link = open(&episode, at: now)
      state = .connecting(episode)
      return .open(link)
    case .mending(var episode):
      let link = open(&episode, at: now)
      state = .mending(episode)
      return .open(link)
    case .reconnecting(var episode):
      let link = open(&episode, at: now)
      state = .reconnecting(episode)
      return .open(link)
    case .idle, .connected, .closing, .over: return .nothing
    }
  }
}
