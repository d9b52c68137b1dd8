import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Where a command ended up, or why it was not carried out.
public typealias WhiteResult = Result<Receipt, BoardroomError>

// Each command comes twice: with an optional completion, called on the SDK's context, and as an async call
// that throws. Both answer once the command is in the log and shown in `state`. In async code, where Swift
// prefers the async form, `completion: nil` asks for the other. While the room reconnects commands wait for its
// return, or fail at once where the app wants that (X-9, `WhiteRoomConfig.queuesWhileAway`).
extension WhiteRoom {
  func submit(_ command: Command, _ completion: (@Sendable (WhiteResult) -> Void)?) {
    run(completion) { $0.submit(command, $1) }
  }

  /// Something that is worked out on the link and ends in one command.
  func run(
    _ completion: (@Sendable (WhiteResult) -> Void)?,
    _ body: @escaping @Sendable (RoomLink, @escaping CommandCompletion) -> Void
  ) {
    let finish = whenDone(completion)
    link.enter { body($0, finish) }
  }

  /// The completion; where there is none, a failure is told to the common delegate.
  func whenDone<Value>(
    _ completion: (@Sendable (Result<Value, BoardroomError>) -> Void)?
  ) -> @Sendable (Result<Value, BoardroomError>) -> Void {
    completion ?? { [weak self] result in
      if case .failure(let error) = result { self?.complain(error) }
    }
  }

  @discardableResult
  func submit(_ command: Command) async throws(BoardroomError) -> Receipt {
    try await answer { self.submit(command, $0) }
  }

  nonisolated(nonsending) func answer<Value: Sendable>(
    _ body: (@escaping @Sendable (Result<Value, BoardroomError>) -> Void) -> Void
  ) async throws(BoardroomError) -> Value {
    let result = await withCheckedContinuation { continuation in
      body { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  // MARK: State

  /// Sets top-level keys of the global state; null removes one (RS-1).
  public func setGlobalState(
    _ state: [String: JSONValue], completion: (@Sendable (WhiteResult) -> Void)? = nil
  ) {
    submit(.state(.global(JSONPatch(state))), completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func setGlobalState(_ state: [String: JSONValue]) async throws(BoardroomError) -> Receipt {
    try await submit(.state(.global(JSONPatch(state))))
  }

  /// Sets what is set in `state`; the rest of the own member state stays (PARITY rows MS). Fails with `badParameter`
  /// if a field is out of its range.
  public func setMemberState(
    _ state: WhiteMemberState, completion: (@Sendable (WhiteResult) -> Void)? = nil
  ) {
    let finish = asserting(whenDone(completion))
    link.enter { link in
      if let error = state.problem { return finish(.failure(error)) }
      link.submit(.state(.member(state.patch)), finish)
    }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func setMemberState(_ state: WhiteMemberState) async throws(BoardroomError) -> Receipt {
    try await answer { answer in self.setMemberState(state) { answer($0) } }
  }

  /// Becomes the broadcaster, follows it, or looks freely (V-1 to V-5).
  public func setViewMode(_ mode: WhiteViewMode, completion: (@Sendable (WhiteResult) -> Void)? = nil) {
    submit(.members(.viewMode(mode)), completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func setViewMode(_ mode: WhiteViewMode) async throws(BoardroomError) -> Receipt {
    try await submit(.members(.viewMode(mode)))
  }

  // MARK: Magix events

  /// Sends a custom event to all who listen for its name, this client too (ME-8). At most one goes out in
  /// 75 ms unless the join asked otherwise; the others wait (ME-10).
  public func dispatchMagixEvent(
    _ name: String, payload: JSONValue, completion: (@Sendable (WhiteResult) -> Void)? = nil
  ) {
    let finish = asserting(whenDone(completion))
    link.enter { $0.submit(.magix(MagixEvent(name: name, payload: payload.text)), finish) }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func dispatchMagixEvent(
    _ name: String, payload: JSONValue
  ) async throws(BoardroomError) -> Receipt {
    try await answer { answer in self.dispatchMagixEvent(name, payload: payload) { answer($0) } }
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
  private func asserting(
    _ finish: @escaping @Sendable (WhiteResult) -> Void
  ) -> @Sendable (WhiteResult) -> Void {
    guard options.enableWritableAssert else { return finish }
    return { [weak self] result in
      if case .failure(let error) = result, error.code == .notWritable { self?.throwError(error) }
      finish(result)
    }
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
    submit(.members(.setWritable(writable))) { [weak self] result in
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
