import BoardroomCore
import BoardroomModel
import EventLogModel

/// Plays a recorded room: one range of its log, at any speed, from any moment to any other.
///
/// Callbacks come on the context, in the order of the log. Properties give what the app was last shown, from any
/// thread. A player that has stopped is dead; make another.
public final class WhitePlayer: Sendable {
  struct Shown {
    var phase = WhitePlayerPhase.waitingFirstFrame
    var state: WhitePlayerState?
    var playability = WhitePlayability.notReady
    var scenes: [Scene] = []
    var range: ReplayRange?
    var speed = 1.0
    var gaps: [Gap] = []
    var subscriptions: [String: (@Sendable (WhiteEvent) -> Void)?] = [:]
    var batchSubscriptions: [String: (@Sendable ([WhiteEvent]) -> Void)?] = [:]
    var member = MemberCallbacks()
    var watch: (@Sendable (WhitePlayerPhase) -> Void)?
  }

  /// The room's uuid.
  public let room: String
  /// What the player was made with.
  public let config: WhitePlayerConfig
  let link: ConnectionDomain<PlayerLink>
  let shown = Guarded(Shown())
  private let callbacks = DelegateReference<any WhitePlayerCallbackDelegate>()
  private let roomCallbacks = DelegateReference<any WhiteRoomCallbackDelegate>()
  private let commonCallbacks = DelegateReference<any WhiteCommonCallbackDelegate>()

  /// Opens the log at once; the first frame comes when it has been read.
  ///
  /// - Parameters:
  ///   - config: which part of the log, and through whose eyes.
  ///   - source: gives the log.
  ///   - callbacks: what the player says. Held weakly.
  ///   - roomCallbacks: hears what the callbacks object of `config.viewer` heard live. Held weakly.
  ///   - commonCallbacks: hears of that member's commands that the server refused. Held weakly.
  ///   - context: where callbacks and completions are called, and whose clock the player runs by.
  ///   - executor: where the log is read; nil: on threads of the system's.
  public init(
    _ config: WhitePlayerConfig, from source: any ReplaySource, context: any ClientContext,
    callbacks: (any WhitePlayerCallbackDelegate)? = nil,
    roomCallbacks: (any WhiteRoomCallbackDelegate)? = nil,
    commonCallbacks: (any WhiteCommonCallbackDelegate)? = nil, executor: (any TaskExecutor)? = nil
  ) {
    room = source.room.description
    self.config = config
    let link = PlayerLink(config, source, context: context, executor: executor)
    self.link = ConnectionDomain(context, link)
    self.callbacks.set { [weak callbacks] in callbacks }
    self.roomCallbacks.set { [weak roomCallbacks] in roomCallbacks }
    self.commonCallbacks.set { [weak commonCallbacks] in commonCallbacks }
    self.link.enter { [weak self] link in
      link.onUpdate = { [weak self] update in self?.handlePlayerUpdate(update) }
      link.open()
    }
  }

  deinit { link.enter { $0.stop() } }

  /// Whether something can be played, without playing it (RP-36).
  public static func isPlayable(
    _ config: WhitePlayerConfig, from source: any ReplaySource
  ) async -> WhitePlayability {
    switch await ReplayLoader(source: source).range(config) {
    case .success: .playable
    case .failure(let why): why.reason
    }
  }

  // MARK: What is known without asking

  /// What the player does now.
  public var phase: WhitePlayerPhase { shown.with { $0.phase } }
  /// All parts, as of the last callback; nil before the first frame (RP-35).
  public var state: WhitePlayerState? { shown.with { $0.state } }
  /// What of the log could not be read and was passed over so far (RP-65).
  public var gaps: [Gap] { shown.with { $0.gaps } }
  /// Whether the recording can be played, and if not, why.
  public var playability: WhitePlayability { shown.with { $0.playability } }
  /// Whether the recording can be played.
  public var isPlayable: Bool { playability.isPlayable }

  /// Where each stretch of the schedule lies in UTC (RP-63); nil before the log is open.
  public var timeMap: TimeMap? { shown.with { $0.range?.map } }

  // MARK: Playing

  /// Plays on; once it has ended, from the beginning.
  public func play() { link.enter { $0.play() } }
  /// Stands still where it is. `play` goes on from there.
  public func pause() { link.enter { $0.pause() } }
  /// Ends for good and lets everything go.
  public func stop() { link.enter { $0.stop() } }

  /// `completion` is called on the context.
  package func beginSeek(
    to seconds: Double, _ completion: @escaping @Sendable (WhitePlayerSeekResult) -> Void
  ) {
    let time = Duration.milliseconds((seconds * 1_000).clamped)
    link.enter { $0.seek(to: time, completion) }
  }

  /// Goes to a schedule time in seconds, 0 being the range's begin; what is beyond its ends is brought to them. A cancelled
  /// task gets `overridden` and waits no longer; the player goes there all the same.
  @discardableResult
  nonisolated(nonsending) public func seekToScheduleTime(_ seconds: Double) async -> WhitePlayerSeekResult {
    await awaitAnswer(orWhenCancelled: .overridden) { done in beginSeek(to: seconds) { done($0) } }
  }

  /// Log time over time; above zero, 1 by default. What is not above zero is ignored (RP-32). It stays what it is
  /// while the player pauses.
  public var playbackSpeed: Double {
    get { shown.with { $0.speed } }
    set {
      guard newValue > 0, newValue.isFinite else { return }
      shown.with { $0.speed = newValue }
      link.enter { $0.setSpeed(newValue) }
    }
  }

  // MARK: Custom events

  /// Subscribes to a name; `WhiteRoom.allMagixEvents` to all. Both callbacks objects hear of the events, and
  /// `handler` too, which a later call for the same name replaces (RP-37).
  public func addMagixEventListener(_ name: String, handler: (@Sendable (WhiteEvent) -> Void)? = nil) {
    shown.with { $0.subscriptions[name] = .some(handler) }
  }

  /// Subscribes to a name in batches, as `WhiteRoom` does; the interval is of the log's time.
  public func addHighFrequencyEventListener(
    _ name: String, fireInterval: Int, handler: (@Sendable ([WhiteEvent]) -> Void)? = nil
  ) {
    shown.with { $0.batchSubscriptions[name] = .some(handler) }
    link.enter { link in
      link.batches.listen(to: name, every: .milliseconds(fireInterval))
      link.view?.batches.listen(to: name, every: .milliseconds(fireInterval))
    }
  }

  /// Ends both kinds of subscription.
  public func removeMagixEventListener(_ name: String) {
    shown.with {
      $0.subscriptions.removeValue(forKey: name)
      $0.batchSubscriptions.removeValue(forKey: name)
    }
    link.enter { link in
      link.batches.stopListening(to: name)
      link.view?.batches.stopListening(to: name)
    }
  }

  // MARK: What the driver tells

  private var listener: (any WhitePlayerCallbackDelegate)? { callbacks.delegate }
  var roomListener: (any WhiteRoomCallbackDelegate)? { roomCallbacks.delegate }

  private func handlePlayerUpdate(_ update: PlayerUpdate) {
    switch update {
    case .playability(let playability, let range): opened(playability, range)
    case .phase(let phase):
      let watch = shown.with { shown in
        shown.phase = phase
        return shown.watch
      }
      listener?.phaseChanged(phase)
      watch?(phase)
    case .state(let full, let told):
      shown.with { $0.state = full }
      listener?.playerStateChanged(told)
    case .scenes(let scenes): shown.with { $0.scenes = scenes }
    case .firstFrame: listener?.loadFirstFrame()
    case .time(let time): listener?.scheduleTimeChanged(time.inSchedule)
    case .slice(let slice): listener?.sliceChanged(slice)
    case .gap(let gap): passed(gap)
    case .misfit(let what): listener?.errorWhenAppendFrame(what)
    case .magix(let event): deliver(event, to: nil)
    case .magixBatch(let events): deliver(events, to: nil)
    case .elements: listener?.elementsChanged()
    case .stopped(let error): listener?.stoppedWithError(error)
    case .room(.event(let event)): refused(event)
    case .room(let update): if let listener = roomListener { handleRoomUpdate(update, listener) }
    }
  }

  private func opened(_ playability: WhitePlayability, _ range: ReplayRange?) {
    let was = shown.with { shown in
      defer { (shown.playability, shown.range) = (playability, range) }
      return shown.playability
    }
    if was != playability { listener?.isPlayableChanged(playability.isPlayable) }
  }

  /// The log has the code alone: the sentences are the usual ones.
  private func refused(_ event: RoomEvent) {
    guard case .diagnostics(.refused(let refused)) = event.event else { return }
    commonCallbacks.delegate?.throwError(BoardroomError(refused.code))
  }

  private func passed(_ gap: Gap) {
    let isNew = shown.with { shown in
      guard !shown.gaps.contains(gap) else { return false }
      shown.gaps.append(gap)
      return true
    }
    if isNew { listener?.gapPassed(gap) }
  }

  /// To the room's callbacks object where one is given, else to the player's and the handlers.
  func deliver(_ event: WhiteEvent, to room: (any WhiteRoomCallbackDelegate)?) {
    let handlers = shown.with { shown in
      [event.eventName, WhiteRoom.allMagixEvents].compactMap { shown.subscriptions[$0] }
    }
    guard !handlers.isEmpty else { return }
    if let room { return room.fireMagixEvent(event) }
    for handler in handlers { handler?(event) }
    listener?.fireMagixEvent(event)
  }

  func deliver(_ events: [WhiteEvent], to room: (any WhiteRoomCallbackDelegate)?) {
    guard let name = events.first?.eventName,
      let handler = shown.with({ $0.batchSubscriptions[name] })
    else { return }
    if let room { return room.fireHighFrequencyEvent(events) }
    handler?(events)
    listener?.fireHighFrequencyEvent(events)
  }

  /// `watch` hears of the phase after the callbacks object does, and at once of the present one.
  func watch(_ watch: @escaping @Sendable (WhitePlayerPhase) -> Void) {
    let phase = shown.with { shown in
      shown.watch = watch
      return shown.phase
    }
    watch(phase)
  }

  func complain(_ error: BoardroomError) { listener?.errorWhenRender(error.description) }
}

extension Duration {
  /// In seconds, as schedule times are told.
  var inSchedule: Double { Double(wholeMilliseconds) / 1_000 }
}
