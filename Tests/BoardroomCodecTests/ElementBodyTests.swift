import BoardroomCodec
import BoardroomModel
import EventLogModel
import Testing

@Suite struct ElementBodyTests {
  private func put(_ fields: String) throws(CodecError) -> ElementPut {
    try ElementPut(parsing: Array("{\"id\":\"1.2\",\"scene\":1,\"x\":0,\"y\":0,\(fields)}".utf8))
  }

  @Test(
    "Each type of element needs what docs/PROTOCOL.md, section 6 says, and nothing less",
    arguments: [
      ("rectangle", ["width", "height"]), ("ellipse", ["width", "height"]),
      ("triangle", ["width", "height"]),
      ("rhombus", ["width", "height"]), ("pentagram", ["width", "height"]),
      ("speechBalloon", ["width", "height"]), ("straight", ["points"]), ("arrow", ["points"]),
      ("text", ["text"]), ("note", ["text", "width", "height"]), ("image", ["width", "height"]),
    ])
  func needs(_ type: String, _ needed: [String]) throws {
    let values = [
      "width": "\"width\":3", "height": "\"height\":0.5", "points": "\"points\":[[0,0],[1,-2.5]]",
      "text": "\"text\":\"a\\nb\"",
    ]
    let whole = ["\"type\":\"\(type)\""] + needed.compactMap { values[$0] }
    #expect(try put(whole.joined(separator: ",")).type.rawValue == type)
    for missing in whole.indices {
      var fields = whole
      fields.remove(at: missing)
      if fields.isEmpty { fields = ["\"z\":1"] }
      #expect(throws: CodecError.self) { try put(fields.joined(separator: ",")) }
    }
    #expect(ElementType.allCases.count == 11)
  }

  private func change(_ set: String) throws(CodecError) -> NumberedCommand {
    var body: [UInt8] = []
    body.append(1)
    body += Array("{\"changes\":[{\"id\":\"1.2\",\"set\":{\(set)}}]}".utf8)
    return try CommandCodec.decode(kind: 33, body: body[...], limits: WireLimits())
  }

  @Test(
    "An attribute of the wrong type, out of range or not listed is refused",
    arguments: [
      "\"x\":\"1\"", "\"y\":1e999", "\"width\":-1", "\"size\":-0.5", "\"text\":5", "\"src\":{}",
      "\"points\":[[0,0]]", "\"points\":[[0,0],[1]]", "\"transform\":[1,0,0,1,0]",
      "\"transform\":[1,0,0,1,0,\"a\"]", "\"order\":\"\"", "\"order\":\"a b\"", "\"order\":\"a0\"",
      "\"order\":\"\\u0056\"", "\"locked\":1", "\"uniformScale\":\"yes\"", "\"colour\":1", "\"style\":{}",
      "\"style.\":1", "\"id\":\"1.3\"", "\"scene\":2",
    ])
  func refusedAttributes(_ set: String) {
    #expect(throws: CodecError.self) { try change(set) }
  }

  @Test("Attributes of each key are accepted, and null takes any of them away")
  func acceptedAttributes() throws {
    var chance = Chance(4_711)
    for _ in 0..<200 {
      let patch = chance.attributes()
      let body = String(decoding: patch.raw.bytes.dropFirst().dropLast(), as: UTF8.self)
      guard case .elements(.change(let changed)) = try change(body).command else {
        Issue.record("kind 33 is another command")
        return
      }
      #expect(changed.changes[0].set.raw == patch.raw)
    }
  }
}

@Suite struct OrderKeyTests {
  @Test("Between any two order keys there is room for another, and keys of places rise with them")
  func between() throws {
    var chance = Chance(99)
    var keys = (0..<5).map { OrderKey.standard($0 * 61) }
    #expect(keys == keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    for _ in 0..<400 {
      let place = chance.upTo(keys.count)
      let key = try #require(
        OrderKey.between(place > 0 ? keys[place - 1] : nil, place < keys.count ? keys[place] : nil))
      #expect(OrderKey.isValid(key))
      keys.insert(key, at: place)
    }
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) })
  }

  @Test("Room that is used up, or ends that are the wrong way round, give no key")
  func noRoom() {
    #expect(OrderKey.between("b", "a") == nil)
    #expect(OrderKey.between("a", "a") == nil)
    var upper = "1"
    var made = 0
    while let key = OrderKey.between(nil, upper), made < 1_000 {
      upper = key
      made += 1
    }
    #expect(made >= 300)
    #expect(made < 1_000)
  }
}
