import BoardroomModel
import Observation

/// A room for a user interface: each property is observed, so that a SwiftUI view that reads it is drawn again when it changes.
///
///     @State private var room = ObservedRoom(WhiteSdkConfiguration(endpoint: endpoint))
///
///     var body: some View {
///       Text("\(room.members.count) here, \(room.phase)")
///         .task { try? await room.join(WhiteRoomConfig(uuid: uuid, roomToken: token)) }
///     }
///
/// One object can join any number of rooms, one after the other. Commands go to `room`, which is a new one after each join.
@MainActor
@Observable
public final class ObservedRoom {
  /// The room of the latest join; nil before the first one is in.
  public private(set) var room: WhiteRoom?
  /// Where the connection stands; `disconnected` before the first join.
  public private(set) var phase = WhiteRoomPhase.disconnected
  /// All parts, as of now.
  public private(set) var state = WhiteRoomState()
  /// The members who may write, in the order of their coming.
  public private(set) var members: [WhiteRoomMember] = []
  /// Whether commands are accepted now: connected, and writable.
  public private(set) var isWritable = false
  /// How many steps can be taken back on the own page.
  public private(set) var undoSteps = 0
  /// How many steps can be done again on the own page.
  public private(set) var redoSteps = 0
  /// Counts the changes of what is on the board: a view that reads it is drawn again at each.
  public private(set) var boardChanges = 0
  /// Own commands that have no receipt, with how far each has come: those that wait for the connection, too.
  public private(set) var pendingCommands: [WhitePendingCommand] = []
  /// Why the last join failed or the room was lost; nil while all is well.
  public private(set) var error: BoardroomError?
  /// Why the last attempt to reach the server came to nothing; nil while the room is connected.
  public private(set) var connectionFailure: ConnectionFailure?
  /// Why the server removed this member, if it did: a raw value of `KickReason`.
  public private(set) var kickReason: String?

  @ObservationIgnored private let sdk: WhiteSDK

  /// Makes the object; nothing is joined yet. Callbacks come on the main actor.
  public init(_ configuration: WhiteSdkConfiguration) {
    sdk = WhiteSDK(sdkConfiguration: configuration, callbackExecutor: .main)
  }

  /// The same over an SDK of the app's. Its callbacks must come on the main actor.
  public init(sdk: WhiteSDK) { self.sdk = sdk }

  /// Joins, and leaves the room of an earlier join. Throws why it did not come in; `error` has it as well. What this member sets is
  /// observed too, whatever `onlyCallbackRemoteStateModify` says.
  @discardableResult
  public func join(_ config: WhiteRoomConfig) async throws(BoardroomError) -> WhiteRoom {
    (error, kickReason, undoSteps, redoSteps) = (nil, nil, 0, 0)
    connectionFailure = nil
    pendingCommands = []
    var config = config
    config.onlyCallbackRemoteStateModify = false
    config.tellsPendingCommands = true
    do throws(BoardroomError) {
      let room = try await sdk.joinRoom(config, callbacks: self)
      self.room = room
      show(room)
      return room
    } catch {
      self.error = error
      throw error
    }
  }

  /// Leaves; returns when it is done.
  public func leave() async { await room?.disconnect() }

  private func show(_ room: WhiteRoom) {
    (phase, state, members) = (room.phase, room.state, room.roomMembers)
    isWritable = room.isWritable
  }
}

extension ObservedRoom: @MainActor WhiteRoomCallbackDelegate {
  /// Takes the phase over.
  public func firePhaseChanged(_ phase: WhiteRoomPhase) {
    self.phase = phase
    if phase == .connected { connectionFailure = nil }
    if phase == .disconnected { isWritable = false }
  }

  /// Takes over what changed.
  public func fireRoomStateChanged(_ modifyState: WhiteRoomState) {
    state.merge(modifyState)
    if let members = modifyState.roomMembers { self.members = members }
  }

  /// Takes over whether the member may write.
  public func fireBeingAbleToCommitChange(_ isAbleToCommit: Bool) { isWritable = isAbleToCommit }
  /// Keeps why the room is lost.
  public func fireDisconnectWithError(_ error: String) { self.error = room?.error ?? self.error }
  /// Keeps why an attempt came to nothing.
  public func fireConnectionAttemptFailed(_ failure: ConnectionFailure) { connectionFailure = failure }
  /// Keeps why the member was removed.
  public func fireKickedWithReason(_ reason: String) { kickReason = reason }
  /// Takes over how many steps can be taken back.
  public func fireCanUndoStepsUpdate(_ canUndoSteps: Int) { undoSteps = canUndoSteps }
  /// Takes over how many steps can be done again.
  public func fireCanRedoStepsUpdate(_ canRedoSteps: Int) { redoSteps = canRedoSteps }
  /// Takes over which own commands wait.
  public func firePendingCommandsChanged(_ pending: [WhitePendingCommand]) { pendingCommands = pending }
  /// Counts the change.
  public func fireElementsChanged() { boardChanges += 1 }
}

extension WhiteRoomState {
  /// What is set in `news` counts from here on.
  mutating func merge(_ news: WhiteRoomState) {
    globalState = news.globalState ?? globalState
    memberState = news.memberState ?? memberState
    roomMembers = news.roomMembers ?? roomMembers
    sceneState = news.sceneState ?? sceneState
    pageState = news.pageState ?? pageState
    broadcastState = news.broadcastState ?? broadcastState
    cameraState = news.cameraState ?? cameraState
  }
}
