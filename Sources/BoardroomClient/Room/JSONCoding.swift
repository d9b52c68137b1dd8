import BoardroomCodec
import BoardroomModel
import Foundation

// Types of the app that are `Codable`, as the JSON that rooms carry.

extension JSONText {
  /// A value of the app's from this JSON, such as the payload of a custom event. Throws the `DecodingError` of what does not
  /// fit.
  public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try JSONDecoder().decode(type, from: Data(bytes))
  }
}

extension JSONValue {
  /// A value of the app's as JSON. Throws the `EncodingError` of what JSON has no form for.
  public init(encoding value: some Encodable) throws {
    self = try JSONValue.parse([UInt8](JSONEncoder().encode(value)))
  }

  /// A value of the app's from this JSON. Throws the `DecodingError` of what does not fit.
  public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try text.decode(type) }
}
