import BoardroomModel

/// What an app asks of a room, and what it is answered with. Both faces begin the same requests: the async forms of this
/// module wait for the answer, the completion forms of `BoardroomLegacy` are called with it.
package struct RoomRequest<Answer: Sendable>: Sendable {
  package typealias Completion = @Sendable (Result<Answer, BoardroomError>) -> Void

  /// Begins at once, so that requests keep the order of the calls. The completion is called once, on the SDK's context.
  let begin: @Sendable (WhiteRoom, @escaping Completion) -> Void

  init(begin: @escaping @Sendable (WhiteRoom, @escaping Completion) -> Void) { self.begin = begin }

  /// Something that is worked out on the link.
  static func onLink(
    _ body: @escaping @Sendable (RoomLink, @escaping (Result<Answer, BoardroomError>) -> Void) -> Void
  ) -> Self {
    RoomRequest { room, finish in room.link.enter { body($0, finish) } }
  }
}

extension RoomRequest<Receipt> {
  static func command(_ command: Command) -> Self { .onLink { $0.submit(command, $1) } }
}

/// What an app wants to know of a room: worked out on the link, once all that was asked for before has been done.
package struct RoomQuestion<Value: Sendable>: Sendable {
  let answer: @Sendable (RoomLink) -> Value

  init(_ answer: @escaping @Sendable (RoomLink) -> Value) { self.answer = answer }
}

extension WhiteRoom {
  /// Begins what is asked for. Without a completion a failure is told to the common delegate.
  package func begin<Answer>(
    _ request: RoomRequest<Answer>, completion: RoomRequest<Answer>.Completion?
  ) {
    request.begin(
      self,
      completion ?? { [weak self] result in
        if case .failure(let error) = result { self?.complain(error) }
      })
  }

  /// The same, awaited: until its task is cancelled. What it led to and was not sent is then taken back.
  ///
  /// - Parameter takesBack: false for a part of a whole that makes no sense without it.
  nonisolated(nonsending) func answer<Answer>(
    _ request: RoomRequest<Answer>, takesBack: Bool = true
  ) async throws(BoardroomError) -> Answer {
    let cancelled = Result<Answer, BoardroomError>.failure(.cancelled)
    guard takesBack else {
      return try await awaitAnswer(orWhenCancelled: cancelled) { give in request.begin(self, give) }.get()
    }
    let call = CallToken()
    return try await awaitAnswer(
      orWhenCancelled: cancelled,
      withdraw: { [link] in
        call.cancel()
        link.enter { $0.withdraw(call) }
      }
    ) { give in CallToken.$current.withValue(call) { request.begin(self, give) } }.get()
  }

  /// Whether it was done.
  nonisolated(nonsending) func isDone(_ request: RoomRequest<Receipt>) async -> Bool {
    (try? await answer(request)) != nil
  }

  nonisolated(nonsending) func ask<Value>(_ question: RoomQuestion<Value>) async -> Value {
    await link.ask(question.answer)
  }

  /// Also of a room that is over. `result` is called on the SDK's context.
  package func ask<Value>(
    _ question: RoomQuestion<Value>, _ result: @escaping @Sendable (Value) -> Void
  ) {
    link.enter { result(question.answer($0)) }
  }
}
