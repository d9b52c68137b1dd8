import BoardroomLegacy
import Synchronization

/// Hears everything that the SDK tells, and names the type of all that is handed out: what an app cannot name, it cannot
/// keep.
public final class Listener: Sendable {
  private struct Heard {
    var phase: WhiteRoomPhase?
    var state: WhiteRoomState?
    var members: [WhiteRoomMember] = []
    var memberState: WhiteMemberState?
    var scenes: [WhiteScene] = []
    var sceneState: WhiteSceneState?
    var pageState: WhitePageState?
    var broadcast: WhiteBroadcastState?
    var broadcaster: WhiteBroadcastState.Broadcaster?
    var viewMode: WhiteViewMode?
    var camera: WhiteCameraState?
    var page: WhitePptPage?
    var globalState: [String: JSONText] = [:]
    var events: [WhiteEvent] = []
    var scope: WhiteEvent.Scope?
    var pointer: WhitePointer?
    var error: BoardroomError?
    var line: WhiteLogLine?
    var changes: [String: WhiteStoreChange] = [:]
    var playerPhase: WhitePlayerPhase?
    var playerState: WhitePlayerState?
    var observerMode: WhiteObserverMode?
    var gap: Gap?
    var pauses: WhitePauseReasons?
    var media: WhiteMediaState?
    var rtc: (RtcConnectionState, RtcConnectionReason)?
    var offline: RtcOfflineReason?
    var rtm: (RtmConnectionState, RtmConnectionReason)?
    var invitation: RtmInvitation?
    var localNews: RtmLocalInvitationNews?
    var remoteNews: RtmRemoteInvitationNews?
    var failure: RtmInvitationFailure?
    var removed: RtmErrorCode?
    var signaling: SignalingCode?
    var texts: [String] = []
  }

  private let heard = Mutex(Heard())

  public init() {}

  private func note(_ text: String) { heard.withLock { $0.texts.append(text) } }
}

// MARK: Rooms

extension Listener: WhiteRoomCallbackDelegate, WhiteCommonCallbackDelegate {
  public func firePhaseChanged(_ phase: WhiteRoomPhase) { heard.withLock { $0.phase = phase } }

  public func fireRoomStateChanged(_ modifyState: WhiteRoomState) {
    heard.withLock { heard in
      heard.state = modifyState
      heard.members = modifyState.roomMembers ?? []
      heard.memberState = modifyState.memberState ?? heard.members.first?.memberState
      heard.sceneState = modifyState.sceneState
      heard.scenes = modifyState.sceneState?.scenes ?? []
      heard.page = heard.scenes.first?.page
      heard.pageState = modifyState.pageState
      heard.broadcast = modifyState.broadcastState
      heard.broadcaster = modifyState.broadcastState?.broadcasterInformation
      heard.viewMode = modifyState.broadcastState?.mode
      heard.camera = modifyState.cameraState
      heard.globalState = modifyState.globalState ?? [:]
    }
  }

  public func fireBeingAbleToCommitChange(_ isAbleToCommit: Bool) { note("\(isAbleToCommit)") }
  public func fireDisconnectWithError(_ error: String) { note(error) }
  public func fireKickedWithReason(_ reason: String) { note(reason) }
  public func fireCatchErrorWhenAppendFrame(_ userId: UInt64, error: String) { note("\(userId) \(error)") }
  public func fireMagixEvent(_ event: WhiteEvent) { keep([event]) }
  public func fireHighFrequencyEvent(_ events: [WhiteEvent]) { keep(events) }
  public func fireCanUndoStepsUpdate(_ canUndoSteps: Int) { note("\(canUndoSteps)") }
  public func fireCanRedoStepsUpdate(_ canRedoSteps: Int) { note("\(canRedoSteps)") }
  public func fireElementsChanged() { note("elements") }
  public func firePointerMoved(_ pointer: WhitePointer) { heard.withLock { $0.pointer = pointer } }
  public func throwError(_ error: BoardroomError) { heard.withLock { $0.error = error } }
  public func logger(_ line: WhiteLogLine) { heard.withLock { $0.line = line } }
  public func urlInterrupter(_ url: String) -> String { url }

  private func keep(_ events: [WhiteEvent]) {
    heard.withLock { heard in
      heard.events += events
      heard.scope = events.last?.scope
    }
  }
}

extension Listener: WhiteSyncedStoreDelegate {
  public func storageDidUpdate(_ store: WhiteSyncedStore, changes: [String: WhiteStoreChange]) {
    heard.withLock { $0.changes = changes }
  }
}

// MARK: Players

extension Listener: WhitePlayerCallbackDelegate, WhiteCombinePlayerDelegate {
  public func phaseChanged(_ phase: WhitePlayerPhase) { heard.withLock { $0.playerPhase = phase } }
  public func loadFirstFrame() { note("first frame") }
  public func playerStateChanged(_ modifyState: WhitePlayerState) {
    heard.withLock { heard in
      heard.playerState = modifyState
      heard.observerMode = modifyState.observerMode
    }
  }
  public func scheduleTimeChanged(_ time: Double) { note("\(time)") }
  public func sliceChanged(_ slice: String) { note(slice) }
  public func stoppedWithError(_ error: BoardroomError) { heard.withLock { $0.error = error } }
  public func errorWhenAppendFrame(_ error: String) { note(error) }
  public func errorWhenRender(_ error: String) { note(error) }
  public func isPlayableChanged(_ isPlayable: Bool) { note("\(isPlayable)") }
  public func gapPassed(_ gap: Gap) { heard.withLock { $0.gap = gap } }
  public func elementsChanged() { note("elements") }
  public func combinePlayerPhaseChanged(_ phase: WhitePlayerPhase) {
    heard.withLock { $0.playerPhase = phase }
  }
  public func combinePlayerPauseReasonsChanged(_ reasons: WhitePauseReasons) {
    heard.withLock { $0.pauses = reasons }
  }
  public func combinePlayerFailed(_ error: String) { note(error) }
  public func mediaChanged(_ state: WhiteMediaState) { heard.withLock { $0.media = state } }
}

// MARK: Services

extension Listener: RtcConnectionDelegate {
  public func connectionChangedToState(_ state: RtcConnectionState, reason: RtcConnectionReason) {
    heard.withLock { $0.rtc = (state, reason) }
  }
  public func didOfflineOfUid(_ uid: UInt, reason: RtcOfflineReason) {
    heard.withLock { $0.offline = reason }
  }
}

extension Listener: RtmDelegate, RtmChannelDelegate {
  public func connectionStateChanged(_ state: RtmConnectionState, reason: RtmConnectionReason) {
    heard.withLock { $0.rtm = (state, reason) }
  }
  public func localInvitation(_ invitation: RtmInvitation, news: RtmLocalInvitationNews) {
    heard.withLock { heard in
      heard.invitation = invitation
      heard.localNews = news
      if case .failure(let failure) = news { heard.failure = failure }
    }
  }
  public func remoteInvitation(_ invitation: RtmInvitation, news: RtmRemoteInvitationNews) {
    heard.withLock { $0.remoteNews = news }
  }
  public func removedFromChannel(_ reason: RtmErrorCode) { heard.withLock { $0.removed = reason } }
  public func messageReceived(_ text: String, fromPeer peerId: String) { note(text) }
  public func messageReceived(_ text: String, fromMember userId: String) { note(text) }
}

extension Listener {
  /// What is told as streams.
  public func follow(_ signaling: SignalingClient, _ rtc: RtcConnection, _ rtm: RtmClient, _ room: WhiteRoom)
    async
  {
    for await event: SignalingEvent in signaling.events {
      if case .logout(let code) = event { heard.withLock { $0.signaling = code } }
    }
    for await event: RtcEvent in rtc.events {
      if case .state(let state, let reason) = event { connectionChangedToState(state, reason: reason) }
    }
    for await event: RtmEvent in rtm.events {
      if case .removed(let code, _) = event { removedFromChannel(code) }
    }
    for await phase: WhiteRoomPhase in room.phases { firePhaseChanged(phase) }
    for await state: WhiteRoomState in room.states { fireRoomStateChanged(state) }
    for await event: RoomEvent in room.events { note("\(event.revision)") }
  }
}
