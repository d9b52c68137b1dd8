import BoardroomCodec
import BoardroomModel
import StorageTestKit
import Testing

@testable import BoardroomDrawing

/// One sample an element type and style: what a painter in another language is tested against too.
struct DisplayVector: Sendable, CustomTestStringConvertible {
  var name: String
  var element: Element
  var testDescription: String { name }

  /// `shape` and `set` are as in docs/PROTOCOL.md, sections 6 and 7; so are `begin` and the segments of a stroke.
  var file: [UInt8] {
    let attributes = element.attributes.sorted { $0.key < $1.key }.map { key, value in
      (key, (try? JSONValue(value)) ?? .null)
    }
    var fields: [(String, JSONValue)] = [("name", .string(name))]
    switch element.content {
    case .shape(let type, let raw):
      fields += [("type", .string(type.rawValue)), ("shape", (try? JSONValue(raw)) ?? .null)]
    case .stroke(let stroke): fields.append(("stroke", Self.json(stroke)))
    }
    if !attributes.isEmpty { fields.append(("set", .object(attributes))) }
    fields.append(("display", DisplayList(marks: element.marks).json))
    return JSONValue.object(fields).compact + [UInt8(ascii: "\n")]
  }

  private static func json(_ stroke: StrokeContent) -> JSONValue {
    func list(_ values: some Sequence<some BinaryInteger>) -> JSONValue {
      .array(values.map { .number(String($0)) })
    }
    let style = stroke.style
    let segments = ((try? stroke.steps()) ?? []).map { steps in
      JSONValue.object(
        [("dx", list(steps.x)), ("dy", list(steps.y)), ("dt", list(steps.time))]
          + (steps.pressure.map { [("dp", list($0))] } ?? []))
    }
    return .object([
      (
        "begin",
        .object([
          ("scene", JSONValue(Int(style.scene))), ("unit", JSONValue(Int(style.unit))),
          ("tool", .string("\(style.tool)")),
          ("colour", list([style.colour.red, style.colour.green, style.colour.blue])),
          ("opacity", JSONValue(Int(style.opacity))), ("width", JSONValue(Int(style.width))),
        ])
      ), ("ended", .bool(stroke.ended)), ("segments", .array(segments)),
    ])
  }

  private static let wave: [(Int64, Int64)] = [(0, 0), (40, 8), (90, 60), (60, 120), (10, 90)]
  private static let box = #""x":10.5,"y":-20,"width":100,"height":50"#

  private static func shape(
    _ name: String, _ type: ElementType, _ body: String, _ attributes: [String: String] = [:]
  ) -> DisplayVector {
    DisplayVector(name: name, element: Drawn.shape(type, "{\(body)}", attributes: attributes))
  }

  private static func stroke(
    _ name: String, pressure: [Int64]? = nil, tool: StrokeTool = .pencil, _ attributes: [String: String] = [:]
  ) -> DisplayVector {
    DisplayVector(
      name: name, element: Drawn.stroke(wave, pressure: pressure, tool: tool, attributes: attributes))
  }

  /// An image that the server stores, as elements name it.
  static let storedImage =
    "/v5/rooms/\(String(repeating: "0123456789abcdef", count: 2))/images/\(String(repeating: "ab", count: 32)).png"

  private static let label = #""text":"two\nlines","size":20"#

  /// Texts in shapes and on lines.
  static let labels: [DisplayVector] =
    [ElementType.rectangle, .ellipse, .triangle, .rhombus, .pentagram, .speechBalloon].map { type in
      shape("\(type.rawValue)-labelled", type, #"\#(box),\#(label),"style":{"colour":[4,5,6]}"#)
    } + [
      shape(
        "rectangle-label-styled", .rectangle,
        #"\#(box),"text":"a","style":{"align":"right","textColor":[7,8,9],"bold":true,"opacity":0.5}"#,
        ["text": #""changed""#, "size": "24", "transform": "[0,1,-1,0,5,6]"]),
      shape(
        "arrow-labelled", .arrow,
        #""x":5,"y":5,"points":[[0,0],[80,0],[80,40]],\#(label),"style":{"textWidth":44.5}"#),
      shape(
        "arrow-curved-labelled", .arrow,
        #""x":5,"y":5,"points":[[0,0],[60,25.5],[90,0]],\#(label),"style":{"rounded":true,"textWidth":44}"#),
      shape(
        "line-label-bare", .straight,
        #""x":0,"y":0,"points":[[0,0],[30,10]],"text":"白板","style":{"colour":[4,5,6],"align":"left"}"#,
        ["transform": "[0.6,0.8,-0.8,0.6,100,200]"]),
    ]

  /// Images that this server stores, by paths without a host. They came after the picture of all others.
  static let stored: [DisplayVector] = [
    shape("image-stored", .image, box, ["src": "\"\(storedImage)\""]),
    shape("image-stored-hostile", .image, box, ["src": #""/v5/rooms/../server""#]),
  ]

  static let all: [DisplayVector] =
    [
      stroke("stroke-plain"), stroke("stroke-pressure", pressure: [100, 500, 900, 700, 200]),
      stroke("stroke-highlighter", tool: .highlighter), stroke("stroke-laser", tool: .laser),
      stroke(
        "stroke-changed",
        [
          "style.colour": "[0,0,255]", "style.width": "2.5", "style.opacity": "0.5",
          "transform": "[0,1,-1,0,5,6]",
        ]),
      DisplayVector(name: "stroke-dot", element: Drawn.stroke([(4, 4)], pressure: [512])),
      shape(
        "line-rounded", .straight,
        #""x":0,"y":0,"points":[[0,0],[10,30],[20,0],[30,30]],"style":{"rounded":true}"#),
      shape(
        "line-filled", .straight,
        #""x":0,"y":0,"points":[[0,0],[10,30],[20,0],[0,0]],"style":{"fill":[9,8,7]}"#),
      shape(
        "arrow-dashed", .arrow,
        #""x":5,"y":5,"points":[[0,0],[40,0],[40,33.3]],"style":{"strokeType":"longDotted"}"#),
      shape("arrow-short", .arrow, #""x":5,"y":5,"points":[[0,0],[6,2]],"style":{"width":4}"#),
      shape("text", .text, #""x":7,"y":8,"text":"白板 & board\n\nthird","size":18"#),
      shape(
        "text-styled", .text,
        #"\#(box),"text":"a","style":{"bold":true,"italic":true,"underline":true,"lineThrough":true,"textColor":[1,2,3],"align":"right","opacity":0.25}"#,
        ["transform": "[0.6,0.8,-0.8,0.6,100,200]"]),
      shape("note", .note, #"\#(box),"text":"buy milk\nand bread","size":14"#),
      shape(
        "note-styled", .note, #"\#(box),"text":"x","style":{"fill":[200,230,255],"width":1,"rounded":true}"#),
      shape("image-waiting", .image, box),
      shape("image", .image, box, ["src": #""https://example.test/a.png""#, "style.opacity": "0.5"]),
      shape("image-hostile", .image, box, ["src": #""javascript:alert(1)""#]),
    ]
    + [ElementType.rectangle, .ellipse, .triangle, .rhombus, .pentagram, .speechBalloon].flatMap { type in
      [
        shape(type.rawValue, type, box),
        shape(
          "\(type.rawValue)-styled", type,
          #"\#(box),"style":{"colour":[4,5,6],"fill":[250,240,200],"width":3,"opacity":0.5,"fillOpacity":1,"strokeType":"dotted","rounded":true}"#,
          ["transform": "[1,0,0.5,2,0,0]", "x": "0"]),
      ]
    }
}

@Suite("Display lists")
struct DisplayVectorTests {
  @Test(
    "RP-68: an element and its display list are the same for ever: golden vectors",
    arguments: DisplayVector.all + DisplayVector.labels + DisplayVector.stored)
  fileprivate func golden(vector: DisplayVector) throws {
    let name = "display/\(vector.name).json"
    try GoldenFiles.record(name, vector.file)
    #expect(
      String(decoding: try GoldenFiles.read(name), as: UTF8.self)
        == String(decoding: vector.file, as: UTF8.self))
  }

  @Test("Every element type has a vector")
  func everyType() {
    for type in ElementType.allCases {
      #expect(
        DisplayVector.all.contains {
          switch $0.element.content {
          case .shape(type, _): true
          case .shape, .stroke: false
          }
        }, "\(type)")
    }
    #expect(Set(DisplayVector.all.map(\.name)).count == DisplayVector.all.count)
  }

  @Test("RP-68: the picture of a board with every kind of element is the same for ever: golden")
  func goldenBoard() throws {
    var elements: [Element] = []
    for (place, vector) in DisplayVector.all.enumerated() {
      var element = vector.element
      element.id = ElementID(member: 0, number: UInt64(place))
      elements.append(element)
    }
    let state = Drawn.board(elements, ppt: #"{"src":"https://example.test/1.png","width":640,"height":480}"#)
    let size = try #require(PictureSize(width: 640, height: 480))
    for (name, picture) in [
      ("board.svg", SceneSVG.picture(of: state, scene: 1)),
      ("board-640x480.svg", SceneSVG.picture(of: state, scene: 1, size: size)),
    ] {
      try GoldenFiles.record(name, Array(picture.utf8))
      #expect(String(decoding: try GoldenFiles.read(name), as: UTF8.self) == picture)
    }
  }
}
