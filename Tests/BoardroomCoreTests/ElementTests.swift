import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

@Suite("Elements")
struct ElementTests {
  private func trial() throws -> Trial {
    var trial = Trial(RoomPolicy(rate: nil))
    for _ in 0..<2 { try trial.join() }
    return trial
  }

  @Test("EL-1, EL-2: an image comes first and its source later, or both at once")
  func images() throws {
    var trial = try trial()
    let body = "{\"id\":\"0.1\",\"scene\":1,\"type\":\"image\",\"x\":0,\"y\":0,\"width\":1,\"height\":1}"
    trial.say(.elements(.put(ElementPut(id: element("0.1"), scene: 1, type: .image, raw: json(body)))), 0)
    #expect(trial.attribute("src", of: "0.1") == nil)
    #expect(trial.say(change("0.1", ("src", "\"https://a/b.png\"")), 0).isDone)
    #expect(trial.attribute("src", of: "0.1") == "\"https://a/b.png\"")
  }

  @Test("EL-4: a text is changed by anybody who may write; null takes an attribute away again")
  func attributes() throws {
    var trial = try trial()
    trial.say(rectangle("0.1", set: [("order", "\"V1\""), ("x", "3")]), 0)
    #expect(trial.attribute("x", of: "0.1") == "3", "what it was put with")
    #expect(trial.say(change("0.1", ("text", "\"a\""), ("x", nil), ("y", "2")), 1).isDone)
    #expect(
      trial.state.elements[element("0.1")]?.attributes == [
        "text": json("\"a\""), "y": json("2"), "order": json("\"V1\""),
      ])
    #expect(trial.say(rectangle("0.1", x: 9), 1).isDone)
    #expect(trial.state.elements[element("0.1")]?.attributes == [:], "put anew it is as it was put")
    #expect(trial.state.elements.places.count == 1, "in its place")
  }

  static let locked: [(Command, RefusalCode?)] = [
    (change("0.1", ("x", "1")), .locked), (change("0.1", ("locked", "false"), ("x", "1")), .locked),
    (change("0.1", ("locked", "false")), nil), (change("0.1", ("locked", nil)), nil), (erase("0.1"), .locked),
    (rectangle("0.1"), .locked), (copy("0.1", as: "1.9"), nil), (.scenes(.clean(SceneClean())), nil),
    (.scenes(.remove(path: "/init")), nil),
  ]

  @Test(
    "EL-3: of a locked element only the lock can be set; it can be copied, and goes with its scene",
    arguments: locked.indices)
  func locks(row: Int) throws {
    var trial = try trial()
    trial.say(rectangle("0.1"), 0)
    trial.say(change("0.1", ("locked", "true")), 0)
    let (command, code) = Self.locked[row]
    #expect(trial.say(command, 1).code == code, "\(command)")
    #expect(trial.anomalies.isEmpty)
  }

  @Test("EL-3, DEC-17: locked and missing elements are left out; refused only if nothing is left")
  func partial() throws {
    var trial = try trial()
    for id in ["0.1", "0.2"] { trial.say(rectangle(id), 0) }
    trial.say(change("0.2", ("locked", "true")), 0)
    let mixed = changes([("0.1", [("x", "1")]), ("0.2", [("x", "1")]), ("7.7", [("x", "1")])])
    let decision = trial.say(NumberedCommand(counter: 4, command: mixed), 0, raw: [9])
    #expect(
      decision.proposed.map(\.event) == [
        .elements(.changed(ElementsChanged([ElementChange(id: element("0.1"), set: patch([("x", "1")]))])))
      ])
    #expect(decision.proposed.first?.rawBody == nil)
    #expect(trial.say(change("7.7", ("x", "1")), 1).code == .noSuchElement)
    #expect(trial.say(changes([("7.7", []), ("0.2", [("x", "1")])]), 1).code == .locked)
    #expect(trial.say(erase("0.2", "7.7"), 1).code == .locked)
    let erased = trial.say(erase("0.2", "0.1"), 1)
    #expect(erased.proposed.map(\.event) == [.elements(.erased([element("0.1")]))])
  }

  @Test(
    "EL-8: a copy has the content and attributes of its source and those of its own; a stroke's has ended")
  func copies() throws {
    var trial = try trial()
    trial.say(pages("/", ["b"]), 0)
    trial.say(rectangle("0.1", x: 4), 0)
    trial.say(change("0.1", ("x", "1"), ("y", "2")), 0)
    trial.say(begin(2), 0)
    #expect(trial.say(copy("0.1", as: "1.1", on: 2, [("x", nil), ("meta", "3")]), 1).isDone)
    #expect(trial.say(copy("0.2", as: "1.2", on: 2), 1).isDone)
    let shape = try #require(trial.state.elements[element("1.1")])
    #expect(shape.isCopy)
    #expect(shape.scene == 2)
    #expect(shape.attributes == ["y": json("2"), "meta": json("3")])
    #expect(shape.content == trial.state.elements[element("0.1")]?.content)
    guard case .stroke(let stroke)? = trial.state.elements[element("1.2")]?.content else {
      Issue.record("no stroke")
      return
    }
    #expect(stroke.ended)
    #expect(stroke.style.scene == 2)
    #expect(stroke.pointCount == 1)
    #expect(trial.say(extend(2), 0).isDone, "the source goes on")
    #expect(trial.state.elements.places.count == 4)
  }

  static let copying: [(Command, RefusalCode)] = [
    (copy("0.9", as: "1.1"), .noSuchElement), (copy("0.1", as: "0.7"), .noSuchElement),
    (copy("0.1", as: "1.1", on: 9), .noSuchScene), (copy("0.1", as: "1.5"), .badParameter),
    (.elements(.copy([])), .badParameter),
    (
      .elements(
        .copy([
          ElementCopy(from: element("0.1"), id: element("1.1"), scene: 1),
          ElementCopy(from: element("0.1"), id: element("1.1"), scene: 1),
        ])), .badParameter
    ),
  ]

  @Test(
    "EL-8: a copy needs its source, its scene, and a fresh number of its maker", arguments: copying.indices)
  func copyRefusals(row: Int) throws {
    var trial = try trial()
    trial.say(rectangle("0.1"), 0)
    trial.say(rectangle("1.5"), 1)
    #expect(trial.say(Self.copying[row].0, 1).code == Self.copying[row].1)
    #expect(trial.state.elements.count == 2)
  }

  @Test("FOLD-21: of changes and copies those that fit are made, and what does not fit is told")
  func misfits() throws {
    var trial = try trial()
    trial.say(rectangle("0.1"), 0)
    let set = patch([("x", "1")])
    trial.record([
      Proposed(
        actor: .server,
        event: .elements(
          .changed(
            ElementsChanged([
              ElementChange(id: element("9.9"), set: set), ElementChange(id: element("0.1"), set: set),
            ])))),
      Proposed(
        actor: .server,
        event: .elements(
          .copied([
            ElementCopy(from: element("9.9"), id: element("5.1"), scene: 1),
            ElementCopy(from: element("0.1"), id: element("0.1"), scene: 1),
            ElementCopy(from: element("0.1"), id: element("5.2"), scene: 8),
            ElementCopy(from: element("0.1"), id: element("5.3"), scene: 1),
            ElementCopy(from: element("5.3"), id: element("5.4"), scene: 1),
          ]))),
    ])
    #expect(trial.anomalies.count == 2)
    #expect(trial.attribute("x", of: "0.1") == "1")
    #expect(trial.state.elements.count == 3)
    #expect(trial.attribute("x", of: "5.4") == "1")
  }
}
