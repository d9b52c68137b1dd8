/// What a member may ask for. Each has the kind number of the event that it wishes for.
public enum Command: Sendable, Hashable {
  case stroke(StrokeSegment)
  case pointer(PointerMove)
  case camera(Camera)
  case setWritable(Bool)
  case globalState(JSONPatch)
  case memberState(JSONPatch)
  case viewMode(ViewMode)
  /// Directory, scenes (their `id` is 0: the server numbers them), index.
  case putScenes(ScenesPut)
  /// A page or a directory, or an index in the current directory.
  case switchScene(SceneTarget)
  case erase([ElementID])
  case putElement(ElementPut)
  case magix(MagixEvent)
  case clientPhases([ClientPhase])

  public var kind: EventKind {
    switch self {
    case .stroke: .stroke
    case .pointer: .pointer
    case .camera: .camera
    case .setWritable: .memberWritable
    case .globalState: .globalState
    case .memberState: .memberState
    case .viewMode: .viewMode
    case .putScenes: .scenesPut
    case .switchScene: .sceneSwitched
    case .erase: .erased
    case .putElement: .elementPut
    case .magix: .magix
    case .clientPhases: .clientPhases
    }
  }
}

public enum SceneTarget: Sendable, Hashable {
  case path(String)
  case index(Int)
}

/// A command with its number.
public struct NumberedCommand: Sendable, Hashable {
  public var counter: CommandCounter
  public var command: Command
  public init(counter: CommandCounter, command: Command) {
    self.counter = counter
    self.command = command
  }
}
