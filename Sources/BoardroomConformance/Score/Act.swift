/// What happens in the world, or what a party does, at a second of a timeline.
public enum Act: Sendable, Hashable {
  case network(Weather, of: Party)
  /// The system tells the party that there is a network again, so that it connects at once.
  case networkIsBack(of: Party)
  /// The party sends something that the others are not told of, and gets an answer: the last bytes before an
  /// outage.
  case speaks(Party)
  case look(at: Fact, of: Party)
  case server(ServerAct)
  case white(WhiteCall, by: Party)
  case rtc(RtcCall, by: Party)
  case rtm(RtmCall, by: Party)
  /// A method of PARITY rows SIG, RPC, SIG-A, SIG-M, SIGB, SIG-I, SIGI with its arguments in order, as text.
  case signaling(String, [String], by: Party)
  /// So many others join the channel, evenly spread over so many seconds.
  case crowd(Int, over: Double)
  /// The timeline of this id is played live, recorded, and then replayed to a callbacks object.
  case replay(of: String)
}

/// What the server or an operator does.
public enum ServerAct: Sendable, Hashable {
  /// REST, by an administrator.
  case kick(Party)
  /// An event of this party that cannot be applied is put into the log.
  case misfit(of: Party)
  /// The party's token expires.
  case tokenEnds(Party)
  /// A server is killed. Another one, which has its logs, is there after so many seconds.
  case isKilled(KilledServer = .only, backAfter: Double)
}

/// Which server is killed.
public enum KilledServer: String, Sendable, Hashable, CaseIterable {
  /// There is one (`ServerPlaces.together`).
  case only
  /// The one with the local party's account.
  case withAccount
  /// The one with the channel.
  case withChannel
}

/// Calls of a whiteboard app.
public enum WhiteCall: Sendable, Hashable {
  /// Which callbacks object a join gets.
  public enum Callbacks: String, Sendable, Hashable {
    /// The party's own callbacks object.
    case own
    /// No callbacks object, so that the one of an earlier join stays.
    case none
    /// An object without a single method.
    case mute
  }
  case join(Callbacks)
  case leave
  case setGlobalState(String, json: String)
  /// Sets the stroke width of the own member state.
  case setStrokeWidth(Double)
  /// Puts the pages into the directory, at its beginning.
  case putScenes(String, [String])
  case setScenePath(String)
  case broadcast
  case moveCamera(Double, Double, scale: Double)
  case setWritable(Bool)
  case listen(String)
  case dispatch(String, json: String)
  /// Subscribes to a custom event in batches, each told half a second after its first event.
  case listenInBatches(String)
  /// Asks for a history of its own (`disableSerialization(false)`).
  case keepHistory
  case insertText(String)
  case undo
  case redo
  /// Releases its callbacks object.
  case dropCallbacks
}

/// Calls of an RTC app.
public enum RtcCall: String, Sendable, Hashable {
  case join, leave
}

/// Calls of an RTM app.
public enum RtmCall: Sendable, Hashable {
  /// Signs in with a valid token.
  case login
  case logout
  case join(channel: String)
  case send(String, channel: String)
  case setAttribute(String, String)
  case renewToken
}

/// An act and its second.
public struct Step: Sendable, Hashable {
  public var second: Double
  public var act: Act

  public init(_ second: Double, _ act: Act) {
    self.second = second
    self.act = act
  }
}

extension [Step] {
  /// The local party's network is silent from `start` on, after its last byte in both directions. At `end` it
  /// works again, and the party is told so.
  public static func outage(from start: Double, to end: Double? = nil) -> [Step] {
    var steps = [
      // 60 ms before, so that question and answer have arrived by then.
      Step(start - 0.06, .speaks(.local)), Step(start, .network(.silent, of: .local)),
    ]
    if let end {
      steps += [Step(end, .network(.clear, of: .local)), Step(end, .networkIsBack(of: .local))]
    }
    return steps
  }
}
