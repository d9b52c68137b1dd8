import BoardroomCodec
import BoardroomModel

/// The tools of PARITY rows MS.
public enum WhiteApplianceName: String, Sendable, Hashable, CaseIterable {
  case clicker, selector, laserPointer, laserPen, pencil, rectangle, ellipse, shape, eraser, pencilEraser,
    text
  case straight, arrow, hand
}

/// What the tool `shape` draws.
public enum WhiteShapeType: String, Sendable, Hashable, CaseIterable {
  case triangle, rhombus, pentagram, speechBalloon
}

/// How a line is drawn. `normal` and `stroke` are solid.
public enum WhiteStrokeType: String, Sendable, Hashable, CaseIterable {
  case normal, stroke, dotted, longDotted
}

/// What a member draws with (PARITY rows MS). A field that is nil is not set; setting a state merges into the old
/// one. Any other key is kept and shared. What was set survives outages, and ends with the session.
public struct WhiteMemberState: Sendable, Hashable {
  /// A `WhiteApplianceName`, or a tool of the app's own.
  public var currentApplianceName: String?
  /// A `WhiteShapeType`, or a shape of the app's own.
  public var shapeType: String?
  /// Of lines.
  public var strokeColour: Colour?
  /// Of letters.
  public var textColour: Colour?
  /// Of the inside.
  public var fillColour: Colour?
  /// In pixels.
  public var strokeWidth: Double?
  /// Of letters, in pixels.
  public var textSize: Double?
  /// 0 to 1.
  public var strokeOpacity: Double?
  /// Of the inside, 0 to 1.
  public var fillOpacity: Double?
  /// A `WhiteStrokeType`.
  public var strokeType: String?
  /// 1, 2 or 3.
  public var pencilEraserSize: Double?
  /// Whether lines are dotted. `strokeType` goes before it.
  public var dottedLine: Bool?
  /// Whether letters are bold.
  public var bold: Bool?
  /// Whether letters are italic.
  public var italic: Bool?
  /// Whether letters are underlined.
  public var underline: Bool?
  /// Whether letters are struck through.
  public var lineThrough: Bool?
  /// Whether text can be selected while it is edited.
  public var textCanSelectText: Bool?
  /// In pixels; nil: `textSize` holds.
  public var textSizeOverride: Double?
  /// How large this member's text is: `textSizeOverride` goes before `textSize`.
  public var shownTextSize: Double? { textSizeOverride ?? textSize }
  /// Everything else, by key.
  public var other: [String: JSONText] = [:]

  /// Makes a state in which nothing is set.
  public init() {}

  /// Makes a state that chooses a tool.
  public init(_ appliance: WhiteApplianceName, shape: WhiteShapeType? = nil) {
    currentApplianceName = appliance.rawValue
    shapeType = shape?.rawValue
  }

  /// The tool: the pencil until another was chosen; nil for a tool of the app's own.
  public var appliance: WhiteApplianceName? {
    currentApplianceName.map { WhiteApplianceName(rawValue: $0) } ?? .pencil
  }
}

extension WhiteMemberState {
  /// The first field that is out of its range, if one is.
  var problem: BoardroomError? {
    // What is set as numbers that are no colour stands under `other`.
    for (name, _) in Self.colours {
      guard let value = other[name]?.value, Colour(value) == nil else { continue }
      guard let levels = value.array, levels.allSatisfy({ $0.int != nil }) else { continue }
      return .badMemberState(name, "is not red, green and blue from 0 to 255")
    }
    for (name, path) in Self.numbers {
      guard let number = self[keyPath: path] else { continue }
      guard number.isFinite, Self.isInRange(name, number) else {
        return .badMemberState(name, "is out of range")
      }
    }
    guard let strokeType, WhiteStrokeType(rawValue: strokeType) == nil else { return nil }
    return .badMemberState("strokeType", "is none of normal, stroke, dotted and longDotted")
  }

  private static func isInRange(_ name: String, _ number: Double) -> Bool {
    switch name {
    case "strokeOpacity", "fillOpacity": (0...1).contains(number)
    case "pencilEraserSize": [1, 2, 3].contains(number)
    default: number >= 0
    }
  }

  private typealias Path<Value> = any WritableKeyPath<Self, Value> & Sendable
  private static let texts: [(String, Path<String?>)] = [
    ("currentApplianceName", \.currentApplianceName), ("shapeType", \.shapeType),
    ("strokeType", \.strokeType),
  ]
  private static let colours: [(String, Path<Colour?>)] = [
    ("strokeColor", \.strokeColour), ("textColor", \.textColour), ("fillColor", \.fillColour),
  ]
  private static let numbers: [(String, Path<Double?>)] = [
    ("strokeWidth", \.strokeWidth), ("textSize", \.textSize), ("strokeOpacity", \.strokeOpacity),
    ("fillOpacity", \.fillOpacity), ("pencilEraserSize", \.pencilEraserSize),
    ("textSizeOverride", \.textSizeOverride),
  ]
  private static let flags: [(String, Path<Bool?>)] = [
    ("dottedLine", \.dottedLine), ("bold", \.bold), ("italic", \.italic), ("underline", \.underline),
    ("lineThrough", \.lineThrough), ("textCanSelectText", \.textCanSelectText),
  ]

  /// From the room's record of it. A known key with a value of another type is kept under `other`.
  init(_ fields: [String: JSONText]) {
    for (key, text) in fields where !read(key, text) { other[key] = text }
  }

  private mutating func read(_ key: String, _ text: JSONText) -> Bool {
    guard let value = try? JSONValue(text) else { return false }
    if let path = Self.texts.first(where: { $0.0 == key })?.1, let text = value.string {
      self[keyPath: path] = text
    } else if let path = Self.colours.first(where: { $0.0 == key })?.1, let colour = Colour(value) {
      self[keyPath: path] = colour
    } else if let path = Self.numbers.first(where: { $0.0 == key })?.1, let number = value.double {
      self[keyPath: path] = number
    } else if let path = Self.flags.first(where: { $0.0 == key })?.1, let flag = value.bool {
      self[keyPath: path] = flag
    } else {
      return false
    }
    return true
  }

  /// What of it is set, as a patch.
  package var patch: JSONPatch {
    var fields: [(key: String, value: JSONText?)] = []
    for (key, path) in Self.texts {
      if let text = self[keyPath: path] { fields.append((key, JSONValue.string(text).text)) }
    }
    for (key, path) in Self.colours {
      if let colour = self[keyPath: path] { fields.append((key, colour.json.text)) }
    }
    for (key, path) in Self.numbers {
      if let number = self[keyPath: path] { fields.append((key, JSONValue(number).text)) }
    }
    for (key, path) in Self.flags {
      if let flag = self[keyPath: path] { fields.append((key, JSONValue.bool(flag).text)) }
    }
    for (key, text) in other.sorted(by: { $0.key < $1.key }) {
      fields.append((key, text.isNull ? nil : text))
    }
    return JSONPatch(fields)
  }
}

extension Colour {
  /// Of a list of red, green and blue from 0 to 255; nil for anything else.
  init?(_ json: JSONValue) {
    guard let levels = json.array?.compactMap({ $0.int.flatMap { UInt8(exactly: $0) } }), levels.count == 3,
      json.array?.count == 3
    else { return nil }
    self.init(red: levels[0], green: levels[1], blue: levels[2])
  }

  /// As the protocol has it: a list of red, green and blue.
  var json: JSONValue { .array([red, green, blue].map { JSONValue(Int($0)) }) }
}
