import BoardroomModel
import Crypto
import EventLogModel

// One part of a snapshot: the elements of 256 places, in order.
//
//   part    = uv first place | element …
//   element = uv place - place before in the part (the first: - first place) | u8 form | uv member | uv number |
//             uv scene | stroke or shape | attributes
//   form    = 1 stroke or 2 shape, + 4 has attributes, + 8 erased but kept for an undo, + 16 shape with the body of
//             the element that it was copied from
//   stroke  (form 1) = style without scene | u8 ended | uv points | uv byte length | segments
//   segment = u8 flags (4: no pressure, or 0) | uv n | zz x[n] | zz y[n] | uv t[n] | zz p[n]
//   shape   (form 2) = u8 type | uv byte length | body of its elementPut
//   attributes (only with 4) = uv byte length | JSON object, keys sorted by their UTF-8 bytes, no spaces

enum ElementForm {
  static let stroke: UInt8 = 1
  static let shape: UInt8 = 2
  static let attributes: UInt8 = 4
  static let buried: UInt8 = 8
  static let copy: UInt8 = 16
  static let all = stroke | shape | attributes | buried | copy
}

extension ElementType {
  var code: UInt8 {
    switch self {
    case .rectangle: 0
    case .text: 1
    case .ellipse: 2
    case .triangle: 3
    case .rhombus: 4
    case .pentagram: 5
    case .speechBalloon: 6
    case .straight: 7
    case .arrow: 8
    case .image: 9
    case .note: 10
    }
  }

  init?(code: UInt8) {
    guard let type = Self.allCases.first(where: { $0.code == code }) else { return nil }
    self = type
  }
}

/// A chunk of places, taken apart.
struct ElementChunk: Hashable {
  var first: Int
  /// With their places, rising.
  var elements: [Placed]

  struct Placed: Hashable {
    var place: Int
    var element: Element
    var isBuried = false
  }

  init(first: Int, elements: [Placed]) {
    self.first = first
    self.elements = elements
  }

  init(chunk number: Int, of store: ElementStore) {
    let chunk = store.chunk(number)
    let first = number * ElementStore.chunkSize
    self.first = first
    elements = chunk.enumerated().compactMap { offset, place in
      place.map {
        Placed(place: first + offset, element: $0, isBuried: store.isBuried(ordinal: first + offset))
      }
    }
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendVarint(UInt64(first))
    var before = first
    for placed in elements {
      bytes.appendVarint(UInt64(placed.place - before))
      bytes.appendElement(placed.element, isBuried: placed.isBuried)
      before = placed.place
    }
    return bytes
  }

  init(bytes: ArraySlice<UInt8>) throws(CodecError) {
    var elements: [Placed] = []
    elements.reserveCapacity(ElementStore.chunkSize)
    first = try Self.read(bytes) { elements.append($0) }
    self.elements = elements
  }

  /// Hands out the elements one by one; says the first place.
  /// - Parameter areChecked: whether points of strokes and bodies of shapes are known to be well formed.
  static func read(
    _ bytes: ArraySlice<UInt8>, areChecked: Bool = false, _ take: (Placed) throws(CodecError) -> Void
  ) throws(CodecError) -> Int {
    try bytes.reading { (reader) throws(CodecError) in
      let first = Int(try reader.number("first place", upTo: 1 << 48))
      var isFirst = true
      var place = first
      while !reader.isAtEnd {
        let at = reader.position
        let step = Int(try reader.number("place", upTo: UInt64(ElementStore.chunkSize)))
        place += step
        guard step > 0 || isFirst, place < first + ElementStore.chunkSize else {
          throw .wire(.badField("place", at: at))
        }
        isFirst = false
        try take(try reader.placed(at: place, areChecked: areChecked))
      }
      return first
    }
  }
}

extension [UInt8] {
  fileprivate mutating func appendElement(_ element: BoardroomModel.Element, isBuried: Bool) {
    var form: UInt8 =
      (element.attributes.isEmpty ? 0 : ElementForm.attributes)
      | (isBuried ? ElementForm.buried : 0) | (element.isCopy ? ElementForm.copy : 0)
    switch element.content {
    case .stroke: form |= ElementForm.stroke
    case .shape: form |= ElementForm.shape
    }
    append(form)
    appendVarint(element.id.member.rawValue)
    appendVarint(element.id.number)
    appendVarint(UInt64(element.scene))
    switch element.content {
    case .stroke(let stroke):
      appendStrokeStyle(stroke.style)
      append(stroke.ended ? 1 : 0)
      appendVarint(UInt64(stroke.pointCount))
      appendVarint(UInt64(stroke.segments.count))
      append(contentsOf: stroke.segments)
    case .shape(let type, let raw):
      append(type.code)
      appendVarint(UInt64(raw.bytes.count))
      append(contentsOf: raw.bytes)
    }
    if !element.attributes.isEmpty { appendAttributes(element.attributes) }
  }

  private mutating func appendAttributes(_ attributes: [String: JSONText]) {
    let text = JSONWriter.object { writer in
      for key in attributes.keys.sorted(by: precedes) { writer.field(key, attributes[key]) }
    }
    appendVarint(UInt64(text.count))
    append(contentsOf: text)
  }
}

extension ByteReader {
  fileprivate mutating func placed(at place: Int, areChecked: Bool) throws(CodecError) -> ElementChunk.Placed
  {
    let at = position
    let form = try octet()
    let kind = form & (ElementForm.stroke | ElementForm.shape)
    guard form & ~ElementForm.all == 0, kind == ElementForm.stroke || kind == ElementForm.shape else {
      throw .wire(.badField("element form", at: at))
    }
    let isCopy = form & ElementForm.copy != 0
    let id = ElementID(
      member: MemberID(try number("member")),
      number: try number("element number"))
    let scene = try scene()
    let content: Element.Content =
      kind == ElementForm.stroke
      ? .stroke(try storedStroke(scene: scene, isChecked: areChecked))
      : try storedShape(of: id, isCopy: isCopy, isChecked: areChecked)
    let attributes = form & ElementForm.attributes != 0 ? try storedAttributes() : [:]
    return ElementChunk.Placed(
      place: place,
      element: Element(id: id, scene: scene, content: content, attributes: attributes, isCopy: isCopy),
      isBuried: form & ElementForm.buried != 0)
  }

  private mutating func storedAttributes() throws(CodecError) -> [String: JSONText] {
    let at = position
    let text = Array(try bytes(Int(try number("attributes length", upTo: 1 << 32))))
    let fields = try JSONFields(text: text[...], limits: RecordMirror.limits, of: "attributes")
    var attributes: [String: JSONText] = [:]
    for (key, value) in fields.object.members { attributes[key] = value.text }
    guard !attributes.isEmpty else { throw .wire(.badField("attributes", at: at)) }
    return attributes
  }

  private mutating func storedStroke(scene: SceneID, isChecked: Bool) throws(CodecError) -> StrokeContent {
    let style = try strokeStyle(scene: scene)
    let at = position
    let ended = try octet()
    guard ended <= 1 else { throw .wire(.badField("ended", at: at)) }
    let points = Int(try number("stroke points", upTo: 1 << 32))
    let segments = Array(try bytes(Int(try number("segments length", upTo: 1 << 32))))
    if !isChecked {
      guard try StrokeContent.countPoints(of: segments) == points else {
        throw .wire(.badField("stroke points", at: at))
      }
    }
    return StrokeContent(style: style, ended: ended == 1, pointCount: points, segments: segments)
  }

  private mutating func storedShape(
    of id: ElementID, isCopy: Bool, isChecked: Bool
  ) throws(CodecError) -> Element.Content {
    let at = position
    let type = ElementType(code: try octet())
    let raw = Array(try bytes(Int(try number("shape length", upTo: 1 << 32))))
    if isChecked, let type { return .shape(type: type, raw: JSONText(unchecked: raw)) }
    let put = try ElementPut(parsing: raw)
    guard put.type == type, put.id == id || isCopy, put.raw.bytes.count == raw.count else {
      throw .wire(.badField("shape", at: at))
    }
    return .shape(type: put.type, raw: put.raw)
  }
}

extension StrokeContent {
  /// Checks segments as they are kept, and counts their points.
  static func countPoints(of segments: [UInt8]) throws(CodecError) -> Int {
    try segments[...].reading { (reader) throws(CodecError) in
      var count = 0
      var begins = true
      while !reader.isAtEnd {
        let hasPressure = try StrokeFlags.hasPressure(ofPoints: &reader)
        count += try PointCheck.run(&reader, hasPressure: hasPressure, begins: begins)
        begins = false
      }
      return count
    }
  }
}

/// SHA-256, 32 bytes.
func sha256(_ pieces: [UInt8]...) -> [UInt8] {
  var hash = SHA256()
  for piece in pieces { piece.withUnsafeBytes { hash.update(bufferPointer: $0) } }
  return Array(hash.finalize())
}

/// HMAC-SHA-256 of `bytes` as 64 hexadecimal digits.
public func keyedHash(_ bytes: [UInt8], key: [UInt8]) -> String {
  let code = HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: key))
  return code.map { byte in
    let digits = String(byte, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }.joined()
}
