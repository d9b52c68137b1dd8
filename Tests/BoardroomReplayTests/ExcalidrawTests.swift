import BoardroomCodec
import BoardroomModel
import BoardroomReplay
import EventLogModel
import StorageTestKit
import Testing

@testable import BoardroomDrawing

@Suite("Excalidraw: import")
struct ExcalidrawImportTests {
  private func body(_ element: String) async throws -> JSONValue {
    let room = try await Excalidraw.imported(element)
    let found = room.moment.state.elements.places.first??.content
    guard case .shape(_, let raw)? = found else {
      Issue.record("no shape")
      return .null
    }
    return try JSONValue(raw)
  }

  @Test(
    "Every kind that there is something like becomes that, the others are listed",
    arguments: [
      ("rectangle", "", ElementType.rectangle), ("ellipse", "", .ellipse), ("diamond", "", .rhombus),
      ("text", #""text":"a\nb""#, .text), ("image", "", .image),
      ("line", #""points":[[0,0],[5,5]]"#, .straight),
      ("arrow", #""points":[[0,0],[5,5]],"endArrowhead":"arrow""#, .arrow),
      ("arrow", #""points":[[0,0],[5,5]]"#, .straight),
      ("line", #""points":[[0,0],[5,5]],"endArrowhead":"dot""#, .arrow), ("frame", "", nil),
      ("embeddable", "", nil), ("hexagon", "", nil), ("line", #""points":[[0,0]]"#, nil),
      ("rectangle", #""isDeleted":true"#, nil), ("rectangle", #""x":null"#, nil),
      ("freedraw", #""points":[]"#, nil),
    ])
  func kinds(kind: String, fields: String, type: ElementType?) async throws {
    let room = try await Excalidraw.imported(Excalidraw.element(kind, fields))
    #expect(room.report.kept == (type == nil ? [:] : [kind: 1]))
    #expect(room.report.notKeptCount == (type == nil ? 1 : 0))
    let types = room.moment.state.elements.all(in: 1).map { element -> ElementType? in
      switch element.content {
      case .shape(let type, _): type
      case .stroke: nil
      }
    }
    #expect(types == (type == nil ? [] : [type]))
  }

  @Test("Colours, width, dash, opacity, roundness and filling are those of the drawing")
  func styles() async throws {
    let put = try await body(
      Excalidraw.element(
        "rectangle",
        ##""strokeColor":"#f008","backgroundColor":"LightBlue","strokeStyle":"dashed","strokeWidth":4,"opacity":50,"roundness":{"type":3}"##
      ))
    let style = String(decoding: put["style"]?.compact ?? [], as: UTF8.self)
    #expect(
      style
        == #"{"colour":[255,0,0],"width":4,"opacity":0.2667,"fill":[173,216,230],"fillOpacity":0.5,"strokeType":"longDotted","rounded":true}"#
    )
  }

  @Test("A transparent line is none; a colour that is not understood is drawn dark and listed")
  func transparent() async throws {
    let clear = try await body(
      Excalidraw.element("ellipse", ##""strokeColor":"transparent","backgroundColor":"#0f0""##))
    #expect(clear["style"]?["width"]?.int == 0)
    let odd = try await Excalidraw.imported(Excalidraw.element("ellipse", #""strokeColor":"00000""#))
    #expect(odd.report.losses.contains { $0.key.field == "strokeColor" && $0.value == 1 })
  }

  @Test("An angle is a turn around the middle of the box")
  func angles() async throws {
    let room = try await Excalidraw.imported(
      Excalidraw.element(
        "rectangle", "\"angle\":\(Double.pi / 2),\"strokeColor\":\"transparent\",\"backgroundColor\":\"#000\""
      ))
    let area = try #require(room.list.area)
    #expect(abs(area.low.x - 35) < 1e-9)
    #expect(abs(area.low.y + 5) < 1e-9)
    #expect(abs(area.high.x - 85) < 1e-9)
    #expect(abs(area.high.y - 95) < 1e-9)
  }

  @Test(
    "Free-hand lines are strokes off by less than a 16th of a pixel, with the pressure of real pens alone")
  func strokes() async throws {
    let points = (0..<2_500).map { "[\(Double($0) * 0.37),\(Double($0 % 7) * 1.013)]" }
    let pressures = (0..<2_500).map { "\(Double($0 % 100) / 100)" }
    let fields =
      "\"points\":[\(points.joined(separator: ","))],\"pressures\":[\(pressures.joined(separator: ","))]"
    let room = try await Excalidraw.imported(Excalidraw.element("freedraw", fields))
    guard case .stroke(let stroke)? = room.moment.state.elements.places.first??.content else {
      Issue.record("no stroke")
      return
    }
    let found = stroke.points()
    #expect(found.count == 2_500)
    #expect(stroke.ended)
    for (place, point) in found.enumerated() {
      let (x, y) = (10 + Double(place) * 0.37, 20 + Double(place % 7) * 1.013)
      #expect(Spot(point.x - x, point.y - y).length < 1.0 / 16)
      #expect(abs((point.pressure ?? -1) - Double(place % 100) / 100) < 1e-3)
    }
    let mouse = try await Excalidraw.imported(
      Excalidraw.element("freedraw", #""points":[[0,0],[9,9]],"pressures":[0.5,0.5],"simulatePressure":true"#)
    )
    guard case .stroke(let plain)? = mouse.moment.state.elements.places.first??.content else { return }
    #expect(plain.points().allSatisfy { $0.pressure == nil })
  }

  @Test(
    "RP-69: the log of an import is as members make it: created, joined, drawn, left, with times that go on")
  func logs() async throws {
    let room = try await Excalidraw.imported(
      [Excalidraw.element("rectangle"), Excalidraw.element("ellipse", #""locked":true"#)].joined(
        separator: ","))
    #expect(room.records.map(\.kind) == [16, 17, 29, 29, 18])
    #expect(room.anomalies == 0)
    #expect(room.records.last?.time == Excalidraw.end)
    #expect(zip(room.records, room.records.dropFirst()).allSatisfy { $0.time <= $1.time })
    #expect(room.moment.state.elements.all(in: 1).map(\.isLocked) == [false, true])
    #expect(room.moment.state.members.isEmpty)
  }

  @Test("Embedded PNG and JPEG come along, other images are frames and listed")
  func images() async throws {
    func room(_ address: String) async throws -> Excalidraw.Imported {
      let element = Excalidraw.element("image", #""fileId":"f1","status":"saved""#)
      return try await Excalidraw.imported(
        Array("{\"elements\":[\(element)],\"files\":{\"f1\":{\"dataURL\":\"\(address)\"}}}".utf8))
    }
    let good = try await room("data:image/png;base64,iVBORw0KGgo=")
    #expect(good.list.marks.contains { if case .image = $0 { true } else { false } })
    #expect(
      String(decoding: good.file.bytes, as: UTF8.self).contains(
        #""dataURL":"data:image/png;base64,iVBORw0KGgo=""#))
    for address in [
      "data:image/svg+xml;base64,PHN2Zz4=", "javascript:x", String(repeating: "a", count: 200_000),
    ] {
      let bad = try await room(address)
      #expect(bad.report.losses.contains { $0.key.field == "fileId" && $0.key.extent == .lost })
      #expect(!bad.list.marks.contains { if case .image = $0 { true } else { false } })
    }
  }

  @Test(
    "A file that is no drawing of Excalidraw's is refused with its name and line",
    arguments: [
      ("", "drawing.txt"), ("[]", "drawing.txt"), ("{}", "drawing.txt"), ("{\"elements\":[]}", "drawing.txt"),
      ("{\"type\":\"line\"}\nnonsense", "line 2"), ("{\"type\":\"line\"}\n7", "line 2"),
      ("\u{0}", "drawing.txt"),
      (String(repeating: "[", count: 5_000), "line 1"),
    ])
  func noDrawings(text: String, place: String) {
    let error = #expect(throws: ReplayError.self) {
      _ = try ExcalidrawFile(reading: Array(text.utf8), place: "drawing.txt")
    }
    #expect(error?.description.contains(place) == true, "\(String(describing: error))")
  }

  @Test("Elements with fields of any kind and size are imported or listed, never a crash", arguments: 0..<40)
  func hostile(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let values = [
      "null", "1e308", "-1e308", "1e-320", "true", "\"\"", "\"\\u0000<script>\"", "[]", "{}",
      "[[1e300,-1e300],[0,0]]",
      "[[0,0],[1,1],[null]]", "-5", "99999999999999999999", "[1,2,3]", "\"transparent\"", "{\"type\":{}}",
    ]
    let fields = [
      "x", "y", "width", "height", "angle", "strokeColor", "backgroundColor", "strokeWidth", "opacity",
      "points",
      "pressures", "text", "fontSize", "fileId", "roundness", "locked", "customData", "endArrowhead",
      "groupIds",
    ]
    let kinds = ["rectangle", "ellipse", "diamond", "line", "arrow", "text", "freedraw", "image"]
    let elements = (0..<25).map { _ in
      let chosen = fields.filter { _ in generator.next() % 4 == 0 }.map { field in
        "\"\(field)\":\(values[Int(generator.next() % UInt64(values.count))])"
      }
      return Excalidraw.element(kinds[Int(generator.next() % 8)], chosen.joined(separator: ","))
    }
    let room = try await Excalidraw.imported(elements.joined(separator: ","))
    #expect(room.report.keptCount + room.report.notKeptCount == 25)
    #expect(room.anomalies == 0)
    let file = try JSONValue.parse(room.file.bytes)
    #expect(file["elements"]?.array?.count == room.report.keptCount)
    #expect(SceneSVG.picture(of: room.moment.state, scene: 1).contains("</svg>"))
  }
}
