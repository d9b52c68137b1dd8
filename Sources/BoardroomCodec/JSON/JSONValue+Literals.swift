// JSON as Swift writes values: `["name": "Ana", "marks": [1, 2.5], "isOpen": true, "note": .null]`.
//
// `nil` is no literal of JSON: where a `JSONValue?` is wanted, `isThere ? value : nil` would be a value that is null, and not none.

extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int) { self = .number(String(value)) }
  public init(floatLiteral value: Double) { self.init(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// The members stay in the order in which they are written.
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(elements) }
}

extension JSONValue {
  /// The shortest text that reads as the same number. JSON has no infinity and no "not a number": these become 0.
  public init(_ number: Double) {
    guard number.isFinite else {
      self = .number("0")
      return
    }
    self = .number(Int64(exactly: number).map { String($0) } ?? String(number))
  }
}
