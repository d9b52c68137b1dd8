import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// Custom events on their way out: one in 75 ms (ME-10).
struct MagixPace {
  static let interval = Duration.milliseconds(75)
  /// Events that may wait. 1,000: over a minute at the pace.
  static let limit = 1_000

  struct WaitingEvent {
    let event: MagixEvent
    /// As `PendingNews` numbers commands.
    let number: UInt64
    let completion: CommandCompletion
    /// The call that it comes from, if a task waits for that.
    let call = CallToken.current

    var size: Int { event.size }
  }

  private(set) var waiting: [WaitingEvent] = []
  /// Of all that wait.
  private(set) var bytes = 0
  private var lastSent: Timestamp?

  var due: Timestamp? { waiting.isEmpty ? nil : lastSent.map { $0 + Self.interval } ?? .zero }

  mutating func add(
    _ event: MagixEvent, number: UInt64, _ completion: @escaping CommandCompletion
  ) -> Bool {
    guard waiting.count < Self.limit else { return false }
    waiting.append(WaitingEvent(event: event, number: number, completion: completion))
    bytes += event.size
    return true
  }

  mutating func next(at now: Timestamp) -> WaitingEvent? {
    guard let due, due <= now else { return nil }
    lastSent = now
    let next = waiting.removeFirst()
    bytes -= next.size
    return next
  }

  /// Those of a call that was cancelled.
  mutating func withdraw(_ call: CallToken) -> [Outbox.Settled] {
    let taken = waiting.filter { $0.call === call }
    guard !taken.isEmpty else { return [] }
    waiting.removeAll { $0.call === call }
    bytes -= taken.reduce(0) { $0 + $1.size }
    return taken.map { ($0.completion, .failure(.cancelled)) }
  }

  mutating func abandon(_ error: BoardroomError) -> [Outbox.Settled] {
    defer { (waiting, bytes) = ([], 0) }
    return waiting.map { ($0.completion, .failure(error)) }
  }
}

extension MagixEvent {
  /// Bytes of the name and of the payload.
  fileprivate var size: Int { name.utf8.count + payload.bytes.count }
}

extension RoomLink {
  /// Recommended size of a magix event (ME-9): 1 KiB. Above it there is a line in the app's log.
  static let recommendedMagix = 1 << 10

  /// Commands of an outage wait for its end, within `AwayQueue`'s bounds, or fail at once and are never sent later.
  /// Within `limit` its completion is called: with a failure if there is no receipt by then. Such a command is not sent
  /// again; if it turns out to be done all the same, the completion is called once more.
  func submit(_ command: Command, within limit: Duration? = nil, _ completion: @escaping CommandCompletion) {
    // Its task was cancelled before the context came to it.
    if CallToken.current?.isCancelled == true { return completion(.failure(.cancelled)) }
    if let error = obstacle ?? obstacle(to: command) { return completion(.failure(error)) }
    do throws(BoardroomError) {
      try checkSize(of: command)
      if !isLive { try checkQueue(for: command) }
    } catch { return completion(.failure(error)) }
    guard case .custom(.magix(let event)) = command else { return queue(command, within: limit, completion) }
    dispatch(event, completion)
  }

  private func dispatch(_ event: MagixEvent, _ completion: @escaping CommandCompletion) {
    let author = Actor.member(session?.member ?? 0)
    if settings.pacesMagix {
      guard magix.pace.add(event, number: pending.nextNumber(), completion) else {
        return completion(.failure(.tooManyWaiting))
      }
      notePending()
      onUpdate(.magix(WhiteEvent(event, in: settings.hello.room, by: author, isLate: false), .dispatched))
      if isLive { sendDueMagix() }
      return wake()
    }
    onUpdate(.magix(WhiteEvent(event, in: settings.hello.room, by: author, isLate: false), .dispatched))
    queue(.magix(event), completion)
  }

  /// Why nothing can be sent now, if so.
  var obstacle: BoardroomError? {
    guard isLive || isQueueing else { return BoardroomError(.notConnected) }
    return outbox.isFull ? .tooManyWaiting : nil
  }

  /// W-3: what only a writable member may do is not even sent. While it is being settled who may write, the
  /// server says.
  private func obstacle(to command: Command) -> BoardroomError? {
    // In spaces without a board the server says it.
    guard command.need == .writable, command.kind.command?.ground != .withoutBoard else { return nil }
    guard writable.isSettled, mirror.isWritable() == false else { return nil }
    return BoardroomError(.notWritable)
  }

  private func checkSize(of command: Command) throws(BoardroomError) {
    guard let limit = mirror.limits.payload(of: command.kind) else { return }
    let numbered = NumberedCommand(counter: 1, command: command)
    let size = CommandCodec.encode(numbered).body.count - 1
    guard size <= limit else {
      throw BoardroomError(
        Refusal(
          .tooLarge, actual: size, allowed: limit,
          limit: WireLimits.name(forPayloadOf: command.kind) ?? command.kind.name))
    }
    if case .custom(.magix) = command, size > Self.recommendedMagix {
      let text = "A magix event of \(size) bytes is above the recommended \(Self.recommendedMagix)."
      onUpdate(.log(WhiteLogLine(.warning, text)))
    }
  }

  private func queue(
    _ command: Command, within limit: Duration? = nil, number: UInt64? = nil,
    _ completion: @escaping CommandCompletion
  ) {
    var completion = completion
    if case .members(.setWritable(let flag)) = command {
      writable.ask(flag)
      completion = notingAnswer(completion)
    }
    let numbered = outbox.add(
      command, due: limit.map { now + $0 }, number: number ?? pending.nextNumber(),
      awayBytes: isLive ? nil : AwayQueue.size(of: command), completion)
    if limit != nil { wake() }
    mirror.predict(numbered)
    notePending()
    // What is given in an outage is sent at its end, with all that has no receipt by then.
    guard isLive else {
      if !isMidway { showState() }
      return
    }
    // All that is asked for in one turn goes out as one message.
    if outgoing.add(numbered) { context.executeConfined { [weak self] in self?.flushCommands() } }
    showState()
  }

  private func notingAnswer(_ completion: @escaping CommandCompletion) -> CommandCompletion {
    return { [weak self] result in
      self?.writable.noteAnswer()
      completion(result)
    }
  }

  func flushCommands() {
    guard isLive || machine.phase == .closing, connection?.stage == .live else { return }
    // A quarter of the server's limit leaves room for what JSON adds.
    for message in outgoing.takeMessages(ofAbout: mirror.limits.message / 4) { send(.commands(message)) }
  }

  func sendDueMagix() {
    while let next = magix.pace.next(at: now) {
      queue(.magix(next.event), number: next.number, next.completion)
    }
  }

  // MARK: History

  /// EL-6: a history is the member's, so a new member asks for its own.
  func keepHistory(isNew: Bool) {
    guard isNew, !board.isSerializationDisabled else { return }
    submit(.history(.keep(scenes: board.undoScenes))) { _ in }
  }

  /// EL-6.
  func setSerialization(disabled: Bool, _ completion: @escaping CommandCompletion) {
    submit(.history(.keep(scenes: disabled ? 0 : board.undoScenes))) { [weak self] result in
      if case .success = result { self?.board.isSerializationDisabled = disabled }
      completion(result)
    }
  }

  /// Undoes or redoes; answers with how many more of the same could follow (EL-7).
  func step(
    _ command: Command, _ steps: any KeyPath<WhiteSteps, Int> & Sendable,
    _ completion: @escaping (Result<Int, BoardroomError>) -> Void
  ) {
    guard !board.isSerializationDisabled else { return completion(.failure(.serializationDisabled)) }
    submit(command) { [weak self] result in
      completion(
        result.map { _ in self?.mirror.shownSteps[keyPath: steps] ?? 0 })
    }
  }
}
