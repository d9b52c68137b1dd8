import BoardroomModel

/// A JSON value as a tree, for work off the hot path. Numbers stay as they were written, objects keep their
/// order; equality is that of the text without its spaces and escapes.
public indirect enum JSONValue: Sendable {
  case null
  case bool(Bool)
  /// Verbatim, in JSON's number grammar.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([(String, JSONValue)])
}

extension JSONValue: Hashable {
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)):
      left.elementsEqual(right) { $0.0.utf8.elementsEqual($1.0.utf8) && $0.1 == $1.1 }
    case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let flag): hasher.combine(flag)
    case .number(let text): hasher.combine(text)
    case .string(let text): hasher.combine(text)
    case .array(let items): hasher.combine(items)
    case .object(let members):
      for (key, value) in members {
        hasher.combine(key)
        hasher.combine(value)
      }
    }
  }
}

extension JSONValue {
  /// Reads one value and nothing after it.
  public static func parse(
    _ bytes: ArraySlice<UInt8>, limits: JSONLimits = JSONLimits()
  ) throws(JSONError) -> JSONValue {
    JSONValue(try JSONScanner.scan(bytes, limits: limits).root)
  }

  public static func parse(
    _ bytes: [UInt8], limits: JSONLimits = JSONLimits()
  ) throws(JSONError) -> JSONValue {
    try parse(bytes[...], limits: limits)
  }

  public init(_ item: JSONItem) {
    switch item.kind {
    case .null: self = .null
    case .bool: self = .bool(item.bool ?? false)
    case .number: self = .number(String(decoding: item.bytes, as: UTF8.self))
    case .string: self = .string(item.string ?? "")
    case .array: self = .array(item.items.map { JSONValue($0) })
    case .object: self = .object(item.members.map { ($0.key, JSONValue($0.value)) })
    }
  }

  /// Of text that is known to be valid, as every `JSONText` is.
  public init(_ text: JSONText) throws(JSONError) { self = try Self.parse(text.bytes) }

  public init(_ number: Int) { self = .number(String(number)) }

  /// Written without spaces, members in their order.
  public var compact: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer, sorted: false)
    return writer.bytes
  }

  /// Written without spaces, members sorted by the UTF-8 bytes of their keys.
  public var canonical: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer, sorted: true)
    return writer.bytes
  }

  public var text: JSONText { JSONText(unchecked: compact) }

  private func write(to writer: inout JSONWriter, sorted: Bool) {
    switch self {
    case .null: writer.null()
    case .bool(let flag): writer.value(flag)
    case .number(let text): writer.raw(text.utf8)
    case .string(let text): writer.value(text)
    case .array(let items):
      writer.array { writer in
        for item in items { item.write(to: &writer, sorted: sorted) }
      }
    case .object(let members):
      let ordered = sorted ? members.sorted { precedes($0.0, $1.0) } : members
      writer.object { writer in
        for (key, value) in ordered {
          writer.key(key)
          value.write(to: &writer, sorted: sorted)
        }
      }
    }
  }

  // MARK: Accessors

  public var isNull: Bool { self == .null }
  public var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
  public var string: String? { if case .string(let text) = self { text } else { nil } }
  public var int: Int? { if case .number(let text) = self { Int(text) } else { nil } }
  public var double: Double? { if case .number(let text) = self { Double(text) } else { nil } }
  public var array: [JSONValue]? { if case .array(let items) = self { items } else { nil } }
  public var object: [(String, JSONValue)]? { if case .object(let members) = self { members } else { nil } }
  /// The member of an object with this key.
  public subscript(key: String) -> JSONValue? { object?.first { $0.0 == key }?.1 }
  /// The item of an array at this place.
  public subscript(place: Int) -> JSONValue? {
    guard let array, array.indices.contains(place) else { return nil }
    return array[place]
  }
}

/// The order of keys wherever a format of ours sorts them: that of their UTF-8 bytes.
func precedes(_ left: String, _ right: String) -> Bool {
  left.utf8.lexicographicallyPrecedes(right.utf8)
}
