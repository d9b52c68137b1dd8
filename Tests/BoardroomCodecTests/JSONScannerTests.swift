import BoardroomCodec
import BoardroomModel
import Foundation
import Testing

/// What the scanner says of a text: nil, or the reason that it refuses.
private func verdict(_ bytes: [UInt8], depth: Int = 64) -> JSONError.Reason? {
  do throws(JSONError) {
    _ = try JSONScanner.scan(bytes, limits: JSONLimits(depth: depth, bytes: 1 << 20))
    return nil
  } catch { return error.reason }
}

private func verdict(_ text: String) -> JSONError.Reason? { verdict(Array(text.utf8)) }

@Suite struct JSONScannerTests {
  @Test(
    "Strict JSON is accepted",
    arguments: [
      "null", "true", "false", "0", "-0", "10", "-1.5", "1e9", "1E+9", "2e-3", "\"\"", "\"\\u00e9\"",
      "\"\\ud83d\\ude00\"", "\"漢\"", "[]", "{}", " [ 1 , 2 ] ", "{\"a\":1,\"b\":{\"a\":2}}", "[[[]]]",
      "\"\u{7f}\"", "\"/\\/\"", "\t\r\n 1", "{\"\":0}", "[\"\\\"\"]", "1.0E0",
    ])
  func accepts(_ text: String) { #expect(verdict(text) == nil) }

  @Test(
    "WIRE-11: what is not strict JSON is refused, with the reason",
    arguments: [
      ("", .empty), ("  ", .empty), ("nul", .truncated), ("nulL", .unexpected), ("1 2", .trailing),
      ("[1,]", .unexpected), ("[,1]", .unexpected), ("[1", .truncated), ("{\"a\"}", .unexpected),
      ("{\"a\":}", .unexpected), ("{\"a\":1,}", .unexpected), ("{a:1}", .unexpected), ("{1:1}", .unexpected),
      ("01", .badNumber), ("-", .badNumber), ("+1", .unexpected), ("1.", .badNumber), (".5", .unexpected),
      ("1e", .badNumber), ("0x1", .trailing), ("NaN", .unexpected), ("Infinity", .unexpected),
      ("'a'", .unexpected), ("\"a", .truncated), ("\"\\x\"", .badEscape), ("\"\\u12g4\"", .badEscape),
      ("\"\\ud800\"", .loneSurrogate), ("\"\\ud800\\u0041\"", .loneSurrogate),
      ("\"\\udc00\"", .loneSurrogate),
      ("\"\n\"", .controlCharacter), ("\"\u{0}\"", .controlCharacter), ("{\"a\":1,\"a\":2}", .duplicateKey),
      ("{\"a\":1,\"\\u0061\":2}", .duplicateKey), ("/* */1", .unexpected), ("1//", .trailing),
      ("\u{feff}1", .unexpected), ("[1}", .unexpected), ("{\"a\":1]", .unexpected), ("-01", .badNumber),
    ] as [(String, JSONError.Reason)])
  func refuses(_ text: String, _ reason: JSONError.Reason) { #expect(verdict(text) == reason) }

  @Test(
    "Text that is not UTF-8 is refused",
    arguments: [
      [0x80], [0xc0, 0x80], [0xc1, 0xbf], [0xe0, 0x9f, 0xbf], [0xed, 0xa0, 0x80], [0xed, 0xbf, 0xbf],
      [0xf0, 0x8f, 0xbf, 0xbf], [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xff], [0xc3, 0x28],
      [0xe2, 0x82, 0x28], [0xf0, 0x9f, 0x98, 0x28],
    ] as [[UInt8]])
  func refusesUTF8(_ bytes: [UInt8]) {
    #expect(verdict([0x22] + bytes + [0x22]) == .badUTF8)
  }

  @Test("WIRE-11: depth counts open arrays and objects, and one more than allowed is refused")
  func depth() {
    let nested = { (depth: Int) in
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    #expect(verdict(nested(64)) == nil)
    #expect(verdict(nested(65)) == .tooDeep)
    #expect(verdict(Array(repeating: 0x5b, count: 1 << 20), depth: 1 << 19) == .tooDeep)
    #expect(try! JSONScanner.scan(Array("[{\"a\":[1]},[]]".utf8)).root.depth == 3)
  }

  @Test("More bytes than allowed are refused before they are looked at")
  func size() {
    #expect(throws: JSONError(.tooLong, at: 3)) {
      try JSONScanner.scan(Array("    ".utf8), limits: JSONLimits(depth: 1, bytes: 3))
    }
  }

  @Test("Keys of large objects are compared too, escapes undone")
  func manyKeys() {
    let keys = (0..<500).map { "\"k\($0)\":0" }
    #expect(verdict("{" + keys.joined(separator: ",") + "}") == nil)
    #expect(verdict("{" + (keys + ["\"\\u006b7\":1"]).joined(separator: ",") + "}") == .duplicateKey)
    // Canonically equivalent, but different bytes: two keys.
    #expect(verdict("{\"\u{e9}\":1,\"e\u{301}\":2}") == nil)
  }

  @Test("A value keeps its own bytes, and whole numbers are read exactly")
  func values() throws {
    let document = try JSONScanner.scan(Array("  {\"a\" : [ 1 , 2.50 ],\"b\":18446744073709551615} ".utf8))
    #expect(document.root["a"]?.text.text == "[ 1 , 2.50 ]")
    #expect(document.root["b"]?.unsigned == .max)
    #expect(document.root["b"]?.signed == nil)
    for (text, value) in [("-9223372036854775808", Int64.min), ("-1", -1), ("9223372036854775807", .max)] {
      #expect(try JSONScanner.scan(Array(text.utf8)).root.signed == value)
    }
    for text in ["-9223372036854775809", "1.0", "1e3", "-0", "18446744073709551616", "\"1\""] {
      #expect(try JSONScanner.scan(Array(text.utf8)).root.signed == nil, "\(text)")
    }
    #expect(try JSONScanner.scan(Array("1e999".utf8)).root.double == nil)
  }

  @Test("Parse and compact are inverse, whatever the value")
  func roundTrip() throws {
    var chance = Chance(11)
    for _ in 0..<500 {
      let value = chance.json(depth: 4)
      #expect(try JSONValue.parse(value.compact) == value)
    }
    let unsorted = try JSONValue.parse(Array("{\"b\":1,\"a\":{\"d\":1,\"c\":2}}".utf8))
    #expect(unsorted.canonical == Array("{\"a\":{\"c\":2,\"d\":1},\"b\":1}".utf8))
    #expect(unsorted.compact == Array("{\"b\":1,\"a\":{\"d\":1,\"c\":2}}".utf8))
  }
}

// MARK: Against Foundation

/// Both trees in one form: numbers as the double that they mean, equal within Foundation's rounding.
private indirect enum Plain: Equatable {
  case null, bool(Bool), number(Double), string([UInt8]), array([Plain]), object([String: Plain])

  init(_ value: JSONValue) {
    switch value {
    case .null: self = .null
    case .bool(let flag): self = .bool(flag)
    case .number(let text): self = .number(Double(text) ?? .nan)
    case .string(let text): self = .string(Array(text.utf8))
    case .array(let items): self = .array(items.map { Plain($0) })
    case .object(let members):
      self = .object(Dictionary(members.map { ($0.0, Plain($0.1)) }) { _, last in last })
    }
  }

  init?(_ value: Any) {
    switch value {
    case is NSNull: self = .null
    case let number as NSNumber where Plain.isBool(number): self = .bool(number.boolValue)
    case let number as NSNumber: self = .number(number.doubleValue)
    case let text as String: self = .string(Array(text.utf8))
    case let items as [Any]: self = .array(items.compactMap { Plain($0) })
    case let members as [String: Any]: self = .object(members.compactMapValues { Plain($0) })
    default: return nil
    }
  }

  /// Foundation rounds numbers of more than 19 digits wrongly in their last bit.
  static func == (left: Plain, right: Plain) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)): abs(left - right) <= abs(right) * 4e-16
    case (.string(let left), .string(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
    }
  }

  /// A number that no Double holds: we keep its digits, Foundation refuses it.
  var hasInfinity: Bool {
    switch self {
    case .null, .bool, .string: false
    case .number(let value): value.isInfinite
    case .array(let items): items.contains(where: \.hasInfinity)
    case .object(let members): members.values.contains(where: \.hasInfinity)
    }
  }

  private static func isBool(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }
}

@Suite struct JSONAgainstFoundationTests {
  private func foundation(_ bytes: [UInt8]) -> Plain? {
    (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)).flatMap { Plain($0) }
  }

  /// Where Foundation and we differ on purpose, by our reason to refuse: a key twice (it takes one of them),
  /// bytes that are not UTF-8 (it takes UTF-16 and UTF-32 as well, and a byte order mark), a depth beyond the
  /// caller's limit (it has one of its own, 512). The other way round, it refuses numbers beyond Double,
  /// which we keep as digits.
  private func isDocumented(_ reason: JSONError.Reason, _ bytes: [UInt8]) -> Bool {
    switch reason {
    case .duplicateKey, .tooDeep: true
    case .badUTF8, .controlCharacter, .unexpected, .truncated, .trailing, .empty:
      bytes.starts(with: [0xef, 0xbb, 0xbf]) || bytes.contains(0) || bytes.starts(with: [0xff])
        || bytes.starts(with: [0xfe])
    case .badEscape, .loneSurrogate, .badNumber, .tooLong: false
    }
  }

  @Test("Foundation and our scanner accept the same texts and read the same values")
  func differential() {
    var chance = Chance(2_026)
    var accepted = 0
    var refused = 0
    for round in 0..<6_000 {
      let text = chance.json(depth: 4).compact
      let bytes = round % 3 == 0 ? text : chance.mutate(text)
      let theirs = foundation(bytes)
      do throws(JSONError) {
        let ours = Plain(try JSONValue.parse(bytes))
        accepted += 1
        #expect(ours.hasInfinity ? theirs == nil : theirs == ours, "round \(round)")
      } catch {
        refused += 1
        #expect(
          theirs == nil || isDocumented(error.reason, bytes),
          "round \(round): only Foundation accepts, we say \(error.reason)")
      }
    }
    #expect(accepted > 2_000)
    #expect(refused > 1_000)
  }

  @Test("Mutated JSON gives a value or an error and never anything else")
  func fuzz() {
    var chance = Chance(77)
    var errors: Set<JSONError.Reason> = []
    for _ in 0..<20_000 {
      var bytes = chance.json(depth: 5).compact
      for _ in 0...chance.upTo(2) { bytes = chance.mutate(bytes) }
      do throws(JSONError) {
        let value = try JSONValue.parse(bytes, limits: JSONLimits(depth: 8, bytes: 4_096))
        #expect((try? JSONValue.parse(value.compact)) == value)
      } catch {
        #expect(error.at <= bytes.count)
        errors.insert(error.reason)
      }
    }
    #expect(errors.count >= 8)
  }
}
