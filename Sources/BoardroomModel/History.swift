import EventLogModel

// What members can take back (EL-7). A member keeps a history only if it asked for one (EL-6). Undoing and redoing are
// events of their own that say what they do; nothing is ever removed from the log.
//
// The conflict rule: a step holds only what its author was the last to do. As soon as somebody else changes what an
// operation of a step changed, that operation is struck out of the step; a step without operations is gone. So an undo
// never changes what another member made last, and the number of steps that a member is told is the number it can take.

/// A shape as it was, to be put back.
public struct ShapeContent: Sendable, Hashable {
  public var type: ElementType
  public var raw: JSONText
  public var attributes: [String: JSONText]
  public var isCopy: Bool
  public init(type: ElementType, raw: JSONText, attributes: [String: JSONText], isCopy: Bool) {
    self.type = type
    self.raw = raw
    self.attributes = attributes
    self.isCopy = isCopy
  }
}

extension ShapeContent {
  /// As of an element.
  public var bytes: Int { Element.overhead + raw.bytes.count + attributes.fieldBytes }
}

/// One thing that a step did to one element.
public enum StepOperation: Sendable, Hashable {
  /// It came onto the board.
  case put(ElementID)
  /// It went off the board, and is buried.
  case erase(ElementID)
  case set(ElementID, key: String, before: JSONText?, after: JSONText?)
  case replace(ElementID, before: ShapeContent, after: ShapeContent)

  public var element: ElementID {
    switch self {
    case .put(let id), .erase(let id), .set(let id, _, _, _), .replace(let id, _, _): id
    }
  }

  /// What it counts for (BOUND-1): what it would put back, and what it would do again.
  public var bytes: Int {
    switch self {
    case .put, .erase: 32
    case .set(_, let key, let before, let after):
      32 + key.utf8.count + (before?.bytes.count ?? 0) + (after?.bytes.count ?? 0)
    case .replace(_, let before, let after): 32 + before.bytes + after.bytes
    }
  }

  /// Whether it concerns the whole element: then whatever is done to the element conflicts with it.
  var isWhole: Bool {
    switch self {
    case .put, .erase, .replace: true
    case .set: false
    }
  }
}

/// What one command did.
public struct HistoryStep: Sendable, Hashable {
  public var revision: Revision
  public var operations: [StepOperation]
  public init(revision: Revision, operations: [StepOperation]) {
    self.revision = revision
    self.operations = operations
  }
}

/// A member's steps on one scene, oldest first.
public struct SceneTrack: Sendable, Hashable {
  public var scene: SceneID
  public var undo: [HistoryStep]
  public var redo: [HistoryStep]
  public init(scene: SceneID, undo: [HistoryStep] = [], redo: [HistoryStep] = []) {
    self.scene = scene
    self.undo = undo
    self.redo = redo
  }
}
