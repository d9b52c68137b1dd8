import BoardroomCore
import BoardroomModel
import EventLogModel

/// What a member's client was told of its room, read from the room's log: the callbacks that it heard live, made by the
/// same view of the log as a player's (RP-71).
///
/// Which custom events the app had subscribed to is in no log: all of them are told, one by one. Not in any log either,
/// and so not here: lines of the client's log, attempts that came to nothing, own commands that waited, and errors that
/// the client made by itself. The table in <doc:Replaying> says what else differs from what was heard live.
public struct WhiteRecall: Sendable {
  /// What was read.
  public struct Outcome: Sendable, Hashable {
    /// How often the viewer has joined, as far as the log goes back; 0: it was told nothing.
    public var stays: Int
    /// Events that cannot be read (RP-65). What they would have told is left out.
    public var gaps: [Gap]
  }

  private let recall: MemberRecall

  /// Reads of `viewer` in the log of `source`, whether or not the room offers replay.
  ///
  /// - Parameters:
  ///   - viewer: whose callbacks.
  ///   - source: gives the log.
  ///   - options: what its join asked for and the log does not say.
  public init(
    _ viewer: WhiteReplayViewer, in source: any ReplaySource,
    options: WhiteReplayViewerOptions = WhiteReplayViewerOptions()
  ) {
    let settings = MemberView.Settings(
      echoesOwn: !options.onlyCallbackRemoteStateModify, showsPresence: options.showsMemberPresence,
      timeout: options.timeout)
    recall = MemberRecall(viewer, settings, in: source)
  }

  /// Reads the log twice, page by page: for what became of the member's connections, and for what it was told. All is
  /// called where `tell` was called.
  ///
  /// - Parameters:
  ///   - listener: hears all that the member's callbacks object heard, in its order.
  ///   - common: hears of the member's commands that the server refused, by their codes.
  ///   - clock: is called before each callback with its time, by the server's clock. It never goes back.
  /// - Throws: `ReplaySourceError` if the log cannot be read, `CancellationError`.
  @discardableResult
  nonisolated(nonsending) public func tell(
    _ listener: any WhiteRoomCallbackDelegate, common: (any WhiteCommonCallbackDelegate)? = nil,
    at clock: (Timestamp) -> Void
  ) async throws -> Outcome {
    var member = MemberCallbacks()
    return try await recall.read { update, time in
      if case .event(let event) = update {
        guard case .diagnostics(.refused(let refused)) = event.event, let common else { return }
        clock(time)
        return common.throwError(BoardroomError(refused.code))
      }
      for callback in member.callbacks(of: update) {
        clock(time)
        callback(listener)
      }
    }
  }
}
