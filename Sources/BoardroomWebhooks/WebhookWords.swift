import BoardroomCodec
import BoardroomModel
import EventLogModel

extension WebhookMachine {
  /// What is asked of a machine.
  struct Policy: Sendable, Hashable {
    /// Events in one request.
    var batch = 1
    /// Events read at once from one room.
    var page = 64
    /// Bytes of events in one request, unless one event alone has more. 512 KiB: what usual receivers take.
    var bytes = 512 << 10
    var retention: Duration = .seconds(259_200)
    /// The pause after the first failure; each further one doubles it.
    var firstPause: Duration = .seconds(1)
    var longestPause: Duration = .seconds(300)
    /// How many rooms may have refused events at once. With one more, the endpoint counts as failing as a
    /// whole.
    var heldRooms = 16
  }
}

/// What was committed in one room since the note was last read.
struct WebhookNote: Sendable, Hashable {
  var first: Revision
  var last: Revision
  /// Whether some of it may have to be told.
  var isWanted: Bool
  var isDeleted = false
  /// Whether another node may have told of the room since this one last did.
  var isFresh = false

  /// The room was opened, and nothing is committed yet.
  static let opened = WebhookNote(
    first: Revision(.max), last: .zero, isWanted: false, isFresh: true)

  mutating func join(_ next: WebhookNote) {
    first = min(first, next.first)
    last = max(last, next.last)
    isWanted = isWanted || next.isWanted
    isDeleted = isDeleted || next.isDeleted
    isFresh = isFresh || next.isFresh
  }
}

/// Events that an endpoint will never be told. They stay in the log.
struct WebhookLoss: Sendable, Hashable {
  enum Reason: String, Sendable, Hashable {
    /// The endpoint failed, or refused them, for the whole retention.
    case retention
    /// The room's log was deleted first.
    case deleted
    /// The room's retention removed them first.
    case trimmed
  }

  var room: RoomID
  var epoch: Epoch
  var first: Revision
  var last: Revision
  /// The number of events; nil if they cannot be read any more.
  var events: Int?
  var reason: Reason

  /// The number of events, or of revisions if that is not known.
  var count: Int { events ?? (last - first + 1) }

  /// One JSON object and a line end.
  func line(at now: Timestamp) -> [UInt8] {
    JSONValue.object([
      ("at", .string(now.iso8601)), ("room", .string(room.description)),
      ("epoch", .string(epoch.description)), ("first", .number(first.description)),
      ("last", .number(last.description)), ("events", events.map { JSONValue($0) } ?? .null),
      ("why", .string(reason.rawValue)),
    ]).compact + [UInt8(ascii: "\n")]
  }
}

/// How far an endpoint is behind.
struct WebhookStanding: Sendable, Hashable {
  var isFailing: Bool
  var isUnwanted: Bool
  /// Revisions that it has not been told, or that have not been read yet.
  var revisions = 0
  /// How long the oldest of them has waited.
  var behind: Duration = .zero
  /// Rooms that are held because an event was refused.
  var held = 0
}

/// What has changed in a machine since it was last written to disk.
struct WebhookMoves: Sendable {
  /// Losses are written before the cursors that move over them.
  struct Taken: Sendable, Hashable {
    var losses: [WebhookLoss] = []
    var moves: [CursorMove] = []
  }

  struct CursorMove: Sendable, Hashable {
    var room: RoomID
    /// The cursor; nil: the room is to be removed from the file.
    var cursor: Cursor?
  }

  private var answered: Set<RoomID> = []
  private var quiet: Set<RoomID> = []
  private var losses: [WebhookLoss] = []

  mutating func moved(_ room: RoomID, isAnswer: Bool) {
    if isAnswer { answered.insert(room) } else { quiet.insert(room) }
  }
  mutating func forget(_ room: RoomID) { quiet.insert(room) }
  mutating func lost(_ loss: WebhookLoss) { losses.append(loss) }

  mutating func takeMoves(all: Bool, cursors: [RoomID: Cursor]) -> Taken {
    guard all || !answered.isEmpty || !losses.isEmpty else { return Taken() }
    let rooms = all ? answered.union(quiet) : answered
    defer {
      answered = []
      losses = []
      quiet = all ? [] : quiet.subtracting(rooms)
    }
    return Taken(losses: losses, moves: rooms.sorted().map { CursorMove(room: $0, cursor: cursors[$0]) })
  }
}

/// Rooms in the order in which they were added; each at most once.
struct RoomQueue: Sendable {
  private var rooms: [RoomID] = []
  private var next = 0
  private var members: Set<RoomID> = []

  mutating func add(_ room: RoomID) {
    if members.insert(room).inserted { rooms.append(room) }
  }

  mutating func removeFirst() -> RoomID? {
    guard next < rooms.count else { return nil }
    let room = rooms[next]
    next += 1
    members.remove(room)
    if next == rooms.count || next > 1_024 {
      rooms.removeFirst(next)
      next = 0
    }
    return room
  }
}
