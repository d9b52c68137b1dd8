import EventLogModel

// The family `elements`: put, changed, copied and erased. What an element is says Element.swift.

/// What happened to elements on the board, but for strokes that are being drawn.
public enum ElementEvent: Sendable, Hashable {
  /// Put new, or in place of what had its id.
  case put(ElementPut)
  case erased([ElementID])
  case changed(ElementsChanged)
  case copied([ElementCopy])

  public var kind: EventKind {
    switch self {
    case .put: .elementPut
    case .erased: .erased
    case .changed: .elementsChanged
    case .copied: .elementsCopied
    }
  }
}

/// What members want done to elements.
public enum ElementCommand: Sendable, Hashable {
  case put(ElementPut)
  case erase([ElementID])
  case change(ElementsChanged)
  case copy([ElementCopy])

  public var kind: EventKind {
    switch self {
    case .put: .elementPut
    case .erase: .erased
    case .change: .elementsChanged
    case .copy: .elementsCopied
    }
  }
}

/// What an element is, other than a stroke: the shapes of PARITY rows MS, text, pictures and sticky notes.
public enum ElementType: String, Sendable, Hashable, CaseIterable {
  case rectangle, text, ellipse, triangle, rhombus, pentagram, speechBalloon, straight, arrow, image, note
}

/// An element that JSON describes: put new, or in place of what had its id.
public struct ElementPut: Sendable, Hashable {
  public var id: ElementID
  public var scene: SceneID
  public var type: ElementType
  /// The whole body as it came: id, scene, type, x, y, width, height, style, text, set.
  public var raw: JSONText
  /// The attributes that the element begins with.
  public var set: JSONPatch?
  public init(id: ElementID, scene: SceneID, type: ElementType, raw: JSONText, set: JSONPatch? = nil) {
    self.id = id
    self.scene = scene
    self.type = type
    self.raw = raw
    self.set = set
  }
}

/// New values of an element's attributes; a nil value takes the key away, and the element is again as it was put.
public struct ElementChange: Sendable, Hashable {
  public var id: ElementID
  public var set: JSONPatch
  public init(id: ElementID, set: JSONPatch) {
    self.id = id
    self.set = set
  }
}

/// Elements on the board were moved, transformed, restyled, locked, reordered or got another text.
public struct ElementsChanged: Sendable, Hashable {
  public var changes: [ElementChange]
  public init(_ changes: [ElementChange]) { self.changes = changes }
}

/// A new element that is like another one (EL-8).
public struct ElementCopy: Sendable, Hashable {
  public var from: ElementID
  /// Of the author's own numbers.
  public var id: ElementID
  public var scene: SceneID
  /// Attributes over those that the other has, as a place of its own.
  public var set: JSONPatch?
  public init(from: ElementID, id: ElementID, scene: SceneID, set: JSONPatch? = nil) {
    self.from = from
    self.id = id
    self.scene = scene
    self.set = set
  }
}
