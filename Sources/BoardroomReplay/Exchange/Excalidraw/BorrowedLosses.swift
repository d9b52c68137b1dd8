import BoardroomCodec

extension ExchangeReport {
  /// Lists the fields of an imported element that nothing shows. They are in the log (`meta`), and an export
  /// writes them again.
  mutating func noteHidden(_ source: JSONValue, _ borrowed: ExcalidrawImportElement) {
    let kind = source["type"]?.string ?? ""
    func value(_ field: String) -> String? { source[field]?.string }
    for (field, reason) in Self.unseen where source.says(field) {
      note(kind, field: field, .keptAside, reason)
    }
    if source["roughness"]?.double ?? 0 > 0 {
      note(kind, field: "roughness", .keptAside, "drawn with clean lines")
    }
    for field in ["strokeColor", "backgroundColor"] {
      guard let text = value(field), CSSColour(text) == nil else { continue }
      note(
        kind, field: field, .keptAside,
        field == "strokeColor" ? "not understood, drawn dark" : "not understood, not filled")
    }
    if borrowed.style.fill != nil, let style = value("fillStyle"), style != "solid" {
      note(kind, field: "fillStyle", .keptAside, "\(style.prefix(20)): filled evenly")
    }
    switch borrowed.body {
    case .box: break
    case .line: noteLine(kind, source)
    case .text: noteText(kind, source)
    case .stroke(let points): noteStroke(kind, source, points)
    }
  }

  private static let unseen = [
    ("groupIds", "elements have no groups"), ("frameId", "there are no frames"),
    ("boundElements", "elements are not bound"), ("boundElementIds", "elements are not bound"),
    ("startBinding", "elements are not bound"), ("endBinding", "elements are not bound"),
    ("containerId", "elements are not bound"), ("link", "elements have no links"),
    ("customData", "not shown"), ("startArrowhead", "only the end has a head"), ("crop", "shown as a whole"),
  ]

  private mutating func noteLine(_ kind: String, _ source: JSONValue) {
    if let head = source["endArrowhead"]?.string, head != "arrow" {
      note(kind, field: "endArrowhead", .keptAside, "\(head.prefix(20)): drawn as a plain head")
    }
    if source["elbowed"]?.bool == true {
      note(kind, field: "elbowed", .keptAside, "drawn through its points")
    }
  }

  private mutating func noteText(_ kind: String, _ source: JSONValue) {
    note(kind, field: "fontFamily", .keptAside, "drawn without serifs")
    if let align = source["verticalAlign"]?.string, align != "top" {
      note(kind, field: "verticalAlign", .keptAside, "placed by its corner")
    }
    if let height = source["lineHeight"]?.double, height != 1.25 {
      note(kind, field: "lineHeight", .keptAside, "drawn with 1.25")
    }
  }

  private mutating func noteStroke(_ kind: String, _ source: JSONValue, _ points: PenPoints) {
    note(
      kind, field: "strokeWidth", .changed, "times 4.25, the size of Excalidraw's pen; its outline differs")
    if points.pressure == nil, source["simulatePressure"]?.bool == true {
      note(kind, field: "simulatePressure", .keptAside, "drawn with even width")
    }
    if let style = source["strokeStyle"]?.string, style != "solid" {
      note(kind, field: "strokeStyle", .keptAside, "drawn as a whole line")
    }
    if let paper = source["backgroundColor"]?.string.flatMap({ CSSColour($0) }), paper.alpha > 0 {
      note(kind, field: "backgroundColor", .keptAside, "strokes are not filled")
    }
  }
}
