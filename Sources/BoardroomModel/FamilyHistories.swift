import EventLogModel

// The family `history`: undo and redo. How histories are kept says History.swift.

/// What was taken back or done again, and how much of it is kept.
public enum HistoryEvent: Sendable, Hashable {
  /// How many steps the actor can take back from here on (EL-6, EL-7).
  case kept(HistoryDepth)
  case undone(Compensation)
  case redone(Compensation)

  public var kind: EventKind {
    switch self {
    case .kept: .historySet
    case .undone: .undone
    case .redone: .redone
    }
  }
}

/// What members want taken back, or kept so that they can take it back.
public enum HistoryCommand: Sendable, Hashable {
  /// For how many scenes the member's history is kept; 0: for none (EL-6, EL-7).
  case keep(scenes: Int)
  /// The newest step of the author's own on this scene; nil: on the current one (EL-7).
  case undo(SceneID?)
  case redo(SceneID?)

  public var kind: EventKind {
    switch self {
    case .keep: .historySet
    case .undo: .undone
    case .redo: .redone
    }
  }
}

/// How much a member wants kept.
public struct HistoryDepth: Sendable, Hashable {
  /// For how many scenes; 0: no history.
  public var scenes: Int
  /// How many steps a scene.
  public var depth: Int
  public init(scenes: Int, depth: Int) {
    self.scenes = scenes
    self.depth = depth
  }
}

/// What an undo or a redo does: exactly this, so that whoever folds it needs to decide nothing.
public struct Compensation: Sendable, Hashable {
  public var scene: SceneID
  public var erased: [ElementID]
  /// Buried elements that come back to their places.
  public var restored: [ElementID]
  /// Shapes that take the place of those with their ids; attributes are gone by that.
  public var puts: [ShapePut]
  /// After all the others.
  public var changes: [ElementChange]

  public struct ShapePut: Sendable, Hashable {
    public var id: ElementID
    /// Its own id and scene are those of the element that it was first put as.
    public var shape: ElementPut
    public init(id: ElementID, shape: ElementPut) {
      self.id = id
      self.shape = shape
    }
  }

  public init(
    scene: SceneID, erased: [ElementID] = [], restored: [ElementID] = [], puts: [ShapePut] = [],
    changes: [ElementChange] = []
  ) {
    self.scene = scene
    self.erased = erased
    self.restored = restored
    self.puts = puts
    self.changes = changes
  }
}
