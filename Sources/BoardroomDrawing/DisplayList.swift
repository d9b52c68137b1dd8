import BoardroomModel

/// A colour and an opacity.
public struct Paint: Hashable, Sendable {
  public var colour: Colour
  /// 0 clear to 1 opaque.
  public var opacity: Double
  public init(_ colour: Colour, opacity: Double = 1) {
    self.colour = colour
    self.opacity = opacity
  }
}

/// One act of drawing. There are few kinds of marks, so that every renderer can draw them, and two renderers
/// show the same.
public enum Mark: Hashable, Sendable {
  case fill([PathStep], Paint)
  /// A line of this width, with round ends and joins. `dash` are lengths in pixels, drawn and left out in
  /// turn.
  case line([PathStep], width: Double, dash: [Double] = [], Paint)
  case text(TextMark)
  case image(ImageMark)
}

/// One text of one or more lines.
public struct TextMark: Hashable, Sendable {
  /// How lines are aligned at `at`.
  public enum Alignment: String, Sendable, Hashable, CaseIterable { case left, center, right }

  /// How the letters look.
  public struct Style: Hashable, Sendable {
    public var isBold = false
    public var isItalic = false
    public var isUnderlined = false
    public var isStruck = false
    public init() {}
  }

  public var lines: [String]
  /// The top of the first line, at its left end, middle or right end, as `alignment` says.
  public var at: Spot
  /// The height of a line's letters in pixels.
  public var size: Double
  public var style: Style
  public var alignment: Alignment
  /// The transform of the whole mark.
  public var place: Transform
  public var paint: Paint

  public init(
    _ lines: [String], at: Spot, size: Double, style: Style = Style(), alignment: Alignment = .left,
    place: Transform = .identity, _ paint: Paint
  ) {
    self.lines = lines
    self.at = at
    self.size = size
    self.style = style
    self.alignment = alignment
    self.place = place
    self.paint = paint
  }
}

/// One image.
public struct ImageMark: Hashable, Sendable {
  public var source: ImageSource
  /// The rectangle that the image is stretched to fill.
  public var area: Area
  public var opacity: Double
  public var place: Transform

  public init(
    _ source: ImageSource, area: Area, opacity: Double = 1, place: Transform = .identity
  ) {
    self.source = source
    self.area = area
    self.opacity = opacity
    self.place = place
  }
}

/// What to draw for one scene, in order.
public struct DisplayList: Hashable, Sendable {
  public private(set) var marks: [Mark] = []

  public init(marks: [Mark] = []) { self.marks = marks }

  /// The scene's background and every element on it, in the order of drawing. A laser's stroke is left out
  /// once it has ended.
  public init(of state: RoomState, scene: SceneID) {
    if let background = state.scene(scene)?.background { marks.append(.image(background)) }
    for element in state.elements.drawn(in: scene) where !element.hasFaded { marks += element.marks }
  }

  /// The smallest rectangle around everything; nil if there is nothing.
  public var bounds: (low: Spot, high: Spot)? { area.map { ($0.low, $0.high) } }

  public var area: Area? {
    marks.reduce(nil) { area, mark in
      guard let extent = mark.extent else { return area }
      return area?.grown(to: extent) ?? extent
    }
  }
}

extension Mark {
  /// The width of a letter, about, for a letter height of 1. Renderers place lines and do not measure them.
  public static let letterWidth = 0.6
  /// The distance from one line of text to the next, for a letter height of 1.
  public static let lineHeight = 1.25

  /// The smallest rectangle around the mark; nil for a path without places.
  var extent: Area? {
    switch self {
    case .fill(let steps, _): Area(around: steps.flatMap(\.spots))
    case .line(let steps, let width, _, _):
      Area(around: steps.flatMap(\.spots))?.grown(by: width / 2)
    case .text(let text): Area(around: text.box.corners.map { text.place($0) })
    case .image(let image): Area(around: image.area.corners.map { image.place($0) })
    }
  }

  /// The mark after a transform. Points of paths are moved; texts and images keep the transform.
  func moved(by transform: Transform) -> Mark {
    switch self {
    case .fill(let steps, let paint): return .fill(steps.map { $0.moved(by: transform) }, paint)
    case .line(let steps, let width, let dash, let paint):
      let scale = transform.scale
      return .line(
        steps.map { $0.moved(by: transform) }, width: width * scale, dash: dash.map { $0 * scale }, paint)
    case .text(var text):
      text.place = transform
      return .text(text)
    case .image(var image):
      image.place = transform
      return .image(image)
    }
  }
}

extension TextMark {
  /// About the rectangle of the letters, before the transform.
  fileprivate var box: Area {
    let width = Double(lines.map(\.count).max() ?? 0) * size * Mark.letterWidth
    let height = Double(lines.count) * size * Mark.lineHeight
    let left =
      switch alignment {
      case .left: at.x
      case .center: at.x - width / 2
      case .right: at.x - width
      }
    return Area(low: Spot(left, at.y), high: Spot(left + width, at.y + height))
  }
}

extension Element {
  /// A laser's stroke is shown only while it is drawn.
  fileprivate var hasFaded: Bool {
    switch content {
    case .stroke(let stroke): stroke.ended && stroke.style.tool == .laser
    case .shape: false
    }
  }
}
