import EventLogModel

// The family `members`: who is in the room.

/// How members came, went, were connected, wrote and looked.
public enum MemberEvent: Sendable, Hashable {
  case joined(MemberJoined)
  case left(LeaveCause)
  case phase(MemberPhaseChange)
  /// Whether the actor writes.
  case writable(Bool)
  case kicked(MemberKicked)
  case replaced(MemberReplaced)
  case viewMode(ViewMode)

  public var kind: EventKind {
    switch self {
    case .joined: .memberJoined
    case .left: .memberLeft
    case .phase: .memberPhase
    case .writable: .memberWritable
    case .kicked: .memberKicked
    case .replaced: .memberReplaced
    case .viewMode: .viewMode
    }
  }
}

/// What members want of themselves. Coming and going is no command: it is asked for before there is a member.
public enum MemberCommand: Sendable, Hashable {
  case setWritable(Bool)
  case viewMode(ViewMode)

  public var kind: EventKind {
    switch self {
    case .setWritable: .memberWritable
    case .viewMode: .viewMode
    }
  }

  /// Whether it only ends what a member does by itself: that needs no right.
  var endsOnlyOwn: Bool {
    switch self {
    case .setWritable(false), .viewMode(.freedom), .viewMode(.follower): true
    case .setWritable(true), .viewMode(.broadcaster): false
    }
  }
}

/// Of a token (PARITY rows TK): what its bearer may do.
public enum Role: String, Sendable, Hashable, CaseIterable {
  case admin, writer, reader

  /// Whether this role may do all that `other` may.
  public func includes(_ other: Role) -> Bool {
    switch (self, other) {
    case (.admin, _), (.writer, .writer), (_, .reader): true
    case (.writer, .admin), (.reader, .admin), (.reader, .writer): false
    }
  }
}

public struct MemberJoined: Sendable, Hashable {
  public var session: SessionID
  public var uid: String?
  public var role: Role
  public var writable: Bool
  /// The `userPayload` given at join; cannot change later (PARITY rows RM).
  public var payload: JSONText?
  /// Name and version of the client program, as it said.
  public var client: String?
  /// A hash that names the token, where that does not name a uid: by it a ban reaches whoever comes with it (MOD-9). In
  /// the log, and no part of the state.
  public var token: String?
  /// The uid stands in the member's token, and was not only claimed by its client (RIGHT-6).
  public var isBound: Bool
  /// Where the member's name and content were erased: as `ErasedContent.hash`.
  public var erased: String?

  public init(
    session: SessionID, uid: String?, role: Role, writable: Bool, payload: JSONText?, client: String?,
    token: String? = nil, isBound: Bool = false, erased: String? = nil
  ) {
    self.session = session
    self.uid = uid
    self.role = role
    self.writable = writable
    self.payload = payload
    self.client = client
    self.token = token
    self.isBound = isBound
    self.erased = erased
  }
}

public enum LeaveCause: String, Sendable, Hashable, Codable, CaseIterable {
  /// The member said goodbye.
  case left
  /// Not heard of for the whole grace (P-22, 30 s).
  case timeout
  case kicked
  case replaced
  /// The server that held the room ended; members whose grace ran out meanwhile.
  case serverRestart
}

/// How the server sees a member's connection.
public enum MemberPhase: String, Sendable, Hashable, CaseIterable {
  case connected, reconnecting
}

public struct MemberPhaseChange: Sendable, Hashable {
  public var phase: MemberPhase
  /// The generation of the connection that is meant.
  public var generation: Generation
  public init(phase: MemberPhase, generation: Generation) {
    self.phase = phase
    self.generation = generation
  }
}

/// Why the server removed someone (PARITY rows KICK).
public enum KickReason: String, Sendable, Hashable, CaseIterable {
  case kickByAdmin, roomDelete, roomZombie, roomBan, GatewayAdjust, replaceByOther, crash
}

public struct MemberKicked: Sendable, Hashable {
  public var member: MemberID
  public var reason: KickReason
  public init(member: MemberID, reason: KickReason) {
    self.member = member
    self.reason = reason
  }
}

public struct MemberReplaced: Sendable, Hashable {
  /// The session that took over.
  public var by: SessionID
  public init(by: SessionID) { self.by = by }
}

/// How a member's camera follows others (PARITY rows V).
public enum ViewMode: String, Sendable, Hashable, CaseIterable {
  case freedom, follower, broadcaster
}
