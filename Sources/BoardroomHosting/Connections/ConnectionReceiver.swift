import BoardroomCore
import BoardroomModel
import EventLogModel

/// Where the connections of one loop begin, and where what they say arrives. Called on its loop only. `LoopRooms` is
/// the only one: it stands here as a protocol so that connections need not know the rooms.
protocol ConnectionReceiver: AnyObject {
  /// Connections of this loop that have not said hello yet.
  var greeting: [ConnectionID: ConnectionHandle] { get set }
  /// Connections of this loop whose clients are at other nodes.
  var piped: [ConnectionID: ConnectionHandle] { get set }

  /// Somebody whose token is checked wants into a room or its replay.
  func enter(_ entry: JoinAttempt, at now: Timestamp)
  /// What one connection said in one turn.
  func receive(_ inbox: Inbox, in room: RoomID)
  /// The outbox of a connection has room again.
  func drained(_ connection: ConnectionID, in room: RoomID, at now: Timestamp)
  /// A connection is gone.
  func closed(_ connection: ConnectionID, in room: RoomID, at now: Timestamp)
}

/// What connections ask of the engine that took them in.
protocol ConnectionDirectory: AnyObject, Sendable {
  var policy: ServerPolicy { get }
  var wire: WireMessages { get }

  /// The server's time.
  var clock: @Sendable () -> Timestamp { get }

  /// Which node owns which room; nil: this one owns all.
  var owners: OwnerBook? { get }
  var spectatedLog: SpectatedLog { get }

  /// Where a gatekeeper's work runs; nil: the global executor.
  var executor: (any TaskExecutor)? { get }

  /// Whether a client may enter.
  func decide(_ hello: Hello, from address: String?, at now: Timestamp) -> EntryDecision
  /// The rooms of the loop that a room belongs to.
  func connectionReceiver(for room: RoomID) -> Confined<any ConnectionReceiver>
  /// The rooms of the present loop.
  func connectionReceiver(of loop: any RoomLoop) -> any ConnectionReceiver
}
