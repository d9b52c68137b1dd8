import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// One stay in a room: from a join to `disconnected`. After that it is dead; join again for another.
///
/// Properties read what the room has been shown, from any thread. Commands are carried out in the order of
/// the calls; each answers once it is in the room's log and in `state`.
public final class WhiteRoom: Sendable {
  /// The name that subscribes to all magix events.
  public static let allMagixEvents = "*"

  struct Shown {
    var phase = WhiteRoomPhase.connecting
    var state = WhiteRoomState()
    var member: MemberID?
    var session: SessionID?
    var isCommittable = false
    var disconnectedBySelf = false
    /// After a later join this object does not call back any more (CB-7).
    var isSilent = false
    var isWritablePending = false
    var end: BoardroomError?
    var failure: ConnectionFailure?
    /// Every page of the room.
    var scenes: [Scene] = []
    var steps = WhiteSteps()
    var selection: [WhiteElementID] = []
    /// What `copy` remembered.
    var clipboard: [WhiteElementID] = []
    var stores: [String: WeakStore] = [:]
    var inputs = WhiteInputs()
    var timeDelay = Duration.zero
    var subscriptions: [String: Subscription] = [:]
    /// By event name; nil means that only the callbacks object hears of it.
    var batchSubscriptions: [String: (@Sendable ([WhiteEvent]) -> Void)?] = [:]
    var whenOver: [@Sendable () -> Void] = []
    var lastStroke: UInt64 = 0
    /// Own commands that have no receipt.
    var pendingCount = 0
  }

  struct Subscription {
    /// Nil: only the callbacks object hears of it.
    var handler: (@Sendable (WhiteEvent) -> Void)?
    var firesOwnAtOnce: Bool
  }

  /// The room's uuid.
  public let uuid: String
  /// What the join asked for.
  public let options: WhiteRoomConfig
  let sdkOptions: WhiteSdkConfiguration
  let shown = Guarded(Shown())
  let link: ConnectionDomain<RoomLink>
  private let delegates: DelegateHolder
  private let whenEnding: @Sendable (WhiteRoom) -> Void
  private let whenDecided: @Sendable (WhiteRoom, BoardroomError?) -> Void
  private let eventCast: Broadcast<RoomEvent>
  private let phaseCast: Broadcast<WhiteRoomPhase>
  private let stateCast: Broadcast<WhiteRoomState>

  init(
    _ settings: LinkSettings, options: WhiteRoomConfig, sdkOptions: WhiteSdkConfiguration,
    transport: any Transport, context: any ClientContext, delegates: DelegateHolder,
    whenEnding: @escaping @Sendable (WhiteRoom) -> Void,
    whenDecided: @escaping @Sendable (WhiteRoom, BoardroomError?) -> Void
  ) {
    uuid = settings.hello.room.description
    (self.options, self.sdkOptions) = (options, sdkOptions)
    let logger = settings.linkLogger
    eventCast = Broadcast(limit: Self.eventBufferLimit, name: "WhiteRoom.events", logger: logger)
    phaseCast = Broadcast(
      limit: Self.phaseBufferLimit, name: "WhiteRoom.phases", present: .connecting, logger: logger)
    stateCast = Broadcast(
      limit: Self.stateBufferLimit, name: "WhiteRoom.states", present: WhiteRoomState(), logger: logger
    ) { older, newer in
      var joined = older
      joined.merge(newer)
      return joined
    }
    shown.with { $0.inputs = WhiteInputs(options.view) }
    (self.delegates, self.whenEnding, self.whenDecided) = (delegates, whenEnding, whenDecided)
    let link = RoomLink(
      settings, subprotocol: sdkOptions.subprotocol, transport: transport, context: context)
    self.link = ConnectionDomain(context, link)
  }

  deinit { link.enter { $0.leave() } }

  /// Begins, once.
  func join() {
    link.enter { [weak self] link in
      link.onUpdate = { [weak self] update in self?.handleLinkUpdate(update) }
      link.join()
    }
  }

  // MARK: What is known without asking

  /// This client's number in the room; nil before it is in. `observerId` is the same.
  public var roomMemberId: UInt64? { shown.with { $0.member?.rawValue } }
  /// The same as `roomMemberId`.
  public var observerId: UInt64? { roomMemberId }
  /// The session, as 32 hexadecimal digits: it stays the same across reconnections.
  public var sessionId: String? { shown.with { $0.session?.description } }
  /// The phase of the connection, as the app was told last.
  public var phase: WhiteRoomPhase { shown.with { $0.phase } }
  /// All parts, as of the last callback.
  public var state: WhiteRoomState { shown.with { $0.state } }
  /// Whether commands are accepted now: connected, and writable.
  public var isWritable: Bool { shown.with { $0.isCommittable } }
  /// Whether `disconnect()` was called; set before the phases say so (P-15), so that an app does not rejoin.
  public var disconnectedBySelf: Bool { shown.with { $0.disconnectedBySelf } }
  /// Why it is over, if it is and this client did not want it.
  public var error: BoardroomError? { shown.with { $0.end } }
  /// Why the last attempt to reach the server came to nothing; nil while the room is connected.
  public var connectionFailure: ConnectionFailure? { shown.with { $0.failure } }

  // MARK: Streams

  /// How many unread events one stream keeps: some seconds of a busy room.
  public static let eventBufferLimit = 4_096
  /// How many unread phases one stream keeps.
  public static let phaseBufferLimit = 64
  /// How many unread changes of the state one stream keeps apart from each other.
  public static let stateBufferLimit = 256

  /// Events of the log from now on, with what an outage kept back. Up to `eventBufferLimit` unread ones are kept, then
  /// the oldest are dropped, which the stream tells (``BufferedStream/markingDrops``). Ends with the room.
  public var events: BufferedStream<RoomEvent> { eventCast.stream }
  /// The present phase, then each other one. Up to `phaseBufferLimit` unread ones are kept, then the oldest are dropped.
  public var phases: BufferedStream<WhiteRoomPhase> { phaseCast.stream }
  /// The present state with all its parts, then what `fireRoomStateChanged` gets. Nothing is dropped: where more than
  /// `stateBufferLimit` changes are unread, the oldest two become one.
  public var states: BufferedStream<WhiteRoomState> { stateCast.stream }

  // MARK: What the link tells

  private func handleLinkUpdate(_ update: LinkUpdate) {
    switch update {
    case .phase(let phase): changed(phase)
    case .attemptFailed(let failure): changed(failure)
    case .attempt, .mended, .lost, .tokenExpired, .tokenWillExpire, .tokenRenewed: break
    case .admitted(let member, let session):
      shown.with {
        $0.member = member
        $0.session = session
      }
    case .committable(let able):
      shown.with { $0.isCommittable = able }
      listener?.fireBeingAbleToCommitChange(able)
    case .state(let full, let told): changed(full, told)
    case .scenes(let scenes): shown.with { $0.scenes = scenes }
    case .steps(let steps): changed(steps)
    case .stores(let news): for one in news { changed(one) }
    case .elements: listener?.fireElementsChanged()
    case .event(let event): if !isSilent { eventCast.send(event) }
    case .callback(let callback): listener.map(callback)
    case .magix(let event, let moment): deliver(event, moment)
    case .magixBatch(let events): deliver(events)
    case .log(let line): log(line)
    case .misfit(let author, let what): listener?.fireCatchErrorWhenAppendFrame(author, error: what)
    case .pending(let count, let commands): changed(count, commands)
    case .joined: whenDecided(self, nil)
    case .ended(let end, let wasJoining, let failure):
      ended(end, wasJoining: wasJoining, because: failure)
      if wasJoining { whenDecided(self, end.error(after: failure)) }
      finish()
    }
  }

  private var isSilent: Bool { shown.with { $0.isSilent } }
  private var listener: (any WhiteRoomCallbackDelegate)? { isSilent ? nil : delegates.room }

  private func changed(_ phase: WhiteRoomPhase) {
    shown.with {
      $0.phase = phase
      if phase == .connected { $0.failure = nil }
    }
    listener?.firePhaseChanged(phase)
    if !isSilent { phaseCast.send(phase) }
  }

  private func changed(_ failure: ConnectionFailure) {
    shown.with { $0.failure = failure }
    listener?.fireConnectionAttemptFailed(failure)
  }

  private func changed(_ full: WhiteRoomState, _ told: WhiteRoomState) {
    shown.with { $0.state = full }
    guard !told.isEmpty else { return stateCast.note(present: full) }
    listener?.fireRoomStateChanged(told)
    if !isSilent { stateCast.send(told, present: full) }
  }

  private func changed(_ count: Int, _ commands: [WhitePendingCommand]?) {
    shown.with { $0.pendingCount = count }
    if let commands { listener?.firePendingCommandsChanged(commands) }
  }

  private func changed(_ steps: WhiteSteps) {
    let before = shown.with { shown in
      defer { shown.steps = steps }
      return shown.steps
    }
    if steps.undo != before.undo { listener?.fireCanUndoStepsUpdate(steps.undo) }
    if steps.redo != before.redo { listener?.fireCanRedoStepsUpdate(steps.redo) }
  }

  private func changed(_ news: StoreNews) {
    guard !isSilent else { return }
    shown.with { $0.stores[news.name]?.store }?.update(news)
  }

  private func deliver(_ event: WhiteEvent, _ moment: MagixMoment) {
    guard !isSilent else { return }
    let subscriptions = shown.with { shown in
      [event.eventName, Self.allMagixEvents].compactMap { shown.subscriptions[$0] }
    }.filter { subscription in
      switch moment {
      case .dispatched: subscription.firesOwnAtOnce
      case .ownAccepted: !subscription.firesOwnAtOnce
      case .others: true
      }
    }
    guard !subscriptions.isEmpty else { return }
    for subscription in subscriptions { subscription.handler?(event) }
    listener?.fireMagixEvent(event)
  }

  private func deliver(_ events: [WhiteEvent]) {
    guard !isSilent, let name = events.first?.eventName else { return }
    guard let handler = shown.with({ $0.batchSubscriptions[name] }) else { return }
    handler?(events)
    listener?.fireHighFrequencyEvent(events)
  }

  /// Whoever listened when the end began hears all of it, also where the app joins again inside one of these callbacks,
  /// which silences this room (CB-7) and may bring another callbacks object.
  private func ended(_ end: ConnectionEnd, wasJoining: Bool, because failure: ConnectionFailure?) {
    let (listener, isSilent) = (listener, isSilent)
    whenEnding(self)
    let wasCommittable = shown.with { shown in
      if end != .left { shown.end = end.error(after: failure) }
      defer { shown.isCommittable = false }
      return shown.isCommittable
    }
    end.tellEnd(to: listener, wasJoining: wasJoining, after: failure) {
      shown.with { $0.phase = .disconnected }
      listener?.firePhaseChanged(.disconnected)
      if !isSilent { phaseCast.send(.disconnected) }
      if wasCommittable { listener?.fireBeingAbleToCommitChange(false) }
    }
  }

  private func finish() {
    let waiting = shown.with { shown in
      defer { shown.whenOver = [] }
      return shown.whenOver
    }
    for completion in waiting { completion() }
    eventCast.finish()
    phaseCast.finish()
    stateCast.finish()
  }

  // MARK: Leaving

  /// Leaves. The completion comes after the phase `disconnected`.
  package func leave(_ completion: (@Sendable () -> Void)?) {
    let isOver = shown.with { shown in
      shown.disconnectedBySelf = true
      guard shown.phase != .disconnected else { return true }
      if let completion { shown.whenOver.append(completion) }
      return false
    }
    if isOver, let completion { link.context.execute(completion) }
    link.enter { $0.leave() }
  }

  /// Leaves. Phases `disconnecting` and `disconnected` are told; returns after the latter. A cancelled task returns at
  /// once, and the room is left all the same.
  nonisolated(nonsending) public func disconnect() async {
    guard !Task.isCancelled else { return leave(nil) }
    await awaitAnswer(orWhenCancelled: ()) { done in leave { done(()) } }
  }

  /// Tells the room that the system has a network again: it tries at once.
  public func networkIsBack() { link.enter { $0.networkBack() } }

  /// CB-7.
  func silence() {
    shown.with { $0.isSilent = true }
    link.enter { $0.leave() }
  }

  // MARK: Tokens

  /// Another token for the attempts to come; an outage tries at once.
  public func renewToken(_ token: String) { link.enter { $0.renew(token) } }

  // MARK: What nobody waits for

  /// Tells the app of a command that nobody waits for; of a read-only member's as the join asked (W-3).
  func complain(_ error: BoardroomError) {
    guard error.code == .notWritable else { return throwError(error) }
    switch options.rejectWhenReadonlyErrorLevel {
    case .throw: throwError(error)
    case .warn: log(WhiteLogLine(.warning, error.description))
    case .ignore: break
    }
  }

  func throwError(_ error: BoardroomError) { delegates.common?.throwError(error) }

  func log(_ line: WhiteLogLine) {
    guard let least = sdkOptions.logLevel, line.level >= least else { return }
    delegates.common?.logger(line)
  }

  /// Where an image comes from, as the app wants it said.
  func source(_ url: String) -> String {
    guard sdkOptions.enableInterrupterAPI else { return url }
    return delegates.common?.urlInterrupter(url) ?? url
  }
}
