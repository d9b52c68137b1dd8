import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// What one connection said in one turn: goes to the room in one hop and is appended together.
struct Inbox: Sendable {
  let connection: ConnectionID
  var at: Timestamp
  var commands: [CommandReading] = []
  /// What a watcher wants of its replay.
  var controls: [ReplayControl] = []
  /// After the commands.
  var asks: [Ask] = []
  /// An explicit leave came, after the commands.
  var leaves = false
  /// Whether a message came, and not only bytes of one or a ping.
  var hasMessage = false
  /// The last message said that the next one may take this long.
  var quiet: Duration?
}

/// Someone who wants to join a room; the token is checked already.
struct JoinAttempt: Sendable {
  var hello: Hello
  let admission: Admission
  let connection: ConnectionHandle
  /// The room is another node's, and takes spectators.
  var isSpectator = false

  /// Whether this client may come in as a spectator, where the room takes some (SPECT-1).
  static func maySpectate(_ hello: Hello, _ admission: Admission) -> Bool {
    // With a ticket it goes on with a member's stay.
    hello.acceptsSpectating && hello.replay == nil && hello.place == nil
      && hello.resume?.ticket.isEmpty ?? true
      && admission.role == .reader && !admission.mayHost && !admission.onlyResumes
  }
}
