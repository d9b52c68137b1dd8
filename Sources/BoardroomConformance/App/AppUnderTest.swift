import BoardroomClient

/// What the kit gives an app in place of the real thing.
public struct AppStage: Sendable {
  /// Reaches a server that runs inside the kit. Its context is the kit's virtual time: callbacks and completions come
  /// there, and `context.schedule` is a timer of it.
  public let sdk: WhiteSDK
  /// The room to join, with a token that is good and the name to sign in with. The rest is the app's own.
  public let config: WhiteRoomConfig
  /// For an app's own tasks: `Task(executorPreference: stage.tasks)`. Others run in real time, and what they do comes
  /// too late to be seen.
  public let tasks: any TaskExecutor
}

/// What an app says that it does by itself.
public enum AppPromise: Sendable, Hashable {
  /// A room that is lost for good is joined again: by one join, begun within so many seconds.
  case rejoins(within: Double)
  /// A member that was removed does not join again by itself.
  case staysAwayAfterKick
}

/// An app, or the part of it that holds SDK and room, as the kit meets it. What is nil is not checked.
public struct AppUnderTest<App: AnyObject & Sendable>: Sendable {
  var name: String
  var promises: Set<AppPromise>
  var start: @Sendable (AppStage) -> App
  var room: (@Sendable (App) -> WhiteRoom?)?
  var act: (@Sendable (App) -> Void)?
  var leave: (@Sendable (App) -> Void)?
  var visible: (@Sendable (App) -> String)?

  /// - Parameters:
  ///   - name: what reports call it.
  ///   - promises: what it says that it does by itself; it is held to that.
  ///   - start: makes an app that is joining the room. Called several times: each time a new app.
  ///   - room: the room object that the app would use now.
  ///   - act: does what a user might do that changes the room.
  ///   - leave: does what a user does to leave.
  ///   - visible: what the app shows of the room, as text: what is the same for everyone in it. Two apps in one room
  ///     must show the same, whatever each has been through.
  public init(
    _ name: String, promises: Set<AppPromise> = [], start: @escaping @Sendable (AppStage) -> App,
    room: (@Sendable (App) -> WhiteRoom?)? = nil, act: (@Sendable (App) -> Void)? = nil,
    leave: (@Sendable (App) -> Void)? = nil, visible: (@Sendable (App) -> String)? = nil
  ) {
    self.name = name
    self.promises = promises
    self.start = start
    self.room = room
    self.act = act
    self.leave = leave
    self.visible = visible
  }

  /// How soon the app joins again after a loss, if it does.
  var rejoinsWithin: Double? {
    promises.lazy.compactMap { promise in
      switch promise {
      case .rejoins(let seconds): seconds
      case .staysAwayAfterKick: nil
      }
    }.first
  }
}
