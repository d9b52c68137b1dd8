import BoardroomCodec

/// The fields of one JSON object, in order, to be set one by one.
struct FieldList: Sendable {
  private(set) var fields: [(key: String, value: JSONValue)] = []

  init(_ fields: [(String, JSONValue)] = []) { for (key, value) in fields { self[key] = value } }

  /// Setting nil removes the field. A field that is there already keeps its place.
  subscript(key: String) -> JSONValue? {
    get { fields.first { $0.key == key }?.value }
    set {
      let place = fields.firstIndex { $0.key == key }
      switch (place, newValue) {
      case (let place?, let value?): fields[place].value = value
      case (let place?, nil): fields.remove(at: place)
      case (nil, let value?): fields.append((key, value))
      case (nil, nil): break
      }
    }
  }

  mutating func set(_ more: [(String, JSONValue)]) { for (key, value) in more { self[key] = value } }

  var object: JSONValue { .object(fields.map { ($0.key, $0.value) }) }
}

extension JSONValue {
  /// The shortest text that reads as the same number; whole numbers without a fraction.
  static func real(_ value: Double) -> JSONValue {
    guard value.isFinite else { return .number("0") }
    return value == value.rounded() && abs(value) < 1e15 ? JSONValue(Int(value)) : .number("\(value)")
  }

  func number(_ key: String) -> Double? {
    guard let value = self[key]?.double, value.isFinite else { return nil }
    return value
  }

  /// Whether a field has content: it is there, and is not null, false, or an empty text, array or object.
  func says(_ key: String) -> Bool {
    switch self[key] {
    case nil, .null, .bool(false): false
    case .string(let text): !text.isEmpty
    case .array(let items): !items.isEmpty
    case .object(let fields): !fields.isEmpty
    case .bool(true), .number: true
    }
  }
}
