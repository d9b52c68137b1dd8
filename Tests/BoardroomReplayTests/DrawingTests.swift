import BoardroomCodec
import BoardroomModel
import EventLogModel
import StorageTestKit
import Testing

@testable import BoardroomDrawing
@testable import BoardroomReplay

@Suite("Pictures")
struct DrawingTests {
  @Test("Points are in pixels: units of the stroke, summed over its segments")
  func pointsInPixels() {
    guard case .stroke(let content) = Drawn.stroke([(10, 20), (14, 18)], pressure: [0, 1_023]).content else {
      return
    }
    let points = content.points()
    #expect(points.map(\.x) == [5, 7])
    #expect(points.map(\.y) == [10, 9])
    #expect(points.map(\.time) == [16, 32])
    #expect(points.map(\.pressure) == [0, 1])
  }

  @Test("A dot is a line of no length, a stroke without pressure a line, one with pressure an outline")
  func marksOfStrokes() {
    let dot = Drawn.stroke([(4, 4)]).marks
    #expect(
      dot == [
        .line([.move(Spot(2, 2)), .line(Spot(2, 2))], width: 4, Paint(Colour(red: 200, green: 10, blue: 0)))
      ])
    guard case .line(let steps, let width, _, _)? = Drawn.stroke([(0, 0), (20, 0), (20, 20)]).marks.first
    else {
      Issue.record("no line")
      return
    }
    #expect(steps == [.move(Spot(0, 0)), .curve(control: Spot(10, 0), to: Spot(10, 5)), .line(Spot(10, 10))])
    #expect(width == 4)
    guard
      case .fill(let outline, _)? = Drawn.stroke([(0, 0), (20, 0)], pressure: [1_023, 1_023]).marks.first
    else {
      Issue.record("no outline")
      return
    }
    #expect(outline.first.map { if case .move = $0 { true } else { false } } == true)
    #expect(outline.last == .close)
  }

  @Test("An outline is as wide as pressure says: full at 1, three tenths at 0")
  func outlineWidth() throws {
    for (pressure, width) in [(Int64(1_023), 4.0), (0, 1.2)] {
      let marks = Drawn.stroke([(0, 0), (40, 0), (80, 0)], pressure: Array(repeating: pressure, count: 3))
        .marks
      let bounds = try #require(DisplayList(marks: marks).bounds)
      #expect(abs(bounds.high.y - bounds.low.y - width) < 0.01, "\(bounds)")
    }
  }

  @Test("A highlighter lets through what lies under it")
  func highlighter() {
    guard case .line(_, _, _, let paint)? = Drawn.stroke([(0, 0), (9, 9)], tool: .highlighter).marks.first
    else {
      return
    }
    #expect(paint.opacity == 0.4)
  }

  @Test(
    "Numbers have at most two decimals and no trailing zeros",
    arguments: [
      (0.0, "0"), (-0.001, "0"), (1.5, "1.5"), (1.25, "1.25"), (-1.005, "-1"), (2.999, "3"), (0.07, "0.07"),
      (-12.34, "-12.34"), (1e20, "0"), (.nan, "0"), (.infinity, "0"),
    ])
  func decimals(value: Double, text: String) {
    #expect(SceneSVG.decimal(value) == text)
  }

  @Test("Text is shown line by line, and nothing in it is taken for markup")
  func textIsEscaped() {
    let element = Drawn.shape(.text, #"{"x":10,"y":20,"text":"a<b & \"c\"\n\u0007d","size":20}"#)
    let picture = SceneSVG.write(DisplayList(marks: element.marks), title: "<t>")
    #expect(picture.contains("<tspan x=\"10\" y=\"40\">a&lt;b &amp; &quot;c&quot;</tspan>"))
    #expect(picture.contains("<tspan x=\"10\" y=\"65\"> d</tspan>"))
    #expect(picture.contains("<title>&lt;t&gt;</title>"))
  }

  @Test("A rectangle is filled if it says so, and drawn in its colour and width")
  func rectangles() {
    let plain = Drawn.shape(.rectangle, #"{"x":1,"y":2,"width":3,"height":4}"#)
    #expect(plain.marks.count == 1)
    let full = Drawn.shape(
      .rectangle,
      #"{"x":1,"y":2,"width":3,"height":4,"style":{"fill":[1,2,3],"colour":[4,5,6],"width":8,"opacity":0.5}}"#
    )
    #expect(full.marks.count == 2)
    guard case .line(_, let width, _, let paint)? = full.marks.last else { return }
    #expect(width == 8)
    #expect(paint == Paint(Colour(red: 4, green: 5, blue: 6), opacity: 0.5))
  }

  @Test("The picture is as large as what is drawn, and an empty scene has one of its own size")
  func viewBox() {
    let element = Drawn.shape(.rectangle, #"{"x":-100,"y":50,"width":200,"height":30}"#)
    let picture = SceneSVG.write(DisplayList(marks: element.marks), title: "")
    #expect(picture.contains("width=\"234\" height=\"64\" viewBox=\"-117 33 234 64\""))
    #expect(SceneSVG.write(DisplayList(), title: "").contains("viewBox=\"0 0 320 240\""))
  }

  @Test("The picture of a scene is the same for ever: golden")
  func goldenPicture() throws {
    var state = RoomState()
    state.scenes = [Scene(id: 1, directory: "/", name: "init")]
    state.currentScene = 1
    let elements = [
      Drawn.stroke([(0, 0), (40, 8), (90, 60), (60, 120), (10, 90)], pressure: [100, 500, 900, 700, 200]),
      Drawn.shape(.rectangle, #"{"x":60,"y":10,"width":80,"height":40,"style":{"fill":[250,240,200]}}"#),
      Drawn.shape(.text, #"{"x":70,"y":16,"text":"白板 & board","size":18}"#, number: 3),
    ]
    for element in elements { state.elements.put(element) }
    let picture = SceneSVG.picture(of: state, scene: 1)
    #expect(picture == SceneSVG.picture(of: state, scene: 1))
    try GoldenFiles.record("scene.svg", Array(picture.utf8))
    #expect(String(decoding: try GoldenFiles.read("scene.svg"), as: UTF8.self) == picture)
  }

  @Test("Elements of other scenes are not in the picture")
  func otherScenes() {
    var state = RoomState()
    var other = Drawn.shape(.rectangle, #"{"x":1,"y":2,"width":3,"height":4}"#)
    other.scene = 2
    state.elements.put(other)
    #expect(DisplayList(of: state, scene: 1).marks.isEmpty)
    #expect(DisplayList(of: state, scene: 2).marks.count == 1)
  }
}
