import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// What is watched: a replay of a group's or of one's own, or a room that is under way.
enum WatchKey: Hashable {
  case group(RoomID, String)
  case alone(ConnectionID)
  case room(RoomID)

  var isRoom: Bool { if case .room = self { true } else { false } }

  /// Whether a replay goes on without watchers for a while.
  var isShared: Bool {
    switch self {
    case .group, .room: true
    case .alone: false
    }
  }
}

/// One connection that watches a replay, or a room as its spectator. It is no member of the room.
final class Watcher {
  let entry: JoinAttempt
  let line: ConnectionOutput
  /// A number that no member of a room has: 2^52 and up, which every JSON program reads exactly.
  let member: MemberID
  var stage = Stage.entering
  var heard: Timestamp
  var lastSent: Timestamp
  /// Whether its client knows what a quiet room is.
  let acceptsQuiet: Bool
  /// Whether the last thing that it was told is that the room is quiet.
  var knowsQuiet = false
  /// Whether it has said something else since, so that the next heartbeat is due as soon as usual.
  var hasSpokenSince = false
  /// While it is live: up to where it was sent everything.
  var handed = Revision.zero
  /// It had no room when all were told where the replay stands: it is told when it has.
  var isOwedStatus = false
  /// Since when what it lacks cannot be read; nil: it can.
  var failing: Timestamp?
  /// Counts its catch-ups: what was read for an earlier one is not for it.
  var turn = 0

  enum Stage {
    /// Its way to the present place is being looked up: nothing has been said yet.
    case entering
    case behind(CatchUp)
    /// Gets events as they are shown.
    case live
  }

  init(_ entry: JoinAttempt, _ loopOutbox: LoopOutbox, number: UInt64, at now: Timestamp) {
    self.entry = entry
    line = ConnectionOutput(
      connection: entry.connection, loopOutbox: loopOutbox,
      acceptsBlocks: entry.hello.acceptsBlocks && entry.connection.subprotocol == .binary)
    member = MemberID(1 << 52 + number)
    acceptsQuiet = entry.hello.acceptsQuiet
    heard = now
    lastSent = now
  }

  var id: ConnectionID { line.id }
  /// As whom it came in, as far as it says.
  var uid: String? { entry.admission.uid ?? entry.hello.uid }

  var isEntering: Bool {
    switch stage {
    case .entering: true
    case .behind, .live: false
    }
  }

  var isLive: Bool {
    switch stage {
    case .live: true
    case .entering, .behind: false
    }
  }

  /// From here on both sides speak as often as usual.
  func send(_ bytes: SharedBytes, at now: Timestamp) {
    line.send(bytes)
    noteSent(at: now)
  }

  func noteSent(at now: Timestamp) {
    (lastSent, knowsQuiet, hasSpokenSince) = (now, false, false)
  }
}
