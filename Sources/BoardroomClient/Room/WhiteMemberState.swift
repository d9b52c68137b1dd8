import BoardroomCodec
import BoardroomModel

/// What a member draws with (spec 2.7). A field that is nil is not set; setting a state merges into the old
/// one. Any other key is kept and shared.
public struct WhiteMemberState: Sendable, Hashable {
  public var currentApplianceName: String?
  public var shapeType: String?
  /// Red, green, blue, 0 to 255.
  public var strokeColor: [Int]?
  public var textColor: [Int]?
  public var fillColor: [Int]?
  /// In pixels.
  public var strokeWidth: Double?
  public var textSize: Double?
  /// 0 to 1.
  public var strokeOpacity: Double?
  public var fillOpacity: Double?
  public var strokeType: String?
  public var pencilEraserSize: Double?
  public var dottedLine: Bool?
  public var bold: Bool?
  public var italic: Bool?
  public var underline: Bool?
  public var lineThrough: Bool?
  /// Everything else, by key.
  public var other: [String: JSONText] = [:]

  public init() {}
}

extension WhiteMemberState {
  private typealias Path<Value> = any WritableKeyPath<Self, Value> & Sendable
  private static let texts: [(String, Path<String?>)] = [
    ("currentApplianceName", \.currentApplianceName), ("shapeType", \.shapeType),
    ("strokeType", \.strokeType),
  ]
  private static let colours: [(String, Path<[Int]?>)] = [
    ("strokeColor", \.strokeColor), ("textColor", \.textColor), ("fillColor", \.fillColor),
  ]
  private static let numbers: [(String, Path<Double?>)] = [
    ("strokeWidth", \.strokeWidth), ("textSize", \.textSize), ("strokeOpacity", \.strokeOpacity),
    ("fillOpacity", \.fillOpacity), ("pencilEraserSize", \.pencilEraserSize),
  ]
  private static let flags: [(String, Path<Bool?>)] = [
    ("dottedLine", \.dottedLine), ("bold", \.bold), ("italic", \.italic), ("underline", \.underline),
    ("lineThrough", \.lineThrough),
  ]

  /// From the room's record of it. A known key with a value of another type is kept under `other`.
  init(_ fields: [String: JSONText]) {
    for (key, text) in fields where !read(key, text) { other[key] = text }
  }

  private mutating func read(_ key: String, _ text: JSONText) -> Bool {
    guard let value = try? JSONValue(text) else { return false }
    if let path = Self.texts.first(where: { $0.0 == key })?.1, let text = value.string {
      self[keyPath: path] = text
    } else if let path = Self.colours.first(where: { $0.0 == key })?.1, let items = value.array,
      items.allSatisfy({ $0.int != nil })
    {
      self[keyPath: path] = items.compactMap(\.int)
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
  var patch: JSONPatch {
    var fields: [(key: String, value: JSONText?)] = []
    for (key, path) in Self.texts {
      if let text = self[keyPath: path] { fields.append((key, JSONValue.string(text).text)) }
    }
    for (key, path) in Self.colours {
      guard let items = self[keyPath: path] else { continue }
      fields.append((key, JSONValue.array(items.map { JSONValue($0) }).text))
    }
    for (key, path) in Self.numbers {
      if let number = self[keyPath: path] { fields.append((key, JSONValue.number(jsonNumber(number)).text)) }
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

/// A number in JSON's grammar; what is not finite becomes zero.
func jsonNumber(_ value: Double) -> String {
  guard value.isFinite else { return "0" }
  if let whole = Int64(exactly: value) { return String(whole) }
  return String(value)
}
