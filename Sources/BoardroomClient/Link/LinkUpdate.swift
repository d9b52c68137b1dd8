import BoardroomCore
import BoardroomModel
import EventLogModel

/// What a link tells its room, in order.
enum LinkUpdate: Sendable {
  case phase(RoomPhase)
  /// In the room, as this member; before `phase(.connected)` whenever it is another than before.
  case admitted(MemberID, SessionID)
  case committable(Bool)
  /// All parts, and those that the app is to be told of.
  case state(WhiteRoomState, told: WhiteRoomState)
  case event(RoomEvent)
  case magix(WhiteEvent)
  case misfit(author: UInt64, what: String)
  /// The first join is done.
  case joined
  /// It is over; the phase follows by `order`.
  case ended(ConnectionEnd, wasJoining: Bool)
}

/// What one join asks for, as the link needs it.
struct LinkSettings: Sendable {
  var endpoint: Endpoint
  var hello: Hello
  var policy: ConnectionPolicy
  var echoesOwn: Bool
  var showsPresence: Bool
  var pacesMagix: Bool
}
