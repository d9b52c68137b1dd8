import BoardroomModel
import EventLogModel

/// Names one connection of the server; never used again while the server runs.
public typealias ConnectionID = UInt64

/// Where one member's stay stands, as the server sees it: the twin of the client's connection machine.
///
/// Inputs are methods that take `now`; each has its own small answer. A generation counts the connections
/// of the session, and whatever an older one says is ignored (SES-11). A closed connection without
/// a leave is silence (rule 2). Silence for `offlineAfter` since the last byte ends the stay, and that is
/// decided before a resume at the same instant (rule 4, TL-9).
public struct SessionMachine: Sendable, Hashable {
  public enum State: Sendable, Hashable {
    /// A connection is there; `suspected` once nothing was heard from it for `suspectAfter`.
    case live(ConnectionID, suspected: Bool)
    /// No connection, since this time.
    case silent(since: Timestamp)
    /// Over. Nothing changes it any more.
    case gone(LeaveCause)
  }

  public private(set) var state: State
  /// Of the newest connection.
  public private(set) var generation: Generation
  /// The newest generation from which something was heard after its welcome. A client whose welcome was lost
  /// knows only this one, so a resume that names it, or a later one, is the newest client's.
  public private(set) var confirmed: Generation
  /// When the last byte of this session came.
  public private(set) var lastHeard: Timestamp
  /// Until when the member said that it says nothing, because the room is quiet; in the past: it did not.
  public private(set) var quietUntil = Timestamp.zero
  public private(set) var timings: Timings
  /// What a timeout is called: `timeout`, or `serverRestart` for a stay found in the log at opening.
  private var causeOfSilence: LeaveCause

  /// A member that has just joined.
  public init(joinedOn connection: ConnectionID, at now: Timestamp, timings: Timings) {
    state = .live(connection, suspected: false)
    generation = 1
    confirmed = 1
    lastHeard = now
    self.timings = timings
    causeOfSilence = .timeout
  }

  /// A member found in the log when its room was opened: its grace begins anew, since nothing says how
  /// long it was cut off by the restart itself.
  public init(restored generation: Generation, at now: Timestamp, timings: Timings) {
    state = .silent(since: now)
    self.generation = generation
    confirmed = generation > 1 ? generation - 1 : 1
    lastHeard = now
    self.timings = timings
    causeOfSilence = .serverRestart
  }

  /// Other clocks hold from here on (SIG-A2); what ran before counts under them too.
  public mutating func keep(_ timings: Timings) { self.timings = timings }

  public var connection: ConnectionID? {
    switch state {
    case .live(let connection, _): connection
    case .silent, .gone: nil
    }
  }

  /// When `tick` has something to do; nil once gone.
  public var deadline: Timestamp? {
    switch state {
    case .live(_, suspected: false): min(suspectTime, offlineTime)
    case .live(_, suspected: true), .silent: offlineTime
    case .gone: nil
    }
  }

  /// A member that has announced its silence is suspected only when it lasts longer than that.
  private var suspectTime: Timestamp { max(lastHeard, quietUntil) + timings.suspectAfter }
  /// The grace counts from the last byte, whatever was announced (P-13).
  private var offlineTime: Timestamp { lastHeard + timings.offlineAfter }

  // MARK: Inputs

  public enum Resumption: Sendable, Hashable {
    /// The stay goes on under this generation; the connection named, if any, is fenced off.
    case resumed(Generation, fenced: ConnectionID?)
    /// The generation is not the newest client's: it was taken over.
    case stale
    /// Too late. If `cause` is there, the stay ended with this very call and its leave is to be recorded.
    case gone(ending: LeaveCause?)
  }

  /// A connection asks to go on with this stay, naming the generation of its last welcome.
  public mutating func resume(
    _ asked: Generation, on connection: ConnectionID, at now: Timestamp
  ) -> Resumption {
    let ended = endIfOverdue(at: now)
    switch state {
    case .gone: return .gone(ending: ended)
    case .live, .silent:
      // A later one than the log knows was given out before the log was set back: nobody is newer (SES-17).
      guard asked >= confirmed else { return .stale }
      let fenced = self.connection
      generation += 1
      state = .live(connection, suspected: false)
      lastHeard = max(lastHeard, now)
      quietUntil = .zero
      causeOfSilence = .timeout
      return .resumed(generation, fenced: fenced)
    }
  }

  public enum Hearing: Sendable, Hashable {
    case nothing
    /// The connection had been suspected and is alive after all: its phase is connected again.
    case revived
    /// Said by a connection that no longer counts.
    case ignored
    /// It came after the end of the grace; the leave is to be recorded.
    case tooLate(LeaveCause)
  }

  /// Any byte came over a connection.
  public mutating func noteSignOfLife(on connection: ConnectionID, at now: Timestamp) -> Hearing {
    guard self.connection == connection else { return .ignored }
    if let cause = endIfOverdue(at: now) { return .tooLate(cause) }
    switch state {
    case .live(_, let suspected):
      lastHeard = max(lastHeard, now)
      confirmed = generation
      state = .live(connection, suspected: false)
      return suspected ? .revived : .nothing
    case .silent, .gone: return .ignored
    }
  }

  /// The member says that its next message may take this long, because the room is quiet. Comes after its sign of life.
  public mutating func noteQuiet(for interval: Duration, at now: Timestamp) { quietUntil = now + interval }

  /// The member has said something else, or was told something: from here on it speaks as often as usual.
  public mutating func endQuiet(at now: Timestamp) { quietUntil = min(quietUntil, now) }

  public enum ConnectionLoss: Sendable, Hashable {
    /// The member is now reconnecting, which is to be recorded.
    case reconnecting
    /// It was reconnecting already.
    case nothing
    /// The connection no longer counts: it was replaced, or the stay is over.
    case ignored
  }

  /// A connection was closed without a leave. The grace runs from the last byte, not from here.
  public mutating func closed(_ connection: ConnectionID, at now: Timestamp) -> ConnectionLoss {
    switch state {
    case .live(let current, let suspected) where current == connection:
      state = .silent(since: now)
      return suspected ? .nothing : .reconnecting
    case .live, .silent, .gone: return .ignored
    }
  }

  public enum Passage: Sendable, Hashable {
    case nothing
    /// Silent for `suspectAfter` over an open connection: reconnecting, which is to be recorded.
    case suspected
    /// Silent for `offlineAfter`: the stay is over.
    case gone(LeaveCause)
  }

  /// Time went by.
  public mutating func tick(at now: Timestamp) -> Passage {
    if let cause = endIfOverdue(at: now) { return .gone(cause) }
    switch state {
    case .live(let connection, suspected: false):
      guard now >= suspectTime else { return .nothing }
      state = .live(connection, suspected: true)
      return .suspected
    case .live(_, suspected: true), .silent, .gone: return .nothing
    }
  }

  /// The member said goodbye over a connection; false if that one no longer counts.
  public mutating func leave(on connection: ConnectionID) -> Bool {
    guard self.connection == connection else { return false }
    state = .gone(.left)
    return true
  }

  /// The server ends the stay; false if it is over already.
  public mutating func end(_ cause: LeaveCause) -> Bool {
    switch state {
    case .gone: return false
    case .live, .silent:
      state = .gone(cause)
      return true
    }
  }

  private mutating func endIfOverdue(at now: Timestamp) -> LeaveCause? {
    switch state {
    case .gone: return nil
    case .live, .silent:
      guard now >= offlineTime else { return nil }
      state = .gone(causeOfSilence)
      return causeOfSilence
    }
  }
}
