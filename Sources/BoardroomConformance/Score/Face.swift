/// One of the faces that Boardroom offers, as the source systems had them.
public enum Face: String, Sendable, Hashable, CaseIterable {
  /// The whiteboard room.
  case white
  /// RTC's channel connection.
  case rtc
  /// RTM's connection.
  case rtm
  /// Legacy Signaling.
  case signaling
  /// A recorded room, played.
  case replay
}

/// Who takes part in a timeline.
public enum Party: String, Sendable, Hashable, CaseIterable {
  /// To whom it happens: UID 1 of the sources, and the app's own end.
  case local
  /// Who is there to see it: UID 2.
  case remote
  /// Another instance under the local party's name.
  case rival

  /// The name under which it signs in; the rival's is the local party's.
  public var account: String {
    switch self {
    case .local, .rival: "anna"
    case .remote: "ben"
    }
  }
}

/// What the network of one party does.
public enum Weather: String, Sendable, Hashable, CaseIterable {
  case clear
  /// Connections break at once, and new ones are refused.
  case cut
  /// Nothing arrives any more, and nobody is told. To the party it is a silent server.
  case silent
}

/// Something that a party looks up, and the words in which it is answered.
public enum Fact: String, Sendable, Hashable, CaseIterable {
  /// `phase`, `getConnectionState` or `getStatus`: the phase's name, or the number.
  case connection
  /// The number in the room: `none`, `first` (as at the beginning), or `another`.
  case member
  /// The room, connection or client object: `none`, `first` or `another`.
  case object
  /// The local party's own member state or user attributes, as text.
  case own
  /// Accounts present, in the order of their coming, with commas between.
  case roster
  /// Whether connections were attempted since the last look: `none` or `some`.
  case attempts
  /// Whether the callbacks object that the party let go is `gone` or `kept`.
  case callbacksObject
  /// What it reads of shared things, as `key=value`, sorted, with blanks between. White: the global state. RTM: the
  /// local party's user attributes.
  case attribute
  /// What a replay shows, against what was seen live: `as live`, or what differs.
  case board, phases
}
