import EventLogModel

// What clients and server say to each other, apart from how it is encoded. docs/PROTOCOL.md.

/// A client's first words on a connection.
public struct Hello: Sendable, Hashable {
  /// The room; for a place, the log of its space.
  public var room: RoomID
  /// Where to go, if not into a room.
  public var place: Place?
  public var token: String
  /// To go on with a session after a lost connection; nil for a new member.
  public var resume: Resume?
  /// What the client has already; nil if nothing.
  public var cursor: Cursor?
  public var uid: String?
  public var payload: JSONText?
  public var isWritable: Bool
  /// Program and version, for the log.
  public var client: String?
  /// Whether stored LZ4 blocks may be sent as they are (binary subprotocol only).
  public var acceptsBlocks: Bool
  /// Whether the server may say that a room is quiet, and heartbeats may be rare then.
  public var acceptsQuiet: Bool
  /// Whether the farewell may name the address where the client is to come back.
  public var acceptsAddress: Bool
  /// Whether the client may come in as a spectator, where a room has very many members: it sees all and is no member.
  public var acceptsSpectating: Bool
  /// To see the room as it was, without being a member of it; nil for the room itself.
  public var replay: ReplayWish?

  public struct Resume: Sendable, Hashable {
    public var session: SessionID
    /// The generation of the connection that was lost.
    public var generation: Generation
    /// What the welcome gave with the session; empty if it gave nothing.
    public var ticket: String
    public init(session: SessionID, generation: Generation, ticket: String) {
      self.session = session
      self.generation = generation
      self.ticket = ticket
    }
  }

  public init(
    room: RoomID, place: Place? = nil, token: String, resume: Resume? = nil, cursor: Cursor? = nil,
    uid: String? = nil,
    payload: JSONText? = nil, isWritable: Bool = true, client: String? = nil, acceptsBlocks: Bool = false,
    acceptsQuiet: Bool = false, acceptsAddress: Bool = false, acceptsSpectating: Bool = false,
    replay: ReplayWish? = nil
  ) {
    self.room = room
    self.place = place
    self.token = token
    self.resume = resume
    self.cursor = cursor
    self.uid = uid
    self.payload = payload
    self.isWritable = isWritable
    self.client = client
    self.acceptsBlocks = acceptsBlocks
    self.acceptsQuiet = acceptsQuiet
    self.acceptsAddress = acceptsAddress
    self.acceptsSpectating = acceptsSpectating
    self.replay = replay
  }
}

/// The server lets the client in.
public struct Welcome: Sendable, Hashable {
  public var member: MemberID
  public var session: SessionID
  public var generation: Generation
  /// To be presented with the session when coming back; empty if the server asks for none. A secret of this
  /// client: no log, snapshot or other member's message holds it.
  public var ticket: String
  /// True if the old session goes on; false if this is a new member (the old one is gone, if there was one).
  public var resumed: Bool
  public var epoch: Epoch
  /// The durable revision now; catch-up leads there.
  public var revision: Revision
  public var time: Timestamp
  /// Highest command counter of this session whose event is in the log; commands up to it need not be sent again.
  public var lastCounter: CommandCounter
  /// Highest command counter of this session that this server has decided, where that is more: what lies between has
  /// no event. Nil where it is `lastCounter`. Who does not know what it has sent begins after it.
  public var decided: CommandCounter?
  public var writable: Bool
  public var timings: Timings
  public var limits: WireLimits
  /// For the host of a room of an open server: a room token of an administrator. A secret of this client.
  public var token: String?
  /// Whether the question `leaveChannel` is answered here: a login's of a service whose channels follow logins. A server that
  /// does not know a question ends the connection.
  public var acceptsLeaveChannel: Bool

  public init(
    member: MemberID, session: SessionID, generation: Generation, ticket: String, resumed: Bool,
    epoch: Epoch, revision: Revision, time: Timestamp, lastCounter: CommandCounter, writable: Bool,
    timings: Timings, limits: WireLimits, token: String? = nil, decided: CommandCounter? = nil,
    acceptsLeaveChannel: Bool = false
  ) {
    self.member = member
    self.session = session
    self.generation = generation
    self.ticket = ticket
    self.resumed = resumed
    self.epoch = epoch
    self.revision = revision
    self.time = time
    self.lastCounter = lastCounter
    self.writable = writable
    self.timings = timings
    self.limits = limits
    self.token = token
    self.decided = decided
    self.acceptsLeaveChannel = acceptsLeaveChannel
  }
}

/// Clocks that both sides keep (SES-8, SES-9).
public struct Timings: Sendable, Hashable {
  /// A sign of life at least this often when otherwise idle. 1 s: needed to see 4 s of silence reliably.
  public var heartbeat: Duration
  /// The client announces reconnecting after this much silence. 4 s.
  public var suspectAfter: Duration
  /// The server lets a silent member go after this. 30 s (P-13, P-22).
  public var offlineAfter: Duration

  public init(
    heartbeat: Duration = .seconds(1), suspectAfter: Duration = .seconds(4),
    offlineAfter: Duration = .seconds(30)
  ) {
    self.heartbeat = heartbeat
    self.suspectAfter = suspectAfter
    self.offlineAfter = offlineAfter
  }
}

/// Sizes that the server accepts, in bytes, told in the welcome.
public struct WireLimits: Sendable, Hashable {
  /// One WebSocket message from a client. 256 KiB: four of the largest patches.
  public var message: Int
  /// One body of a binary kind. 32 KiB: over a minute of one pen at 240 Hz.
  public var stroke: Int
  /// A magix event, name and payload. 32 KiB (PARITY rows SIZE).
  public var magix: Int
  /// One globalState patch. 64 KiB (PARITY rows SIZE).
  public var statePatch: Int
  /// The whole globalState. 1 MiB (PARITY rows SIZE).
  public var globalState: Int
  /// One element in JSON. 64 KiB, as a patch.
  public var element: Int
  /// `uid`. 1,024 bytes (PARITY rows RM).
  public var uid: Int
  /// `userPayload`. 16 KiB: it stands in every roster.
  public var payload: Int
  /// Scenes in one room. 5,000: a book; each is told to everyone who joins.
  public var scenes: Int
  /// Depth of JSON. 64: beyond any real document, far from any stack's end.
  public var jsonDepth: Int
  /// What the room's board may count for (BOUND-1); nil: the server is older and says nothing.
  public var board: Int?
  /// Elements on the board, of all scenes.
  public var elements: Int?
  /// Members at once, readers too; 0: no limit.
  public var members: Int?

  public init(
    message: Int = 256 << 10, stroke: Int = 32 << 10, magix: Int = 32 << 10, statePatch: Int = 64 << 10,
    globalState: Int = 1 << 20, element: Int = 64 << 10, uid: Int = 1_024, payload: Int = 16 << 10,
    scenes: Int = 5_000, jsonDepth: Int = 64, board: Int? = nil, elements: Int? = nil, members: Int? = nil
  ) {
    self.message = message
    self.stroke = stroke
    self.magix = magix
    self.statePatch = statePatch
    self.globalState = globalState
    self.element = element
    self.uid = uid
    self.payload = payload
    self.scenes = scenes
    self.jsonDepth = jsonDepth
    self.board = board
    self.elements = elements
    self.members = members
  }
}

/// How the server brings a client from its cursor to now, and why so.
public struct CatchUpPlan: Sendable, Hashable {
  public enum Mode: String, Sendable, Hashable, CaseIterable { case none, delta, snapshot }
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// The cursor is at the end already.
    case upToDate
    /// The events missed are fewer bytes than a snapshot.
    case deltaSmaller
    /// A snapshot is fewer bytes than the events missed.
    case snapshotSmaller
    /// The client has nothing and the whole log is fewer bytes than a snapshot.
    case wholeLog
    /// The cursor is of another life of the log.
    case otherEpoch
    /// The events after the cursor were removed by retention.
    case trimmed
    /// Into a channel: what was before one's own stay there is not told (10.5).
    case newStay
    /// Of an account or a channel: what the stay has missed is told, however much it is (TL-7).
    case ownStay
  }
  public var mode: Mode
  public var reason: Reason
  /// The client's cursor, zero if it has nothing (or nothing that counts).
  public var from: Revision
  /// Where the catch-up ends and live delivery begins.
  public var to: Revision
  /// About how many bytes will come.
  public var bytes: Int

  public init(mode: Mode, reason: Reason, from: Revision, to: Revision, bytes: Int) {
    self.mode = mode
    self.reason = reason
    self.from = from
    self.to = to
    self.bytes = bytes
  }
}

/// To a command's author: it is in the log at this revision (its last event).
public struct Receipt: Sendable, Hashable {
  public var counter: CommandCounter
  public var revision: Revision
  public init(counter: CommandCounter, revision: Revision) {
    self.counter = counter
    self.revision = revision
  }
}

/// Anything a client says.
public enum ClientNotice: Sendable, Hashable {
  case hello(Hello)
  case commands([NumberedCommand])
  /// A sign of life; the revision that the client has reached.
  case heartbeat(Revision)
  /// A heartbeat of a quiet room: the next message may take this long. Only in answer to the server's `quiet`.
  case quiet(Revision, Duration)
  /// An explicit leave takes effect at once (SES-14).
  case leave
  /// What a watcher wants of its replay.
  case replay(ReplayControl)
  case ask(Ask)
}

/// Anything the server says.
public enum Notice: Sendable, Hashable {
  case welcome(Welcome)
  case catchUp(CatchUpPlan)
  /// A piece of a snapshot: root first, then parts in order.
  case snapshotRoot(revision: Revision, time: Timestamp, stateHash: [UInt8], parts: Int, bytes: [UInt8])
  case snapshotPart([UInt8])
  case run(Run)
  /// Stored events as they lie in the log, for clients that accept blocks.
  case block(StoredRun)
  /// Catch-up is done: what follows is live.
  case live(Revision)
  case receipts([Receipt])
  case refused(CommandCounter, Refusal, revision: Revision)
  /// A sign of life, with the durable revision and the server's clock.
  case heartbeat(Revision, Timestamp)
  /// A heartbeat of a quiet room: the next message may take this long.
  case quiet(Revision, Timestamp, Duration)
  case farewell(Farewell)
  /// Where the replay stands that this connection watches.
  case replayed(ReplayStatus)
  case answer(Answer)
}
