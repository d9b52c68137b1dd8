import EventLogModel

// The family `scenes`: the pages of the board.

/// What happened to the pages of the board.
public enum SceneEvent: Sendable, Hashable {
  case put(ScenesPut)
  /// Another scene is the current one.
  case switched(SceneID)
  case cleaned(SceneCleaned)
  case removed(ScenesRemoved)
  case moved(SceneMoved)
  case pptStepped(PPTStep)

  public var kind: EventKind {
    switch self {
    case .put: .scenesPut
    case .switched: .sceneSwitched
    case .cleaned: .sceneCleaned
    case .removed: .scenesRemoved
    case .moved: .sceneMoved
    case .pptStepped: .pptStepped
    }
  }
}

/// What members want done to pages.
public enum SceneCommand: Sendable, Hashable {
  /// Directory, scenes (their `id` is 0: the server numbers them), index.
  case put(ScenesPut)
  /// A page or a directory, or an index in the current directory.
  case switchTo(SceneTarget)
  case clean(SceneClean)
  /// A page or a directory with all that is in it (SC-7).
  case remove(path: String)
  /// A page; the target is a directory that is there, or a page's new path (SC-9).
  /// `index`: its place among the other pages of the directory (PAGE-1); nil: where it is, or the last.
  case move(path: String, target: String, index: Int? = nil)
  /// One step of a dynamic ppt, forth or back (SC-13).
  case stepPPT(PPTDirection)

  public var kind: EventKind {
    switch self {
    case .put: .scenesPut
    case .switchTo: .sceneSwitched
    case .clean: .sceneCleaned
    case .remove: .scenesRemoved
    case .move: .sceneMoved
    case .stepPPT: .pptStepped
    }
  }
}

public struct SceneSpec: Sendable, Hashable {
  public var id: SceneID
  public var name: String
  /// The ppt object of spec RS-5, as it came.
  public var ppt: JSONText?
  public init(id: SceneID, name: String, ppt: JSONText? = nil) {
    self.id = id
    self.name = name
    self.ppt = ppt
  }
}

/// Scenes were put into a directory; one of an existing path was emptied and takes the new number.
public struct ScenesPut: Sendable, Hashable {
  /// Begins with `/` and, but for the root itself, does not end with one.
  public var directory: String
  public var index: Int
  public var scenes: [SceneSpec]
  public init(directory: String, index: Int, scenes: [SceneSpec]) {
    self.directory = directory
    self.index = index
    self.scenes = scenes
  }
}

/// Everything on a scene was erased (SC-10).
public struct SceneCleaned: Sendable, Hashable {
  public var scene: SceneID
  public var retainPPT: Bool
  public init(scene: SceneID, retainPPT: Bool) {
    self.scene = scene
    self.retainPPT = retainPPT
  }
}

/// Scenes were removed with all that was on them (SC-7, SC-8).
public struct ScenesRemoved: Sendable, Hashable {
  public var scenes: [SceneID]
  /// The current scene from here on.
  public var current: SceneID
  /// Set when none was left: the number of the new `/init`, which is then the current one.
  public var fresh: SceneID?
  public init(scenes: [SceneID], current: SceneID, fresh: SceneID? = nil) {
    self.scenes = scenes
    self.current = current
    self.fresh = fresh
  }
}

/// A page has another path (SC-9), another place in its directory (PAGE-1), or both.
public struct SceneMoved: Sendable, Hashable {
  public var scene: SceneID
  public var directory: String
  public var name: String
  /// Among the other pages of the directory. Nil: in its own directory it stays where it is, in another one it is
  /// the last page.
  public var index: Int?
  public init(scene: SceneID, directory: String, name: String, index: Int? = nil) {
    self.scene = scene
    self.directory = directory
    self.name = name
    self.index = index
  }
}

/// A dynamic ppt stands at this step of this scene, which is the current one (SC-13).
public struct PPTStep: Sendable, Hashable {
  public var scene: SceneID
  public var step: Int
  public init(scene: SceneID, step: Int) {
    self.scene = scene
    self.step = step
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
