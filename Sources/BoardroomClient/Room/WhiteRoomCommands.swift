import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Where a command ended up, or why it was not carried out.
public typealias WhiteResult = Result<Receipt, BoardroomError>

// Each command comes twice: with an optional completion, called on the SDK's context, and as an async call
// that throws. Both answer once the command is in the log and shown in `state`. In async code, where Swift
// prefers the async form, `completion: nil` asks for the other. While the room is not connected every command
// fails at once with `notConnected` and is never sent later (P-12, X-9).
extension WhiteRoom {
  func submit(_ command: Command, _ completion: (@Sendable (WhiteResult) -> Void)?) {
    let finish = completion ?? whenUnheard
    link.enter { $0.submit(command, finish) }
  }

  @discardableResult
  func submit(_ command: Command) async throws(BoardroomError) -> Receipt {
    try await answer { self.submit(command, $0) }
  }

  func answer<Value: Sendable>(
    _ body: (@escaping @Sendable (Result<Value, BoardroomError>) -> Void) -> Void
  ) async throws(BoardroomError) -> Value {
    let result = await withCheckedContinuation { continuation in
      body { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  private var whenUnheard: @Sendable (WhiteResult) -> Void {
    { [weak self] result in
      if case .failure(let error) = result { self?.complain(error) }
    }
  }

  // MARK: State

  /// Sets top-level keys of the global state; null removes one (RS-1).
  public func setGlobalState(
    _ state: [String: JSONValue], completion: (@Sendable (WhiteResult) -> Void)? = nil
  ) {
    submit(.globalState(JSONPatch(state)), completion)
  }

  @discardableResult
  public func setGlobalState(_ state: [String: JSONValue]) async throws(BoardroomError) -> Receipt {
    try await submit(.globalState(JSONPatch(state)))
  }

  /// Sets what is set in `state`; the rest of the own member state stays (spec 2.7).
  public func setMemberState(
    _ state: WhiteMemberState, completion: (@Sendable (WhiteResult) -> Void)? = nil
  ) {
    submit(.memberState(state.patch), completion)
  }

  @discardableResult
  public func setMemberState(_ state: WhiteMemberState) async throws(BoardroomError) -> Receipt {
    try await submit(.memberState(state.patch))
  }

  public func setViewMode(_ mode: WhiteViewMode, completion: (@Sendable (WhiteResult) -> Void)? = nil) {
    submit(.viewMode(mode), completion)
  }

  @discardableResult
  public func setViewMode(_ mode: WhiteViewMode) async throws(BoardroomError) -> Receipt {
    try await submit(.viewMode(mode))
  }

  public func moveCamera(
    _ camera: WhiteCameraState, completion: (@Sendable (WhiteResult) -> Void)? = nil
  ) {
    submit(.camera(camera.camera), completion)
  }

  @discardableResult
  public func moveCamera(_ camera: WhiteCameraState) async throws(BoardroomError) -> Receipt {
    try await submit(.camera(camera.camera))
  }

  // MARK: Scenes

  /// A page or a directory; begins with `/` (SC-2).
  public func setScenePath(_ path: String, completion: (@Sendable (WhiteResult) -> Void)? = nil) {
    submit(.switchScene(.path(path)), completion)
  }

  @discardableResult
  public func setScenePath(_ path: String) async throws(BoardroomError) -> Receipt {
    try await submit(.switchScene(.path(path)))
  }

  /// A page of the current directory, from 0 (SC-6).
  public func setSceneIndex(_ index: Int, completion: (@Sendable (WhiteResult) -> Void)? = nil) {
    submit(.switchScene(.index(index)), completion)
  }

  @discardableResult
  public func setSceneIndex(_ index: Int) async throws(BoardroomError) -> Receipt {
    try await submit(.switchScene(.index(index)))
  }

  /// Puts pages into a directory; one of the same path is overwritten, the current page stays (SC-4).
  public func putScenes(
    _ directory: String, scenes: [WhiteScene], index: Int,
    completion: (@Sendable (WhiteResult) -> Void)? = nil
  ) {
    submit(.putScenes(ScenesPut(directory, scenes, index)), completion)
  }

  @discardableResult
  public func putScenes(
    _ directory: String, scenes: [WhiteScene], index: Int
  ) async throws(BoardroomError) -> Receipt {
    try await submit(.putScenes(ScenesPut(directory, scenes, index)))
  }

  // MARK: Magix events

  /// Sends a custom event to all who listen for its name, this client too (ME-8). At most one goes out in
  /// 75 ms unless the join asked otherwise; the others wait (ME-10).
  public func dispatchMagixEvent(
    _ name: String, payload: JSONValue, completion: (@Sendable (WhiteResult) -> Void)? = nil
  ) {
    submit(.magix(MagixEvent(name: name, payload: payload.text)), completion)
  }

  @discardableResult
  public func dispatchMagixEvent(
    _ name: String, payload: JSONValue
  ) async throws(BoardroomError) -> Receipt {
    try await submit(.magix(MagixEvent(name: name, payload: payload.text)))
  }

  /// Subscribes to a name; `allMagixEvents` to all. The callbacks object hears of the events and `handler`
  /// too, which a later call for the same name replaces (ME-6).
  public func addMagixEventListener(_ name: String, handler: (@Sendable (WhiteEvent) -> Void)? = nil) {
    shown.with { $0.subscriptions[name] = .some(handler) }
  }

  public func removeMagixEventListener(_ name: String) {
    shown.with { _ = $0.subscriptions.removeValue(forKey: name) }
  }

  // MARK: Writability

  /// Asks to become writable or read-only. A second call while one is pending is refused (W-2).
  public func setWritable(
    _ writable: Bool, completion: (@Sendable (Bool, BoardroomError?) -> Void)? = nil
  ) {
    let isFree = shown.with { shown in
      defer { shown.isWritablePending = true }
      return !shown.isWritablePending
    }
    guard isFree else {
      let isWritable = isWritable
      link.context.execute { completion?(isWritable, BoardroomError(.pending)) }
      return
    }
    submit(.setWritable(writable)) { [weak self] result in
      guard let self else { return }
      shown.with { $0.isWritablePending = false }
      switch result {
      case .success: completion?(isWritable, nil)
      case .failure(let error):
        if completion == nil { complain(error) }
        completion?(isWritable, error)
      }
    }
  }

  /// The same; returns whether the member is writable now.
  @discardableResult
  public func setWritable(_ writable: Bool) async throws(BoardroomError) -> Bool {
    try await answer { answer in
      self.setWritable(writable) { writable, error in
        answer(error.map { .failure($0) } ?? .success(writable))
      }
    }
  }

  // MARK: Asking again

  /// `state`, once everything that was asked for or heard before has been done.
  public func getRoomState() async -> WhiteRoomState { await ask { $0.mirror.shown } }
  public func getGlobalState() async -> [String: JSONText] { await ask { $0.mirror.state.globalState } }
  public func getMemberState() async -> WhiteMemberState {
    await ask { WhiteMemberState($0.mirror.member?.state ?? [:]) }
  }
  public func getRoomMembers() async -> [WhiteRoomMember] { await ask { $0.mirror.state.listedMembers } }
  public func getSceneState() async -> WhiteSceneState { await ask { $0.mirror.state.sceneState } }
  public func getBroadcastState() async -> WhiteBroadcastState {
    await ask { $0.mirror.state.broadcastState(for: $0.mirror.member) }
  }
  public func getRoomPhase() async -> WhiteRoomPhase { await ask { $0.announced ?? .connecting } }
  public func getZoomScale() async -> Double {
    await ask { $0.mirror.state.cameraState(for: $0.mirror.member).scale }
  }
  /// Everything that the log says of the room, elements too, folded: what a board is drawn from.
  public func getBoard() async -> RoomState { await ask { $0.mirror.state } }

  private func ask<Value: Sendable>(
    _ question: @escaping @Sendable (isolated RoomLink) -> Value
  ) async -> Value {
    let link = link
    return await withCheckedContinuation { continuation in
      link.context.execute { continuation.resume(returning: link.assumeIsolated { question($0) }) }
    }
  }
}

extension JSONPatch {
  init(_ state: [String: JSONValue]) {
    let fields = state.sorted { $0.key < $1.key }
    self.init(fields.map { ($0.key, $0.value.isNull ? nil : $0.value.text) })
  }
}

extension ScenesPut {
  init(_ directory: String, _ scenes: [WhiteScene], _ index: Int) {
    self.init(
      directory: directory, index: index, scenes: scenes.map { SceneSpec(id: 0, name: $0.name, ppt: $0.ppt) })
  }
}
