/// A thing on a scene.
public struct Element: Sendable, Hashable {
  public enum Content: Sendable, Hashable {
    /// Pen down to pen up.
    case stroke(StrokeContent)
    case shape(type: ElementType, raw: JSONText)
  }

  public var id: ElementID
  public var scene: SceneID
  public var content: Content
  /// What was changed since it was put, by key: lies over what the content says. docs/PROTOCOL.md,
  /// section 6, has the keys (`x`, `style.colour`, `transform`, `locked`, `order` …).
  public var attributes: [String: JSONText]
  /// Whether a shape's body is that of the element it was copied from, with its id and scene.
  public var isCopy: Bool

  public init(
    id: ElementID, scene: SceneID, content: Content, attributes: [String: JSONText] = [:],
    isCopy: Bool = false
  ) {
    self.id = id
    self.scene = scene
    self.content = content
    self.attributes = attributes
    self.isCopy = isCopy
  }

  /// EL-3: a locked element can be unlocked, and nothing else, until it is.
  public var isLocked: Bool { attributes[ElementKey.locked]?.text == "true" }

  /// Its place in the order of drawing, where it was given one.
  public var orderKey: String? {
    attributes[ElementKey.order]?.string
  }

  /// Whether it is a stroke whose pen is still down.
  public var isOpenStroke: Bool {
    switch content {
    case .stroke(let stroke): !stroke.ended
    case .shape: false
    }
  }
}

/// Keys of `Element.attributes` that the house itself reads.
public enum ElementKey {
  public static let locked = "locked"
  public static let order = "order"
  public static let transform = "transform"
  public static let source = "src"
  public static let text = "text"
}

public struct StrokeContent: Sendable, Hashable {
  public var style: StrokeStyle
  public var ended: Bool
  public var pointCount: Int
  /// The segments' encoded points, one after the other, as they came.
  public var segments: [UInt8]

  public init(style: StrokeStyle, ended: Bool, pointCount: Int, segments: [UInt8]) {
    self.style = style
    self.ended = ended
    self.pointCount = pointCount
    self.segments = segments
  }
}
