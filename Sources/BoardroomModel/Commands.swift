/// What a member may ask for. Each has the kind number of the event that it wishes for.
public enum Command: Sendable, Hashable {
  case drawing(DrawingAct)
  case setWritable(Bool)
  case globalState(JSONPatch)
  case memberState(JSONPatch)
  case viewMode(ViewMode)
  /// Directory, scenes (their `id` is 0: the server numbers them), index.
  case putScenes(ScenesPut)
  /// A page or a directory, or an index in the current directory.
  case switchScene(SceneTarget)
  case elements(ElementCommand)
  case clientPhases([ClientPhase])
  case cleanScene(SceneClean)
  /// A page or a directory with all that is in it (SC-7).
  case removeScenes(path: String)
  /// A page; the target is a directory that is there, or a page's new path (SC-9).
  /// `index`: its place among the other pages of the directory (PAGE-1); nil: where it is, or the last.
  case moveScene(path: String, target: String, index: Int? = nil)
  /// One step of a dynamic ppt, forth or back (SC-13).
  case stepPPT(PPTDirection)
  case setStore(StoreSet)
  case deleteStore(String)
  /// For how many scenes the member's history is kept; 0: for none (EL-6, EL-7).
  case keepHistory(scenes: Int)
  /// The newest step of the author's own on this scene; nil: on the current one (EL-7).
  case undo(SceneID?)
  case redo(SceneID?)
  /// In spaces without a board.
  case space(SpaceCommand)
  case moderation(Moderation)
  case custom(Custom)

  public var kind: EventKind {
    switch self {
    case .drawing(let act): act.kind
    case .setWritable: .memberWritable
    case .globalState: .globalState
    case .memberState: .memberState
    case .viewMode: .viewMode
    case .putScenes: .scenesPut
    case .switchScene: .sceneSwitched
    case .elements(let command): command.kind
    case .clientPhases: .clientPhases
    case .cleanScene: .sceneCleaned
    case .removeScenes: .scenesRemoved
    case .moveScene: .sceneMoved
    case .stepPPT: .pptStepped
    case .setStore: .storeSet
    case .deleteStore: .storeDeleted
    case .keepHistory: .historySet
    case .undo: .undone
    case .redo: .redone
    case .space(let command): command.kind
    case .moderation(let command): command.kind
    case .custom(let command): command.kind
    }
  }
}

public struct SceneClean: Sendable, Hashable {
  /// Nil: the current scene.
  public var scene: SceneID?
  /// Whether the scene keeps its ppt background (SC-10).
  public var retainPPT: Bool
  public init(scene: SceneID? = nil, retainPPT: Bool = false) {
    self.scene = scene
    self.retainPPT = retainPPT
  }
}

public enum PPTDirection: Int, Sendable, Hashable, CaseIterable {
  case next = 1
  case previous = -1
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
