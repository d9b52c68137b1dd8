import BoardroomCodec
import BoardroomModel

/// What an element is, other than a stroke.
public typealias WhiteElementType = ElementType

/// A thing on a page as it is now: what it was put with, and over that what was changed since.
public struct WhiteElement: Sendable, Hashable, Identifiable {
  /// The element as the room's state has it; a stroke's points are in there.
  public let element: Element
  private let body: JSONValue?

  init(_ element: Element) {
    self.element = element
    switch element.content {
    case .stroke: body = nil
    case .shape(_, let raw): body = try? JSONValue(raw)
    }
  }

  /// The number of the element in the room.
  public var id: WhiteElementID { element.id }
  /// Nil for a stroke.
  public var type: WhiteElementType? {
    switch element.content {
    case .stroke: nil
    case .shape(let type, _): type
    }
  }

  /// Any field, by the key that docs/PROTOCOL.md gives it in section 6.
  public func value(_ key: String) -> JSONValue? {
    attribute(key) ?? body?[key]
  }

  /// A field of its style, such as `colour` or `width`.
  public func style(_ name: String) -> JSONValue? {
    attribute("style." + name) ?? body?["style"]?[name]
  }

  /// A colour of its style: `colour`, `fill` or `textColor`; nil if it is not set.
  public func colour(_ name: String) -> Colour? { style(name).flatMap { Colour($0) } }

  private func attribute(_ key: String) -> JSONValue? {
    element.attributes[key].flatMap { try? JSONValue($0) }
  }

  /// Its upper left corner, in pixels; nil for a stroke.
  public var x: Double? { value("x")?.double }
  /// The vertical place of its upper left corner, in pixels; nil for a stroke.
  public var y: Double? { value("y")?.double }
  /// The width of its box, in pixels; nil if it has none.
  public var width: Double? { value("width")?.double }
  /// The height of its box, in pixels; nil if it has none.
  public var height: Double? { value("height")?.double }
  /// Of a text or a note.
  public var text: String? { value(ElementKey.text)?.string }
  /// Of letters, in pixels.
  public var fontSize: Double? { value("size")?.double }
  /// Where an image comes from; nil while it is uploaded (EL-1).
  public var source: String? { value(ElementKey.source)?.string }
  /// EL-3: a locked element can be unlocked and nothing else.
  public var isLocked: Bool { value(ElementKey.locked)?.bool ?? false }
  /// Whether its proportions are to be kept.
  public var isUniformScale: Bool { value("uniformScale")?.bool ?? false }
  /// [a, b, c, d, e, f]: takes a point (x, y) of it to (a x + c y + e, b x + d y + f).
  public var transform: [Double]? {
    value(ElementKey.transform)?.array.map { $0.compactMap(\.double) }
  }
  /// Whatever the app keeps with it.
  public var meta: JSONValue? { value(ElementKey.meta) }
  /// The app's own name of an image (EL-1).
  public var uuid: String? { meta?["uuid"]?.string }

  /// Equal if nothing of the element differs.
  public static func == (left: WhiteElement, right: WhiteElement) -> Bool { left.element == right.element }
  /// Hashes the whole element.
  public func hash(into hasher: inout Hasher) { hasher.combine(element) }
}

extension ElementKey {
  static let meta = "meta"
}

/// How an element looks; what is nil is not set.
public struct WhiteStyle: Sendable, Hashable {
  /// Of lines.
  public var colour: Colour?
  /// Of lines, in pixels.
  public var width: Double?
  /// 0 clear to 1 opaque.
  public var opacity: Double?
  /// How lines are drawn: solid, dotted or dashed.
  public var strokeType: WhiteStrokeType?
  /// Of the inside; without it there is none.
  public var fill: Colour?
  /// Of the inside, 0 clear to 1 opaque; nil: `opacity` holds.
  public var fillOpacity: Double?
  /// Of letters; nil: `colour` holds.
  public var textColour: Colour?
  /// Whether letters are bold.
  public var bold: Bool?
  /// Whether letters are italic.
  public var italic: Bool?
  /// Whether letters are underlined.
  public var underline: Bool?
  /// Whether letters are struck through.
  public var lineThrough: Bool?
  /// Everything else, by name.
  public var other: [String: JSONValue] = [:]

  /// Makes a style in which nothing is set.
  public init() {}

  /// What a member with this state draws with.
  public init(_ state: WhiteMemberState) {
    (colour, width, opacity) = (state.strokeColour, state.strokeWidth, state.strokeOpacity)
    (fill, fillOpacity, textColour) = (state.fillColour, state.fillOpacity, state.textColour)
    (bold, italic) = (state.bold, state.italic)
    (underline, lineThrough) = (state.underline, state.lineThrough)
    strokeType = state.strokeType.flatMap { WhiteStrokeType(rawValue: $0) }
    if strokeType == nil, state.dottedLine == true { strokeType = .dotted }
  }

  var fields: [(String, JSONValue)] {
    var fields: [(String, JSONValue)] = []
    func add(_ name: String, _ colour: Colour?) { if let colour { fields.append((name, colour.json)) } }
    func add(_ name: String, _ number: Double?) {
      if let number { fields.append((name, JSONValue(number))) }
    }
    func add(_ name: String, _ flag: Bool?) { if let flag { fields.append((name, .bool(flag))) } }
    add("colour", colour)
    add("width", width)
    add("opacity", opacity)
    if let strokeType { fields.append(("strokeType", .string(strokeType.rawValue))) }
    add("fill", fill)
    add("fillOpacity", fillOpacity)
    add("textColor", textColour)
    add("bold", bold)
    add("italic", italic)
    add("underline", underline)
    add("lineThrough", lineThrough)
    return fields + other.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

/// An element to be put on a page: the shapes of PARITY rows MS, text and notes.
public struct WhiteShape: Sendable, Hashable {
  /// What kind of element it is.
  public var type: WhiteElementType
  /// Its upper left corner, in pixels of the board.
  public var x: Double
  /// The vertical place of its upper left corner, in pixels of the board.
  public var y: Double
  /// Of its box; `straight` and `arrow` have `points` instead.
  public var width: Double?
  /// Of its box, in pixels.
  public var height: Double?
  /// Pairs of x and y, from the corner.
  public var points: [[Double]]?
  /// Of a text or a note; line breaks as they are to be shown.
  public var text: String?
  /// Of letters, in pixels.
  public var fontSize: Double?
  /// Colours, lines and letters.
  public var style = WhiteStyle()
  /// Whether it is put as a locked element (EL-3).
  public var isLocked = false
  /// Whatever the app wants kept with it.
  public var meta: JSONValue?

  /// Makes a shape at a place, with a box if it has one.
  public init(
    _ type: WhiteElementType, x: Double, y: Double, width: Double? = nil, height: Double? = nil,
    style: WhiteStyle = WhiteStyle()
  ) {
    (self.type, self.x, self.y, self.width, self.height) = (type, x, y, width, height)
    self.style = style
  }

  /// A line or an arrow from one point to the next, in pixels of the board.
  public init(_ type: WhiteElementType, through points: [(x: Double, y: Double)], style: WhiteStyle = .init())
  {
    let corner = (x: points.map(\.x).min() ?? 0, y: points.map(\.y).min() ?? 0)
    self.init(type, x: corner.x, y: corner.y, style: style)
    self.points = points.map { [$0.x - corner.x, $0.y - corner.y] }
  }

  var fields: [(String, JSONValue)] {
    var fields: [(String, JSONValue)] = [("x", JSONValue(x)), ("y", JSONValue(y))]
    if let width { fields.append(("width", JSONValue(width))) }
    if let height { fields.append(("height", JSONValue(height))) }
    if let points {
      fields.append(("points", .array(points.map { .array($0.map { JSONValue($0) }) })))
    }
    if let text { fields.append(("text", .string(text))) }
    if let fontSize { fields.append(("size", JSONValue(fontSize))) }
    if !style.fields.isEmpty { fields.append(("style", .object(style.fields))) }
    var set: [(String, JSONValue)] = isLocked ? [(ElementKey.locked, .bool(true))] : []
    if let meta { set.append((ElementKey.meta, meta)) }
    return set.isEmpty ? fields : fields + [("set", .object(set))]
  }
}

/// An image on the board (EL-1).
public struct WhiteImageInformation: Sendable, Hashable {
  /// The app's own name of it.
  public var uuid: String
  /// Of its middle, in pixels of the board.
  public var centerX: Double
  /// The vertical place of its middle, in pixels of the board.
  public var centerY: Double
  /// In pixels of the board.
  public var width: Double
  /// In pixels of the board.
  public var height: Double
  /// Whether it is put as a locked element (EL-3).
  public var locked: Bool
  /// Whether its proportions are to be kept.
  public var uniformScale: Bool

  /// Makes an image; its source comes with `insertImage(_:src:)` or later.
  public init(
    uuid: String, centerX: Double = 0, centerY: Double = 0, width: Double, height: Double,
    locked: Bool = false, uniformScale: Bool = true
  ) {
    self.uuid = uuid
    (self.centerX, self.centerY, self.width, self.height) = (centerX, centerY, width, height)
    (self.locked, self.uniformScale) = (locked, uniformScale)
  }

  var fields: [(String, JSONValue)] {
    var set: [(String, JSONValue)] = [(ElementKey.meta, .object([("uuid", .string(uuid))]))]
    if locked { set.append((ElementKey.locked, .bool(true))) }
    return [
      ("x", JSONValue(centerX - width / 2)), ("y", JSONValue(centerY - height / 2)),
      ("width", JSONValue(width)), ("height", JSONValue(height)), ("uniformScale", .bool(uniformScale)),
      ("set", .object(set)),
    ]
  }
}
