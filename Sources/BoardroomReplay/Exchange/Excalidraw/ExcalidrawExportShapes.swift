import BoardroomCodec
import BoardroomDrawing
import BoardroomModel

extension ExcalidrawExportElement {
  /// The objects for the element; none if it is not shown.
  mutating func objects() -> [FieldList] {
    switch element.content {
    case .stroke(let stroke): return [pen(stroke)].compactMap(\.self)
    case .shape(let type, _):
      report.keep(type.rawValue)
      switch type {
      case .rectangle: return [box("rectangle", .rectangle)]
      case .ellipse: return [box("ellipse", .ellipse)]
      case .rhombus: return [box("diamond", .rhombus)]
      case .image: return [image()]
      case .triangle, .pentagram, .speechBalloon: return [polygon(type)]
      case .straight, .arrow: return [line(type)]
      case .text: return [text()]
      case .note: return note()
      }
    }
  }

  // MARK: Boxes

  private mutating func box(_ kind: String, _ type: ElementType) -> FieldList {
    var list = base(kind, id: id)
    setLooks(ShapeStyle(fields, of: type), .box(type), &list)
    turn(fields.area, type.rawValue, &list)
    return list
  }

  /// Sets place and angle. Returns by how much letters grow.
  @discardableResult
  private mutating func turn(_ area: Area, _ kind: String, _ list: inout FieldList) -> Double {
    guard !isTurned(asKept: area.centre) else {
      setArea(area, &list)
      return 1
    }
    let placed = placed(area, kind)
    setArea(placed.area, &list)
    list["angle"] = .real(placed.angle)
    return placed.scale
  }

  private mutating func image() -> FieldList {
    var list = box("image", .image)
    let file = source?["fileId"]?.string ?? "boardroom-\(element.id)"
    list.set([("fileId", .string(file)), ("status", .string("pending"))])
    if list["scale"] == nil { list["scale"] = .array([JSONValue(1), JSONValue(1)]) }
    list.set([("strokeColor", .string("transparent")), ("backgroundColor", .string("transparent"))])
    guard let source = fields.source else {
      report.note("image", field: "src", .lost, "there is none, or none that is safe")
      return list
    }
    if source.embeddedType != nil {
      images.append((file, source))
      list["status"] = .string("saved")
    } else {
      list["link"] = .string(source.text)
      report.note(
        "image", field: "src", .changed, "a web address: kept as link, its picture is not in the file")
    }
    return list
  }

  // MARK: Lines

  private mutating func line(_ type: ElementType) -> FieldList {
    let points = fields.points
    let kind = source?["type"]?.string ?? (type == .arrow ? "arrow" : "line")
    var list = base(kind, id: id)
    if source.map({ ExcalidrawImportElement.lineType($0) }) != type {
      list.set([
        ("startArrowhead", .null), ("endArrowhead", type == .arrow ? .string("arrow") : .null),
      ])
    }
    setLooks(ShapeStyle(fields, of: type), .line(isClosed: ExcalidrawImportElement.isClosed(points)), &list)
    let placed = placed(points)
    setPoints(placed.spots, &list)
    list["angle"] = placed.angle
    if fields.colour("fill") != nil, !ExcalidrawImportElement.isClosed(points) {
      report.note(type.rawValue, field: "style.fill", .lost, "only closed lines are filled")
    }
    return list
  }

  private mutating func polygon(_ type: ElementType) -> FieldList {
    report.note(type.rawValue, field: "type", .changed, "a line around it")
    if fields.isSet("rounded") {
      report.note(type.rawValue, field: "style.rounded", .lost, "corners are sharp")
    }
    let corners = ShapeOutline.corners(type, fields.area) ?? []
    var style = ShapeStyle(fields, of: type)
    style.isRounded = false
    var list = base("line", id: id)
    list.set([("startArrowhead", .null), ("endArrowhead", .null), ("polygon", .bool(true))])
    setLooks(style, .line(isClosed: true), &list)
    setPoints(placed(corners + corners.prefix(1)).spots, &list)
    return list
  }

  func setPoints(_ spots: [Spot], _ list: inout FieldList) {
    let first = spots.first ?? fields.corner
    let area = Area(around: spots) ?? Area(low: first, high: first)
    setArea(area, &list)
    list.set([
      ("x", .real(first.x)), ("y", .real(first.y)),
      ("points", .array(spots.map { .array([.real($0.x - first.x), .real($0.y - first.y)]) })),
    ])
    for name in ["startBinding", "endBinding", "lastCommittedPoint"] where list[name] == nil {
      list[name] = .null
    }
  }

  // MARK: Strokes

  private mutating func pen(_ stroke: StrokeContent) -> FieldList? {
    guard stroke.style.tool != .laser else {
      report.note("stroke", .notKept, "a laser leaves nothing")
      return nil
    }
    let points = stroke.points()
    guard !points.isEmpty else {
      report.note("stroke", .notKept, "it has no points")
      return nil
    }
    report.keep("stroke")
    if source == nil { report.note("stroke", field: "time", .lost, "Excalidraw keeps no times of points") }
    var style = ShapeStyle(stroke.style, fields)
    if stroke.style.tool == .highlighter {
      report.note("stroke", field: "tool", .changed, "a pale pen stands for the highlighter")
      style.opacity *= 0.4
    }
    var list = base("freedraw", id: id)
    setLooks(style, .pen, &list)
    let placed = placed(points.map { Spot($0.x, $0.y) })
    setPoints(placed.spots, &list)
    list["angle"] = placed.angle
    let pressures = points.compactMap(\.pressure)
    let isWhole = pressures.count == points.count
    list["pressures"] = .array(isWhole ? pressures.map { .real(($0 * 10_000).rounded() / 10_000) } : [])
    list["simulatePressure"] = source?["simulatePressure"] ?? .bool(!isWhole)
    return list
  }

  // MARK: Texts

  private mutating func text() -> FieldList {
    let words = fields.text(ElementKey.text) ?? ""
    let size = fields.number("size") ?? UsualStyle.letterHeight
    var list = base("text", id: id)
    setLooks(ShapeStyle(fields, of: .text), .text, &list)
    let scale = turn(textArea(words, size), "text", &list)
    setText(words, size: size * scale, &list)
    return list
  }

  private func setText(_ words: String, size: Double, _ list: inout FieldList) {
    list.set([("text", .string(words)), ("fontSize", .real(size))])
    if list["originalText"] == nil || element.attributes[ElementKey.text] != nil {
      list["originalText"] = .string(words)
    }
    let usual: [(String, JSONValue)] = [
      ("fontFamily", JSONValue(2)), ("textAlign", .string("left")), ("verticalAlign", .string("top")),
      ("containerId", .null), ("autoResize", .bool(true)), ("lineHeight", .number("1.25")),
    ]
    for (key, value) in usual where list[key] == nil { list[key] = value }
  }

  /// The text's own box, or about the rectangle of its letters.
  private func textArea(_ words: String, _ size: Double) -> Area {
    guard fields.size.x == 0 else { return fields.area }
    let lines = words.split(separator: "\n", omittingEmptySubsequences: false)
    let width = Double(lines.map(\.count).max() ?? 0) * size * Mark.letterWidth
    return Area(
      low: fields.corner, high: fields.corner + Spot(width, Double(lines.count) * size * Mark.lineHeight))
  }

  /// A note: a rectangle with a text bound to it.
  private mutating func note() -> [FieldList] {
    report.note("note", field: "type", .changed, "a rectangle with a text bound to it")
    let textID = id + "-text"
    var paper = base("rectangle", id: id)
    var style = ShapeStyle(fields, of: .note)
    style.fill = style.fill ?? UsualStyle.paper
    style.fillOpacity = fields.share("fillOpacity") ?? style.opacity
    setLooks(style, .box(.rectangle), &paper)
    turn(fields.area, "note", &paper)
    paper["boundElements"] = .array([.object([("type", .string("text")), ("id", .string(textID))])])
    let words = fields.text(ElementKey.text) ?? ""
    var text = base("text", id: textID)
    let inset = Spot(UsualStyle.padding, UsualStyle.padding)
    turn(Area(low: fields.area.low + inset, high: fields.area.high - inset), "note", &text)
    setText(words, size: fields.number("size") ?? UsualStyle.letterHeight, &text)
    text["containerId"] = .string(id)
    text["strokeColor"] = .string(CSSColour.text(fields.colour("textColor") ?? UsualStyle.ink))
    return [paper, text]
  }
}
