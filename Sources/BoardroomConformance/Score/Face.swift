/// One of the interfaces that Boardroom offers, as the source systems had them.
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
  /// The one to whom it happens: UID 1 of the source systems, and the app's own side.
  case local
  /// The one who sees it: UID 2.
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

/// The state of one party's network.
public enum Weather: String, Sendable, Hashable, CaseIterable {
  case clear
  /// Connections break at once, and new ones are refused.
  case cut
  /// Nothing arrives any more, and neither side gets an error. To the party the server seems silent.
  case silent
}

/// Something that a party reads, and the texts of the answer.
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
  /// Whether connections were attempted since this was last read: `none` or `some`.
  case attempts
  /// Whether the callbacks object that the party has released is `gone` or `kept`.
  case callbacksObject
  /// Shared values as `key=value`, sorted, with blanks between. White: the global state. RTM: the local
  /// party's user attributes.
  case attribute
  /// A replay compared with what was seen live: `as live`, or the difference.
  case board, phases
}
