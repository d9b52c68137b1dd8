import BoardroomCore
import BoardroomModel
import EventLogModel

/// What a driver tells its player, in order.
enum PlayerUpdate: Sendable {
  case playability(WhitePlayability, ReplayRange?)
  case phase(WhitePlayerPhase)
  /// All parts, and those that changed.
  case state(WhitePlayerState, told: WhitePlayerState)
  case scenes([Scene])
  case firstFrame
  case time(Duration)
  case slice(String)
  case gap(Gap)
  case misfit(String)
  case magix(WhiteEvent)
  case magixBatch([WhiteEvent])
  case elements
  case stopped(BoardroomError)
  /// What the member that is looked through heard.
  case room(LinkUpdate)
}

/// Drives one player: carries out what `PlayerMachine` decides, reads ahead, folds, tells. Lives on the player's
/// context.
final class PlayerLink {
  struct Seek {
    var number: UInt64
    var target: Duration
    var completion: (WhitePlayerSeekResult) -> Void
  }

  let context: any ClientContext
  let loader: ReplayLoader
  let config: WhitePlayerConfig
  /// Hears of everything, on the context. The player sets it before it opens the log.
  var onUpdate: (PlayerUpdate) -> Void = { _ in }
  /// Where the log is read.
  private let executor: (any TaskExecutor)?

  var machine = PlayerMachine(duration: .zero, step: .milliseconds(500))
  var mirror = PlayerMirror()
  var view: MemberView?
  var range: ReplayRange?
  var ahead = ReplayQueue()
  var batches = MagixBatches()
  var seek: Seek?
  /// Tries at reading that failed one after the other.
  var failures = 0
  /// Counts what was thrown away, so that answers to older questions are known.
  var reading: UInt64 = 0
  var isReading = false
  var announced = WhitePlayerPhase.waitingFirstFrame
  private var slice: String?
  private var timer: Timestamp?

  init(
    _ config: WhitePlayerConfig, _ source: any ReplaySource, context: any ClientContext,
    executor: (any TaskExecutor)?
  ) {
    (self.config, self.context, self.executor) = (config, context, executor)
    loader = ReplayLoader(source: source)
    mirror.bound = config.cameraBound
  }

  /// Asks the source away from the context, and goes on with the answer there.
  func ask<Value: Sendable>(
    _ question: @escaping @Sendable (ReplayLoader) async -> Value,
    _ then: @escaping (PlayerLink, Value) -> Void
  ) {
    let (loader, context) = (loader, context)
    let answered = context.confined { [weak self] (answer: Value) in
      if let self { then(self, answer) }
    }
    Task(executorPreference: executor) {
      let answer = await question(loader)
      context.execute { answered(answer) }
    }
  }

  var now: Timestamp { context.now }
  var isOver: Bool { machine.phase == .stopped }

  // MARK: Opening

  func open() {
    let config = config
    ask({ await $0.range(config) }) { link, found in
      switch found {
      case .success(let range): link.opened(range)
      case .failure(let why): link.unplayable(why.reason)
      }
    }
  }

  private func opened(_ range: ReplayRange) {
    guard !isOver else { return }
    self.range = range
    let (intended, speed) = (machine.intended, machine.speed)
    machine = PlayerMachine(duration: range.duration, step: config.step)
    machine.setSpeed(speed, at: now)
    if intended == .playing { _ = machine.play(at: now) }
    if let track = range.track {
      let options = config.viewerOptions
      let settings = MemberView.Settings(
        echoesOwn: !options.onlyCallbackRemoteStateModify, showsPresence: options.showsMemberPresence,
        timeout: options.timeout)
      view = MemberView(track, settings, in: loader.source.room)
      view?.batches = batches
    }
    onUpdate(.playability(.playable, range))
    guard case .go(let number, let target) = machine.seek(to: seek?.target ?? .zero, at: now) else { return }
    let completion = seek?.completion ?? { _ in }
    seek = Seek(number: number, target: target, completion: completion)
    fetchSeek()
  }

  private func unplayable(_ reason: WhitePlayability) {
    guard !isOver else { return }
    onUpdate(.playability(reason, nil))
    fail(reason.error ?? BoardroomError(.internalFailure))
  }

  // MARK: What the app wants

  func play() {
    switch machine.play(at: now) {
    case .nothing: break
    case .changed:
      announce()
      turn()
    case .seekToBegin: seek(to: .zero) { _ in }
    }
  }

  func pause() {
    advance()
    if machine.pause(at: now) { announce() }
  }

  func stop() { end(nil) }

  func setSpeed(_ speed: Double) {
    advance()
    machine.setSpeed(speed, at: now)
    wake()
  }

  func fail(_ error: BoardroomError) { end(error) }

  private func end(_ error: BoardroomError?) {
    guard machine.stop(at: now) else { return }
    reading += 1
    ahead = ReplayQueue()
    finishSeek(.stopped)
    if let error { onUpdate(.stopped(error)) }
    announce()
  }

  func finishSeek(_ result: WhitePlayerSeekResult) {
    let completion = seek?.completion
    seek = nil
    completion?(result)
  }

  // MARK: Time

  /// Does what is due, and sees to it that it is called when something is.
  func turn() {
    advance()
    refill()
    wake()
  }

  /// Brings everything up to now.
  func advance() {
    guard machine.isRunning, let range else { return }
    if let edge = edge(of: range), machine.position(at: now) >= edge {
      show(upTo: range.map.utc(at: edge))
      if machine.starve(on: edge, at: now) { announce() }
      return
    }
    let tick = machine.tick(at: now)
    show(upTo: range.map.utc(at: tick.position))
    if tick.tellsTime, !isOver { onUpdate(.time(tick.position)) }
    if tick.hasEnded { announce() }
  }

  /// How far what has been read reaches; nil: to the end.
  private func edge(of range: ReplayRange) -> Duration? {
    guard ahead.through < range.last else { return nil }
    return range.map.schedule(of: max(ahead.lastTime ?? mirror.state.time, range.begin))
  }

  func wake() {
    guard machine.isRunning, let due = nextDue, timer.map({ due < $0 || $0 <= now }) ?? true else { return }
    timer = due
    context.scheduleConfined(at: due) { [weak self] in self?.timerFired(due) }
  }

  private var nextDue: Timestamp? {
    guard let range else { return nil }
    let times = [ahead.next?.time, view?.due, batches.due].compactMap(\.self)
    let next = times.min().flatMap { machine.moment(of: range.map.schedule(of: $0), after: now) }
    let edge = edge(of: range).flatMap { machine.moment(of: $0, after: now) }
    return [next, edge, machine.deadline(after: now)].compactMap(\.self).min()
  }

  private func timerFired(_ time: Timestamp) {
    guard timer == time else { return }
    timer = nil
    turn()
  }

  func announce() {
    guard machine.phase != announced else { return }
    announced = machine.phase
    onUpdate(.phase(announced))
  }

  /// RP-44.
  func announceSlice() {
    let now = ReplayRange.slice(of: mirror.state.revision)
    guard now != slice else { return }
    slice = now
    onUpdate(.slice(now))
  }
}
