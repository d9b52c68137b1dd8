import BoardroomCodec
import BoardroomModel
import EventLogModel

// Each command is an async call that throws, and answers once the command is in the log and shown in `state`. Commands are
// carried out in the order of the calls. While the room reconnects they wait for its return, or fail at once where the app
// wants that (X-9, `WhiteRoomConfig.queuesWhileAway`). A task that is cancelled waits no longer: the call throws an error
// whose `isCancelled` is set. A command that was not sent is taken back; one that was may be done all the same.
// `BoardroomLegacy` has the same commands with completions.
extension WhiteRoom {
  // MARK: State

  /// Sets top-level keys of the global state; null removes one (RS-1).
  @discardableResult
  nonisolated(nonsending) public func setGlobalState(
    _ state: [String: JSONValue]
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.setGlobalState(state))
  }

  /// Sets what is set in `state`; the rest of the own member state stays (PARITY rows MS). Fails with `badParameter`
  /// if a field is out of its range.
  @discardableResult
  nonisolated(nonsending) public func setMemberState(
    _ state: WhiteMemberState
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.setMemberState(state))
  }

  /// Becomes the broadcaster, follows it, or looks freely (V-1 to V-5).
  @discardableResult
  nonisolated(nonsending) public func setViewMode(_ mode: WhiteViewMode) async throws(BoardroomError)
    -> Receipt
  {
    try await answer(.setViewMode(mode))
  }

  // MARK: Magix events

  /// Sends a custom event to all who listen for its name, this client too (ME-8). At most one goes out in
  /// 75 ms unless the join asked otherwise; the others wait (ME-10).
  @discardableResult
  nonisolated(nonsending) public func dispatchMagixEvent(
    _ name: String, payload: JSONValue
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.dispatchMagixEvent(name, payload))
  }

  /// Subscribes to a name; `allMagixEvents` to all. The callbacks object hears of the events and `handler`
  /// too, which a later call for the same name replaces (ME-6).
  ///
  /// Own events come once they are in the log; with `firesOwnAtOnce`, when they are dispatched (ME-8), and then
  /// not again. One that is refused afterwards was heard all the same: its completion says so.
  public func addMagixEventListener(
    _ name: String, firesOwnAtOnce: Bool = false, handler: (@Sendable (WhiteEvent) -> Void)? = nil
  ) {
    shown.with { $0.subscriptions[name] = Subscription(handler: handler, firesOwnAtOnce: firesOwnAtOnce) }
  }

  /// Subscribes to a name in batches: each comes `fireInterval` milliseconds after its first event, at least 500;
  /// less is raised to that (ME-7). The callbacks object hears of it by `fireHighFrequencyEvent`.
  public func addHighFrequencyEventListener(
    _ name: String, fireInterval: Int, handler: (@Sendable ([WhiteEvent]) -> Void)? = nil
  ) {
    shown.with { $0.batchSubscriptions[name] = .some(handler) }
    link.enter { $0.magix.batches.listen(to: name, every: .milliseconds(fireInterval)) }
  }

  /// Ends both kinds of subscription.
  public func removeMagixEventListener(_ name: String) {
    shown.with {
      $0.subscriptions[name] = nil
      $0.batchSubscriptions.removeValue(forKey: name)
    }
    link.enter { $0.magix.batches.stopListening(to: name) }
  }

  /// W-3: with `enableWritableAssert` a read-only member's attempt is told even where somebody waits for it.
  fileprivate func asserting(
    _ finish: @escaping RoomRequest<Receipt>.Completion
  ) -> RoomRequest<Receipt>.Completion {
    guard options.enableWritableAssert else { return finish }
    return { [weak self] result in
      if case .failure(let error) = result, error.code == .notWritable { self?.throwError(error) }
      finish(result)
    }
  }

  // MARK: Writability

  /// Asks to become writable or read-only. A second call while one is pending is refused (W-2). Returns whether the member
  /// is writable now.
  @discardableResult
  nonisolated(nonsending) public func setWritable(_ writable: Bool) async throws(BoardroomError) -> Bool {
    try await answer(.setWritable(writable))
  }
}

extension RoomRequest<Receipt> {
  package static func setGlobalState(_ state: [String: JSONValue]) -> Self {
    .command(.state(.global(JSONPatch(state))))
  }

  package static func setMemberState(_ state: WhiteMemberState) -> Self {
    RoomRequest { room, finish in
      let finish = room.asserting(finish)
      room.link.enter { link in
        if let error = state.problem { return finish(.failure(error)) }
        link.submit(.state(.member(state.patch)), finish)
      }
    }
  }

  package static func setViewMode(_ mode: WhiteViewMode) -> Self { .command(.members(.viewMode(mode))) }

  package static func dispatchMagixEvent(_ name: String, _ payload: JSONValue) -> Self {
    RoomRequest { room, finish in
      let finish = room.asserting(finish)
      room.link.enter { $0.submit(.magix(MagixEvent(name: name, payload: payload.text)), finish) }
    }
  }
}

extension RoomRequest<Bool> {
  package static func setWritable(_ writable: Bool) -> Self {
    RoomRequest { room, finish in
      let isFree = room.shown.with { shown in
        defer { shown.isWritablePending = true }
        return !shown.isWritablePending
      }
      guard isFree else {
        return room.link.context.execute { finish(.failure(BoardroomError(.pending))) }
      }
      room.link.enter { link in
        link.submit(.members(.setWritable(writable))) { [weak room] result in
          room?.shown.with { $0.isWritablePending = false }
          finish(result.map { _ in room?.isWritable ?? false })
        }
      }
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
