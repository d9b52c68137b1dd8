import BoardroomModel

/// JSON of any shape as part of a type that is `Codable`. Whole numbers up to 64 bits and what a `Double` holds stay the
/// same number; an encoder of Swift's gives no others.
extension JSONValue: Codable {
  public init(from decoder: any Decoder) throws {
    if let members = try? decoder.container(keyedBy: JSONMemberKey.self) {
      self = .object(
        try members.allKeys.map { ($0.stringValue, try members.decode(JSONValue.self, forKey: $0)) })
    } else if var items = try? decoder.unkeyedContainer() {
      var values: [JSONValue] = []
      while !items.isAtEnd { values.append(try items.decode(JSONValue.self)) }
      self = .array(values)
    } else {
      self = try Self.single(try decoder.singleValueContainer())
    }
  }

  private static func single(_ container: any SingleValueDecodingContainer) throws -> JSONValue {
    if container.decodeNil() { return .null }
    if let flag = try? container.decode(Bool.self) { return .bool(flag) }
    if let number = try? container.decode(Int64.self) { return .number(String(number)) }
    if let number = try? container.decode(UInt64.self) { return .number(String(number)) }
    if let number = try? container.decode(Double.self) { return JSONValue(number) }
    return .string(try container.decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let members):
      var container = encoder.container(keyedBy: JSONMemberKey.self)
      for (key, value) in members { try container.encode(value, forKey: JSONMemberKey(stringValue: key)) }
    case .array(let items):
      var container = encoder.unkeyedContainer()
      for item in items { try container.encode(item) }
    case .null, .bool, .number, .string: try encodeSingle(to: encoder)
    }
  }

  private func encodeSingle(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .bool(let flag): try container.encode(flag)
    case .string(let text): try container.encode(text)
    case .number(let text):
      if let number = Int64(text) {
        try container.encode(number)
      } else if let number = UInt64(text) {
        try container.encode(number)
      } else {
        try container.encode(Double(text) ?? 0)
      }
    case .null, .array, .object: try container.encodeNil()
    }
  }
}

/// The key of a member of any object.
struct JSONMemberKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension JSONText {
  /// The value as a tree. A `JSONText` was checked when it was made, so there always is one; null stands for one that was not.
  public var value: JSONValue { (try? JSONValue(self)) ?? .null }
}
