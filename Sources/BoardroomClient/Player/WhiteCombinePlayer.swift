import BoardroomModel
import EventLogModel

/// A media player of the app's, as far as a combined player needs it. All methods are called on the player's
/// context.
public protocol WhiteMediaClock: AnyObject, Sendable {
  /// Of the file, in seconds; nil while it is not known.
  var duration: Double? { get }
  func play()
  func pause()
  func setSpeed(_ speed: Double)
  /// Goes to a place in the file, in seconds; the completion comes when it is there, from any thread.
  func seek(to seconds: Double, completion: @escaping @Sendable () -> Void)
  /// From here on `heard` is told of every change, from any thread, and at once of the present state.
  func observe(_ heard: @escaping @Sendable (WhiteMediaState) -> Void)
}

/// What a combined player tells its app, on the player's context. Held weakly.
public protocol WhiteCombinePlayerDelegate: AnyObject {
  /// RP-51: the phase of both together.
  func combinePlayerPhaseChanged(_ phase: WhitePlayerPhase)
  /// RP-52: why it does not play; empty: it plays.
  func combinePlayerPauseReasonsChanged(_ reasons: WhitePauseReasons)
  /// RP-51: the media file cannot be played, and so nothing can.
  func combinePlayerFailed(_ error: String)
}

extension WhiteCombinePlayerDelegate {
  /// By default, does nothing.
  public func combinePlayerPhaseChanged(_ phase: WhitePlayerPhase) {}
  /// By default, does nothing.
  public func combinePlayerPauseReasonsChanged(_ reasons: WhitePauseReasons) {}
  /// By default, does nothing.
  public func combinePlayerFailed(_ error: String) {}
}

/// A player and a media player in step (RP-50 to RP-53). It has no decoder: the media player is the app's.
///
/// The schedule, and so the duration, is the board's. Where the file begins in it is `mediaOffset`; outside of the
/// file the board plays alone.
public final class WhiteCombinePlayer: Sendable {
  private struct State {
    var machine = CombineMachine()
    var orders = CombineMachine.Orders()
    var phase = WhitePlayerPhase.waitingFirstFrame
    var reasons = WhitePauseReasons.initial
    var isOver = false
    var edge: UInt64 = 0
  }

  /// The player of the board.
  public let player: WhitePlayer
  /// The schedule time in seconds at which the file begins; below zero if it began before the range.
  public let mediaOffset: Double
  private let media: any WhiteMediaClock
  private let doing = Guarded(State())
  private let listener = DelegateReference<any WhiteCombinePlayerDelegate>()

  /// Combines a player of a board with one of a video. The callbacks object is kept weakly.
  public init(
    _ player: WhitePlayer, media: any WhiteMediaClock, mediaOffset: Double = 0,
    delegate: (any WhiteCombinePlayerDelegate)? = nil
  ) {
    (self.player, self.media, self.mediaOffset) = (player, media, mediaOffset)
    listener.set { [weak delegate] in delegate }
    player.watch { [weak self] phase in self?.change { $0.board(phase) } }
    media.observe { [weak self] state in self?.change { $0.media(state) } }
  }

  /// What the pair does now.
  public var phase: WhitePlayerPhase { doing.with { $0.phase } }
  /// Why it stands still; empty while it plays.
  public var pauseReasons: WhitePauseReasons { doing.with { $0.reasons } }

  /// Plays both, as soon as both can.
  public func play() {
    if phase == .ended { beginSeek(to: 0) { _ in } }
    change { $0.play() }
  }

  /// Pauses both.
  public func pause() { change { $0.pause() } }

  /// Stops both; they cannot be played again.
  public func stop() {
    player.stop()
    change { $0.pause() }
  }

  /// How fast both play: 1 is the speed of the recording.
  public var playbackSpeed: Double {
    get { player.playbackSpeed }
    set {
      player.playbackSpeed = newValue
      player.link.enter { [media, player] _ in media.setSpeed(player.playbackSpeed) }
      change { _ in }
    }
  }

  /// Both go there; returns at once, before they have arrived (RP-31).
  @discardableResult
  nonisolated(nonsending) public func seek(to seconds: Double) async -> WhitePlayerSeekResult {
    await withCheckedContinuation { done in beginSeek(to: seconds) { done.resume(returning: $0) } }
  }

  /// The completion says success at once, on the context.
  package func beginSeek(
    to seconds: Double, _ completion: @escaping @Sendable (WhitePlayerSeekResult) -> Void
  ) {
    player.link.enter { [weak self] link in
      guard let self, !link.isOver else { return completion(.stopped) }
      completion(.success)
      let target = max(0, min(seconds, link.machine.duration.inSchedule))
      let number = doing.with { $0.machine.seek(withMedia: covers(target)) }
      followOrders(link)
      link.seek(to: .milliseconds((target * 1_000).clamped)) { [weak self] _ in
        self?.change { $0.boardArrived(number) }
      }
      // Where the file does not reach, it stands ready at its beginning.
      guard covers(target) else { return media.seek(to: 0) {} }
      media.seek(to: target - mediaOffset) { [weak self] in self?.change { $0.mediaArrived(number) } }
    }
  }

  // MARK: Inside

  private func covers(_ schedule: Double) -> Bool {
    schedule >= mediaOffset && media.duration.map { schedule < mediaOffset + $0 } ?? true
  }

  private func change(_ body: @escaping @Sendable (inout CombineMachine) -> Void) {
    player.link.enter { [weak self] link in
      guard let self else { return }
      doing.with { body(&$0.machine) }
      followOrders(link)
    }
  }

  private func followOrders(_ link: PlayerLink) {
    let schedule = link.machine.position(at: link.now).inSchedule
    let isCovered = covers(schedule)
    let (before, now) = doing.with { doing in
      if !link.machine.isSeeking { doing.machine.covers(isCovered) }
      defer { doing.orders = doing.machine.orders }
      return (doing.orders, doing.machine.orders)
    }
    if before.media, !now.media { media.pause() }
    if before.board != now.board { if now.board { link.play() } else { link.pause() } }
    if !before.media, now.media { media.play() }
    tellDelegate()
    watchEdge(schedule, link)
  }

  private func tellDelegate() {
    let news = doing.with { doing in
      let machine = doing.machine
      defer { (doing.phase, doing.reasons) = (machine.phase, machine.reasons) }
      let failure = doing.isOver ? nil : machine.failure
      if failure != nil { doing.isOver = true }
      return (
        machine.phase == doing.phase ? nil : machine.phase,
        machine.reasons == doing.reasons ? nil : machine.reasons, failure
      )
    }
    let delegate = listener.delegate
    if let reasons = news.1 { delegate?.combinePlayerPauseReasonsChanged(reasons) }
    if let failure = news.2 { delegate?.combinePlayerFailed(failure) }
    if let phase = news.0 { delegate?.combinePlayerPhaseChanged(phase) }
  }

  /// The file begins or ends while the board plays: looked at again then.
  private func watchEdge(_ schedule: Double, _ link: PlayerLink) {
    let edges = [mediaOffset, media.duration.map { mediaOffset + $0 }].compactMap(\.self)
    guard let edge = edges.filter({ $0 > schedule }).min(),
      let moment = link.machine.moment(of: .milliseconds((edge * 1_000).clamped), after: link.now)
    else { return }
    let number = doing.with { doing in
      doing.edge += 1
      return doing.edge
    }
    link.context.schedule(at: moment) { [weak self] in
      guard let self, doing.with({ $0.edge }) == number else { return }
      change { _ in }
    }
  }
}
