import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import Synchronization

/// One party of a whiteboard timeline: its SDK, its network, and its recorder.
final class WhiteActor: Sendable {
  private struct State {
    var recorder: CallbackRecorder?
    var mute: Mute?
    weak var letGo: CallbackRecorder?
    var room: WhiteRoom?
    var firstRoom: ObjectIdentifier?
    var firstMember: UInt64?
    var joinError: BoardroomError?
  }

  private final class Mute: WhiteRoomCallbackDelegate, Sendable {}

  let party: Party
  let log: CallbackLog
  let sdk: WhiteSDK
  private let config: WhiteRoomConfig
  private let transport: PartyTransport
  private let setWeather: @Sendable (Weather) -> Void
  private let held = Mutex(State())

  /// - Parameter setWeather: changes the party's network.
  init(
    _ party: Party, config: WhiteRoomConfig, endpoint: Endpoint, context: any ClientContext,
    transport: any Transport, log: CallbackLog,
    setWeather: @escaping @Sendable (Weather) -> Void
  ) {
    self.party = party
    self.log = log
    self.config = config
    self.setWeather = setWeather
    let transport = PartyTransport(transport)
    self.transport = transport
    let watch = SDKWatch(joined: { room in if let room { log.room = room } })
    sdk = WhiteSDK(
      sdkConfiguration: WhiteSdkConfiguration(endpoint: endpoint, client: party.account), context: context,
      transport: transport, watch: watch)
    held.withLock { $0.recorder = CallbackRecorder(log) }
  }

  /// The room of the latest join that succeeded.
  var room: WhiteRoom? { held.withLock { $0.room } }
  /// Why the latest join failed; nil if it did not.
  var joinError: BoardroomError? { held.withLock { $0.joinError } }

  func set(_ weather: Weather) { setWeather(weather) }

  // MARK: Calls

  func call(_ call: WhiteCall) {
    switch call {
    case .join(let callbacks): join(callbacks)
    case .leave: room?.disconnect(nil)
    case .setGlobalState(let key, let json):
      room?.setGlobalState([key: .raw(json)], completion: answer("setGlobalState"))
    case .setStrokeWidth(let width):
      var state = WhiteMemberState()
      state.strokeWidth = width
      room?.setMemberState(state, completion: nil)
    case .putScenes(let directory, let names):
      room?.putScenes(directory, scenes: names.map { WhiteScene(name: $0) }, index: 0, completion: nil)
    case .setScenePath(let path): room?.setScenePath(path, completion: nil)
    case .broadcast: room?.setViewMode(.broadcaster, completion: nil)
    case .moveCamera(let x, let y, let scale):
      room?.moveCamera(WhiteCameraState(centerX: x, centerY: y, scale: scale), completion: nil)
    case .setWritable(let writable): room?.setWritable(writable, completion: nil)
    case .listen(let name): room?.addMagixEventListener(name)
    case .dispatch(let name, let json): room?.dispatchMagixEvent(name, payload: .raw(json), completion: nil)
    case .listenInBatches(let name): room?.addHighFrequencyEventListener(name, fireInterval: 500)
    case .keepHistory: room?.disableSerialization(false, completion: nil)
    case .insertText(let text): room?.insertText(x: 0, y: 0, text: text, completion: nil)
    case .undo: room?.undo(completion: nil)
    case .redo: room?.redo(completion: nil)
    case .dropCallbacks:
      held.withLock { held in
        held.letGo = held.recorder
        held.recorder = nil
      }
    }
  }

  /// Sends something that the others are not told of: a camera that nobody follows.
  func speak() { room?.moveCamera(WhiteCameraState(centerX: 1, centerY: 1, scale: 1), completion: nil) }

  private func answer(_ name: String) -> @Sendable (WhiteResult) -> Void {
    { [log] result in
      // A success is seen in other callbacks.
      if case .failure(let error) = result { log.add(.answer(to: name, error.code.rawValue)) }
    }
  }

  private func join(_ callbacks: WhiteCall.Callbacks) {
    sdk.joinRoom(with: config, callbacks: object(for: callbacks)) { [self] success, room, error in
      held.withLock { held in
        held.joinError = error
        guard let room else { return }
        held.room = room
        if held.firstRoom == nil {
          held.firstRoom = ObjectIdentifier(room)
          held.firstMember = room.roomMemberId
        }
      }
      log.add(.answer(to: "join", success ? "ok" : error?.code.rawValue ?? "-"))
    }
  }

  private func object(for callbacks: WhiteCall.Callbacks) -> (any WhiteRoomCallbackDelegate)? {
    switch callbacks {
    case .own: return held.withLock { $0.recorder }
    case .none: return nil
    case .mute:
      let mute = Mute()
      held.withLock { $0.mute = mute }
      return mute
    }
  }

  // MARK: Looking

  func look(at fact: Fact) { log.add(.saw(fact, value(of: fact))) }

  private func value(of fact: Fact) -> String {
    let now = held.withLock { $0 }
    func against<Value: Equatable>(_ first: Value?, _ value: Value?) -> String {
      guard let value else { return "none" }
      return value == first ? "first" : "another"
    }
    switch fact {
    case .connection: return now.room?.phase.name ?? "none"
    case .member: return against(now.firstMember, now.room?.roomMemberId)
    case .object: return against(now.firstRoom, now.room.map { ObjectIdentifier($0) })
    case .own: return now.room?.state.worded[.memberState] ?? "-"
    case .roster: return now.room?.state.worded[.roomMembers] ?? ""
    case .attempts: return transport.newAttempts() > 0 ? "some" : "none"
    case .callbacksObject: return now.letGo == nil ? "gone" : "kept"
    case .attribute: return now.room?.state.worded[.globalState] ?? ""
    case .board, .phases: return "not replayed"
    }
  }
}

extension JSONValue {
  /// JSON as a timeline writes it; a text that is not JSON becomes a JSON string.
  static func raw(_ json: String) -> JSONValue {
    (try? JSONValue.parse(Array(json.utf8))) ?? .string(json)
  }
}
