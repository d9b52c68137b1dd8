import BoardroomClient
import BoardroomLegacy

/// What the kit gives an app in place of a real SDK and network.
public struct AppStage: Sendable {
  /// An SDK that is connected to a server inside the kit. Its context runs in the kit's virtual time:
  /// callbacks and completions come there, and `context.schedule` is a timer in that time.
  public let sdk: WhiteSDK
  /// The room to join, with a valid token and the name to sign in with. The app sets the other fields.
  public let config: WhiteRoomConfig
  /// For an app's own tasks: `Task(executorPreference: stage.tasks)`. Other tasks run in real time, and what
  /// they do comes too late to be checked.
  public let tasks: any TaskExecutor
}

/// What an app promises to do by itself.
public enum AppPromise: Sendable, Hashable {
  /// It joins a room again that was lost for good: with one join, which begins within so many seconds.
  case rejoins(within: Double)
  /// It does not join again by itself after its member was removed.
  case staysAwayAfterKick
}

/// Describes an app, or the part of it that holds SDK and room, to the kit. Fields that are nil are not
/// checked.
public struct AppUnderTest<App: AnyObject & Sendable>: Sendable {
  var name: String
  var promises: Set<AppPromise>
  var start: @Sendable (AppStage) -> App
  var room: (@Sendable (App) -> WhiteRoom?)?
  var act: (@Sendable (App) -> Void)?
  var leave: (@Sendable (App) -> Void)?
  var visible: (@Sendable (App) -> String)?

  /// - Parameters:
  ///   - name: its name in reports.
  ///   - promises: what it promises to do by itself; the kit checks that.
  ///   - start: makes an app and begins its join. Called several times; each call must make a new app.
  ///   - room: the room object that the app would use now.
  ///   - act: changes the room, as a user would.
  ///   - leave: leaves the room, as a user would.
  ///   - visible: the part of the app's view that must be the same for everybody in the room, as text. Two
  ///     apps in one room must give the same text, whatever happened to their connections.
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

  /// The seconds within which the app joins again after a loss; nil if it does not promise to.
  var rejoinsWithin: Double? {
    promises.lazy.compactMap { promise in
      switch promise {
      case .rejoins(let seconds): seconds
      case .staysAwayAfterKick: nil
      }
    }.first
  }
}
