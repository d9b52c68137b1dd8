import BoardroomCore
import BoardroomModel
import EventLogModel
import Logging

/// What a link tells its room, in order.
package enum LinkUpdate: Sendable {
  case phase(RoomPhase)
  /// In the room, as this member; before `phase(.connected)` whenever it is another than before.
  case admitted(MemberID, SessionID)
  /// An attempt of an outage begins: the first, the second…
  case attempt(Int)
  /// An attempt, of the join or of an outage, came to nothing.
  case attemptFailed(ConnectionFailure)
  /// The socket was another for a while, and the phase has stayed connected.
  case mended
  /// Silent for so long that the app is to know (RTC's connectionDidLost); trying goes on.
  case lost
  /// An attempt was refused because the token has ended; trying goes on.
  case tokenExpired
  /// The token ends within `TokenRenewal.margin`: once for each token.
  case tokenWillExpire
  /// The app's provider gave this token, which counts from the next attempt on.
  case tokenRenewed(String)
  case committable(Bool)
  /// All parts, and those that the app is to be told of.
  case state(WhiteRoomState, told: WhiteRoomState)
  /// Every page of the room; comes before the `state` that shows it.
  case scenes([Scene])
  case steps(WhiteSteps)
  case stores([StoreNews])
  case elements
  case event(RoomEvent)
  /// Something that came and leaves nothing, as a pointer: the callback that tells of it.
  case callback(EventCallback)
  case magix(WhiteEvent, MagixMoment)
  case magixBatch([WhiteEvent])
  case misfit(author: UInt64, what: String)
  case log(WhiteLogLine)
  /// How many own commands wait, and which, if the app asked to be told of each.
  case pending(Int, [WhitePendingCommand]?)
  /// The first join is done.
  case joined
  /// It is over; the phase follows by `order`. `because`: why the last attempt came to nothing, if one did.
  case ended(ConnectionEnd, wasJoining: Bool, because: ConnectionFailure?)
}

/// Tells whoever listens of one event.
package typealias EventCallback = @Sendable (any WhiteRoomCallbackDelegate) -> Void

/// Where a magix event stands when the room hears of it.
package enum MagixMoment: Sendable {
  /// Dispatched here, and on its way.
  case dispatched
  /// Dispatched here, and in the log.
  case ownAccepted
  case others
}

/// What one join asks for, as the link needs it.
package struct LinkSettings: Sendable {
  var servers: EndpointList
  var hello: Hello
  var policy: ConnectionPolicy
  var echoesOwn: Bool
  var showsPresence: Bool
  var pacesMagix: Bool
  var isOptimistic = true
  var board = BoardOptions()
  /// Keeps the stay where the program's end does not reach it; nil: it ends with the program.
  var stays: (any StayKeeper)?
  /// Gives another token when the link's ends or has ended; nil: nobody is asked.
  var tokenProvider: (@Sendable () async throws -> String)?
  /// Whether the session ends with its token, so that another one has to be taken to the server before that.
  var endsWithToken = false
  /// What the app set of heartbeats; nil: the server says all.
  var connection = ConnectionSettings.usual
  /// Whether commands that are given during an outage wait for its end. Otherwise they fail at once.
  var queuesWhileAway = false
  /// Hears of each attempt that came to nothing.
  var attemptFailed: (@Sendable (ConnectionFailure) -> Void)?
  /// Takes what the link has to say of itself.
  var logger = ClientLog.silent
  /// What is told of own commands that have no receipt.
  var pendingDetail = PendingDetail.none

  package enum PendingDetail: Sendable { case none, count, commands }
}

/// Switches of the board that an app may turn at any time.
package struct BoardOptions: Sendable {
  /// EL-6: whether undo, redo and copies are off.
  var isSerializationDisabled = true
  /// For how many scenes a history is asked for.
  var undoScenes = WhiteRoomConfig.usualUndoScenes
  var isImageEraseDisabled = false
  var isTextDisabled = false
  var cameraBound: WhiteCameraBound?
}
