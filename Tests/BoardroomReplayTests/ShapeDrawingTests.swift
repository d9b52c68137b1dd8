import BoardroomCodec
import BoardroomModel
import Foundation
import StorageTestKit
import Testing

@testable import BoardroomDrawing

@Suite("Pictures: shapes, texts, images")
struct ShapeDrawingTests {
  private let box = #""x":10,"y":20,"width":100,"height":50"#

  private func svg(_ elements: Element..., ppt: String? = nil) -> String {
    SceneSVG.picture(of: Drawn.board(elements, ppt: ppt), scene: 1)
  }

  @Test(
    "PARITY rows MS: every shape type fills its box, and nothing beyond it",
    arguments: [ElementType.rectangle, .ellipse, .triangle, .rhombus, .pentagram, .speechBalloon])
  func boxes(type: ElementType) throws {
    for rounded in [false, true] {
      let shape = Drawn.shape(
        type, "{\(box),\"style\":{\"width\":0,\"fill\":[1,2,3],\"rounded\":\(rounded)}}")
      #expect(shape.marks.count == 1)
      let area = try #require(DisplayList(marks: shape.marks).area)
      #expect(abs(area.low.x - 10) < 1e-9, "\(area)")
      #expect(abs(area.low.y - 20) < 1e-9, "\(area)")
      #expect(abs(area.high.x - 110) < 1e-9, "\(area)")
      #expect(abs(area.high.y - 70) < 1e-9, "\(area)")
    }
  }

  @Test("An arrow is its line and a head whose tip is the last point; a straight has no head")
  func arrows() {
    let body = #"{"x":5,"y":5,"points":[[0,0],[40,0]]}"#
    #expect(Drawn.shape(.straight, body).marks.count == 1)
    let marks = Drawn.shape(.arrow, body).marks
    guard marks.count == 2, case .line(let head, _, let dash, _) = marks[1] else {
      Issue.record("no head")
      return
    }
    #expect(head == [.move(Spot(31, -2)), .line(Spot(45, 5)), .line(Spot(31, 12))])
    #expect(dash.isEmpty)
  }

  @Test("A rounded line passes through each of its points")
  func roundedLines() {
    let body = #"{"x":0,"y":0,"points":[[0,0],[10,30],[20,0],[30,30]],"style":{"rounded":true}}"#
    guard case .line(let steps, _, _, _)? = Drawn.shape(.straight, body).marks.first else { return }
    let ends = steps.compactMap { step -> Spot? in
      switch step {
      case .move(let spot), .line(let spot), .curve(_, let spot), .cubic(_, _, let spot): spot
      case .close: nil
      }
    }
    #expect(ends == [Spot(0, 0), Spot(10, 30), Spot(20, 0), Spot(30, 30)])
    #expect(steps.count == 4)
  }

  @Test(
    "PARITY rows MS, strokeType: normal and stroke are solid, dotted is dots, longDotted dashes",
    arguments: [
      ("normal", ""), ("stroke", ""), ("dotted", "stroke-dasharray=\"0 10\""),
      ("longDotted", "stroke-dasharray=\"12 12\""), ("nonsense", ""),
    ])
  func dashes(type: String, dash: String) {
    let picture = svg(
      Drawn.shape(.rectangle, "{\(box),\"style\":{\"width\":4,\"strokeType\":\"\(type)\"}}"))
    #expect(picture.contains("stroke-dasharray") == !dash.isEmpty)
    #expect(picture.contains(dash) || dash.isEmpty)
  }

  @Test("What was changed lies over what was put: place, size, style, text")
  func attributes() {
    let changed = Drawn.shape(
      .rectangle, "{\(box),\"style\":{\"colour\":[1,1,1],\"width\":9}}",
      attributes: ["x": "0", "height": "10", "style.colour": "[255,0,0]", "style.fill": "[0,255,0]"])
    let put = Drawn.shape(
      .rectangle,
      #"{"x":0,"y":20,"width":100,"height":10,"style":{"colour":[255,0,0],"fill":[0,255,0],"width":9}}"#)
    #expect(changed.marks == put.marks)
    let text = Drawn.shape(.text, #"{"x":0,"y":0,"text":"old"}"#, attributes: ["text": "\"new\\nline\""])
    #expect(svg(text).contains(">new</tspan>"))
    #expect(svg(text).contains(">line</tspan>"))
  }

  @Test("Strokes take colour, width and opacity that were changed, and go where their transform says")
  func changedStrokes() {
    let stroke = Drawn.stroke(
      [(0, 0), (40, 0)],
      attributes: [
        "style.colour": "[0,0,255]", "style.width": "2", "style.opacity": "0.5",
        "transform": "[2,0,0,2,100,50]",
      ])
    #expect(
      stroke.marks == [
        .line(
          [.move(Spot(100, 50)), .line(Spot(140, 50))], width: 4,
          Paint(Colour(red: 0, green: 0, blue: 255), opacity: 0.5))
      ])
  }

  @Test(
    "Text has weight, slant, lines and a colour of its own, and stands left, in the middle or right of its box"
  )
  func textStyles() {
    let style =
      #"{"bold":true,"italic":true,"underline":true,"lineThrough":true,"textColor":[255,0,0],"align":"center"}"#
    let picture = svg(Drawn.shape(.text, #"{\#(box),"text":"a","size":20,"style":\#(style)}"#))
    for part in [
      "font-weight=\"bold\"", "font-style=\"italic\"", "text-decoration=\"underline line-through\"",
      "fill=\"#ff0000\"", "text-anchor=\"middle\"", "<tspan x=\"60\" y=\"40\">a</tspan>",
    ] {
      #expect(picture.contains(part), "no \(part) in \(picture)")
    }
    let right = svg(Drawn.shape(.text, #"{\#(box),"text":"a","style":{"align":"right"}}"#))
    #expect(right.contains("text-anchor=\"end\""))
    #expect(right.contains("x=\"110\""))
  }

  @Test("A note is paper with text on it")
  func notes() {
    let marks = Drawn.shape(.note, #"{\#(box),"text":"buy milk\nand bread"}"#).marks
    guard marks.count == 2, case .fill(_, let paper) = marks[0], case .text(let text) = marks[1] else {
      Issue.record("\(marks)")
      return
    }
    #expect(paper.colour == UsualStyle.paper)
    #expect(text.lines == ["buy milk", "and bread"])
    #expect(text.at == Spot(22, 32))
  }

  @Test("EL-1: an image without a source is a frame, one with a source is the image, turned as it was")
  func images() {
    let waiting = svg(Drawn.shape(.image, "{\(box)}"))
    #expect(!waiting.contains("<image"))
    #expect(waiting.contains("#a0a0a0"))
    let done = svg(
      Drawn.shape(
        .image, "{\(box)}",
        attributes: ["src": "\"https://x.test/a.png?b=1&c=2\"", "transform": "[0,1,-1,0,0,0]"]))
    #expect(done.contains("href=\"https://x.test/a.png?b=1&amp;c=2\""))
    #expect(done.contains("transform=\"matrix(0 1 -1 0 0 0)\""))
    #expect(done.contains("viewBox=\"-86 -6 82 132\""))
  }

  @Test(
    "Addresses that could run or tell something are no source of an image",
    arguments: [
      "javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html;base64,PHNjcmlwdD4=",
      "data:image/svg+xml;base64,PHN2Zz4=", "data:image/png,abc", "data:image/png;base64,",
      "data:image/png;base64,a\" onload=\"x", "file:///etc/passwd", "//x.test/a.png", "/a.png", "http://",
      "https:///a", "https://x.test/a b", "https://x.test/\"onload=\"x", "https://x.test/<script>",
      "https://x.test/\u{202e}gnp.a", "https://\u{0}", "ftp://x.test/a.png", "", "vbscript:x",
      "https://@x.test/", "/v5/rooms/../server", "/v5/server", DisplayVector.storedImage + "/..",
      DisplayVector.storedImage + ".svg",
    ])
  func hostileSources(address: String) {
    #expect(ImageSource(address) == nil)
    let picture = svg(
      Drawn.shape(.image, "{\(box)}", attributes: ["src": JSONValue.string(address).text.text]))
    #expect(!picture.contains("<image"))
    #expect(!picture.contains("href"))
  }

  @Test(
    "Web addresses, stored images and embedded PNG and JPEG are sources",
    arguments: [
      "http://x.test/a.png", "HTTPS://x.test/a", "https://x.test:8080/ä/画.png?q=1#f",
      "data:image/png;base64,iVBORw0KGgo=", "data:image/jpeg;base64,/9j/4AAQ",
      DisplayVector.storedImage,
    ])
  func goodSources(address: String) {
    #expect(ImageSource(address)?.text == address)
  }

  @Test("RP-68: nothing that members write is taken for markup, wherever it stands")
  func hostileTexts() {
    let text = #"</tspan><script>alert("1")</script>&#x0;\u0000\u001b]]>"#
    let picture = svg(
      Drawn.shape(.text, #"{"x":0,"y":0,"text":"\#(text.replacing("\"", with: "\\\""))"}"#),
      Drawn.shape(
        .note, #"{\#(box),"text":"<svg onload=x>","style":{"align":"\"><x","strokeType":"<"}}"#, number: 3))
    #expect(!picture.contains("<script"))
    #expect(!picture.contains("<svg onload"))
    #expect(!picture.contains("<x"))
    #expect(picture.unicodeScalars.allSatisfy { $0 >= " " || $0 == "\n" })
  }

  @Test("Elements are drawn from the least order key to the greatest (docs/PROTOCOL.md, section 6)")
  func order() throws {
    let back = Drawn.shape(
      .text, #"{"x":0,"y":0,"text":"first put"}"#, number: 2, attributes: ["order": "\"W\""])
    let front = Drawn.shape(.text, #"{"x":0,"y":0,"text":"then put"}"#, number: 3)
    let picture = svg(back, front)
    let first = try #require(picture.range(of: "then put")?.lowerBound)
    let second = try #require(picture.range(of: "first put")?.lowerBound)
    #expect(first < second)
  }

  @Test("A ppt's page lies under everything, around the origin, if its source is a web address")
  func background() throws {
    let ppt = #"{"src":"https://x.test/1.png","width":1280,"height":720}"#
    let picture = svg(Drawn.shape(.rectangle, "{\(box)}"), ppt: ppt)
    #expect(picture.contains("<image x=\"-640\" y=\"-360\" width=\"1280\" height=\"720\""))
    let image = try #require(picture.range(of: "<image"))
    let path = try #require(picture.range(of: "<path"))
    #expect(image.lowerBound < path.lowerBound)
    #expect(!svg(ppt: #"{"src":"pptx://x.test/1.slide","width":1280,"height":720}"#).contains("<image"))
  }

  @Test("A laser's stroke is drawn while the pen is down and not after; erased elements are gone")
  func gone() {
    func marks(_ elements: [Element], burying: ElementID? = nil) -> Int {
      var state = Drawn.board(elements)
      let isBuried = burying.map { state.elements.bury($0) } ?? true
      #expect(isBuried)
      return DisplayList(of: state, scene: 1).marks.count
    }
    #expect(marks([Drawn.stroke([(0, 0), (9, 9)], tool: .laser, ended: false)]) == 1)
    #expect(marks([Drawn.stroke([(0, 0), (9, 9)], tool: .laser)]) == 0)
    #expect(marks([Drawn.stroke([(0, 0), (9, 9)])], burying: ElementID(member: 0, number: 1)) == 0)
  }
}
