import BoardroomCodec
import BoardroomModel
import EventLogModel
import StorageTestKit
import Testing

@testable import BoardroomDrawing
@testable import BoardroomReplay

@Suite("Excalidraw: export and back")
struct ExcalidrawExportTests {
  /// Fields that Excalidraw asks of every element.
  private static let asked: Set = [
    "id", "type", "x", "y", "width", "height", "angle", "strokeColor", "backgroundColor", "fillStyle",
    "strokeWidth",
    "strokeStyle", "roughness", "opacity", "groupIds", "frameId", "index", "roundness", "seed", "version",
    "versionNonce", "isDeleted", "boundElements", "updated", "link", "locked",
  ]

  private func elements(_ export: ExcalidrawExport) throws -> [JSONValue] {
    let file = try JSONValue.parse(export.bytes)
    #expect(file["type"]?.string == "excalidraw")
    #expect(file["version"]?.int == 2)
    #expect(file["source"]?.string != nil)
    #expect(file["appState"]?.object != nil)
    #expect(file["files"]?.object != nil)
    let elements = try #require(file["elements"]?.array)
    for element in elements {
      let missing = Self.asked.subtracting((element.object ?? []).map(\.0))
      if !missing.isEmpty { Issue.record("no \(missing) in \(element)") }
    }
    #expect(Set(elements.compactMap { $0["id"]?.string }).count == elements.count)
    let keys = elements.compactMap { $0["index"]?.string }
    #expect(keys.count == elements.count)
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    return elements
  }

  private func export(_ elements: Element...) throws -> [JSONValue] {
    try self.elements(ExcalidrawExport(of: Drawn.board(elements), scene: 1))
  }

  @Test("RP-69: what was imported and not changed goes back with every field it came with")
  func untouched() async throws {
    let source = Excalidraw.element(
      "diamond",
      ##""angle":0.7,"groupIds":["g"],"boundElements":[{"id":"x","type":"arrow"}],"roughness":2,"fillStyle":"hachure","strokeColor":"red","backgroundColor":"#00000044","opacity":70,"strokeStyle":"dotted","link":"https://x.test","customData":{"a":[1]},"index":"a7","seed":99"##
    )
    let room = try await Excalidraw.imported(source)
    let back = try #require(try elements(room.file).first)
    for (key, value) in try #require(try JSONValue.parse(Array(source.utf8)).object) {
      #expect(back[key] == value, "\(key)")
    }
  }

  @Test("What was changed on the board since goes back changed: looks, place, text, lock")
  func changed() async throws {
    var room = try await Excalidraw.imported(
      [
        Excalidraw.element("rectangle", #""strokeColor":"red","angle":0.5"#),
        Excalidraw.element("text", #""text":"old","originalText":"old","fontSize":20"#),
      ].joined(separator: ",")
    ).moment.state
    let ids = room.elements.all(in: 1).map(\.id)
    func set(_ id: ElementID, _ fields: [(key: String, value: String)]) {
      _ = room.elements.change(id, fields.map { ($0.key, JSONText(unchecked: $0.value)) })
    }
    set(
      ids[0],
      [("style.colour", "[0,0,255]"), ("x", "110"), ("transform", "[2,0,0,2,0,0]"), ("locked", "true")])
    set(ids[1], [("text", "\"new\"")])
    let back = try elements(ExcalidrawExport(of: room, scene: 1))
    #expect(back[0]["strokeColor"]?.string == "#0000ff")
    #expect(back[0]["locked"]?.bool == true)
    #expect(back[0]["angle"]?.double == 0)
    #expect(["x", "y", "width", "height"].map { back[0][$0]?.double } == [220, 40, 200, 100])
    #expect(back[1]["text"]?.string == "new")
    #expect(back[1]["originalText"]?.string == "new")
  }

  @Test("Our own elements have a form there too", arguments: ElementType.allCases)
  func ownKinds(type: ElementType) throws {
    let body =
      #"{"x":10,"y":20,"width":100,"height":50,"text":"words\nmore","points":[[0,0],[30,40]],"src":"https://x.test/a.png"}"#
    let objects = try export(Drawn.shape(type, body))
    let kinds = objects.compactMap { $0["type"]?.string }
    switch type {
    case .rectangle: #expect(kinds == ["rectangle"])
    case .ellipse: #expect(kinds == ["ellipse"])
    case .rhombus: #expect(kinds == ["diamond"])
    case .triangle, .pentagram, .speechBalloon:
      #expect(kinds == ["line"])
      let points = try #require(objects[0]["points"]?.array)
      #expect(points.first == points.last)
      #expect(points.count > 3)
    case .straight:
      #expect(kinds == ["line"])
      #expect(objects[0]["endArrowhead"] == .null)
    case .arrow:
      #expect(kinds == ["arrow"])
      #expect(objects[0]["endArrowhead"]?.string == "arrow")
    case .text:
      #expect(kinds == ["text"])
      #expect(objects[0]["fontSize"]?.double == 16)
    case .note:
      #expect(kinds == ["rectangle", "text"])
      #expect(objects[1]["containerId"] == objects[0]["id"])
      #expect(objects[0]["boundElements"]?[0]?["id"] == objects[1]["id"])
    case .image:
      #expect(kinds == ["image"])
      #expect(objects[0]["link"]?.string == "https://x.test/a.png")
    }
  }

  @Test(
    "Strokes are free-hand lines with their pressures; lasers leave nothing; copies have ids of their own")
  func strokes() async throws {
    let pen = try export(Drawn.stroke([(2, 4), (20, 8), (40, 8)], pressure: [0, 500, 1_023]))
    #expect(pen[0]["type"]?.string == "freedraw")
    #expect(pen[0]["strokeColor"]?.string == "#c80a00")
    #expect([pen[0]["x"]?.double, pen[0]["y"]?.double] == [1, 2])
    #expect(pen[0]["points"]?[2] == .array([JSONValue(19), JSONValue(2)]))
    try #require(pen[0]["pressures"]?.array?.count == 3)
    #expect(pen[0]["simulatePressure"]?.bool == false)
    #expect(try export(Drawn.stroke([(2, 4), (20, 8)], tool: .laser, ended: false)).isEmpty)
    var state = try await Excalidraw.imported(Excalidraw.element("ellipse")).moment.state
    var copy = try #require(state.elements.all(in: 1).first)
    copy.id = ElementID(member: 0, number: 77)
    state.elements.put(copy)
    #expect(try elements(ExcalidrawExport(of: state, scene: 1)).count == 2)
  }

  @Test("Keys of places rise, also where they get longer")
  func keys() {
    let keys = (0..<5_000).map(ExcalidrawExport.key)
    #expect(keys[0] == "a0")
    #expect(keys[61] == "az")
    #expect(keys[62] == "b00")
    #expect(keys[62 + 3_844] == "c000")
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) })
  }

  @Test(
    "RP-69: real drawings: every element is imported or listed, and import, export and import give the same pictures",
    .enabled(if: Corpus.isThere, "the corpus is not beside this checkout"),
    arguments: [("excalidraw_elements.ndjson", 6_840), ("excalidraw_freedraw.ndjson", 1_862)])
  func corpus(name: String, count: Int) async throws {
    let first = try await Excalidraw.imported(try Corpus.bytes(name))
    #expect(first.report.keptCount + first.report.notKeptCount == count)
    #expect(first.moment.state.elements.count == first.report.keptCount)
    #expect(first.anomalies == 0)
    let file = first.file
    #expect(try elements(file).count == first.report.keptCount)
    #expect(file.report.notKeptCount == 0)
    let second = try await Excalidraw.imported(file.bytes)
    #expect(second.report.notKeptCount == 0)
    let different = zip(first.marks, second.marks).filter { $0 != $1 }
    #expect(first.marks.count == second.marks.count)
    #expect(different.isEmpty)
    for pair in different.prefix(3) { Issue.record("\(pair.0.text.text)\nis now\n\(pair.1.text.text)") }
  }
}
