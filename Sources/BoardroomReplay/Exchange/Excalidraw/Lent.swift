import BoardroomCodec
import BoardroomDrawing
import BoardroomModel

/// An element of the board, converted to one or several objects of Excalidraw.
///
/// What was imported from Excalidraw and not changed since is exported as it was: style, angle, and all kept
/// fields.
struct ExcalidrawExportElement {
  let element: Element
  let fields: ElementFields
  /// The fields that an import kept, if the element is still of that kind.
  let source: JSONValue?
  /// The time of the last event, for the field `updated`.
  let time: Int64
  /// The id that the object gets.
  var id: String
  var report: ExchangeReport
  /// Images' `data:` addresses by the ids that elements name.
  var images: [(id: String, address: ImageSource)] = []

  init?(_ element: Element, time: Int64, report: ExchangeReport) {
    guard let fields = ElementFields(element) else { return nil }
    self.element = element
    self.fields = fields
    self.time = time
    self.report = report
    let meta = fields.value("meta").map { JSONValue($0) }
    source = meta?["excalidraw"].flatMap { Self.fits($0, element) ? $0 : nil }
    id = source?["id"]?.string ?? "boardroom-\(element.id)"
  }

  private static func fits(_ source: JSONValue, _ element: Element) -> Bool {
    let type = source["type"]?.string
    switch element.content {
    case .stroke: return type == "freedraw" || type == "draw"
    case .shape(.rectangle, _): return type == "rectangle"
    case .shape(.ellipse, _): return type == "ellipse"
    case .shape(.rhombus, _): return type == "diamond"
    case .shape(.text, _): return type == "text"
    case .shape(.image, _): return type == "image"
    case .shape(.straight, _), .shape(.arrow, _): return type == "line" || type == "arrow"
    case .shape(.triangle, _), .shape(.pentagram, _), .shape(.speechBalloon, _), .shape(.note, _):
      return false
    }
  }

  // MARK: What every element has

  /// The fields that Excalidraw needs, replaced by those that an import kept.
  func base(_ type: String, id: String) -> FieldList {
    let seed = Self.seed(id)
    var list = FieldList([
      ("id", .string(id)), ("type", .string(type)), ("x", JSONValue(0)), ("y", JSONValue(0)),
      ("width", JSONValue(0)), ("height", JSONValue(0)), ("angle", JSONValue(0)),
      ("strokeColor", .string("#1e1e1e")), ("backgroundColor", .string("transparent")),
      ("fillStyle", .string("solid")), ("strokeWidth", JSONValue(2)), ("strokeStyle", .string("solid")),
      ("roughness", JSONValue(0)), ("opacity", JSONValue(100)), ("groupIds", .array([])), ("frameId", .null),
      ("index", .null), ("roundness", .null), ("seed", JSONValue(seed)), ("version", JSONValue(1)),
      ("versionNonce", JSONValue(seed)), ("isDeleted", .bool(false)), ("boundElements", .null),
      ("updated", .number(String(time))), ("link", .null), ("locked", .bool(false)),
    ])
    list.set(source?.object ?? [])
    list["id"] = .string(id)
    list["locked"] = .bool(element.isLocked)
    return list
  }

  /// A number that is the same each time: FNV-1a over the id.
  private static func seed(_ text: String) -> Int {
    let hash = text.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    return Int(hash & 0x7fff_ffff)
  }

  /// Sets the style, unless the kept fields already give the same style.
  func setLooks(_ style: ShapeStyle, _ kind: StyledKind, _ list: inout FieldList) {
    let fields = style.fields(of: kind)
    guard let source, ShapeStyle(source, of: kind) == style else { return list.set(fields) }
    // Older files have `strokeSharpness`, which newer programs read only if there is no `roundness`.
    if source["roundness"] == nil { list.set(fields.filter { $0.0 == "roundness" }) }
  }

  func setArea(_ area: Area, _ list: inout FieldList) {
    list.set([
      ("x", .real(area.low.x)), ("y", .real(area.low.y)), ("width", .real(area.size.x)),
      ("height", .real(area.size.y)),
    ])
  }

  // MARK: Where it lies

  /// Whether the element's only transform is the rotation by the kept angle.
  func isTurned(asKept centre: Spot?) -> Bool {
    guard let transform = fields.transform else { return source?.number("angle") ?? 0 == 0 }
    return source.flatMap { ExcalidrawImportElement.turn($0, about: centre) } == transform
  }

  /// A box after its transform: its size and its angle.
  mutating func placed(_ area: Area, _ kind: String) -> (area: Area, angle: Double, scale: Double) {
    guard let transform = fields.transform else { return (area, 0, 1) }
    let across = Spot(transform.a, transform.b)
    let down = Spot(transform.c, transform.d)
    let slant = across.x * down.x + across.y * down.y
    if abs(slant) > 1e-6 * across.length * down.length {
      report.note(kind, field: "transform", .changed, "turned and stretched, not slanted")
    }
    let half = Spot(area.size.x * across.length, area.size.y * down.length) * 0.5
    let centre = transform(area.centre)
    let angle = Angle.of(x: across.x, y: across.y)
    return (Area(low: centre - half, high: centre + half), angle, down.length)
  }

  /// Points after the transform, and the angle that is left.
  func placed(_ spots: [Spot]) -> (spots: [Spot], angle: JSONValue) {
    guard !isTurned(asKept: Area(around: spots)?.centre) else {
      return (spots, source?["angle"] ?? JSONValue(0))
    }
    return (fields.transform.map { transform in spots.map { transform($0) } } ?? spots, JSONValue(0))
  }
}
