import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// Which replay: that of a group, or one of its own.
enum ReplayKey: Hashable {
  case group(RoomID, String)
  case alone(ConnectionID)

  var isShared: Bool {
    switch self {
    case .group: true
    case .alone: false
    }
  }
}

/// One connection that watches a replay. It is no member of the room.
final class Watcher {
  let entry: JoinAttempt
  let line: ConnectionOutput
  /// A number that no member of a room has: 2^52 and up, which every JSON program reads exactly.
  let member: MemberID
  var stage = Stage.entering
  var heard: Timestamp
  var lastSent: Timestamp
  /// It had no room when all were told where the replay stands: it is told when it has.
  var isOwedStatus = false
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
    heard = now
    lastSent = now
  }

  var id: ConnectionID { line.id }

  var isEntering: Bool {
    switch stage {
    case .entering: true
    case .behind, .live: false
    }
  }

  func send(_ bytes: SharedBytes, at now: Timestamp) {
    line.send(bytes)
    lastSent = now
  }
}
