import EventLogModel

// What happens on the board beyond drawing: elements changed and copied, scenes cleaned, removed and moved.

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

/// Keys of a SyncedStore (SS-1).
public struct StoreSet: Sendable, Hashable {
  public var store: String
  public var patch: JSONPatch
  /// Whether the store holds nothing else afterwards.
  public var resets: Bool
  /// In a command: keys that are there stay as they are (the defaults of `connect`). Never in an event.
  public var onlyAbsent: Bool
  public init(store: String, patch: JSONPatch, resets: Bool = false, onlyAbsent: Bool = false) {
    self.store = store
    self.patch = patch
    self.resets = resets
    self.onlyAbsent = onlyAbsent
  }
}
