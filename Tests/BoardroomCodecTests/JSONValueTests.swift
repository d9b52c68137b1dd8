import BoardroomCodec
import BoardroomModel
import Foundation
import Testing

@Suite struct JSONValueTests {
  @Test("A value is written as Swift writes values; members stay in their order")
  func literals() {
    let value: JSONValue = [
      "name": "Ana", "marks": [1, -2, 2.5], "isOpen": true, "note": .null, "deep": ["b": [], "a": [:]],
    ]
    let text = #"{"name":"Ana","marks":[1,-2,2.5],"isOpen":true,"note":null,"deep":{"b":[],"a":{}}}"#
    #expect(String(decoding: value.compact, as: UTF8.self) == text)
    #expect(value["marks"]?[2]?.double == 2.5)
    #expect(value["marks"]?[0]?.int == 1)
    #expect(value["isOpen"]?.bool == true)
    #expect(value["note"]?.isNull == true)
  }

  @Test(
    "A number is the shortest text that reads as the same number; what is no number of JSON's becomes 0",
    arguments: [
      (0.1, "0.1"), (-3.0, "-3"), (1e20, "1e+20"), (9_007_199_254_740_993.0, "9007199254740992"),
      (.infinity, "0"), (.nan, "0"), (-0.0, "0"),
    ])
  func numbers(_ number: Double, _ text: String) {
    #expect(String(decoding: JSONValue(number).compact, as: UTF8.self) == text)
  }

  @Test("What is not there is none, and no null: nil is no literal of JSON")
  func none() {
    func value(_ isThere: Bool) -> JSONValue? { isThere ? JSONValue(1) : nil }
    #expect(value(false) == nil)
    #expect([true, false].compactMap { value($0) } == [1])
  }

  struct Shape: Codable, Equatable {
    var name: String
    var more: JSONValue
  }

  @Test("JSON of any shape is part of a type that is Codable, both ways")
  func codable() throws {
    let shapes: [JSONValue] = [
      .null, true, "text", 0, -1, 2.5, [], [:], [1, [.null, "x"]], ["a": ["b": [false]]],
      JSONValue(9_223_372_036_854_775_807 as Int), .number("18446744073709551615"),
    ]
    for more in shapes {
      let shape = Shape(name: "n", more: more)
      let back = try JSONDecoder().decode(Shape.self, from: try JSONEncoder().encode(shape))
      #expect(back == shape)
    }
  }

  @Test("A JSONText gives its value as a tree")
  func textAsTree() {
    #expect(JSONText(unchecked: #"{"a":[1]}"#).value == ["a": [1]])
    #expect(JSONText.null.value.isNull)
  }
}
