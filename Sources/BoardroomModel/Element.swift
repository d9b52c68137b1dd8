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

extension Element {
  /// What an element counts for beside its content: places, numbers and references. 64 bytes, about what they take.
  public static let overhead = 64

  /// What it counts for where the bytes of a board are limited (BOUND-1): its content as it came, and what lies over it.
  public var bytes: Int {
    switch content {
    case .stroke(let stroke): Self.overhead + stroke.segments.count + attributes.fieldBytes
    case .shape(_, let raw): Self.overhead + raw.bytes.count + attributes.fieldBytes
    }
  }
}

extension [String: JSONText] {
  /// Bytes of these fields in an object, without its braces.
  public var fieldBytes: Int { reduce(0) { $0 + Self.bytes(of: $1.key, $1.value) } }

  /// Bytes of one field: the key in its quotes, colon, value and comma; 0 if it is not there.
  static func bytes(of key: String, _ value: JSONText?) -> Int {
    value.map { key.utf8.count + $0.bytes.count + 4 } ?? 0
  }

  /// By how much the fields grow when these are laid over them.
  public func growth(by fields: [(key: String, value: JSONText?)]) -> Int {
    var last: [String: JSONText?] = [:]
    for field in fields { last.updateValue(field.value, forKey: field.key) }
    return last.reduce(0) { $0 + Self.bytes(of: $1.key, $1.value) - Self.bytes(of: $1.key, self[$1.key]) }
  }
}

/// Keys of `Element.attributes` that Boardroom itself reads.
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
