import BoardroomModel

/// A command of this client that the log does not hold yet, as far as the client knows.
public struct WhitePendingCommand: Sendable, Hashable, Identifiable {
  /// How far a command has come.
  public enum Status: String, Sendable, Hashable, CaseIterable {
    /// It was given while the connection was away, or waits for its turn (magix events), and has not been sent.
    case waiting
    /// It was sent, and has no receipt. If the connection is lost it is sent again, and done once.
    case sent
  }

  /// The same until the command is done or has failed; rises with each command of a room.
  public var id: UInt64
  /// The kind of event that it asks for: `elementPut`, `stroke`, `globalState`…
  public var kind: String
  /// How far it has come.
  public var status: Status
}

extension WhiteRoomConfig {
  /// Commands that wait while the connection is away, at most: one more fails with `tooMany`.
  public static let awayCommandLimit = AwayQueue.limit
  /// Their bytes, all together, at most.
  public static let awayByteLimit = AwayQueue.byteLimit
}

extension WhiteRoom {
  /// How many own commands have no receipt, those that wait for the connection among them. From any thread.
  public var pendingCommandCount: Int { shown.with { $0.pendingCount } }

  /// Own commands that have no receipt, once what was asked for before has been done. In the order in which they were given,
  /// but for magix events that wait for their turn, which come last.
  nonisolated(nonsending) public func getPendingCommands() async -> [WhitePendingCommand] {
    await link.ask { $0.pendingCommands }
  }

  // MARK: In the background

  /// Makes no attempts to connect until `resume()`: for an app that goes to the background. A connection that stands is kept for
  /// as long as the system lets it; an attempt under way is given up. The pause counts neither for `timeout` nor for
  /// `ConnectionSettings.giveUpAfter`. The server lets a silent member go as ever (30 s as a rule).
  public func pause() { link.enter { $0.pause() } }

  /// Attempts again, the first one at once. A connection that has been silent for too long is replaced.
  public func resume() { link.enter { $0.resume() } }
}
