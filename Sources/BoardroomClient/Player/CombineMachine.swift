/// Why a combined player does not play (RP-52). Raw values are the iOS ones.
public struct WhitePauseReasons: OptionSet, Sendable, Hashable {
  /// The reasons as bits.
  public let rawValue: UInt8
  /// Makes a set from bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The board's records are not there yet.
  public static let waitingBoard = WhitePauseReasons(rawValue: 1)
  /// The video has nothing to show yet.
  public static let waitingMedia = WhitePauseReasons(rawValue: 2)
  /// The user paused it.
  public static let byUser = WhitePauseReasons(rawValue: 4)
  /// At the beginning.
  public static let initial: WhitePauseReasons = [.waitingBoard, .waitingMedia, .byUser]
}

/// What a media player says of itself.
public enum WhiteMediaState: Sendable, Hashable {
  /// Without data for what comes next; also before the first.
  case buffering
  /// Could play on, or does.
  case ready
  /// At its end.
  case ended
  /// Nothing will come any more, in words for people.
  case failed(String)
}

/// Keeps two tracks together: if one waits, the other pauses until both can go on (RP-50). Knows neither.
struct CombineMachine: Sendable {
  /// Which track runs and which stands; what a track is told anew is only what changes.
  struct Orders: Sendable, Hashable {
    var board = false
    var media = false
  }

  private var board = WhitePlayerPhase.waitingFirstFrame
  private var media = WhiteMediaState.buffering
  private var isPausedByUser = true
  /// What of the newest seek is on its way.
  private var seek: (number: UInt64, board: Bool, media: Bool) = (0, false, false)
  /// Whether the media file covers the moment that is shown; before and after it the board plays alone.
  private var isCovered = true

  /// RP-52.
  var reasons: WhitePauseReasons {
    var reasons: WhitePauseReasons = []
    if boardWaits { reasons.insert(.waitingBoard) }
    if mediaWaits { reasons.insert(.waitingMedia) }
    if isPausedByUser { reasons.insert(.byUser) }
    return reasons
  }

  private var boardWaits: Bool {
    if seek.board { return true }
    return switch board {
    case .waitingFirstFrame, .buffering: true
    case .playing, .pause, .stopped, .ended: false
    }
  }

  private var mediaWaits: Bool {
    if seek.media { return true }
    return switch media {
    case .buffering: isCovered
    case .ready, .ended, .failed: false
    }
  }

  /// RP-51: what is shown outside.
  var phase: WhitePlayerPhase {
    if case .failed = media { return .stopped }
    switch board {
    case .waitingFirstFrame, .stopped: return board
    case .playing, .pause, .buffering, .ended: break
    }
    // Waiting and seeking, each while played and while paused: all four are buffering.
    if boardWaits || mediaWaits { return .buffering }
    if board == .ended { return .ended }
    return isPausedByUser ? .pause : .playing
  }

  /// RP-51: a media file that cannot be played ends it all.
  var failure: String? { if case .failed(let why) = media { why } else { nil } }

  var orders: Orders {
    guard failure == nil, !isPausedByUser else { return Orders() }
    switch board {
    case .stopped, .ended: return Orders()
    case .waitingFirstFrame, .playing, .pause, .buffering:
      // A track that waits for itself keeps its order: it goes on as soon as it can.
      return Orders(board: !mediaWaits, media: !boardWaits && isCovered && media != .ended)
    }
  }

  mutating func play() { isPausedByUser = false }
  mutating func pause() { isPausedByUser = true }
  mutating func board(_ phase: WhitePlayerPhase) { board = phase }
  mutating func media(_ state: WhiteMediaState) { if failure == nil { media = state } }
  mutating func covers(_ isCovered: Bool) { self.isCovered = isCovered }

  /// Both tracks go elsewhere. Gives the seek's number; an older one's arrival counts no more.
  mutating func seek(withMedia isCovered: Bool) -> UInt64 {
    seek = (seek.number + 1, true, isCovered)
    self.isCovered = isCovered
    return seek.number
  }

  mutating func boardArrived(_ number: UInt64) { if number == seek.number { seek.board = false } }
  mutating func mediaArrived(_ number: UInt64) { if number == seek.number { seek.media = false } }
}
