import BoardroomCodec
import BoardroomModel
import EventLogModel

// The family `elements`: random valid values, and bodies that it does not have.

extension Chance {
  mutating func elementsEvent(_ kind: EventKind) -> Event? {
    switch kind {
    case .elementPut: .elements(.put(shape()))
    case .erased: .elements(.erased((0..<upTo(4)).map { _ in elementID() }))
    case .elementsChanged: .elements(.changed(ElementsChanged(changes())))
    case .elementsCopied: .elements(.copied(copies()))
    default: nil
    }
  }

  mutating func elementsCommand(_ kind: EventKind) -> Command? {
    switch kind {
    case .elementPut: .elements(.put(shape()))
    case .erased: .elements(.erase((0..<upTo(4)).map { _ in elementID() }))
    case .elementsChanged: .elements(.change(ElementsChanged(changes())))
    case .elementsCopied: .elements(.copy(copies()))
    default: nil
    }
  }

  mutating func shape(_ id: ElementID? = nil) -> ElementPut {
    let other = elementID()
    var members: [(String, JSONValue)] = [
      ("id", .string((id ?? other).description)), ("scene", JSONValue(Int(scene()))),
      ("x", .number("-1.5")), ("y", JSONValue(upTo(900))),
    ]
    if coin() {
      members.append(("type", .string("rectangle")))
      members += [("width", JSONValue(upTo(90))), ("height", .number("2e2"))]
    } else {
      members += [("type", .string("text")), ("text", .string(text(30)))]
      if coin() { members.append(("size", .number("12.5"))) }
    }
    if coin() { members.append(("style", jsonObject())) }
    members.shuffle(using: &self)
    return try! ElementPut(parsing: JSONValue.object(members).compact)
  }

  /// Each attribute that there is, now and then.
  mutating func attributes() -> JSONPatch {
    let all: [(String, String)] = [
      ("x", "-1.5"), ("y", "2e3"), ("width", "0"), ("height", "12"), ("size", "16.5"),
      ("text", JSONText(unchecked: "\"a\\nb\"").text), ("src", "\"https://example.org/a.png\""),
      ("points", "[[0,0],[1.5,-2]]"), ("transform", "[1,0,0,1,5,-5]"), ("order", "\"V0000001V\""),
      ("locked", pick(["true", "false"])), ("uniformScale", "true"), ("meta", "{\"a\":[null]}"),
      ("style.colour", "[1,2,3]"), ("style.any thing", "{}"),
    ]
    var fields: [(key: String, value: JSONText?)] = []
    for (key, value) in all where upTo(3) == 0 {
      fields.append((key, upTo(4) == 0 ? nil : JSONText(unchecked: value)))
    }
    return JSONPatch(fields)
  }

  mutating func changes() -> [ElementChange] {
    (0..<upTo(3)).map { _ in ElementChange(id: elementID(), set: attributes()) }
  }

  mutating func copies() -> [ElementCopy] {
    (0..<upTo(3)).map { _ in
      ElementCopy(from: elementID(), id: elementID(), scene: scene(), set: coin() ? attributes() : nil)
    }
  }
}

extension BadInput {
  static let elements: [BadInput] = [
    .body(
      "an element id with a leading zero", "erased", "{\"elements\":[\"1.02\"]}",
      bad("erased.elements", "must hold element ids, \"member.number\"")),
    .body(
      "an element of a type that does not exist", "elementPut",
      "{\"id\":\"1.2\",\"scene\":1,\"type\":\"circle\",\"x\":0,\"y\":0}",
      bad("elementPut.type", "is not one of the values that docs/PROTOCOL.md lists")),
    .body(
      "an element at infinity", "elementPut",
      "{\"id\":\"1.2\",\"scene\":1,\"type\":\"text\",\"x\":1e999,\"y\":0,\"text\":\"\"}",
      bad("elementPut.x", "must be a finite number")),
    .body(
      "a rectangle of negative width", "elementPut",
      "{\"id\":\"1.2\",\"scene\":1,\"type\":\"rectangle\",\"x\":1,\"y\":0,\"width\":-1,\"height\":1}",
      bad("elementPut.width", "must not be negative")),
    .body(
      "a text that is a number", "elementPut",
      "{\"id\":\"1.2\",\"scene\":1,\"type\":\"text\",\"x\":1,\"y\":0,\"text\":5}",
      bad("elementPut.text", "must be a string")),
  ]
}
