import BoardroomModel
import EventLogModel

// The JSON form of snapshot parts, both ways: `first` and `elements`. Of the root nothing needs to be done:
// it is JSON. A part that is not what StatePart describes goes as `raw`, so that nothing is lost on the way.

extension JSONWriter {
  mutating func statePart(_ bytes: [UInt8]) {
    guard let part = try? ElementChunk(bytes: bytes[...]), let elements = try? Self.elements(part) else {
      return field("raw", Base64.encode(bytes))
    }
    field("first", part.first)
    key("elements")
    raw(elements)
  }

  private static func elements(_ part: ElementChunk) throws(CodecError) -> [UInt8] {
    var writer = JSONWriter()
    var failure: CodecError?
    writer.array { writer in
      for placed in part.elements {
        do throws(CodecError) { try writer.element(placed) } catch { failure = error }
      }
    }
    if let failure { throw failure }
    return writer.bytes
  }

  private mutating func element(_ placed: ElementChunk.Placed) throws(CodecError) {
    let element = placed.element
    switch element.content {
    case .stroke(let stroke):
      let segments = try stroke.steps()
      object { writer in
        writer.place(placed)
        writer.field("stroke") { $0.storedStroke(stroke, segments) }
        writer.laterParts(of: placed)
      }
    case .shape(_, let raw):
      object { writer in
        writer.place(placed)
        writer.field("shape", raw)
        writer.laterParts(of: placed)
      }
    }
  }

  private mutating func place(_ placed: ElementChunk.Placed) {
    field("place", placed.place)
    field("id", placed.element.id.description)
    field("scene", placed.element.scene)
  }

  private mutating func laterParts(of placed: ElementChunk.Placed) {
    if !placed.element.attributes.isEmpty { sorted("set", placed.element.attributes) }
    if placed.isBuried { field("buried", true) }
    if placed.element.isCopy { field("copy", true) }
  }

  private mutating func storedStroke(_ stroke: StrokeContent, _ segments: [PointSteps]) {
    style("begin", stroke.style)
    field("ended", stroke.ended)
    list("segments", segments) { writer, steps in writer.object { $0.steps(steps) } }
  }
}

extension JSONFields {
  /// The bytes of a part.
  func statePart() throws(CodecError) -> [UInt8] {
    if has("raw") {
      guard let bytes = Base64.decode(try string("raw")) else { throw error("raw", "must be base64") }
      return bytes
    }
    var part = ElementChunk(first: Int(try number("first", upTo: 1 << 48)), elements: [])
    var least = part.first
    for item in try array("elements") {
      let fields = try JSONFields(item, of: "elements")
      let place = try fields.count("place")
      guard place >= least, place < part.first + ElementStore.chunkSize else {
        throw fields.error("place", "must rise within the part's 256")
      }
      part.elements.append(
        ElementChunk.Placed(
          place: place, element: try fields.placedElement(),
          isBuried: try fields.bool("buried", otherwise: false)))
      least = place + 1
    }
    let bytes = part.bytes
    _ = try ElementChunk(bytes: bytes[...])
    return bytes
  }

  private func placedElement() throws(CodecError) -> Element {
    var element = Element(id: try element("id"), scene: try scene("scene"), content: try placedContent())
    if has("set") { element.attributes = try texts("set") }
    element.isCopy = try bool("copy", otherwise: false)
    return element
  }

  private func placedContent() throws(CodecError) -> Element.Content {
    guard has("shape") else { return .stroke(try fields("stroke").storedStroke(try scene("scene"))) }
    let put = try fields("shape").elementPut()
    return .shape(type: put.type, raw: put.raw)
  }

  private func storedStroke(_ scene: SceneID) throws(CodecError) -> StrokeContent {
    let style = try fields("begin").strokeStyle()
    guard style.scene == scene else { throw error("begin.scene", "must be the element's") }
    var stroke = StrokeContent(style: style, ended: try bool("ended"), pointCount: 0, segments: [])
    for item in try array("segments") {
      let points = EncodedPoints(try JSONFields(item, of: "segments").steps())
      stroke.pointCount += points.count
      stroke.segments.append(contentsOf: points.bytes)
    }
    return stroke
  }
}
