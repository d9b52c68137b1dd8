import BoardroomModel
import EventLogModel

/// What a player tells its app. Every method is optional. Held weakly; all are called on the player's context, one
/// after another.
public protocol WhitePlayerCallbackDelegate: AnyObject {
  /// RP-40: the phase changed.
  func phaseChanged(_ phase: WhitePlayerPhase)
  /// RP-41: the first state can be shown; once, after the full state was told.
  func loadFirstFrame()
  /// RP-42: what changed, and nothing else, is set. After a seek, one for all that differs.
  func playerStateChanged(_ modifyState: WhitePlayerState)
  /// RP-43: the time in seconds, at each multiple of the step and in the last step always.
  func scheduleTimeChanged(_ time: Double)
  /// RP-44: another slice is being played.
  func sliceChanged(_ slice: String)
  /// RP-45: it is over.
  func stoppedWithError(_ error: BoardroomError)
  /// RP-46: an event did not fit; the player goes on.
  func errorWhenAppendFrame(_ error: String)
  /// RP-46: a picture that was asked for could not be drawn.
  func errorWhenRender(_ error: String)
  /// RP-47: a custom event came whose name is subscribed to.
  func fireMagixEvent(_ event: WhiteEvent)
  /// RP-47: a batch of events of a name that is subscribed to in batches.
  func fireHighFrequencyEvent(_ events: [WhiteEvent])
  /// RP-36: whether there is something to play is known now, or otherwise than before.
  func isPlayableChanged(_ isPlayable: Bool)
  /// RP-65: these events cannot be read and were passed over.
  func gapPassed(_ gap: Gap)
  /// What is on the board looks otherwise: `getElements` has it.
  func elementsChanged()
}

extension WhitePlayerCallbackDelegate {
  /// By default, does nothing.
  public func phaseChanged(_ phase: WhitePlayerPhase) {}
  /// By default, does nothing.
  public func loadFirstFrame() {}
  /// By default, does nothing.
  public func playerStateChanged(_ modifyState: WhitePlayerState) {}
  /// By default, does nothing.
  public func scheduleTimeChanged(_ time: Double) {}
  /// By default, does nothing.
  public func sliceChanged(_ slice: String) {}
  /// By default, does nothing.
  public func stoppedWithError(_ error: BoardroomError) {}
  /// By default, does nothing.
  public func errorWhenAppendFrame(_ error: String) {}
  /// By default, does nothing.
  public func errorWhenRender(_ error: String) {}
  /// By default, does nothing.
  public func fireMagixEvent(_ event: WhiteEvent) {}
  /// By default, does nothing.
  public func fireHighFrequencyEvent(_ events: [WhiteEvent]) {}
  /// By default, does nothing.
  public func isPlayableChanged(_ isPlayable: Bool) {}
  /// By default, does nothing.
  public func gapPassed(_ gap: Gap) {}
  /// By default, does nothing.
  public func elementsChanged() {}
}

/// Where in a recording a player is (RP-34).
public struct WhitePlayerTimeInfo: Sendable, Hashable {
  /// Seconds since the range's begin, idle stretches left out where they are skipped.
  public var scheduleTime: Double
  /// Of the board, in seconds, whatever a media file takes (RP-53).
  public var timeDuration: Double
  /// Events in the range.
  public var framesCount: Int
  /// Of the range, in seconds since 1970.
  public var beginTimestamp: Double
}
